"""Where the recording ended: what cut a tensor off the graph of what it was made of."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from gradreel.trace.events import LineReached, TurnsSkipped

from ...calls import callee
from ...narration.words import INFIX, code, code_label, on, taking, upper, without_graph
from ...optimizers import may_be_optimized
from ...replay.graph_queries import (
    FACTORIES,
    ancestors,
    asked_later,
    gradient_call,
    made_from,
    numbers_from_tracked,
    numbers_on_way,
    rebuilt_from,
)
from ...replay.states import Call, Place, Seen, TensorState
from ...replay.world import World
from ...source import nodes_of
from ..checkpoint import UNSEEN_INPUTS
from ..python.unread_settings import FLAG, unread


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a graph ends: the place and event that ended it, how (a word for the fixes), the sentence, the tensor."""

    place: Place
    event: int
    how: str
    told: str
    tensor: TensorState
    source: TensorState | None = None
    """What the graph led back to until there."""

    @property
    def source_shape(self) -> str | None:
        return str(list(self.source.shape)) if self.source is not None else None


def where_cut(world: World, start: TensorState) -> Cut | None:
    """Going back from `start`: what ended the recording, else what was told to want no gradient, else the oldest piece
    of plain data."""
    if (frozen := frozen_parameter(world, start)) is not None:
        return flag_cut(world, frozen)
    oldest: TensorState | None = None
    flagged: TensorState | None = None
    for tensor in ancestors(world, start):
        if tensor is start and (running := running_call(world, tensor)) is not None:
            told = (
                f"It was computed while {code(running.text)} {on(running.place.line)} was running, and during a "
                "backward, in hooks too, nothing is recorded unless `torch.enable_grad()` asks for it."
            )
            return Cut(Place(), tensor.made, "backward", told, tensor)
        if (backward := filled_by(world, tensor)) is not None:
            return filled_gradient(tensor, world, backward)
        call = gradient_call(world, tensor)
        if call is not None:
            return constant_gradient(world, tensor, call.create_graph)
        if tensor.cut is not None and not tensor.requires_grad:
            if tensor.inputs:
                return flag_cut(world, tensor)
            if not may_be_optimized(world, tensor, known=True) and (late := late_on_way(world, start)) is not None:
                return late
            flagged = flagged or tensor
            continue
        before = made_from(world, tensor)
        if not before and tensor.op not in FACTORIES and (turns := world.in_skipped(tensor.made)) is not None:
            return skipped_cut(world, tensor, turns)
        if (cut := unseen_by_checkpoint(world, tensor)) is not None:
            return cut
        if any(state.requires_grad for state in before):
            return tracked_cut(world, tensor)
        if (taken := rebuilt_from(world, tensor)) is not None:
            source = world.tensors[taken.tensor]
            told = (
                f"{upper(code_label(world, tensor.number))} of **line {tensor.place.line}** is made of plain numbers, "
                f"which {taking(taken)} {on(taken.place.line)} took out of {code_label(world, source.number)}. Numbers "
                "know of no graph."
            )
            return Cut(taken.place, taken.event, "numbers", told, tensor, past_views(world, source))
        if not before and tensor is not start and tensor.op != "number":
            oldest = tensor if oldest is None or is_wished(tensor, oldest) else oldest
    if flagged is not None:
        return flag_cut(world, flagged)
    found = numbers_from_tracked(world, start)
    return plain_cut(world, oldest or start) if found is None else as_numbers(world, *found)


def late_on_way(world: World, start: TensorState) -> Cut | None:
    """What `start` was computed from that had been computed too early: before a gradient was asked for behind it."""
    for tensor in ancestors(world, start):
        for state in made_from(world, tensor) if tensor.node is None else ():
            if state.requires_grad and (late := asked_later(world, state, tensor.made)) is not None:
                return late_cut(world, tensor, state, late)
    return None


def filled_by(world: World, tensor: TensorState) -> Call | None:
    """The backward that brought `tensor` as a gradient, to a `.grad` or to a hook, without recording it."""
    if tensor.op not in ("grad", "known before") or tensor.requires_grad:
        return None
    for call in reversed(world.calls.values()):
        if call.called == "backward" and call.started < tensor.made and (call.ended or world.count) > tensor.made:
            return None if call.create_graph else call
    return None


def filled_gradient(tensor: TensorState, world: World, call: Call) -> Cut:
    told = (
        f"{upper(code_label(world, tensor.number))} is a gradient that {code(call.text)} {on(call.place.line)} brought "
        f"{without_graph(world, call.place)}: it is a plain number."
    )
    return Cut(call.place, tensor.made, "no_create_graph", told, tensor)


def frozen_parameter(world: World, start: TensorState) -> TensorState | None:
    """A leaf behind `start` that an optimizer is to train, and that was told to want no gradient."""
    off = (leaf for leaf in ancestors(world, start) if leaf.cut is not None and not leaf.requires_grad)
    return next((leaf for leaf in off if not leaf.inputs and may_be_optimized(world, leaf, known=True)), None)


def running_call(world: World, tensor: TensorState) -> Call | None:
    """The call of backward or grad, running then, in which `tensor` was made unrecorded."""
    for call in world.calls.values():
        running = call.started < tensor.made and (call.ended is None or tensor.made < call.ended)
        if running and not call.create_graph and tensor.inputs:
            return call
    return None


def is_wished(tensor: TensorState, before: TensorState) -> bool:
    """Whether `tensor` is the one to ask about: named data rather than what has no name, and the later found."""
    return tensor.called is not None or before.called is None


def plain_cut(world: World, tensor: TensorState) -> Cut:
    name = code_label(world, tensor.number)
    told = f"It goes back to {name} of **line {tensor.place.line}**, for which no gradient was asked."
    settings = (one for one in unread(world.source.tree) if one.meant == FLAG and one.attribute != FLAG and one.flag)
    setting = next((one for one in settings if code(one.owner) == name), None)
    if setting is not None:
        told = f"{told[:-1]}: nothing reads `{setting.attribute}`, which **line {setting.line}** sets."
    return Cut(tensor.place, tensor.made, "plain", told, tensor)


def skipped_cut(world: World, tensor: TensorState, turns: TurnsSkipped) -> Cut:
    name = code_label(world, tensor.number)
    told = (
        f"It goes back to {name} of **line {tensor.place.line}**; what that was made of went by in the turns "
        f"{turns.first:,} to {turns.last:,} of the loop {on(turns.line)}, which the recording leaves out."
    )
    return Cut(tensor.place, tensor.made, "skipped", told, tensor)


def flag_cut(world: World, tensor: TensorState) -> Cut:
    assert tensor.cut is not None
    place, event = tensor.cut
    name = code_label(world, tensor.number)
    if (layer := unread_layer(world.source.tree)) is not None:
        line, path = layer.statement.lineno, code(f"{layer.owner}.{layer.name}")
        told = (
            f"{path}, set on **line {line}**, is never called: forward uses {code(f'self.{layer.used}')} on **line "
            f"{layer.read}**. All that it uses was told on **line {place.line}** to want no gradient."
        )
        return Cut(Place(line, line), event, "unread_layer", told, tensor)
    told = f"It goes back to {name}, for which **line {place.line}** says that no gradient is wanted."
    return Cut(place, event, "flag", told, tensor)


def constant_gradient(world: World, tensor: TensorState, create_graph: bool) -> Cut:
    name = upper(code_label(world, tensor.number))
    if create_graph:
        told = (
            f"{name} is a gradient, taken {on(tensor.place.line)} with `create_graph`, but of something linear: it is "
            "the same everywhere, so it depends on nothing."
        )
        return Cut(Place(), tensor.made, "linear", told, tensor)
    how = without_graph(world, tensor.place)
    told = f"{name} is a gradient, taken {on(tensor.place.line)} {how}: it is a plain number."
    return Cut(tensor.place, tensor.made, "no_create_graph", told, tensor)


SAMPLED = re.compile(r"\.sample\(")
DETACHED = {"detach": "`.detach()`", "data": "`.data`"}
ROUNDED = frozenset(
    ("argmax", "argmin", "argsort", "multinomial", "gt", "lt", "ge", "le", "eq", "ne", "sign", "round", "floor", "ceil")
)
"""Operators that give places, truth values or steps."""
CASTS = frozenset(("_to_copy", "to", "type_as", "long", "int", "short", "char", "byte", "bool"))
"""Operators that give the same in another type."""
COUNTING = frozenset(
    ("histc", "bincount", "histogram", "histogramdd", "count_nonzero", "searchsorted", "bucketize", "_unique2")
)
"""Operators that count or order, and are never recorded."""


def tracked_cut(world: World, tensor: TensorState) -> Cut:
    """`tensor` came out of tracked tensors without a graph."""
    name, op = code_label(world, tensor.number), tensor.op.partition(".")[0]
    source = next(state for state in made_from(world, tensor) if state.requires_grad)
    if (late := asked_later(world, source, tensor.made)) is not None:
        return late_cut(world, tensor, source, late)
    place = recording_off(world, tensor.place)
    where = on(place.line)
    if op == "detach" and "load_state_dict" in world.source.statement(place.line):
        told = f"The recording ends {where}, where `load_state_dict` copies numbers into other leaves, and no graph."
        return Cut(place, tensor.made, "detach", told, tensor, source)
    if op in DETACHED:
        told = (
            f"The recording ends {where}, where {DETACHED[op]} cuts {code_label(world, source.number)} off its graph."
        )
        return Cut(place, tensor.made, "detach", told, tensor, source)
    whole = tensor.dtype.startswith(("int", "bool", "uint"))
    if op == "known before" and not whole:
        told = (
            f"The recording ends {where}, where {code_label(world, source.number)} becomes a new leaf, a `Parameter`."
        )
        return Cut(place, tensor.made, "parameter", told, tensor, source)
    if op in ("tensor", "as_tensor"):
        told = f"The recording ends {where}, where `torch.tensor` copies the numbers of tracked tensors and no graph."
        return Cut(place, tensor.made, "tensor", told, tensor, source)
    if op in ROUNDED or whole:
        if op in CASTS:
            has = "truth values" if tensor.dtype == "bool" else "whole numbers"
            told = f"The recording ends {where}: {name} has {has} ({tensor.dtype}), which have no derivative."
            return Cut(place, tensor.made, "rounded", told, tensor, source)
        gives = f"`{INFIX.get(op, op)}` gives" if op != "known before" else f"{code_label(world, tensor.number)} has"
        told = f"The recording ends {where}: {gives} places or truth values, which have no derivative."
        return Cut(place, tensor.made, "rounded", told, tensor, source)
    if op in COUNTING:
        told = (
            f"The recording ends {where}: `{op}` counts, and a count has no derivative. It stays the same while "
            "what is counted moves, and then jumps."
        )
        return Cut(place, tensor.made, "counted", told, tensor, source)
    if (switch := switched_off(world, tensor)) is not None:
        told = (
            f"{upper(name)} {where} is made of tracked tensors while nothing is recorded. `set_grad_enabled(False)` "
            f"{on(switch[0].line)} switched the recording off, and nothing switched it on again."
        )
        return Cut(switch[0], switch[1], "no_grad", told, tensor, source)
    lines = (*(frame.line for frame in tensor.place.frames), tensor.place.line)
    header = next((world.source.switched_blocks[line] for line in lines if line in world.source.switched_blocks), None)
    if header is not None:
        told = (
            f"{upper(name)} {where} is made of tracked tensors while nothing is recorded: "
            f"{code(world.source.text(header))} {on(header)} had the recording off."
        )
        return Cut(Place(header, header), tensor.made, "no_grad", told, tensor, source)
    if SAMPLED.search(world.source.statement(place.line, world.ends.get(place.line))) and not world.source.switches:
        told = (
            f"The recording ends {where}: `sample()` draws numbers without a graph. Where the distribution has "
            "`rsample()`, that draws them so that a gradient goes back to its parameters."
        )
        return Cut(place, tensor.made, "sample", told, tensor, source)
    if place.line in world.source.quiet_functions:
        header = world.source.quiet_functions[place.line]
        told = (
            f"The recording ends {where}, where {name} is made of tracked tensors while nothing is recorded. "
            f"{code(world.source.text(header))} {on(header)} has the recording off in the whole function."
        )
        return Cut(Place(header, header), tensor.made, "no_grad", told, tensor, source)
    told = f"The recording ends {where}, where {name} is made of tracked tensors while nothing is recorded."
    return Cut(place, tensor.made, "no_grad", told, tensor, source)


def late_cut(world: World, tensor: TensorState, source: TensorState, event: int) -> Cut:
    """`tensor` was computed before anybody asked for a gradient of what it was computed from."""
    reached = (world.trace.events[number] for number in range(event, -1, -1))
    line = next((one.line for one in reached if isinstance(one, LineReached)), 0)
    told = (
        f"When {code_label(world, tensor.number)} was computed from {code_label(world, source.number)} "
        f"{on(tensor.place.line)}, no gradient was wanted for that yet: **line {line}** asks for one only then."
    )
    return Cut(Place(line, line), event, "late", told, tensor, source)


def numbers_cut(world: World, start: TensorState, goal: TensorState) -> tuple[TensorState, Cut] | None:
    """Where plain numbers were taken out of `goal` on the way to `start`, and what was computed with them."""
    found = numbers_on_way(world, start, goal)
    if found is None:
        return None
    return found[0], as_numbers(world, *found)


def as_numbers(world: World, tensor: TensorState, taken: Seen) -> Cut:
    """`tensor` was computed with plain numbers."""
    told = (
        f"{upper(taking(taken))} {on(taken.place.line)} takes plain numbers out of "
        f"{code_label(world, taken.tensor)}, and numbers know of no graph."
    )
    return Cut(taken.place, taken.event, "numbers", told, tensor, world.tensors[taken.tensor])


def past_views(world: World, tensor: TensorState) -> TensorState:
    """The tensor with a graph that `tensor` is a detached view of."""
    while not tensor.requires_grad and tensor.base is not None and tensor.base in world.tensors:
        tensor = world.tensors[tensor.base]
    return tensor


def recording_off(world: World, place: Place) -> Place:
    """Of `place` and the calls around it, the outermost line that stands under no_grad itself."""
    for frame in place.frames:
        if frame.line in world.source.quiet_lines:
            return Place(frame.line, frame.line, (), place.since)
    return place


def switched_off(world: World, tensor: TensorState) -> tuple[Place, int] | None:
    """The statement that switched the recording off, if that is why `tensor` has no graph and nothing has switched it
    on since."""
    lines = {tensor.place.line, *(frame.line for frame in tensor.place.frames)}
    if not world.source.switches or lines & world.source.quiet_lines:
        return None
    events = world.trace.events
    for number in range(world.count - 1, -1, -1):
        event = events[number]
        if isinstance(event, LineReached) and event.line in world.source.switches:
            off = number < tensor.made and not world.source.switches[event.line]
            return (Place(event.line, event.line), number) if off else None
    return None


def unseen_by_checkpoint(world: World, tensor: TensorState) -> Cut | None:
    """A reentrant checkpoint records nothing unless one of its inputs requires a gradient: `tensor` came out of one."""
    for warned, number in world.warnings:
        if not warned.message.startswith(UNSEEN_INPUTS) or number > tensor.made:
            continue
        if warned.line not in (tensor.place.line, *(frame.line for frame in tensor.place.frames)):
            continue
        given = [
            state
            for state in ancestors(world, tensor)
            if state.made < number and not state.requires_grad and not made_from(world, state) and state.op != "number"
        ]
        if given:
            told = (
                f"The checkpoint {on(warned.line)} looks at its inputs only, and {code_label(world, given[0].number)} "
                f"of **line {given[0].place.line}** does not require a gradient, so nothing inside is recorded."
            )
            return Cut(given[0].place, given[0].made, "checkpoint", told, given[0])
    return None


@dataclass(frozen=True, slots=True)
class UnreadLayer:
    """A layer set as `owner.name` by `statement`, where forward reads `used` instead, first on line `read`."""

    statement: ast.Assign
    owner: str
    name: str
    used: str
    read: int


def unread_layer(tree: ast.AST) -> UnreadLayer | None:
    """The first layer that a program gives a model under a name which no class of its own reads."""
    nodes = nodes_of(tree)
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    own = {part.attr for node in classes for part in ast.walk(node) if isinstance(part, ast.Attribute) and is_own(part)}
    shown = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
    asked_only = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr != "forward"}
    loaded = {
        ast.unparse(node)
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in asked_only
    }
    known = {one.name for one in classes}
    makers = {
        ast.unparse(goal): known & {callee(call) for call in ast.walk(node.value) if isinstance(call, ast.Call)}
        for node in nodes
        if isinstance(node, ast.Assign)
        for goal in node.targets
    }
    for node in nodes:
        goal = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(goal, ast.Attribute) or goal.attr in own:
            continue
        owner, made = ast.unparse(goal.value), callee(node.value) if isinstance(node.value, ast.Call) else ""
        if not made[:1].isupper() or owner.split(".")[0] == "self" or f"{owner}.{goal.attr}" in loaded:
            continue
        models = [one for one in classes if one.name in (makers.get(owner) or known)]
        layers = [layer for model in models for layer in read_in_forward(model, made)]
        asked = [layer for layer in layers if f"{owner}.{layer.attr}.in_features" in shown]
        for used in (asked or layers)[-1:]:
            return UnreadLayer(node, owner, goal.attr, used.attr, used.lineno)
    return None


def is_own(part: ast.Attribute) -> bool:
    return isinstance(part.value, ast.Name) and part.value.id == "self"


def read_in_forward(model: ast.ClassDef, maker: str) -> list[ast.Attribute]:
    """Layers made by `maker` that forward calls, the last call last; none where it goes through all that there are."""
    methods = {node.name: node for node in model.body if isinstance(node, ast.FunctionDef)}
    begin, forward = methods.get("__init__"), methods.get("forward")
    if begin is None or forward is None:
        return []
    reads = [part for part in ast.walk(forward) if isinstance(part, ast.Attribute) and is_own(part)]
    if any(part.attr in ("children", "named_children", "modules", "named_modules", "_modules") for part in reads):
        return []
    made = {
        node.targets[0].attr
        for node in ast.walk(begin)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Attribute)
        and isinstance(node.value, ast.Call)
        and callee(node.value) == maker
    }
    calls = [node for node in ast.walk(forward) if isinstance(node, ast.Call)]
    ends = sorted(calls, key=lambda call: (call.end_lineno or 0, call.end_col_offset or 0))
    return [call.func for call in ends if isinstance(call.func, ast.Attribute) and call.func.attr in made]


def before_line(world: World, tensor: TensorState, line: int) -> TensorState:
    """`tensor`, or what it was made of if `line` made it, nameless, of one tensor alone: `loss.sum().backward()`."""
    while tensor.place.line == line and tensor.called is None:
        before = [state for state in made_from(world, tensor) if state.op != "number"]
        if len(before) != 1:
            break
        tensor = before[0]
    return tensor
