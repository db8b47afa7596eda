"""An optimizer that was given other parameters than those that the gradients come to."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.refusals import declare_refusal
from ...diagnostics.registry import Watcher, watcher
from ...diagnostics.showing import Showing
from ...fixes.edits import arguments_of, assigned_pairs, enclosing, join_names, stack_statements
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Text, names_in, targets
from ...narration.words import code, code_label, name_of, on, upper
from ...optimizers import given_paths, makings, may_be_optimized, paths
from ...replay.graph_queries import made_from
from ...replay.states import Place, TensorState
from ...replay.world import World
from ...source import bound_by
from ..tracking.missing_grad import blocks

IN_LIST = re.compile(r"\[[^\]]*\]\.")
NOBODY: set[tuple[int, str]] = set()
STEPS = 2
"""So many steps must each have passed a gradient by."""


@watcher(e.OptimizerStepped)
class Untouched(Watcher):
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

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.GradStored: self.on_grad_stored,
            e.Written: self.on_written,
            e.OptimizerStepped: self.on_optimizer_stepped,
            e.LineReached: self.on_line_reached,
            e.NameBound: self.on_name_bound,
            e.FlagChanged: self.on_flag_changed,
            e.Printed: self.showing.on_printed,
        }

    def on_name_bound(self, event: e.NameBound) -> None:
        if event.tensor is not None and self.made and "." in event.name:
            there = self.put.setdefault(event.tensor, {})
            there.setdefault((event.scope, event.name), (self.world.place, self.world.count - 1))
        if event.tensor is None and event.text is not None:
            self.bound.setdefault(event.text, (self.world.place, self.world.count - 1))

    def on_line_reached(self, event: e.LineReached) -> None:
        place = self.world.place
        here = sum(place.line <= call.lineno <= place.end_line for call in self.makings)
        self.made += [(place, self.world.count - 1)] * here
        self.groups += read_groups(self.world, self.makings)

    def on_flag_changed(self, event: e.FlagChanged) -> None:
        if self.world.tensors[event.tensor].requires_grad:
            self.unfrozen[event.tensor] = self.world.place, self.world.count - 1

    def on_grad_stored(self, event: e.GradStored) -> None:
        if event.after is not None and event.how not in ("assigned", "retained"):
            self.arrived.add(event.tensor)
            self.reached.add(self.world.tensors[event.tensor].storage)

    def on_written(self, event: e.Written) -> None:
        storage = self.world.tensors[event.tensor].storage
        if storage in self.reached:
            self.written.add(storage)
        if self.world.optimizer is not None:
            self.stepped_memory.add(storage)

    def on_optimizer_stepped(self, event: e.OptimizerStepped) -> None:
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

    def report(self) -> list[Diagnosis]:
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
        return [self.showing.shown(self.describe(lost[0], optimizer, place, event))] if lost else []

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
                    found = self.describe(number, text, group.place, group.event, owners)
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
        changed, name = tensor.place.line, code_label(world, number)
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
            names=known_names(target=name_of(world, tensor)),
        )

    def told_unfrozen(self, number: int, optimizer: str, place: Place, event: int) -> Diagnosis:
        world, tensor = self.world, self.world.tensors[number]
        assert self.step is not None
        _, step, seen = self.step
        flag, at = self.unfrozen[number]
        name = code_label(world, number)
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
            names=known_names(target=name_of(world, tensor)),
        )

    def in_list(self, number: int) -> bool:
        """Whether the optimizer was given all parameters of a module that has this one in a plain list or dict."""
        tensor = self.world.tensors[number]
        names = [name for _, name in tensor.names] or [tensor.called or ""]
        return any(IN_LIST.search(name) for name in names) and may_be_optimized(self.world, tensor, known=True)

    def is_loose(self, number: int) -> bool:
        """Whether the tensor is a Parameter that the program made for itself, and that no module can know of: one in a
        plain dict, list or closure. Where the program reads gradients itself, or an optimizer may have it, it is not
        told."""
        world, tensor = self.world, self.world.tensors[number]
        statements = world.source.simple(tensor.place.line)
        makes = any(callee(node) == "Parameter" for each in statements for node in ast.walk(each))
        elsewhere = len(self.made) > 1 and may_be_optimized(world, tensor)
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
        name, line = code_label(world, number), line or tensor.place.line
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
            names=known_names(target=name_of(world, tensor)),
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

    def describe(
        self, number: int, optimizer: str, place: Place, event: int, owners: set[tuple[int, str]] = NOBODY
    ) -> Diagnosis:
        world, tensor = self.world, self.world.tensors[number]
        assert self.step is not None
        _, shows, seen = self.step
        later = tensor.made > event
        changed, at = self.put_there(number, owners)
        name = upper(code_label(world, number))
        what = "was made before it" if not later else f"was put there later, {on(changed.line)},"
        story = (
            f"{code(optimizer)} {on(place.line)} keeps the parameters that it was given there; "
            f"{code_label(world, number)} {what} and is not among them.",
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
            names=known_names(target=name_of(world, tensor)),
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


LISTS = ("parameters", "named_parameters")


@dataclass(frozen=True, slots=True)
class ParameterGroup:
    """All parameters of the object that the program calls `owner`, by what they are called in it."""

    owner: str
    place: Place
    event: int
    members: dict[int, str]


def read_groups(world: World, calls: list[ast.Call]) -> list[ParameterGroup]:
    """What those of `calls` are given that make optimizers on the line that was just reached."""
    place = world.place
    here = [call for call in calls if place.line <= call.lineno <= place.end_line]
    if not here:
        return []
    names, found = {**world.names_in.get(0, {}), **world.names_in.get(world.scope, {})}, []
    for call in here:
        for asked in [part for part in ast.walk(call) if isinstance(part, ast.Call) and callee(part) in LISTS]:
            owner = ast.unparse(asked.func.value) if isinstance(asked.func, ast.Attribute) else ""
            members = {
                bound.tensor: name.removeprefix(f"{owner}.")
                for name, bound in names.items()
                if bound.tensor is not None and name.startswith(f"{owner}.")
            }
            if members:
                found.append(ParameterGroup(owner, place, world.count - 1, members))
    return found


Names = dict[int, set[tuple[int, str]]]


def collect_names(world: World, tensors: Iterable[int]) -> Names:
    """Every name that `tensors` ever had, with its scope."""
    found: Names = {tensor: set() for tensor in tensors}
    for event in world.trace.events[: world.count]:
        if type(event) is e.NameBound and event.tensor in found:
            found[event.tensor].add((event.scope, event.name))
    return found


def constructor_line(world: World, group: ParameterGroup, tensor: TensorState, names: Names) -> int | None:
    """The line of the constructor of what was given that made `tensor`, which is not among its parameters."""
    frames = tensor.place.frames if tensor.made < group.event else ()
    for at, frame in enumerate(frames):
        for member, name in group.members.items():
            if (frame.scope, f"self.{name}") in names[member]:
                return line_below(tensor, keeper(tensor, at, names))
    return None


KEPT_PLAINLY = re.compile(r"self\.\w+\[")


def keeper(tensor: TensorState, least: int, names: Names) -> int:
    """Which of the calls that `tensor` was made in, at `least` that one, keeps it in a list or a dict of its own: of
    those inside each other the innermost."""
    inner = range(len(tensor.place.frames) - 1, least, -1)
    known = {scope for scope, name in names[tensor.number] if KEPT_PLAINLY.match(name)}
    return next((at for at in inner if tensor.place.frames[at].scope in known), least)


def line_below(tensor: TensorState, at: int) -> int:
    """The line of the call number `at` that `tensor` was made on, or that led there."""
    frames = tensor.place.frames
    return frames[at + 1].line if at + 1 < len(frames) else tensor.place.line


def later_owners(group: ParameterGroup, tensor: TensorState, names: Names) -> set[tuple[int, str]]:
    """What the object that was given was called, in which scope, where it got `tensor`, which was made later."""
    found: set[tuple[int, str]] = set()
    for scope, name in names[tensor.number] if tensor.made > group.event else ():
        parts = name.split(".")
        owners = {".".join(parts[:at]) for at in range(1, len(parts))}
        found |= {
            (scope, owner)
            for owner in owners
            if any((scope, f"{owner}.{own}") in names[member] for member, own in group.members.items())
        }
    return found


declare_refusal(
    "appear in more than one parameter group",
    cause="listed_twice",
    title="A parameter in two groups",
    story=(
        "{code} {line} lists a parameter in two groups, and each group would take a step with it.",
        "Of two groups one can have what the other has not: those whose names begin otherwise.",
    ),
)


# ---- fixes


@fix(listed_twice=1)
def list_once(wanted: FixContext) -> Iterator[Proposal]:
    """A group of all parameters gives up those that have a group of their own."""
    text = wanted.text
    groups = [node for node in ast.walk(text.tree) if isinstance(node, ast.Dict) and params_of(node) is not None]
    given = [params_of(group) for group in groups]
    for at, one in enumerate(given):
        others = [f"*{text.get(other)}" for i, other in enumerate(given) if i != at and other is not None]
        if one is None or not others:
            continue
        shown = text.get(one)
        taken = f"{{id(q) for q in [{', '.join(others)}]}}"
        made = f"[p for p in {shown} if id(p) not in {taken}]"
        title = f"leave out of {shown} what another group has, on line {one.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(one, made))


def params_of(group: ast.Dict) -> ast.expr | None:
    for key, value in zip(group.keys, group.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == "params":
            return value
    return None


@fix(untouched=3)
def give_these(wanted: FixContext) -> Iterator[Proposal]:
    """The optimizer gets the parameters to which the gradients come."""
    text, built = wanted.text, wanted.text.statement(wanted.found.stacks.get("optimizer", (0,))[-1])
    if not isinstance(built, ast.Assign):
        return
    cost, changed = "other parameters change", wanted.beside("changed", built)
    if changed is not None and changed in text.block(built) and built.lineno < changed.lineno and text.alone(built):
        title = f"make the optimizer after line {changed.end_lineno}"
        yield wanted.proposal(title, FREE, text.removed(built), text.after(changed, text.lines_of(built)))
    owner = (wanted.name("target") or "").partition(".")[0]
    for node in ast.walk(built.value):
        if isinstance(node, ast.Call) and callee(node) == "parameters" and isinstance(node.func, ast.Attribute):
            before = node.func.value
            if owner.isidentifier() and text.get(before) != owner:
                title = f"{owner}.parameters() on line {node.lineno}"
                yield wanted.proposal(title, cost, text.replaced(before, owner))
    last = last_change(text, built, names_in(built.value))
    if last is not None and last is not changed and text.alone(built):
        title = f"make the optimizer after line {last.end_lineno}"
        yield wanted.proposal(title, FREE, text.removed(built), text.after(last, text.lines_of(built)))


@fix(unfrozen=1)
def give_all_parameters(wanted: FixContext) -> Iterator[Proposal]:
    """`[p for p in net.parameters() if p.requires_grad]` for an optimizer becomes `net.parameters()`."""
    text = wanted.text
    comprehensions = (ast.ListComp, ast.GeneratorExp)
    for part in [node for node in ast.walk(text.tree) if isinstance(node, comprehensions)]:
        turn = part.generators[0]
        if turn.ifs and all(text.get(test).endswith(".requires_grad") for test in turn.ifs):
            title = f"give the optimizer all of {text.get(turn.iter)}, on line {part.lineno}"
            yield wanted.proposal(title, SKIPPED, text.replaced(part, text.get(turn.iter)))
    for call in text.calls(text.tree, "filter"):
        if len(call.args) == 2 and text.get(call.args[0]).endswith(".requires_grad"):
            title = f"give the optimizer all of {text.get(call.args[1])}, on line {call.lineno}"
            yield wanted.proposal(title, SKIPPED, text.replaced(call, text.get(call.args[1])))


SKIPPED = "the optimizer skips what has no gradient yet"


@fix(replaced=2)
def load_numbers(wanted: FixContext) -> Iterator[Proposal]:
    """`self.net = copy.deepcopy(other.net)` becomes `self.net.load_state_dict(other.net.state_dict())`."""
    text, changed = wanted.text, wanted.at("changed")
    if not isinstance(changed, ast.Assign) or len(changed.targets) != 1:
        return
    source = changed.value
    if isinstance(source, ast.Call) and callee(source) == "deepcopy" and source.args:
        goal, model = text.get(changed.targets[0]), text.get(source.args[0])
        title = f"load the numbers of {model} into {goal}, on line {changed.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(changed, f"{goal}.load_state_dict({model}.state_dict())"))
    built = text.statement(wanted.found.stacks.get("optimizer", (0,))[-1])
    if isinstance(built, ast.Assign) and text.alone(changed):
        title = f"make the optimizer anew after line {changed.end_lineno}"
        yield wanted.proposal(
            title, "what the optimizer had gathered is gone", text.after(changed, text.lines_of(built))
        )


SIGNS = {ast.Mult: "mul_", ast.Div: "div_", ast.Add: "add_", ast.Sub: "sub_"}


@fix(untouched=1, replaced=1)
def write_in_place(wanted: FixContext) -> Iterator[Proposal]:
    """`self.w = nn.Parameter(self.w * s)`, behind the optimizer, becomes `self.w.mul_(s)`, under no_grad; so do all
    beside it."""
    text, changed = wanted.text, wanted.at("changed")
    beside = [(one, computed_anew(text, one)) for one in text.block(changed)] if changed is not None else []
    if changed not in [one for one, value in beside if value is not None]:
        return
    edits, lines = [], []
    for one, value in beside:
        if value is None or not isinstance(one, ast.Assign):
            continue
        path = text.get(one.targets[0])
        sign = SIGNS.get(type(value.op)) if isinstance(value, ast.BinOp) else None
        plain = isinstance(value, ast.BinOp) and text.get(value.left) in (path, f"{path}.data")
        made = f"{path}.{sign}({text.get(value.right)})" if sign and plain else f"{path}.copy_({text.get(value)})"  # type: ignore[attr-defined]
        edits.append(text.replaced(one, made if is_quiet(text, one) else f"with torch.no_grad(): {made}"))
        lines.append(str(one.lineno))
    title = f"write the numbers into the parameter that the optimizer has, on line{'s' * (len(lines) > 1)} "
    yield replace(wanted.proposal(title + join_names(lines), FREE, *edits), decisive=True)


def computed_anew(text: Text, statement: ast.stmt) -> ast.expr | None:
    """What `self.w = nn.Parameter(f(self.w))` computes of the parameter that was there."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Attribute | ast.Subscript):
        return None
    call, path = statement.value, text.get(statement.targets[0])
    if not isinstance(call, ast.Call) or callee(call) != "Parameter" or not call.args:
        return None
    return call.args[0] if any(text.get(part) == path for part in text.parts(call, ast.expr)) else None


def is_quiet(text: Text, statement: ast.stmt) -> bool:
    """Whether nothing is recorded where `statement` stands."""
    marks = [item.context_expr for part in text.around(statement) if isinstance(part, ast.With) for item in part.items]
    marks += [mark for part in text.around(statement) for mark in getattr(part, "decorator_list", ())]
    return any("no_grad" in ast.unparse(mark) for mark in marks)


@fix(untouched=4, replaced=4)
def add_to_optimizer(wanted: FixContext) -> Iterator[Proposal]:
    """What is put in the place of a part of the model later is added to the optimizer there, or where the function
    that does so is called."""
    text, built = wanted.text, wanted.text.statement(wanted.found.stacks.get("optimizer", (0,))[-1])
    if not isinstance(built, ast.Assign):
        return
    for changed, path in replaced_in(wanted):
        given = wanted.name("given") or path
        group = group_of_its_own(text, built, given)
        own = called_there(wanted, built, path, changed) if text.alone(changed) else None
        if own is not None and group is not None:
            yield in_its_group(wanted, changed, path, given, f"{own}.param_groups[{group}]")
            continue
        for params in (f"{path}.parameters()", f"[{path}]") if own is not None else ():
            line = f'{own}.add_param_group({{"params": {params}}})'
            title = f"give it to the optimizer, too: {line} after line {changed.end_lineno}"
            yield wanted.proposal(title, "what was replaced stays in the optimizer", text.after(changed, [line]))


@fix(untouched=2, replaced=3)
def change_first(wanted: FixContext) -> Iterator[Proposal]:
    """Of two calls, one behind the other, of which the first makes the optimizer and the second replaces a part of the
    model, the first goes behind the second."""
    text = wanted.text
    lines = wanted.found.stacks.get("optimizer", ())
    making = [statement for line in lines if (statement := text.statement(line)) is not None]
    for first in [part for part in making if isinstance(part, ast.Expr) and text.alone(part)]:
        for second in stack_statements(wanted, "changed"):
            if second in text.block(first) and second.lineno > first.lineno and text.alone(second):
                title = f"line {first.lineno} after line {second.lineno}: the optimizer is made when the model is whole"
                yield wanted.proposal(title, FREE, text.removed(first), text.after(second, text.lines_of(first)))


def group_of_its_own(text: Text, built: ast.Assign, given: str) -> int | None:
    """Which group of the optimizer has the parameters of `given`, if it has settings of its own: those that a new
    group begins with are others."""
    calls = [call for call in text.parts(built.value, ast.Call) if call.args and isinstance(call.args[0], ast.List)]
    for at, group in enumerate(calls[0].args[0].elts if calls else ()):  # type: ignore[attr-defined]
        params = params_of(group) if isinstance(group, ast.Dict) and len(group.keys) > 1 else None
        if given and params is not None and any(text.get(part) == given for part in text.parts(params, ast.expr)):
            return at
    return None


def in_its_group(wanted: FixContext, changed: ast.stmt, path: str, given: str, group: str) -> Proposal:
    """What is put in the place of a group's parameters takes their place in it; in the place of some, a group of the
    same settings."""
    if path.rpartition(".")[2] == given.rpartition(".")[2]:
        line, cost = f'{group}["params"] = list({path}.parameters())', "it has the settings of what was replaced"
    else:
        own = group.rpartition(".")[0]
        line = f'{own}.add_param_group({{**{group}, "params": list({path}.parameters())}})'
        cost = "what was replaced stays in the optimizer"
    title = f"give it to the optimizer, too: {line} after line {changed.end_lineno}"
    return wanted.proposal(title, cost, wanted.text.after(changed, [line]))


@fix(untouched=5)
def make_optimizer_anew(wanted: FixContext) -> Iterator[Proposal]:
    """The optimizer is made again, as it was, behind what replaces a part of the model."""
    text, built = wanted.text, wanted.text.statement(wanted.found.stacks.get("optimizer", (0,))[-1])
    if not isinstance(built, ast.Assign) or not text.alone(built):
        return
    kind = ast.FunctionDef if isinstance(built.targets[0], ast.Name) else ast.ClassDef
    home = enclosing(text, built, kind)
    for changed in [part for part in stack_statements(wanted, "changed") if enclosing(text, part, kind) is home]:
        loop = text.loop(changed)
        trains = text.calls(loop, "step", "backward") if loop is not None else []
        last = changed if loop is None or trains or any(text.parts(loop, ast.FunctionDef)) else loop
        title = f"make the optimizer anew after line {last.end_lineno}"
        yield wanted.proposal(title, "what the optimizer had gathered is gone", text.after(last, text.lines_of(built)))


def replaced_in(wanted: FixContext) -> Iterator[tuple[ast.stmt, str]]:
    """The statement that replaces a part of the model, and those that call for it, each with what that part is called
    there: `self.fc` in `grow`, `self.net.fc` beside `self.net.grow(2)`."""
    text, stack = wanted.text, stack_statements(wanted, "changed")
    goal = stack[0].targets[0] if stack and isinstance(stack[0], ast.Assign) else None
    if not isinstance(goal, ast.Attribute | ast.Subscript):
        return
    path, inner = text.get(goal), stack[0]
    yield inner, path
    for statement in stack[1:]:
        home = enclosing(text, inner, ast.FunctionDef)
        if not isinstance(home, ast.FunctionDef):
            return
        first = re.split(r"[.\[]", path)[0]
        for call in text.calls(statement, home.name):
            given = dict(arguments_of(home, call))
            if first in given:
                path, inner = f"{text.get(given[first])}{path.removeprefix(first)}", statement
                yield statement, path
                break


def called_there(wanted: FixContext, built: ast.Assign, shown: str, where: ast.stmt) -> str | None:
    """What the optimizer that `built` makes is called in `where`, which sets `shown`: `trainer.opt` beside
    `trainer.model`."""
    text, own = wanted.text, wanted.text.get(built.targets[0])
    home = enclosing(text, built, ast.ClassDef)
    if not own.startswith("self.") or home is enclosing(text, where, ast.ClassDef):
        return own
    given = wanted.name("given") or ""
    kept = [given] if given.startswith("self.") else []
    kept += [text.get(target) for target, value in assigned_pairs(home) if text.get(value) == given]
    for path in kept:
        inside = re.search(rf"\.{re.escape(path.removeprefix('self.'))}(?=[.\[])", shown)
        if inside is not None and path.startswith("self."):
            return f"{shown[: inside.start()]}.{own.removeprefix('self.')}"
    return None


def last_change(text: Text, built: ast.stmt, names: set[str]) -> ast.stmt | None:
    """The last statement behind `built`, in its block, that gives one of `names` another value."""
    block = text.block(built)
    later = block[block.index(built) + 1 :]
    return next((s for s in reversed(later) if isinstance(s, ast.Assign) and targets(s) & names), None)
