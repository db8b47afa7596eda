"""Mends for calls that do not fit: arguments given or left out, `self`, a class that is made before it is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import with_argument
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, Text, targets
from .misused import made_first


def calls_of(wanted: Wanted) -> list[ast.Call]:
    """The calls of the raising line that may be meant: those of its name, else all of them."""
    text, method, home = wanted.text, wanted.name("method") or "", wanted.name("home")
    every = text.calls(wanted.at("raised"))
    names = {method, (home or "").rpartition(".")[2]}
    return [call for call in every if callee(call) in names] or every


def function(wanted: Wanted) -> ast.FunctionDef | None:
    built = wanted.at("built")
    return built if isinstance(built, ast.FunctionDef) else None


@fix(argument_missing=2)
def argument_given(wanted: Wanted) -> Iterator[Proposal]:
    """The class is made first; a variable of the argument's name is given; else the argument gets a default."""
    text, slots = wanted.text, (wanted.name("slots") or "").split()
    if slots == ["self"]:
        yield from class_made(wanted)
        return
    known = {name for node in ast.walk(text.tree) if isinstance(node, ast.stmt) for name in targets(node)}
    for call in calls_of(wanted):
        if slots and set(slots) <= known:
            made = ", ".join(f"{slot}={slot}" for slot in slots)
            yield wanted.proposal(f"{made} on line {call.lineno}", FREE, with_argument(text, call, made))
    written = function(wanted)
    if written is not None:
        plain = {part.arg: part for part in written.args.args}
        for value in ("None", "1"):
            edits = [text.replaced(plain[slot], f"{text.get(plain[slot])}={value}") for slot in slots if slot in plain]  # type: ignore[arg-type]
            title = f"let {' and '.join(slots)} be {value} where it is not given, on line {written.lineno}"
            if len(edits) == len(slots):
                yield wanted.makeshift(title, "see that it is what you mean", *edits)


def class_made(wanted: Wanted) -> Iterator[Proposal]:
    """`net = Net` becomes `net = Net()`; an optimizer class gets the parameters that there are."""
    text = wanted.text
    for call in text.calls(wanted.at("raised")):
        owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        shown = text.get(owner)
        for node in ast.walk(text.tree):
            if isinstance(node, ast.Assign) and shown in map(text.get, node.targets):
                for given in ("", *parameters_of(text)):
                    made = f"{text.get(node.value)}({given})"
                    yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node.value, made))
        yield wanted.proposal(f"{shown}() on line {owner.lineno}", FREE, text.replaced(owner, f"{shown}()"))


def parameters_of(text: Text) -> list[str]:
    """What an optimizer might be given: the parameters of what is made in the text."""
    made = [node for node in ast.walk(text.tree) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    return [f"{name}.parameters(), lr=0.01" for node in made for name in sorted(targets(node))][:4]


@fix(too_many_arguments=1)
def fewer_arguments(wanted: Wanted) -> Iterator[Proposal]:
    """`self` where it is missing; a class that is made first; without what is too much."""
    text, written = wanted.text, function(wanted)
    home = wanted.name("home")
    kinds = [node for node in text.parts(text.tree, ast.ClassDef) if home and node.name == home.rpartition(".")[2]]
    own = "ctx" if any("Function" in ast.unparse(base) for kind in kinds for base in kind.bases) else "self"
    if written is not None and home and not (written.args.args and written.args.args[0].arg in ("self", "cls")):
        rest = bool(written.args.args)
        at = written.args.args[0] if rest else None
        if at is not None:
            title = f"{own}, first among the parameters of {written.name} on line {written.lineno}"
            start = text.place(at.lineno, at.col_offset)
            yield wanted.proposal(title, FREE, Edit(*start, *start, f"{own}, "))
        else:
            column = text.code[written.lineno - 1].index("(") + 1
            title = f"self among the parameters of {written.name} on line {written.lineno}"
            yield wanted.proposal(title, FREE, Edit(written.lineno, column, written.lineno, column, "self"))
    if wanted.name("method") == "__init__":
        yield from class_made(wanted)
        yield from made_then_called(wanted)
    for call in calls_of(wanted):
        if call.args:
            keep = [text.get(part) for part in [*call.args[:-1]]] + [text.get(word) for word in call.keywords]  # type: ignore[arg-type]
            made = f"{text.get(call.func)}({', '.join(keep)})"
            yield wanted.proposal(
                f"{made} on line {call.lineno}", "the last one is left out", text.replaced(call, made)
            )
            if callee(call) == "tensor":
                listed = ", ".join(text.get(part) for part in call.args)
                made = f"{text.get(call.func)}([{listed}])"
                yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(call, made))


@fix(given_twice=1)
def made_then_called(wanted: Wanted) -> Iterator[Proposal]:
    """`nn.Softmax(x, dim=1)` becomes `nn.Softmax(dim=1)(x)`."""
    home = (wanted.name("home") or "").rpartition(".")[2]
    yield from made_first(wanted, wanted.text.calls(wanted.at("raised"), home))
