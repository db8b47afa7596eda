"""Writes that take no effect where they should, or an effect where they should not: copies, views, no_grad."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.registry import watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import append_suffix
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...narration.words import code, code_label, name_of, on
from ...replay.graph_queries import ancestors, are_equal, origin
from ...replay.states import Place, TensorState, Write, kind_of
from ...replay.world import World
from .out_of_place import COPY

COPIES = frozenset({"index", "index_select", "masked_select", "gather", "take", "take_along_dim"})
"""Operators that pick entries by other tensors: what they give is no view."""


@dataclass(slots=True)
class Picked:
    """What `source` gave to such an operator, in one statement: where it was written into, if it was."""

    source: int
    place: Place
    tensors: list[int]
    """Those that live in its memory: itself, and views of it."""
    written: int | None = None


@watcher(e.Written)
class LostWrite(FirstTrouble):
    """Follows the copies of the statement that runs, and afterwards waits for the use of what they were taken of."""

    seen = re.compile("")

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.picked: dict[int, Picked] = {}
        """By memory."""
        self.lost: dict[int, Picked] = {}
        """By source: what was written and went."""

    def on_tensor_made(self, event: e.TensorMade) -> None:
        if self.picked and event.base is None:
            for number in event.inputs:
                self.read(self.world.tensors[number].storage, event.op)
        elif event.storage in self.picked:
            self.picked[event.storage].tensors.append(event.tensor)
        if self.lost and self.diagnosis is None:
            self.used(event)
        if event.base is None and event.inputs and event.op.partition(".")[0] in COPIES and 0 not in event.shape:
            source = self.world.tensors[event.inputs[0]]
            if source.names and self.world.place.line:
                self.picked[event.storage] = Picked(source.number, self.world.place, [event.tensor])

    def read(self, storage: int, op: str) -> None:
        """A copy that is used has been of use; a write may begin with a clone of its own of what was there."""
        picked = self.picked.get(storage)
        if picked is not None and (op != "clone" or picked.written is not None):
            del self.picked[storage]

    def on_written(self, event: e.Written) -> None:
        """A write into a copy; or by the copy into another tensor, which is a use of it."""
        for number in event.inputs:
            self.picked.pop(self.world.tensors[number].storage, None)
        picked = self.picked.get(event.storage)
        if picked is not None:
            picked.written = self.world.count - 1
        else:
            self.lost.pop(event.tensor, None)

    def on_name_bound(self, event: e.NameBound) -> None:
        if self.picked and event.tensor is not None:
            self.picked.pop(self.world.tensors[event.tensor].storage, None)

    def on_numbers_taken(self, event: e.NumbersTaken) -> None:
        self.picked.pop(self.world.tensors[event.tensor].storage, None)

    def on_printed(self, event: e.Printed) -> None:
        """What is printed in its own statement has been of use."""
        self.picked.clear()
        self.showing.on_printed(event)

    def on_line_reached(self, event: e.LineReached) -> None:
        """The next line: nobody can come back to what the last one made and did not name."""
        for picked in self.picked.values():
            alive = any(self.world.tensors[number].alive for number in picked.tensors)
            if picked.written is not None and not alive:
                self.lost.setdefault(picked.source, picked)
        self.picked.clear()

    def used(self, event: e.TensorMade) -> None:
        source = next((number for number in event.inputs if number in self.lost), None)
        if source is not None:
            self.tell(self.describe(self.lost[source]))

    def describe(self, picked: Picked) -> Diagnosis:
        world, place = self.world, picked.place
        source, now = world.tensors[picked.source], world.place
        name = code_label(world, source.number)
        assert picked.written is not None
        return Diagnosis(
            kind="view_inplace",
            title="A write into a copy that nobody has",
            lines={
                "built": now.line,
                "saved": source.place.line,
                "changed": place.line,
                "raised": None,
            },
            story=(
                f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} writes into what indexing "
                f"gave, and that is a copy: only slices and single places of {name} are views of it.",
                f"Nobody has the copy, so the write is lost, and {name} of **line {source.place.line}** stays as it "
                "was.",
                f"{code(world.source.text(now.line, now.end_line))} {on(now.line)} goes on with the old numbers.",
                "An assignment to the index, or `masked_fill` and `where`, changes those entries.",
            ),
            events={"saved": source.made, "changed": picked.written, "built": world.count - 1},
            cause="lost_write",
            names=known_names(target=name_of(world, source)),
        )


ELEMENT = re.compile(r"(.+)\[(\d+)\]$")


@dataclass(frozen=True, slots=True)
class Kept:
    """A part of a list as it was when it was put there."""

    tensor: int
    value: Value | None
    place: Place
    event: int


@watcher(e.Written)
class MovingViews(FirstTrouble):
    """Compares each tensor that joins a list with the one before it: whether that has since become the same."""

    seen = re.compile("")

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.kept: dict[tuple[int, str], Kept] = {}
        """The parts of lists, by scope and name."""
        self.moved: dict[int, tuple[Kept, str]] = {}
        """The tensors that show other numbers than when they were kept, with the name of their list."""

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        self.kept.clear()
        self.moved.clear()

    def on_name_bound(self, event: e.NameBound) -> None:
        if event.tensor is None or self.diagnosis is not None or not event.name.endswith("]"):
            return
        found = ELEMENT.match(event.name)
        tensor = self.world.tensors[event.tensor]
        if found is None:
            return
        name, at = found[1], int(found[2])
        before = self.kept.get((event.scope, f"{name}[{at - 1}]"))
        self.kept[event.scope, event.name] = Kept(tensor.number, tensor.value, self.world.place, self.world.count - 1)
        if before is not None and before.place.since != self.world.place.since and self.follows(before, tensor):
            self.moved[before.tensor] = before, name

    def follows(self, before: Kept, tensor: TensorState) -> bool:
        """Whether what was kept before shows the numbers of `tensor` now, which it did not when it was kept."""
        earlier = self.world.tensors[before.tensor]
        if earlier.storage != tensor.storage or earlier.shape != tensor.shape:
            return False
        return are_equal(earlier.value, tensor.value) and not are_equal(before.value, earlier.value)

    def on_tensor_made(self, event: e.TensorMade) -> None:
        if self.diagnosis is not None or not self.moved or event.base is not None:
            return
        for number in event.inputs:
            if number in self.moved:
                kept, name = self.moved[number]
                joined = event.op.partition(".")[0] in ("stack", "cat") and event.inputs.count(number) > 1
                if self.world.tensors[number].base is None and not joined:
                    continue  # the tensor itself, which may be used for what it is now
                names = [element for _, element in self.world.tensors[number].names]
                write = self.write(kept)
                if write is not None and any(element.startswith(f"{name}[") for element in names):
                    self.tell(self.describe(kept, name, write))
                return

    def write(self, kept: Kept) -> Write | None:
        """The write that first gave it other numbers."""
        storage = self.world.tensors[kept.tensor].storage
        events = self.world.trace.events
        for number in range(kept.event, self.world.count):
            event = events[number]
            changes = isinstance(event, e.AliasChanged | e.Written) and event.tensor == kept.tensor
            if changes and not are_equal(event.value, kept.value):  # type: ignore[attr-defined]
                before = [write for write in self.world.writes.get(storage, ()) if write.event <= number]
                return before[-1] if before else None
        return None

    def describe(self, kept: Kept, name: str, write: Write) -> Diagnosis:
        world = self.world
        tensor = world.tensors[kept.tensor]
        base = world.tensors[tensor.base] if tensor.base is not None else tensor
        source, place = world.source, world.place
        whole = code_label(world, base.number) if base.called is None else code(base.called)
        what = f"{whole} itself" if base is tensor else f"a view of {whole}"
        return Diagnosis(
            kind="view_inplace",
            title="A list that shows the last numbers only",
            lines={
                "built": place.line,
                "saved": kept.place.line,
                "changed": write.place.line,
                "raised": None,
            },
            story=(
                f"{code(source.text(kept.place.line))} {on(kept.place.line)} puts {what} into {code(name)}: it shows "
                "that memory and holds no numbers of its own.",
                f"{code(source.text(write.place.line))} {on(write.place.line)} then writes into the same memory, and "
                "all that is in the list moves along.",
                f"So {code(source.text(place.line, place.end_line))} {on(place.line)} works on the last numbers each "
                "time, and gradients go to what was written last.",
                "A `clone()` keeps the numbers, and the history, of its moment.",
            ),
            events={"saved": kept.event, "changed": write.event, "built": world.count - 1},
            cause="moving_views",
            names=known_names(target=base.called or name_of(world, base), list=name),
        )


@watcher(e.Written)
class Unrecorded(FirstTrouble):
    """Writes of plain numbers into results, until a backward goes through what was computed of them later."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.writes: dict[int, tuple[TensorState, Write]] = {}
        """By memory, the result that lives there and the first such write into it."""
        self.used: dict[int, int] = {}
        """By node that took the memory after the write."""

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {} if not self.world.source.quiet_lines else super().subscriptions()

    def on_written(self, event: e.Written) -> None:
        place = self.world.place
        lines = {place.line, *(frame.line for frame in place.frames)}
        tensor = self.world.tensors[event.tensor]
        result = origin(self.world, tensor) or tensor
        quiet = lines & self.world.source.quiet_lines and self.world.optimizer is None and not self.world.open_calls
        if not quiet or not event.counted or result.node is None or event.storage in self.writes:
            return
        given = [self.world.tensors[number] for number in event.inputs if number != event.tensor]
        if any(before.storage == event.storage for state in given for before in ancestors(self.world, state)):
            return  # made of what was there: the slope may be meant to stay
        self.writes[event.storage] = result, self.world.writes[event.storage][-1]

    def on_node_made(self, event: e.NodeMade) -> None:
        for number in event.inputs if event.variable is None and self.writes else ():
            storage = self.world.tensors[number].storage
            if storage in self.writes:
                self.used[event.node] = storage

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        if self.diagnosis is not None or not self.used:
            return
        reached = self.world.calls[event.call].expected
        node = next((node for node in self.used if node in reached or node in event.nodes), None)
        if node is not None:
            self.tell(self.describe(node, *self.writes[self.used[node]]))

    def describe(self, node: int, result: TensorState, write: Write) -> Diagnosis:
        world, name = self.world, code_label(self.world, result.number)
        text = code(world.source.text(write.place.line, write.place.end_line))
        return Diagnosis(
            kind="view_inplace",
            title="A write that the graph does not know of",
            lines={"saved": result.place.line, "changed": write.place.line, "raised": None},
            story=(
                f"{text} {on(write.place.line)} writes into {name} of **line {result.place.line}** while nothing is "
                "recorded: its numbers change, and its history does not.",
                f"The backward goes through {name} as it was built, so gradients flow through the entries that were "
                "written over.",
                "Written outside of `no_grad`, the change becomes part of the graph, and those entries get the "
                "gradient 0.",
            ),
            nodes=(node,),
            events={"saved": result.made, "changed": write.event, "seen": world.count - 1},
            cause="unrecorded",
            names=known_names(target=name_of(world, result)),
        )


DISTANCES = frozenset({"MseLoss", "SmoothL1Loss", "HuberLoss", "L1Loss", "Sub"})
"""What is 0 between a tensor and itself."""


@watcher(e.Written, e.BackwardStarted)
class SameTarget(FirstTrouble):
    """Differences between a tensor and what shares its memory, which a write into the one has changed in the other."""

    seen = re.compile("")

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.found: dict[int, Diagnosis] = {}
        """By node."""

    def on_node_made(self, event: e.NodeMade) -> None:
        world = self.world
        if self.diagnosis is not None or len(event.inputs) != 2 or kind_of(event.name) not in DISTANCES:
            return
        one, other = (world.tensors[number] for number in event.inputs)
        if one.storage != other.storage or one.shape != other.shape or not are_equal(one.value, other.value):
            return
        since = max(one.made, other.made)
        writes = [write for write in world.writes.get(one.storage, ()) if write.event > since and not write.optimizer]
        known = {name for state in (one, other) for _, name in state.names}
        alias = same_named(world.source.nodes, known, world.place.line) if writes else None
        if alias is not None:
            self.found[event.node] = self.describe(one, alias, writes[-1])

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        roots = [self.world.tensors[root].value for root in event.roots]
        if self.diagnosis is not None or not self.found or not all(root and root.data == 0 for root in roots):
            return
        reached = self.world.calls[event.call].expected
        node = next((node for node in self.found if node in reached or node in event.nodes), None)
        if node is not None:
            self.tell(self.found[node])

    def describe(self, one: TensorState, alias: ast.Assign, write: Write) -> Diagnosis:
        world, line = self.world, self.world.place.line
        name, value = ast.unparse(alias.targets[0]), ast.unparse(alias.value)
        text = code(world.source.text(write.place.line, write.place.end_line))
        return Diagnosis(
            kind="view_inplace",
            title="A target that is the prediction itself",
            lines={"built": one.place.line, "saved": alias.lineno, "changed": write.place.line, "raised": None},
            story=(
                f"{code(f'{name} = {value}')} {on(alias.lineno)} gives a second name to the same memory, and copies "
                "nothing.",
                f"{text} {on(write.place.line)} writes into both.",
                f"{code(world.source.text(line, world.place.end_line))} {on(line)} compares the tensor with itself. "
                "The loss is 0, and so is every gradient: nothing is learnt.",
                "A target is a copy without a graph: `.detach().clone()`.",
            ),
            nodes=() if one.node is None else (one.node,),
            events={"built": one.made, "changed": write.event, "seen": world.count - 1},
            cause="same_target",
            names={"target": name},
        )


def same_named(nodes: list[ast.AST], known: set[str], before: int) -> ast.Assign | None:
    """The last assignment before a line that gives one of the names `known` to what another stands for."""
    found = [
        node
        for node in nodes
        if isinstance(node, ast.Assign)
        and node.lineno <= before
        and ast.unparse(node.targets[0]) in known
        and ast.unparse(shared(node.value)) in known - {ast.unparse(node.targets[0])}
    ]
    return found[-1] if found else None


SHARING = frozenset({"detach", "view", "view_as", "reshape", "squeeze", "unsqueeze", "flatten", "contiguous"})


def shared(value: ast.expr) -> ast.expr:
    """What `value` shares its memory with, as far as the text tells: `q` of `q.detach()[:]`."""
    while True:
        if isinstance(value, ast.Attribute) and value.attr == "data":
            value = value.value
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in SHARING:
            value = value.func.value
        elif isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
            value = value.value
        else:
            return value


# ---- fixes


@fix(same_target=1)
def copy_target(wanted: FixContext) -> Iterator[Proposal]:
    """The target is a copy of the prediction, without its graph."""
    text, saved = wanted.text, wanted.at("saved")
    if isinstance(saved, ast.Assign):
        cut = any(isinstance(part, ast.Attribute) and part.attr in ("detach", "data") for part in ast.walk(saved.value))
        copy = ".clone()" if cut else ".detach().clone()"
        title = f"make {text.get(saved.targets[0])} a copy: {copy} on line {saved.lineno}"
        yield wanted.proposal(title, COPY, append_suffix(text, saved.value, copy))


@fix(moving_views=1)
def clone_in_list(wanted: FixContext) -> Iterator[Proposal]:
    """`path.append(state[:2])` keeps a copy: `path.append(state[:2].clone())`."""
    text, saved = wanted.text, wanted.at("saved")
    for call in text.calls(saved, "append", "insert"):
        if call.args:
            title = f"keep a copy: .clone() on line {call.lineno}"
            yield wanted.proposal(title, COPY, append_suffix(text, call.args[-1], ".clone()"))
    if isinstance(saved, ast.Assign):
        title = f"keep a copy: .clone() on line {saved.lineno}"
        yield wanted.proposal(title, COPY, append_suffix(text, saved.value, ".clone()"))


@fix(lost_write=1)
def write_by_index(wanted: FixContext) -> Iterator[Proposal]:
    """`x[mask].fill_(v)` becomes `x = x.masked_fill(mask, v)` or `x[mask] = v`."""
    text, changed = wanted.text, wanted.at("changed")
    for call in text.calls(changed):
        func = call.func
        if changed is None or not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Subscript):
            continue
        picked, name = func.value, callee(call)
        if not name.endswith("_") or name.endswith("__"):
            continue
        owner, index, shown = text.get(picked.value), text.get(picked.slice), text.get(picked)
        given = ", ".join(text.get(part) for part in [*call.args, *(word.value for word in call.keywords)])
        value = {"fill_": given, "zero_": "0", "copy_": given}.get(name, f"{shown}.{name[:-1]}({given})")
        if name in ("fill_", "zero_") and isinstance(picked.value, ast.Name | ast.Attribute):
            made = f"{owner} = {owner}.masked_fill({index}, {value})"
            yield wanted.proposal(f"{made} on line {changed.lineno}", COPY, text.replaced(changed, made))
        made = f"{shown} = {value}"
        yield wanted.proposal(f"{made} on line {changed.lineno}", FREE, text.replaced(changed, made))
    if isinstance(changed, ast.Assign | ast.AugAssign):
        yield from written_at_once(wanted, changed)


def written_at_once(wanted: FixContext, changed: ast.Assign | ast.AugAssign) -> Iterator[Proposal]:
    """`x[mask][0] = v` writes into the copy that `x[mask]` is: the copy is named, written into and put back."""
    text = wanted.text
    goal = changed.targets[0] if isinstance(changed, ast.Assign) else changed.target
    if not isinstance(goal, ast.Subscript) or not isinstance(goal.value, ast.Subscript):
        return
    picked = text.get(goal.value)
    lines = [f"part = {picked}", text.get(changed).replace(picked, "part", 1), f"{picked} = part"]
    edits = [text.replaced(changed, lines[0]), text.after(changed, lines[1:])]
    yield wanted.proposal(f"write into the part, and put it back: line {changed.lineno}", COPY, *edits)


@fix(unrecorded=1)
def write_recorded(wanted: FixContext) -> Iterator[Proposal]:
    """The write leaves no_grad, or becomes a new tensor."""
    text, changed = wanted.text, wanted.at("changed")
    for outer in text.around(changed) if changed is not None else ():
        if isinstance(outer, ast.With) and any("no_grad" in ast.unparse(item) for item in outer.items):
            title = f"leave out the no_grad of line {outer.lineno}: let the write be recorded"
            yield wanted.proposal(title, "the entries written over get the gradient 0", text.unwrapped(outer))
