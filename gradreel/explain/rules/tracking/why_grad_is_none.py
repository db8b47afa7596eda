"""Why a `.grad` is None: asked at the moment when the program reads it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...diagnostics.diagnosis import known_names
from ...narration.words import code, code_label, label, name_of, on, upper
from ...replay.graph_queries import ancestors, by_graph, made_from, nodes_behind, rebuilt_from, written_from
from ...replay.states import Call, Place, Seen, TensorState
from ...replay.world import World
from ..modules.mode import left_in_eval
from .cuts import Cut, before_line, numbers_cut, recording_off, tracked_cut, where_cut


@dataclass(frozen=True, slots=True)
class Reason:
    """Why: `cause` for the fixes, `story` for people, `lines` and `events` by role."""

    kind: str
    cause: str
    name: str
    story: tuple[str, ...]
    lines: dict[str, int | None] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)
    nodes: tuple[int, ...] = ()
    names: dict[str, str] = field(default_factory=dict)


def why_none(world: World, seen: Seen) -> Reason:
    """The reason why the tensor that `seen` read the gradient of has none."""
    tensor = world.tensors[seen.tensor]
    if tensor.node is not None:
        return rebased_view(world, tensor) or not_leaf(world, tensor)
    if not tensor.requires_grad:
        return not_tracked(world, tensor)
    if finished_calls(world) and (mode := left_in_eval(world, tensor)) is not None:
        lines: dict[str, int | None] = {"built": mode.asked, "cut": mode.line}
        events = {"built": tensor.made, "cut": mode.event}
        names = known_names(target=name_of(world, tensor))
        return Reason("unused", "left_in_eval", grad_of(world, tensor), mode.story, lines, events, (), names)
    if tensor.emptied is not None:
        return emptied_grad(world, tensor)
    if not finished_calls(world):
        return too_early(world, tensor)
    return lost_on_way(world, tensor) or withheld(world, tensor) or not_used(world, tensor)


def grad_of(world: World, tensor: TensorState) -> str:
    name = label(world, tensor.number)
    return code(f"{name}.grad") if name is not None else "this gradient"


def finished_calls(world: World) -> list[Call]:
    """The backward calls so far that ran to their end."""
    return [call for call in world.calls.values() if call.called == "backward" and call.ended and not call.failed]


def not_leaf(world: World, tensor: TensorState) -> Reason:
    assert tensor.node is not None
    node = world.nodes[tensor.node]
    name, built = code_label(world, tensor.number), tensor.place.line
    story = [
        f"{name} is the result of **{node.title}**, built {on(built)}: it is no leaf. Gradients only pass through it "
        "on their way to the leaves.",
    ]
    leaves = [world.tensors[number] for number in sorted(by_graph(world, tensor)) if number in world.tensors]
    holders = [code_label(world, leaf.number) for leaf in leaves if leaf.names]
    if holders:
        story.append(f"The leaves behind it keep theirs: {', '.join(holders[:3])}.")
    elif leaves:
        story.append("The leaf behind it has no name of its own, so its gradient cannot be reached.")
    story.append(f"`retain_grad()` before the backward would keep one for {name}, too.")
    return Reason(
        "grad_none",
        "not_leaf",
        grad_of(world, tensor),
        tuple(story),
        {"built": built},
        {"built": tensor.made},
        (tensor.node,),
        known_names(target=name_of(world, tensor)),
    )


def rebased_view(world: World, tensor: TensorState) -> Reason | None:
    """A view whose base was written to after the view had been used: the old way through it is gone."""
    writes = [write for write in world.writes.get(tensor.storage, ()) if write.counted and write.event > tensor.made]
    users = [state for state in world.tensors.values() if tensor.number in state.inputs and state.node is not None]
    if tensor.base is None or not writes:
        return None
    before = [state for state in users if state.made < writes[0].event]
    if not before:
        return None
    user, write = before[0], writes[0]
    name = code_label(world, tensor.number)
    story = (
        f"{name} is a view, taken {on(tensor.place.line)}; {code_label(world, user.number)} was made of it "
        f"{on(user.place.line)}.",
        f"{code(world.source.text(write.place.line))} {on(write.place.line)} then wrote into the memory that it shows, "
        "and autograd gave every view of that memory a new history.",
        f"{code_label(world, user.number)} still leads to the old one, so no gradient comes to what {name} is now.",
    )
    return Reason(
        "grad_none",
        "rebased",
        grad_of(world, tensor),
        story,
        {"built": user.place.line, "saved": tensor.place.line, "changed": write.place.line},
        {"built": user.made, "saved": tensor.made, "changed": write.event},
        () if user.node is None else (user.node,),
        known_names(target=name_of(world, tensor), user=name_of(world, user)),
    )


def not_tracked(world: World, tensor: TensorState) -> Reason:
    cut = where_cut(world, tensor)
    name, built = code_label(world, tensor.number), tensor.place.line
    lines: dict[str, int | None] = {"built": built}
    events = {"built": tensor.made}
    story = [f"{name}, made {on(built)}, does not require a gradient, so none is ever computed for it."]
    if cut is not None and cut.how != "plain":
        lines["cut"], events["cut"] = cut.place.line, cut.event
        story.append(cut.told)
    names = known_names(target=name_of(world, tensor), how=cut.how if cut else "plain")
    return Reason("grad_none", "not_tracked", grad_of(world, tensor), tuple(story), lines, events, (), names)


def emptied_grad(world: World, tensor: TensorState) -> Reason:
    assert tensor.emptied is not None
    place, event = tensor.emptied
    story = (
        f"{code(world.source.text(place.line))} {on(place.line)} set it to None, not to zero.",
        "The next backward would fill it again.",
    )
    lines: dict[str, int | None] = {"changed": place.line}
    return Reason(
        "grad_none",
        "emptied",
        grad_of(world, tensor),
        story,
        lines,
        {"changed": event},
        (),
        known_names(target=name_of(world, tensor)),
    )


def too_early(world: World, tensor: TensorState) -> Reason:
    story = (
        f"{code_label(world, tensor.number)} of **line {tensor.place.line}** is a leaf, but no backward has run yet: "
        "until the first one, `.grad` is None and not zero.",
    )
    names = known_names(target=name_of(world, tensor))
    return Reason(
        "grad_none",
        "too_early",
        grad_of(world, tensor),
        story,
        {"built": tensor.place.line},
        {"built": tensor.made},
        (),
        names,
    )


def lost_on_way(world: World, tensor: TensorState, in_vain: bool = False) -> Reason | None:
    """What went backward was computed from `tensor`, but the graph was cut on the way. Where an optimizer steps
    `in_vain`, what stops a gradient for all to see stands in the wrong place."""
    for call in reversed(finished_calls(world)):
        for root in call.roots:
            start = world.tensors[root]
            found = cut_on_way(world, start, tensor, in_vain) or numbers_cut(world, start, tensor)
            if found is None:
                continue
            again, cut = found
            again = begun_with(world, world.tensors[root], again)
            leaf = again if again.requires_grad else None
            begins = "asks for a gradient and begins" if leaf is not None else "begins"
            built, made = (given_name if cut.how == "numbers" else off_at)(world, again), again.made
            story = (
                cut.told,
                f"{upper(code_label(world, again.number))} of **line {built.line}** {begins} a new graph. "
                f"{code(call.text)} {on(call.place.line)} stops there and never reaches "
                f"{code_label(world, tensor.number)}.",
            )
            if again.made < cut.event:  # the numbers were copied into what was there before
                start = before_line(world, world.tensors[root], call.place.line)
                named_at = start.bound if cut.how == "data" else None
                built, made = named_at or start.place, start.made
            lines: dict[str, int | None] = {"built": built.line, "cut": cut.place.line}
            events = {"built": made, "cut": cut.event}
            if cut.how == "late":  # what was computed too early, by a call perhaps
                events["begun"] = cut.tensor.made
                if cut.tensor.place.frames:
                    lines["saved"] = cut.tensor.place.frames[-1].line
            return Reason(
                "no_graph",
                "lost",
                grad_of(world, tensor),
                story,
                lines,
                events,
                (),
                known_names(
                    target=name_of(world, again),
                    how=cut.how,
                    cut=name_of(world, cut.tensor),
                    source=name_of(world, cut.source) if cut.source else None,
                    source_shape=cut.source_shape,
                    leaf=name_of(world, leaf) if leaf is not None else None,
                ),
            )
    return None


def given_name(world: World, tensor: TensorState) -> Place:
    """Where `tensor` was made; where it got its name, if the function that made it handed it out there."""
    bound = tensor.bound
    if bound is not None and not tensor.requires_grad and any(bound.line == call.line for call in tensor.place.frames):
        return bound
    return off_at(world, tensor)


def off_at(world: World, tensor: TensorState) -> Place:
    return recording_off(world, tensor.place)


def begun_with(world: World, root: TensorState, cut: TensorState) -> TensorState:
    """What `cut` came to before the graph behind `root` began, perhaps told there to require a gradient."""
    unrecorded = {cut.number}
    behind = [tensor for tensor in ancestors(world, root) if tensor.node is None]
    ordered = sorted(behind, key=lambda state: state.made)
    for tensor in (*ordered, *ordered):  # what was written into may be older than what was written
        before = (*made_from(world, tensor), *written_from(world, tensor))
        if any(state.number in unrecorded for state in before):
            unrecorded.add(tensor.number)
    return next((tensor for tensor in behind if tensor.number in unrecorded), cut)


STOPS = frozenset({"no_grad", "detach"})
"""Cuts that stop a gradient on purpose."""


def cut_on_way(
    world: World, root: TensorState, goal: TensorState, in_vain: bool = False
) -> tuple[TensorState, Cut] | None:
    """Between `root` and what it was computed from: the tensor behind which the graph ends, and what ended it. One that
    nobody makes on purpose comes before one that stands there for all to see; last comes one that takes nothing from
    `goal`, since what it cut off has a gradient by another way, as what chooses in a `where` has."""
    if goal.number in by_graph(world, root):
        return None
    last, first = {"rounded"} if in_vain else STOPS, world.grad_node(root.number)
    reached = nodes_behind(world, first) if first is not None else set()

    def order(found: tuple[TensorState, Cut]) -> tuple[bool, bool]:
        source = found[1].source
        return source is not None and source.node is not None and source.node in reached, found[1].how in last

    return min(cuts_on_way(world, root, goal), key=order, default=None)


def cuts_on_way(world: World, root: TensorState, goal: TensorState) -> Iterator[tuple[TensorState, Cut]]:
    for tensor in ancestors(world, root):
        if tensor.node is not None:
            continue
        if (cut := put_in_data(world, tensor, goal)) is not None:
            yield tensor, cut
        if (taken := rebuilt_from(world, tensor)) is not None:
            source = world.tensors[taken.tensor]
            if any(state is goal for state in ancestors(world, source)):
                cut = where_cut(world, tensor)
                if cut is not None:
                    yield tensor, cut
                return
        before = made_from(world, tensor)
        if any(state.requires_grad for state in before) and any(state is goal for state in ancestors(world, tensor)):
            yield tensor, tracked_cut(world, tensor)


def put_in_data(world: World, tensor: TensorState, goal: TensorState) -> Cut | None:
    """The last time that a result with a graph back to `goal` was put into the `.data` of the leaf `tensor`."""
    for write in reversed(world.writes.get(tensor.storage, ())):
        sources = [world.tensors[number] for number in write.inputs if number in world.tensors]
        tracked = [source for source in sources if source.requires_grad and source is not tensor]
        if write.counted or write.op not in ("data", "copy") or tensor is goal:
            continue
        if any(state is goal for source in tracked for state in ancestors(world, source)):
            told = (
                f"{code(world.source.text(write.place.line))} {on(write.place.line)} puts the numbers of a result into "
                f"{code_label(world, tensor.number)} and leaves the graph behind them."
            )
            return Cut(write.place, write.event, "data", told, tensor)
    return None


def handed_out(world: World, tensor: TensorState) -> Reason:
    """`tensor` only shares the numbers of a parameter, whose gradient is kept with the parameter itself."""
    owner = world.tensors[tensor.base] if tensor.base is not None else tensor
    line, name = tensor.place.line, code_label(world, tensor.number)
    story = (
        f"{upper(name)} comes from {code(world.source.text(line))} {on(line)}, which hands out tensors that share the "
        "numbers of the parameters and know nothing of their graph.",
        f"The gradient is kept in {grad_of(world, owner)}.",
    )
    lines: dict[str, int | None] = {"built": line}
    names = known_names(target=name_of(world, tensor))
    return Reason("grad_none", "handed_out", grad_of(world, tensor), story, lines, {"built": tensor.made}, (), names)


def withheld(world: World, tensor: TensorState) -> Reason | None:
    """A Function of the program on the way back to `tensor` gave None for it."""
    functions = {node.name for node in world.source.nodes if isinstance(node, ast.ClassDef)}
    for call in reversed(finished_calls(world)):
        if all(world.nodes[number].variable != tensor.number for number in call.expected):
            continue
        nodes = [world.nodes[number] for number in sorted(call.expected)]
        own = [node for node in nodes if node.custom and node.name.removesuffix("Backward") in functions and node.runs]
        for node in own:
            given = [number for number in node.inputs if tensor.number in by_graph(world, world.tensors[number])]
            if tensor.number not in node.inputs and not given:
                continue
            function, line = node.name.removesuffix("Backward"), node.place.line
            what = code_label(world, tensor.number if tensor.number in node.inputs else given[0])
            story = (
                f"{what} went into **{node.title}**, built {on(line)}: it wants a gradient, and the backward of "
                f"{code(function)} gave None for it.",
                "None says that there is no gradient; for an argument that is to learn, backward has to return one.",
            )
            names = known_names(target=name_of(world, tensor), function=function)
            lines: dict[str, int | None] = {"built": line, "cut": none_returned(world.source.tree, function)}
            number = (node.number,)
            return Reason(
                "function_contract",
                "withheld",
                grad_of(world, tensor),
                story,
                lines,
                {"built": node.made},
                number,
                names,
            )
    return None


def none_returned(tree: ast.Module, function: str) -> int | None:
    """The line of the last `return` with a None in the backward of `function`."""
    kinds = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == function]
    backwards = [part for kind in kinds for part in kind.body if getattr(part, "name", "") == "backward"]
    return max(
        (
            end.lineno
            for backward in backwards
            for end in ast.walk(backward)
            if isinstance(end, ast.Return)
            and any(isinstance(part, ast.Constant) and part.value is None for part in ast.walk(end))
        ),
        default=None,
    )


def not_used(world: World, tensor: TensorState) -> Reason:
    call = finished_calls(world)[-1]
    lines: dict[str, int | None] = {"built": tensor.place.line}
    events = {"built": tensor.made}
    late = computed_before(world, tensor, call)
    if late is not None:
        lines["saved"], events["saved"] = late.place.line, late.made
        story: tuple[str, ...] = (
            f"{code_label(world, tensor.number)} of **line {tensor.place.line}** is a new leaf, made after "
            f"**line {late.place.line}** computed with what it is made of. The graph that {code(call.text)} "
            f"{on(call.place.line)} goes back through does not lead to it.",
            "What is to get a gradient has to be the leaf before it is computed with.",
        )
    else:
        story = (
            f"{code_label(world, tensor.number)} of **line {tensor.place.line}** is a leaf, but what {code(call.text)} "
            f"{on(call.place.line)} started from was not computed from it.",
        )
    names = known_names(target=name_of(world, tensor))
    return Reason("grad_none", "not_used", grad_of(world, tensor), story, lines, events, (), names)


def computed_before(world: World, tensor: TensorState, call: Call) -> TensorState | None:
    """The first that was computed, on the way to what `call` started from, with what `tensor` was made of later."""
    sources, todo = set(), [tensor]
    for state in todo:  # what the statement itself made on the way, as a clone, was not computed with
        before = made_from(world, state)
        todo += [one for one in before if one.place.since == tensor.place.since and one.number not in sources]
        sources |= {one.number for one in before}
    behind = [state for root in call.roots for state in ancestors(world, world.tensors[root])]
    users = [state for state in behind if sources & set(state.inputs) and state.made < tensor.made]
    return min(users, key=lambda state: state.made, default=None)
