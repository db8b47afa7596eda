"""Steps of an optimizer that never change what the gradients come to: it was given other parameters."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..calls import callee
from ..diagnostics.diagnosis import Diagnosis, named
from ..diagnostics.registry import watcher
from ..diagnostics.showing import Showing
from ..narration.words import called, code, name_of, on, upper
from ..optimizer_arguments import ParameterGroup, collect_names, constructor_line, later_owners, read_groups
from ..optimizers import given_paths, makings, optimized, paths
from ..replay.graph_queries import made_from
from ..replay.states import Place, TensorState
from ..replay.world import World
from ..source import bound_by
from .guards import blocks

IN_LIST = re.compile(r"\[[^\]]*\]\.")
NOBODY: set[tuple[int, str]] = set()
STEPS = 2
"""So many steps must each have passed a gradient by."""


@watcher(e.OptimizerStepped)
class Untouched:
    """Which leaves gradients came to between two steps, what steps wrote, and what anything else wrote."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.optimizers: set[str] = set()
        """Those that took a step, by what names show of them."""
        self.bound: dict[str, tuple[Place, int]] = {}
        """Where, and with which event, a name was first bound, by what it shows."""
        self.makings = makings(world.source.tree)
        self.groups: list[ParameterGroup] = []
        self.made: list[tuple[Place, int]] = []
        """Where, and with which event, optimizers were made."""
        self.arrived: set[int] = set()
        self.passed: dict[int, int] = {}
        """For each leaf how many steps passed its gradient by."""
        self.passed_names: Counter[str] = Counter()
        """By its name, how many steps passed a parameter by, whichever it was."""
        self.anew: set[int] = set()
        """The parameters whose name was passed by often enough."""
        self.reached: set[int] = set()
        """The memory of leaves that a gradient came to."""
        self.written: set[int] = set()
        """That of them which was written later."""
        self.stepped_memory: set[int] = set()
        self.unfrozen: dict[int, tuple[Place, int]] = {}
        """Where, and with which event, a leaf was last told to ask for gradients."""
        self.put: dict[int, dict[tuple[int, str], tuple[Place, int]]] = {}
        """Where, and with which event, a tensor got the names that it has as a part of something."""
        self.step: tuple[str, Place, int] | None = None
        self.showing = Showing(world)

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.GradStored: self.stored,
            e.Written: self.wrote,
            e.OptimizerStepped: self.stepped,
            e.LineReached: self.reach,
            e.NameBound: self.named,
            e.FlagChanged: self.flagged,
            e.Printed: self.showing.printed,
        }

    def named(self, event: e.NameBound) -> None:
        if event.tensor is not None and self.made and "." in event.name:
            there = self.put.setdefault(event.tensor, {})
            there.setdefault((event.scope, event.name), (self.world.place, self.world.count - 1))
        if event.tensor is None and event.text is not None:
            self.bound.setdefault(event.text, (self.world.place, self.world.count - 1))

    def reach(self, event: e.LineReached) -> None:
        place = self.world.place
        here = sum(place.line <= call.lineno <= place.end_line for call in self.makings)
        self.made += [(place, self.world.count - 1)] * here
        self.groups += read_groups(self.world, self.makings)

    def flagged(self, event: e.FlagChanged) -> None:
        if self.world.tensors[event.tensor].requires_grad:
            self.unfrozen[event.tensor] = self.world.place, self.world.count - 1

    def stored(self, event: e.GradStored) -> None:
        if event.after is not None and event.how not in ("assigned", "retained"):
            self.arrived.add(event.tensor)
            self.reached.add(self.world.tensors[event.tensor].storage)

    def wrote(self, event: e.Written) -> None:
        storage = self.world.tensors[event.tensor].storage
        if storage in self.reached:
            self.written.add(storage)
        if self.world.optimizer is not None:
            self.stepped_memory.add(storage)

    def stepped(self, event: e.OptimizerStepped) -> None:
        if event.phase == "began":
            return
        self.step = event.optimizer, self.world.place, self.world.count - 1
        self.optimizers.add(event.optimizer)
        for number in self.arrived:
            if self.world.tensors[number].storage not in self.stepped_memory:
                self.passed[number] = self.passed.get(number, 0) + 1
                self.count_name(number)
                told = self.passed[number] == STEPS or number in self.anew
                if told and not self.showing.waiting and self.showing.line is None:
                    self.showing.wait()
        self.arrived.clear()

    def count_name(self, number: int) -> None:
        """A parameter may be replaced so often that no step passes the same one by twice."""
        tensor = self.world.tensors[number]
        if tensor.op == "known before" and tensor.called is not None:
            self.passed_names[tensor.called] += 1
            if self.passed_names[tensor.called] > STEPS:
                self.anew.add(number)

    def found(self) -> list[Diagnosis]:
        """Told if no step ever wrote anything, or if the leaf was made, or told to learn, after the optimizer."""
        anew = self.anew if self.stepped_memory else set()
        lost = [
            number
            for number, steps in self.passed.items()
            if (steps >= STEPS or number in anew) and self.world.tensors[number].storage not in self.written
        ]
        if self.step is None or not self.made or not lost:
            return []
        replaced = [n for n in lost if self.stepped_memory and self.replaces(n)]
        if replaced:
            return [self.showing.shown(self.told_replaced(replaced[0], *self.made[-1]))]
        if self.stepped_memory and (told := self.told_of_group(lost)) is not None:
            return [self.showing.shown(told)]
        loose = [number for number in lost if self.stepped_memory and self.is_loose(number)]
        if loose:
            return [self.showing.shown(self.told_loose(min(loose)))]
        if len(self.made) != 1 or len(self.optimizers) != 1:
            return []
        (optimizer,) = self.optimizers
        place, event = self.bound.get(optimizer, self.made[0])
        if self.stepped_memory:
            hidden = [n for n in lost if self.in_list(n)]
            if hidden:
                return [self.showing.shown(self.told_hidden(hidden[0]))]
            thawed = [n for n in lost if n in self.unfrozen and self.unfrozen[n][1] > event and self.in_module(n)]
            if thawed:
                return [self.showing.shown(self.told_unfrozen(thawed[0], optimizer, place, event))]
            lost = [n for n in lost if self.world.tensors[n].made > event and self.in_module(n)]
        return [self.showing.shown(self.told(lost[0], optimizer, place, event))] if lost else []

    def told_of_group(self, lost: list[int]) -> Diagnosis | None:
        """Of what belongs to an object all of whose parameters an optimizer was given, and was not among them."""
        world, differentiated = self.world, {n for call in self.world.calls.values() for n in call.inputs}
        lost = [number for number in lost if number not in differentiated]
        if not lost or not self.groups:
            return None
        names = collect_names(world, [*lost, *(member for group in self.groups for member in group.members)])
        for group in self.groups:
            for number in lost:
                tensor = world.tensors[number]
                if (line := constructor_line(world, group, tensor, names)) is not None:
                    return self.told_hidden(number, line)
                if owners := later_owners(group, tensor, names):
                    text = world.source.text(group.place.line, group.place.end_line)
                    found = self.told(number, text, group.place, group.event, owners)
                    owner = min(owners)[1]
                    return replace(found, names={**found.names, "owner": owner, "given": group.owner})
        return None

    def replaces(self, number: int) -> bool:
        """Whether the tensor came with an assignment to what an optimizer had been made of, and none was made since."""
        tensor = self.world.tensors[number]
        if self.made[-1][1] > tensor.made:
            return False
        given = [path[-1] for path in given_paths(self.world) if path]
        lines = (tensor.place.line, *(frame.line for frame in tensor.place.frames))
        statements = [statement for line in lines for statement in self.world.source.simple(line)]
        goals = [goal for each in statements if isinstance(each, ast.Assign) for goal in each.targets]
        return any(isinstance(goal, ast.Attribute) and goal.attr in given for goal in goals)

    def told_replaced(self, number: int, place: Place, event: int) -> Diagnosis:
        world, tensor = self.world, self.world.tensors[number]
        assert self.step is not None
        _, step, seen = self.step
        changed, name = tensor.place.line, called(world, number)
        return Diagnosis(
            title="A model that was replaced behind its optimizer",
            lines={"built": place.line, "changed": changed, "raised": None},
            story=(
                f"{code(world.source.text(place.line, place.end_line))} {on(place.line)} keeps the parameters that "
                "were there then.",
                f"{code(world.source.text(changed))} {on(changed)} puts others in their place: {name} gets gradients, "
                f"and {code(world.source.text(step.line))} {on(step.line)} passes it by.",
                "New numbers for the old parameters, by `load_state_dict`, leave the optimizer what it has; else an "
                "optimizer is to be made anew.",
            ),
            events={"built": event, "optimizer": event, "changed": tensor.made, "seen": seen},
            cause="replaced",
            names=named(target=name_of(world, tensor)),
        )

    def told_unfrozen(self, number: int, optimizer: str, place: Place, event: int) -> Diagnosis:
        world, tensor = self.world, self.world.tensors[number]
        assert self.step is not None
        _, step, seen = self.step
        flag, at = self.unfrozen[number]
        name = called(world, number)
        return Diagnosis(
            title="Parameters that the optimizer was made without",
            lines={"built": place.line, "changed": flag.line, "raised": None},
            story=(
                f"{code(optimizer)} {on(place.line)} was made while {name} asked for no gradient, of the parameters "
                "that did.",
                f"{code(world.source.text(flag.line, flag.end_line))} {on(flag.line)} lets it learn, and "
                f"{code(world.source.text(step.line))} {on(step.line)} passes it by: it gets gradients and never "
                "changes.",
                "An optimizer may have all parameters from the start, for it skips those without a gradient; or "
                "`add_param_group` gives it more later.",
            ),
            events={"built": event, "optimizer": event, "changed": at, "seen": seen},
            cause="unfrozen",
            names=named(target=name_of(world, tensor)),
        )

    def in_list(self, number: int) -> bool:
        """Whether the optimizer was given all parameters of a module that has this one in a plain list or dict."""
        tensor = self.world.tensors[number]
        names = [name for _, name in tensor.names] or [tensor.called or ""]
        return any(IN_LIST.search(name) for name in names) and optimized(self.world, tensor, known=True)

    def is_loose(self, number: int) -> bool:
        """Whether the tensor is a Parameter that the program made for itself, and that no module can know of: one in a
        plain dict, list or closure. Where the program reads gradients itself, or an optimizer may have it, it is not
        told."""
        world, tensor = self.world, self.world.tensors[number]
        statements = world.source.simple(tensor.place.line)
        makes = any(callee(node) == "Parameter" for each in statements for node in ast.walk(each))
        elsewhere = len(self.made) > 1 and optimized(world, tensor)
        if not makes or elsewhere or READS_GRADIENTS.search(world.source.whole):
            return False
        if any(number in call.inputs for call in world.calls.values()):
            return False
        return not any(in_module(name) for _, name in (*self.put.get(number, ()), *tensor.names))

    def told_loose(self, number: int) -> Diagnosis:
        """With where it is kept, and where the parameters are listed that an optimizer gets."""
        found, tree = self.told_hidden(number), self.world.source.tree
        built = found.lines["built"]
        making = next((block for block in blocks(tree) if any(part.lineno == built for part in block)), [])
        names = {name for part in making if part.lineno == built for name in bound_by(part)}
        later = [part for part in making if built is not None and part.lineno > built]
        kept = [part.lineno for part in later if names & {n.id for n in ast.walk(part) if isinstance(n, ast.Name)}]
        listed = {path for call in self.makings for given in call.args[:1] for path in paths(given)}
        lists = [
            node.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in listed
        ]
        lines = dict(zip(("saved", "changed"), kept, strict=False)) | ({"cut": lists[-1]} if lists else {})
        return replace(found, lines={**found.lines, **lines})

    def told_hidden(self, number: int, line: int | None = None) -> Diagnosis:
        """`line` is where it was made in the object whose parameters the optimizer was given."""
        world, tensor = self.world, self.world.tensors[number]
        assert self.step is not None
        _, step, seen = self.step
        name, line = called(world, number), line or tensor.place.line
        return Diagnosis(
            title="Layers that their module does not know of",
            lines={"built": line, "raised": None},
            story=(
                f"{upper(name)}, made {on(line)}, gets gradients, and {code(world.source.text(step.line))} "
                f"{on(step.line)} passes it by: it never changes.",
                "It is where its module does not look, as in a plain list, tuple or dict, or is no `Parameter`. "
                "`parameters()` leaves it out, and so do `state_dict()`, `to()` and `train()`.",
                "`nn.ModuleList`, `nn.ModuleDict`, `nn.ParameterList` and `nn.Parameter` tell it of what they hold.",
            ),
            events={"built": tensor.made, "seen": seen},
            cause="unregistered",
            names=named(target=name_of(world, tensor)),
        )

    def in_module(self, number: int) -> bool:
        """Whether the tensor belongs to a module that the optimizer has other parameters of."""
        owners: dict[int, set[str]] = {}
        for (_, name), binding in self.world.names.items():
            if binding.tensor is not None and "." in name:
                owners.setdefault(binding.tensor, set()).add(name.partition(".")[0])
        own = owners.get(number, set())
        return any(
            self.world.tensors[other].storage in self.stepped_memory and not own.isdisjoint(names)
            for other, names in owners.items()
        )

    def put_there(self, number: int, owners: set[tuple[int, str]]) -> tuple[Place, int]:
        """Where the tensor became a part of one of `owners`; where it was made, if it was made there."""
        tensor, put = self.world.tensors[number], self.put.get(number, {})
        if tensor.op == "known before" and (before := made_from(self.world, tensor)):  # put there without a name
            return before[0].place, before[0].made
        statements = self.world.source.simple(tensor.place.line)
        goals = [goal for each in statements if isinstance(each, ast.Assign) for goal in each.targets]
        if any(isinstance(goal, ast.Attribute | ast.Subscript) for goal in goals):
            return tensor.place, tensor.made
        there = [
            found for (scope, name), found in put.items() if any(scope == s and is_part(name, o) for s, o in owners)
        ]
        return min(there, key=lambda found: found[1], default=(tensor.place, tensor.made))

    def told(
        self, number: int, optimizer: str, place: Place, event: int, owners: set[tuple[int, str]] = NOBODY
    ) -> Diagnosis:
        world, tensor = self.world, self.world.tensors[number]
        assert self.step is not None
        _, shows, seen = self.step
        later = tensor.made > event
        changed, at = self.put_there(number, owners)
        name = upper(called(world, number))
        what = "was made before it" if not later else f"was put there later, {on(changed.line)},"
        story = (
            f"{code(optimizer)} {on(place.line)} keeps the parameters that it was given there; "
            f"{called(world, number)} {what} and is not among them.",
            f"{name} gets a gradient, and {code(world.source.text(shows.line))} {on(shows.line)} passes it by: it "
            "never changes.",
            "An optimizer is made after the model is whole, of the parameters that are to change.",
        )
        lines: dict[str, int | None] = {"built": place.line, "raised": None, "shows": shows.line}
        events = {"built": event, "optimizer": event, "seen": seen}
        kind, old = "other", self.before(tensor, event)
        if later:
            lines["changed"], events["changed"] = changed.line, at
        if later and old is not None:  # the optimizer holds what nobody uses any more
            kind = "unused"
            lines |= {"built": old.place.line, "cut": changed.line}
            events |= {"built": old.made, "cut": at}
        return Diagnosis(
            kind=kind,
            title="An optimizer of other parameters",
            lines=lines,
            story=story,
            events=events,
            cause="untouched",
            names=named(target=name_of(world, tensor)),
        )

    def before(self, tensor: TensorState, event: int) -> TensorState | None:
        """What had the place of `tensor` in its module before: `net.fc.weight`, which was `self.fc.weight` once; what
        had it when the optimizer was made with `event`, if that is known."""
        own = (tensor.called or "").partition(".")[2]
        earlier = [
            other
            for other in self.world.tensors.values()
            if other.made < tensor.made and other.node is None and (other.called or "").partition(".")[2] == own
        ]
        given = [other for other in earlier if other.made < event]
        return (given or earlier)[-1] if own and earlier else None


READS_GRADIENTS = re.compile(r"\.grad\b(?!_)|\bParameter(?:List|Dict)\b")
"""What a program says that looks at gradients for itself, or that keeps Parameters where a module finds them."""


def in_module(name: str) -> bool:
    """Whether a module may find what is called so: an attribute, `self.scale`, and no entry of a dict or a list."""
    return "." in name.rpartition("]")[2]


def is_part(name: str, owner: str) -> bool:
    return name.startswith((f"{owner}.", f"{owner}["))
