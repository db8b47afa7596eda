"""Parameters that no gradient ever comes to, though what goes backward was computed from their numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.registry import Watcher, watcher
from ...diagnostics.showing import Showing
from ...narration.words import code, code_label, name_of, on, upper, without_graph
from ...optimizers import makings, may_be_optimized
from ...replay.graph_queries import ancestors, by_graph, gradient_call, made_from, origin, written_from
from ...replay.states import TensorState
from ...replay.world import World
from ...source import is_straight_through, parts_of
from ..optimizer.other_parameters import read_groups
from .cuts import before_line
from .detached import reads_behind, rebound_estimators
from .unused_inputs import UNMEANT
from .why_grad_is_none import STOPS, Reason, cuts_on_way, finished_calls, lost_on_way, withheld

STEPS = 2
COPIED = re.compile(r"\b(?:load_state_dict|deepcopy|load)\(")
PRODUCTS = frozenset(
    {"mul", "mm", "bmm", "matmul", "dot", "mv", "einsum", "cat", "stack", "linear", "addmm", "baddbmm"}
)
"""What joins two sides in which neither is the measure of the other."""
WITHOUT_SLOPE = frozenset({"rounded", "counted", "late"})


@watcher(e.OptimizerStepped)
class Unreached(Watcher):
    def __init__(self, world: World) -> None:
        self.world = world
        self.reached: set[int] = set()
        """The memory of what a gradient came to."""
        self.steps = 0
        self.recorded = True
        """Whether a step was recorded after all turns that were left out: then it stands for them."""
        self.compared: set[int] = set()
        """The memory of what was compared with what it was before."""
        self.steps_at: dict[int, int] = {}
        """How often an optimizer took a step, by the line; of lines whose steps never wrote anything."""
        self.wrote = False
        self.moving: set[int] = set()
        """The lines whose steps wrote something."""
        self.steps_seen: dict[int, int] = {}
        """How many steps had been taken when a tensor was given up."""
        self.changed: set[int] = set()
        """The memory that the program itself wrote into, as an average of weights is kept."""
        self.makings = makings(world.source.tree)
        self.given: set[int] = set()
        """The tensors that optimizers were given as parameters of something, by whatever name it had there."""
        self.moved = Showing(world)
        self.showing = Showing(world)

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.GradStored: self.on_grad_stored,
            e.GradCaptured: self.on_grad_captured,
            e.OptimizerStepped: self.on_optimizer_stepped,
            e.Printed: self.on_printed,
            e.TensorMade: self.on_tensor_made,
            e.Written: self.on_written,
            e.TensorReleased: self.on_tensor_released,
            e.TurnsSkipped: self.on_turns_skipped,
            **({e.LineReached: self.on_line_reached} if self.makings else {}),
        }

    def on_line_reached(self, event: e.LineReached) -> None:
        self.given.update(*(group.members for group in read_groups(self.world, self.makings)))

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        self.recorded = False

    def on_tensor_made(self, event: e.TensorMade) -> None:
        """A parameter is compared with a copy of what it was before the steps: it was to move."""
        if not self.steps or len(event.inputs) != 2 or not event.op.startswith("sub"):
            return
        now, before = (self.world.tensors[number] for number in event.inputs)
        copy = origin(self.world, before) or before
        source = self.world.tensors.get(copy.inputs[0]) if copy.op == "clone" and copy.inputs else None
        if source is not None and source.storage == now.storage:
            self.compared.add(now.storage)
            if not self.moved.waiting and self.moved.line is None:
                self.moved.wait()

    def on_printed(self, event: e.Printed) -> None:
        self.showing.on_printed(event)
        self.moved.on_printed(event)

    def on_tensor_released(self, event: e.TensorReleased) -> None:
        self.steps_seen[event.tensor] = self.steps

    def on_grad_stored(self, event: e.GradStored) -> None:
        self.reached.add(self.world.tensors[event.tensor].storage)

    def on_optimizer_stepped(self, event: e.OptimizerStepped) -> None:
        if event.phase == "began":
            self.wrote = False
        else:
            self.recorded = True
            line = self.world.place.line
            self.steps_at[line] = self.steps_at.get(line, 0) + 1
            if self.wrote:
                self.moving.add(line)
            self.steps += 1
            if self.steps == STEPS:
                self.showing.wait()

    def on_written(self, event: e.Written) -> None:
        self.wrote = True
        if self.steps and self.world.optimizer is None:
            self.changed.add(event.storage)

    def in_vain(self) -> bool:
        """Whether some optimizer took steps again and again and never had a gradient for any of its parameters."""
        return any(steps >= STEPS and line not in self.moving for line, steps in self.steps_at.items())

    def on_grad_captured(self, event: e.GradCaptured) -> None:
        self.reached.add(self.world.tensors[event.tensor].storage)

    def report(self) -> list[Diagnosis]:
        if self.steps < STEPS or not self.recorded:
            return []
        leaves = [tensor for tensor in self.world.tensors.values() if self.forgotten(tensor)]
        for tensor in leaves[:20]:
            diagnosis = self.describe(tensor)
            if diagnosis is not None:
                showing = self.moved if tensor.storage in self.compared else self.showing
                return [showing.shown(diagnosis)]
        return []

    def forgotten(self, tensor: TensorState) -> bool:
        """Whether an optimizer has `tensor`, and nothing ever came to it."""
        leaf = tensor.requires_grad and tensor.node is None and bool(tensor.names or tensor.called)
        leaf = leaf and (tensor.alive or self.steps_seen.get(tensor.number) == self.steps)
        if not leaf or tensor.storage in self.reached:
            return False
        return tensor.number in self.given or may_be_optimized(self.world, tensor, known=True)

    def describe(self, tensor: TensorState) -> Diagnosis | None:
        reason = lost_on_way(self.world, tensor, self.in_vain())
        if reason is None:
            return self.told_withheld(tensor) or self.told_constant(tensor)
        if (early := self.estimated_early(tensor)) is not None:
            return early
        how, compared = reason.names.get("how"), tensor.storage in self.compared
        if how in STOPS | {"rounded"} and (turned := self.turned_round(tensor, reason)) is not None:
            return turned
        unmeant = self.last_on_way(tensor, reason) or self.alone(tensor, reason) or self.whole_side(tensor, reason)
        meant = not (compared or self.in_vain() or unmeant)
        overwritten = how == "data" and self.often_put(reason)
        if not overwritten and how not in UNMEANT | WITHOUT_SLOPE and (how not in STOPS or meant):
            return None
        lines, events = dict(reason.lines), dict(reason.events)
        again = next(state for state in self.world.tensors.values() if state.made == events["built"])
        lines["built"] = again.bound.line if again.bound is not None else lines["built"]
        if lines["built"] == lines["cut"] and how != "parameter":  # a Parameter is both: cut off, and a new leaf
            call = finished_calls(self.world)[-1]
            root = before_line(self.world, self.world.tensors[call.roots[0]], call.place.line)
            lines["built"], events["built"] = root.place.line, root.made
        name = code_label(self.world, tensor.number)
        names = {**reason.names, **known_names(parameter=name_of(self.world, tensor))}
        found = Diagnosis(
            kind="no_graph",
            title="No gradient reaches a parameter",
            lines=lines,
            story=(
                f"No gradient ever came to {name}, which the optimizer was given: it never changes.",
                *map(upper, reason.story),
            ),
            nodes=reason.nodes,
            events=events,
        )
        cause = "overwritten" if overwritten else "lost_unread"
        return replace(found, cause=cause, names=names, lines={**lines, "raised": None})

    def often_put(self, reason: Reason) -> bool:
        """Whether numbers were put into a leaf on that line again and again, and not once, as for a start."""
        writes = [write for writes in self.world.writes.values() for write in writes if not write.counted]
        return sum(write.place.line == reason.lines["cut"] for write in writes) >= STEPS

    def turned_round(self, tensor: TensorState, reason: Reason) -> Diagnosis | None:
        """A straight-through estimator that lets the gradient pass to what was picked, and not to what it is for."""
        world, calls = self.world, finished_calls(self.world)
        sums = [node for node in world.source.nodes if is_straight_through(node)]
        picked = reason.events["cut"] if reason.names.get("how") == "rounded" else None
        for root in calls[-1].roots if calls and sums else ():
            for made, cut in cuts_on_way(world, world.tensors[root], tensor):
                if picked is not None and not passes_to(world, made, picked):
                    continue
                for node in [node for node in sums if node.lineno <= cut.place.line <= (node.end_lineno or 0)]:
                    value, passes = parts_of(node)
                    name = code_label(world, tensor.number)
                    return Diagnosis(
                        kind="no_graph",
                        title="A straight-through estimator the wrong way round",
                        lines={"built": node.lineno, "cut": node.lineno, "raised": None},
                        story=(
                            f"No gradient ever came to {name}, which the optimizer was given: it never changes.",
                            f"{code(ast.unparse(node))} {on(node.lineno)} has the value of {code(value)}, and passes "
                            f"the gradient to {code(passes)} alone: what is detached gets none.",
                            f"Straight through is the other way round: the value of {code(passes)}, and the gradient "
                            f"to {code(value)}.",
                        ),
                        events={"built": made.made, "cut": cut.event, "seen": world.count - 1},
                        cause="lost_unread",
                        names=known_names(how="turned_round", target=name_of(world, tensor)),
                    )
        return None

    def estimated_early(self, tensor: TensorState) -> Diagnosis | None:
        """`q = x + (q - x).detach()` gives the name of what was looked up to its straight-through value, and a loss
        that was to move what was looked up is computed with the name after that."""
        world, calls = self.world, finished_calls(self.world)
        names = {node.lineno: name for node, name in rebound_estimators(world.source.tree)}
        if not names or not calls or tensor.storage in self.changed:
            return None
        for root in calls[-1].roots:
            for made, cut in cuts_on_way(world, world.tensors[root], tensor):
                line = cut.place.line
                uses = reads_behind(world.source.tree, line, names[line]) if line in names else []
                if not uses:
                    continue
                name, leaf = code(names[line]), code_label(world, tensor.number)
                words = known_names(how="estimated_early", target=names[line], parameter=name_of(world, tensor))
                return Diagnosis(
                    kind="no_graph",
                    title="A name given away before its loss",
                    lines={"built": uses[0], "cut": line, "raised": None},
                    story=(
                        f"No gradient ever came to {leaf}, which the optimizer was given: it never changes.",
                        f"{code(world.source.text(line))} {on(line)} gives the name {name} to a straight-through "
                        f"value. What {name} was stands detached in it, and gets no gradient from there.",
                        f"{code(world.source.text(uses[0]))} {on(uses[0])} computes with the new {name}, and so never "
                        f"reaches {leaf}. A loss of what {name} was has to come before.",
                    ),
                    events={"built": made.made, "cut": cut.event, "seen": world.count - 1},
                    cause="lost_unread",
                    names=words,
                )
        return None

    def last_on_way(self, tensor: TensorState, reason: Reason) -> bool:
        """Whether what was cut off was made of what is trained, too, and what was computed from it goes straight into
        the loss: there is nobody behind the cut for whose sake it could be made. A target that no gradient comes to,
        but by this way, may be left as it began."""
        world = self.world
        cut = next((state for state in world.tensors.values() if state.made == reason.events["cut"]), None)
        if cut is None or not self.moving or tensor.storage in self.changed or reason.names.get("how") != "detach":
            return False
        if not any(state.storage in self.reached for state in ancestors(world, cut)):
            return False
        roots = [world.tensors[root] for root in finished_calls(world)[-1].roots]
        behind = computed_from(world, cut, {state.number: state for root in roots for state in ancestors(world, root)})
        joined = {number for state in behind for number in state.inputs if number in world.tensors}
        return bool(behind) and not any(world.tensors[number].storage in self.reached for number in joined)

    def alone(self, tensor: TensorState, reason: Reason) -> bool:
        """Whether what was cut off was made of `tensor`, and of nothing else that learns: to stop the gradient there
        leaves nothing that could change it."""
        cut = next((state for state in self.world.tensors.values() if state.made == reason.events["cut"]), None)
        if cut is None or tensor.storage in self.changed or reason.names.get("how") not in STOPS:
            return False
        leaves = [state for state in ancestors(self.world, cut) if state.requires_grad and state.node is None]
        return all(state is tensor for state in leaves)

    def whole_side(self, tensor: TensorState, reason: Reason) -> bool:
        """Whether a decorator, away from the lines that train, cuts off all that one side of what is trained was made
        of, and that side is joined with another: unlike a target, which is compared with it, and unlike what was
        loaded or set to evaluate, and so is to stay as it is."""
        world = self.world
        cut = next((state for state in world.tensors.values() if state.made == reason.events["cut"]), None)
        where = (cut.place.line, *(frame.line for frame in cut.place.frames)) if cut is not None else ()
        if cut is None or all(world.source.quiet_functions.get(line) != reason.lines["cut"] for line in where):
            return False
        if not cut.place.turns or COPIED.search(world.source.whole) or self.set_to_evaluate():
            return False
        leaves = [state for state in ancestors(world, cut) if state.requires_grad and state.node is None]
        if any(leaf.storage in self.reached | self.changed for leaf in leaves):
            return False
        roots = [world.tensors[root] for root in finished_calls(world)[-1].roots]
        behind = computed_from(world, cut, {state.number: state for root in roots for state in ancestors(world, root)})
        derived = {cut.number, *(state.number for state in behind)}
        for state in behind:
            others = [world.tensors[number] for number in state.inputs if number not in derived]
            if any(other.node is not None and from_data(world, other) for other in others if other.requires_grad):
                return state.op.partition(".")[0] in PRODUCTS
        return False

    def set_to_evaluate(self) -> bool:
        """Whether some module had been told to evaluate when the first backward began."""
        events = self.world.trace.events[: finished_calls(self.world)[0].started]
        lines = {event.line for event in events if isinstance(event, e.LineReached)}
        return any(".eval()" in self.world.source.statement(line) for line in lines)

    def told_withheld(self, tensor: TensorState) -> Diagnosis | None:
        """A Function of the program gives None for `tensor` in each of its backwards."""
        reason = withheld(self.world, tensor)
        if reason is None:
            return None
        name = code_label(self.world, tensor.number)
        lines, title = {**reason.lines, "raised": None}, "A backward that leaves a parameter out"
        return Diagnosis(
            kind=reason.kind,
            title=title,
            lines=lines,
            story=(f"No gradient ever came to {name}, which the optimizer was given: it never changes.", *reason.story),
            nodes=reason.nodes,
            events=dict(reason.events),
            cause="withheld",
            names={**reason.names},
        )

    def told_constant(self, tensor: TensorState) -> Diagnosis | None:
        """The loss came of a gradient of what `tensor` took part in, and that gradient was not recorded."""
        world, calls = self.world, finished_calls(self.world)
        roots = calls[-1].roots if calls else ()
        for before in ancestors(world, world.tensors[roots[0]]) if roots else ():
            call = gradient_call(world, before)
            if call is None or call.create_graph or not call.roots or tensor.number in call.inputs:
                continue
            if tensor.number not in by_graph(world, world.tensors[call.roots[0]]):
                continue
            name = code_label(world, tensor.number)
            return Diagnosis(
                kind="no_graph",
                title="No gradient reaches a parameter",
                lines={"built": before.place.line, "cut": call.place.line, "raised": None},
                story=(
                    f"No gradient ever came to {name}, which the optimizer was given: it never changes.",
                    f"{code(call.text)} {on(call.place.line)} goes back through what {name} took part in, "
                    f"{without_graph(world, call.place)}: it gives plain numbers.",
                    f"{code(calls[-1].text)} {on(calls[-1].place.line)} starts from a loss that those numbers went "
                    f"into, and they know nothing of {name}.",
                ),
                events={"built": before.made, "cut": call.started, "seen": world.count - 1},
                cause="lost_unread",
                names=known_names(how="no_create_graph", target=name_of(world, tensor)),
            )
        return None


def passes_to(world: World, cut: TensorState, picked: int) -> bool:
    """Whether what `cut` is added to, so that the gradient goes there, was looked up by the places that event `picked`
    made."""
    users = [state for state in world.tensors.values() if cut.number in state.inputs]
    beside = {number for state in users for number in state.inputs if number != cut.number}
    free = [world.tensors[number] for number in beside if number in world.tensors]
    return any(state.made == picked for tensor in free for state in (tensor, *ancestors(world, tensor)))


def from_data(world: World, tensor: TensorState) -> bool:
    """Whether `tensor` was made of more than what is trained, and plain numbers."""
    made = ancestors(world, tensor)
    return any(not state.requires_grad and state.op != "number" and not made_from(world, state) for state in made)


def computed_from(world: World, start: TensorState, states: dict[int, TensorState]) -> list[TensorState]:
    """Those of `states` that were computed from `start`."""
    derived, found = {start.number}, []
    for state in sorted(states.values(), key=lambda state: state.made):
        before = (*made_from(world, state), *written_from(world, state))
        if state is not start and any(source.number in derived for source in before):
            derived.add(state.number)
            found.append(state)
    return found
