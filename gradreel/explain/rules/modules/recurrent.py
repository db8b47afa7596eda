"""Recurrent layers: an LSTM that is given one state, and its output out of the pair that it gives."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...calls import callee, calls_in
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import begin_story, raising_statement, stands_for
from ...diagnostics.message_rules import MessageRule, message_rules
from ...diagnostics.registry import rule
from ...fixes.edits import set_keyword, value_of
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...narration.words import code, on
from ...replay.world import World

ALONE = re.compile(
    r"index 1 is out of bounds for dimension 0 with size 1"
    r"|^lstm_cell\(\): argument 'hx' \(position 2\) must be tuple of Tensors, not Tensor"
    r"|^For (?:un)?batched \d-D input, hx and cx should also be"
)
"""What PyTorch says where it takes the pair of states apart, or what is no pair."""
PAIRED = ("LSTM", "LSTMCell")
RECURRENT = ("LSTM", "GRU", "RNN")
"""Layers that give their output and their last state."""


@rule
def state_alone(world: World, failure: Failure) -> Diagnosis | None:
    """A tensor stands where an LSTM takes its state and its memory."""
    if ALONE.search(failure.raised.message) is None:
        return None
    layers = set(named_layers(world.source.tree, PAIRED))
    calls = [call for call in calls_in(raising_statement(world, failure)) if ast.unparse(call.func) in layers]
    given = next((call.args[1] for call in calls if len(call.args) == 2), None)
    if given is None or isinstance(given, ast.Tuple):
        return None
    name, line = ast.unparse(given), failure.raised.line
    tensor = stands_for(world, name)
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    made = ""
    if tensor is not None:
        lines["built"], events["built"] = tensor.place.line, tensor.made
        made = f", made {on(tensor.place.line)}, of the shape {list(tensor.shape)}"
    return Diagnosis(
        title="An LSTM has two states",
        message=failure.raised.message,
        lines=lines,
        story=(
            f"{begin_story(world, failure)} gives an LSTM one tensor as its state: {code(name)}{made}.",
            "An LSTM keeps two, what it gives out and its memory, and takes and gives them as a pair: `(h, c)`.",
        ),
        events=events,
        cause="state_alone",
        names=known_names(target=name),
    )


def named_layers(tree: ast.AST, kinds: tuple[str, ...]) -> Iterator[str]:
    """What the layers of some `kinds` are kept as: `lstm`, `self.lstm`; of several made on one line each."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        for goal in node.targets:
            pairs = [(goal, node.value)]
            if isinstance(goal, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(goal.elts, node.value.elts, strict=False))
            yield from (ast.unparse(one) for one, value in pairs if callee(value) in kinds)


message_rules(
    "lengths_unsorted",
    MessageRule(
        re.compile(r"`lengths` array must be sorted in decreasing order"),
        cause="unsorted",
        title="The longest sequence comes first",
        story=(
            "{code} {line}{turn} packs sequences that do not stand in the order of their lengths.",
            "Packed, those that end first have to stand last. With `enforce_sorted=False` PyTorch sorts them, and puts "
            "what comes of them back in your order.",
        ),
    ),
)


# ---- fixes


ZEROS = "the memory begins with zeros"


@fix(state_alone=1)
def pair_state(wanted: FixContext) -> Iterator[Proposal]:
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


def pair_made(wanted: FixContext) -> Iterator[Proposal]:
    """Both states are made where the one was."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    if built is not None and isinstance(value, ast.Call):
        made = f"({text.get(value)}, torch.zeros_like({text.get(value)}))"
        if callee(value).startswith("zeros"):
            made = f"({text.get(value)}, {text.get(value)})"
        yield wanted.proposal(f"a pair of states on line {built.lineno}", ZEROS, text.replaced(value, made))


@fix(unsorted=1)
def sort_lengths(wanted: FixContext) -> Iterator[Proposal]:
    """PyTorch sorts the sequences itself."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "pack_padded_sequence", "pack_sequence"):
        title = f"enforce_sorted=False on line {call.lineno}"
        yield wanted.proposal(title, FREE, set_keyword(text, call, "enforce_sorted", "False"))
