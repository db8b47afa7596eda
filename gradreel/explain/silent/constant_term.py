"""A term of a loss that is a plain number: it was taken out of a tensor, so the term changes no gradient at all."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import called, code, name_of, on, taking
from ..replay.graph_queries import tracked
from ..replay.states import NodeState, Place, Seen
from ..replay.world import World
from .arithmetic import number_of

SUMS = frozenset({"Add", "Sub"})
LINEAR = SUMS | {"Rsub", "Neg", "Mean", "Sum", "Squeeze", "Unsqueeze", "View", "Mul", "Div"}
"""What keeps a term of a sum a term: a product does with a number only."""

ROUND, NEAR, LATELY = 1000, 1e-6, 60
"""Of the last so many numbers taken, one that is so near is the same, if it has more than three decimal places."""

Key = tuple[int, str]
"""A scope and a name in it."""


@watcher(e.NumbersTaken)
class ConstantTerm(FirstTrouble):
    """Follows numbers from the tensors they are taken out of, by names, to the sums that they are terms of."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.numbers: dict[Key, Seen] = {}
        """The names that stand for numbers taken out of tracked tensors."""
        self.terms: dict[int, tuple[Seen, str | None]] = {}
        """The sums, by node, with such a number as one of their terms; with what reads it where it is kept."""
        self.called = 0
        """With which event the last backward began."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.NameBound: self.bound,
            e.NodeMade: self.made,
            e.BackwardStarted: self.backward,
            e.Printed: self.showing.printed,
            e.TurnsSkipped: self.skipped,
        }

    def skipped(self, event: e.TurnsSkipped) -> None:
        self.numbers.clear()

    def bound(self, event: e.NameBound) -> None:
        key = event.scope, event.name
        self.numbers.pop(key, None)
        if event.tensor is None and event.text is not None and is_number(event.text):
            source = self.taken_in(self.world.place) or self.read_in(self.world.place)
            if source is not None:
                self.numbers[key] = source

    def taken_in(self, place: Place) -> Seen | None:
        """The last number that the statement at `place` took out of a tracked tensor."""
        for seen in reversed(self.world.taken):
            if seen.event < place.since:
                break
            if tracked(self.world, self.world.tensors.get(seen.tensor)):
                return seen
        return None

    def read_in(self, place: Place) -> Seen | None:
        """Where the first of the numbers that the statement at `place` reads by a name was taken."""
        scope = self.world.scope
        for part in self.world.source.simple(place.line):
            for name in names_read(part):
                if (scope, name) in self.numbers:
                    return self.numbers[scope, name]
        return None

    def made(self, event: e.NodeMade) -> None:
        """A sum with a plain number: whether its text says that the number was taken out of a tensor."""
        node, tensors = self.world.nodes[event.node], self.world.tensors
        plain = [tensors[number].value for number in event.inputs if tensors[number].op == "number"]
        if node.kind not in SUMS or not plain or not self.world.taken:
            return
        by_name = bool(self.numbers) or self.taken_in(self.world.place) is not None
        for statement in self.world.source.simple(self.world.place.line):
            for term in terms(statement):
                source = self.source_of(term) if by_name else None
                kept = self.kept_number(term, plain) if source is None else None
                if source is not None or kept is not None:
                    self.terms[event.node] = (source, None) if source is not None else kept  # type: ignore[assignment]

    def kept_number(self, term: ast.expr, plain: list[Value | None]) -> tuple[Seen, str] | None:
        """Where the number was taken that `term` reads from an object or a dict, `0.1 * meter.kl`: it is the same one.

        With what reads it.
        """
        value = plain[0].data if plain[0] is not None else None
        kept: list[ast.expr] = []
        for part, divides in factors(term):
            known = number_of(self.world, part)
            if known is None and not divides:
                kept.append(part)
            elif not known or not isinstance(value, float):
                return None
            else:
                value = value * known if divides else value / known
        if len(kept) != 1 or not isinstance(kept[0], ast.Attribute | ast.Subscript | ast.Call):
            return None
        if not isinstance(value, float) or not math.isfinite(value * ROUND) or (value * ROUND).is_integer():
            return None
        for seen in reversed(self.world.taken[-LATELY:]):
            source = self.world.tensors.get(seen.tensor)
            taken = source.value.data if source is not None and source.value is not None else None
            alike = isinstance(taken, float) and abs(taken - value) <= NEAR * abs(value)
            if alike and seen.event > self.called and tracked(self.world, source):
                return seen, ast.unparse(kept[0])
        return None

    def source_of(self, term: ast.expr) -> Seen | None:
        """Where the numbers of `term` were taken, if it is made of numbers alone."""
        names = self.world.names_in.get(self.world.scope, {})
        read = list(names_read(term))
        if any(name in names and names[name].tensor is not None for name in read):
            own = [call for call in ast.walk(term) if isinstance(call, ast.Call) and takes(call)]
            if not own or outside(term, own, names):
                return None
            return self.taken_in(self.world.place)
        found = [self.numbers[self.world.scope, name] for name in read if (self.world.scope, name) in self.numbers]
        if found:
            return found[0]
        calls = any(isinstance(part, ast.Call) for part in ast.walk(term))
        return self.taken_in(self.world.place) if calls else None

    def backward(self, event: e.BackwardStarted) -> None:
        self.called = self.world.count - 1
        if event.called != "backward" or self.diagnosis is not None:
            return
        todo = [number for root in event.roots if (number := self.world.grad_node(root)) is not None]
        seen = set(todo)
        while todo:
            node = self.world.nodes[todo.pop()]
            if node.number in self.terms:
                self.tell(self.told(node, *self.terms[node.number]))
                return
            ways = [target for target, _ in node.edges if target is not None]
            if node.kind in LINEAR and (len(ways) == 1 or node.kind in SUMS):
                todo += [target for target in ways if target not in seen]
                seen.update(ways)

    def told(self, node: NodeState, taken: Seen, number: str | None) -> Diagnosis:
        world = self.world
        source = world.tensors[taken.tensor]
        total = world.tensors[node.outputs[0]] if node.outputs else None
        place = node.place
        what = code(world.source.text(place.line, place.end_line))
        return Diagnosis(
            kind="no_graph",
            title="A term of the loss is a plain number",
            lines={"built": place.line, "cut": taken.place.line, "raised": None},
            story=(
                f"{what} {on(place.line)} adds a plain number to what is differentiated: {taking(taken)} "
                f"{on(taken.place.line)} took it out of {called(world, source.number)}.",
                "A number knows of no graph, and a constant has the gradient 0: this term is part of the value and of "
                "no gradient.",
                "So nothing is changed by it, however large its factor.",
            ),
            nodes=(node.number,),
            events={"built": node.made, "cut": taken.event, "seen": world.count - 1},
            cause="constant_term",
            names=named(
                how="numbers",
                source=name_of(world, source),
                number=number,
                target=name_of(world, total) if total is not None else None,
            ),
        )


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def names_read(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            yield part.id
        elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            yield part.target.id


def terms(statement: ast.stmt) -> Iterator[ast.expr]:
    """What the sums of `statement` add or take away."""
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            yield from (side for side in (node.left, node.right) if not isinstance(side, ast.Constant))
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
            yield node.value


def factors(term: ast.expr) -> Iterator[tuple[ast.expr, bool]]:
    """What `term` is a product of, each with whether it divides."""
    if isinstance(term, ast.BinOp) and isinstance(term.op, ast.Mult | ast.Div):
        yield from factors(term.left)
        divides = isinstance(term.op, ast.Div)
        yield from ((part, divides != own) for part, own in factors(term.right))
    else:
        yield term, False


def takes(call: ast.Call) -> bool:
    """Whether `call` takes a number out of a tensor."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in ("item", "float")


def outside(term: ast.expr, calls: list[ast.Call], names: dict[str, e.NameBound]) -> bool:
    """Whether `term` names a tensor elsewhere than in `calls`."""
    inside = {id(part) for call in calls for part in ast.walk(call)}
    return any(
        isinstance(part, ast.Name) and id(part) not in inside and part.id in names and names[part.id].tensor is not None
        for part in ast.walk(term)
    )
