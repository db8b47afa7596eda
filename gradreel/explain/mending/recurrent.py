"""Mends for recurrent layers: the second state of an LSTM, and its output out of the pair that it gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from ..errors.recurrent import PAIRED, RECURRENT, named_layers
from ..fixes.edits import value_of
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix

ZEROS = "the memory begins with zeros"


@fix(state_alone=1)
def paired(wanted: Wanted) -> Iterator[Proposal]:
    """The state gets its partner: one that goes along with it, one where it is made, or zeros in the call."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target") or ""
    layers = set(named_layers(text.tree, PAIRED))
    calls = [call for call in text.calls(raised) if text.get(call.func) in layers and len(call.args) == 2]
    goal = raised.targets[0] if isinstance(raised, ast.Assign) else None
    parts = [text.get(part) for part in (goal.elts if isinstance(goal, ast.Tuple) else [goal] if goal else [])]
    if raised is not None and parts[:1] == [name] and name.isidentifier():
        other = parts[1] if len(parts) == 2 else f"{name}_memory"
        for call in calls:
            edits = [
                text.replaced(call.args[1], f"({name}, {other})"),
                text.before(text.loop(raised) or raised, [f"{other} = torch.zeros_like({name})"]),
            ]
            if len(parts) == 1 and goal is not None:
                edits.append(text.replaced(goal, f"{name}, {other}"))
            yield wanted.proposal(f"the pair ({name}, {other}) on line {call.lineno}", ZEROS, *edits)
    if name in parts[1:]:  # the pair comes back, and goes in again with the next turn
        yield from pair_made(wanted)
    for call in calls:
        made = f"({text.get(call.args[1])}, torch.zeros_like({text.get(call.args[1])}))"
        yield wanted.proposal(f"{made} on line {call.lineno}", ZEROS, text.replaced(call.args[1], made))
    yield from pair_made(wanted)


def pair_made(wanted: Wanted) -> Iterator[Proposal]:
    """Both states are made where the one was."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    if built is not None and isinstance(value, ast.Call):
        made = f"({text.get(value)}, torch.zeros_like({text.get(value)}))"
        if callee(value).startswith("zeros"):
            made = f"({text.get(value)}, {text.get(value)})"
        yield wanted.proposal(f"a pair of states on line {built.lineno}", ZEROS, text.replaced(value, made))


@fix(tuple_as_tensor=1)
def output_taken(wanted: Wanted) -> Iterator[Proposal]:
    """`relu(self.gru(x))` takes `self.gru(x)[0]`; in a Sequential, a small module takes the output out of the pair."""
    text, raised = wanted.text, wanted.at("raised")
    layers = set(named_layers(text.tree, RECURRENT))
    for call in text.calls(raised) if raised is not None else []:
        inside = isinstance(text.parents.get(call), ast.Call | ast.BinOp | ast.Attribute | ast.keyword)
        if inside and text.get(call.func) in layers:
            title = f"its output: {text.get(call)}[0] on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call, f"{text.get(call)}[0]"))
    for home in text.parts(text.tree, ast.Call):
        inner = [part for part in home.args if callee(part) in RECURRENT] if callee(home) == "Sequential" else []
        whole = next((node for node in text.tree.body if node.lineno <= home.lineno <= (node.end_lineno or 0)), None)
        if inner and whole is not None and isinstance(home.func, ast.Attribute):
            module = f"{text.get(home.func.value)}.Module"
            lines = [f"class Output({module}):", "    def forward(self, pair):", "        return pair[0]"]
            edits = [text.replaced(part, f"{text.get(part)}, Output()") for part in inner]
            title = f"a module behind it that takes the output out of the pair, on line {home.lineno}"
            yield wanted.proposal(title, FREE, text.before(whole, lines), *edits)


@fix(not_a_tensor=2)
def one_of_states(wanted: Wanted) -> Iterator[Proposal]:
    """`fc((h_n, c_n))` becomes `fc(h_n)`: the first of what stands in brackets is what the layer shows."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised):
        for pair in call.args:
            if isinstance(pair, ast.Tuple) and len(pair.elts) == 2 and isinstance(pair.elts[0], ast.Name):
                first = text.get(pair.elts[0])
                title = f"{first} alone, and not the pair, on line {call.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(pair, first))
