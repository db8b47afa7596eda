"""Mends for attributes that are not there: the one that was meant, or a name that is kept on `self`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import followed
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from .misused import made_first

ELSEWHERE = {"torch.nn": ("torch", "torch.nn.functional"), "torch": ("torch.nn", "torch.nn.functional")}
"""Where else a name may be looked for."""


def asked(wanted: Wanted) -> list[ast.Attribute]:
    what, raised = wanted.name("what"), wanted.at("raised")
    found = [node for node in ast.walk(raised or wanted.text.tree) if isinstance(node, ast.Attribute)]
    return [node for node in found if node.attr == what]


@fix(own_attribute=1)
def one_it_has(wanted: Wanted) -> Iterator[Proposal]:
    """A plain name becomes an attribute where it is made; else one of the names that are near."""
    text, what = wanted.text, wanted.name("what")
    home = next((n for n in ast.walk(text.tree) if isinstance(n, ast.ClassDef) and n.name == wanted.name("got")), None)
    for node in ast.walk(home) if home is not None else ():
        goal = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(goal, ast.Name) and goal.id == what:
            yield wanted.proposal(f"self.{what} on line {goal.lineno}", FREE, text.replaced(goal, f"self.{what}"))
    for node in asked(wanted):
        for near in (wanted.name("near") or "").split():
            made = f"{text.get(node.value)}.{near}"
            yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node, made))


@fix(key=1)
def one_of_the_keys(wanted: Wanted) -> Iterator[Proposal]:
    text, what = wanted.text, wanted.name("what")
    for node in ast.walk(wanted.at("raised") or text.tree):
        if isinstance(node, ast.Constant) and node.value == what:
            for near in filter(None, (wanted.name("near") or "").split("\n")):
                title = f'"{near}" instead of "{what}" on line {node.lineno}'
                yield wanted.proposal(title, FREE, text.replaced(node, f'"{near}"'))


@fix(module_attribute=1)
def one_of_torch(wanted: Wanted) -> Iterator[Proposal]:
    """The name that is near, or the same name in a module beside it."""
    text, what, like = wanted.text, wanted.name("what"), wanted.name("like")
    for node in asked(wanted):
        places = [f"{place}.{what}" for place in ELSEWHERE.get(wanted.name("got") or "", ())]
        near = [f"{text.get(node.value)}.{like}"] if like else []
        for made in [*places, *near]:
            yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node, made))


@fix(pair=1)
def its_values(wanted: Wanted) -> Iterator[Proposal]:
    text, got = wanted.text, wanted.name("got") or ""
    built = wanted.at("built")
    for call in text.calls(built, got) or text.calls(wanted.at("raised"), got):
        title = f"its values: .values on line {call.lineno}"
        yield wanted.proposal(title, FREE, followed(text, call, ".values"))


@fix(module_as_result=4)
def made_and_called(wanted: Wanted) -> Iterator[Proposal]:
    """`nn.ReLU(x)` becomes `nn.ReLU()(x)`."""
    yield from made_first(wanted, wanted.text.calls(wanted.at("built"), wanted.name("got") or ""))


@fix(of_another=1)
def of_another(wanted: Wanted) -> Iterator[Proposal]:
    """`loss.step()` becomes `optimizer.step()`."""
    text, has, what = wanted.text, wanted.name("near"), wanted.name("what")
    for node in asked(wanted):
        made = f"{has}.{what}"
        yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node, made))
