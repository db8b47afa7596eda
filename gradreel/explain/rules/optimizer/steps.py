"""Steps that are never taken, are taken without a backward, before the clipping, or too large."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ...calls import callee, keyword
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.message_rules import MessageRule, message_rules
from ...diagnostics.refusals import declare_refusal
from ...diagnostics.registry import Watcher, watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import needed_before, stack_statements, with_argument
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Text, targets
from ...narration.words import code, code_label, during, name_of, on
from ...optimizers import makings, optimizers
from ...replay.graph_queries import all_finite, flat
from ...replay.states import Place, TensorState
from ...replay.world import World
from ..tracking.no_graph import MAKERS

EMPTIED = re.compile(r"([\w.]+)\.zero_grad\(")
SCHEDULES = re.compile(r"LR$|lr_scheduler|Plateau$")
TURNS = 2
"""So many backwards in one loop there must be at least: a single one may be all that was to be seen."""


@watcher(e.GradStored, e.GradStored)
class NeverStepped(FirstTrouble):
    """Counts the backwards in each loop of a program that makes an optimizer, empties it, and never steps with it."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.idle = never_asked(world)
        self.backwards: dict[tuple[int, int], int] = {}
        """By line and run of a loop how many backwards there were in it."""

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return (
            {}
            if self.idle is None or any(isinstance(event, e.OptimizerStepped) for event in self.world.trace.events)
            else super().subscriptions()
        )

    def on_written(self, event: e.Written) -> None:
        """A step by hand is one, too."""
        if self.world.tensors[event.tensor].grad is not None or not event.counted:
            self.idle = self.diagnosis = None

    def on_backward_finished(self, event: e.BackwardFinished) -> None:
        call = self.world.calls[event.call]
        if self.idle is None or call.called != "backward" or not call.place.turns or self.diagnosis is not None:
            return
        turn = call.place.turns[-1]
        count = self.backwards[turn.line, turn.run] = self.backwards.get((turn.line, turn.run), 0) + 1
        if count >= TURNS:
            self.tell(self.describe(self.idle, call.place.line, call.started))

    def describe(self, name: str, line: int, event: int) -> Diagnosis:
        title, names = "An optimizer that never takes a step", known_names(target=name)
        return Diagnosis(
            title=title,
            lines={"built": line, "raised": None},
            story=(
                f"{code(self.world.source.text(line))} {on(line)} brings gradients in every turn, and no line asks "
                f"{code(name)} to take a step with them: no parameter changes.",
                f"{code(name + '.step()')} belongs behind the backward.",
            ),
            events={"built": event},
            cause="never_stepped",
            names=names,
        )


def never_asked(world: World) -> str | None:
    """The one optimizer of the program, if it empties gradients and nothing asks it for a step, or is given it but for
    a schedule of its rate."""
    tree, text = world.source.tree, world.source.whole
    if all(f"{name}.step(" in text for name in EMPTIED.findall(text)):
        return None
    names = optimizers(tree)
    if len(names) != 1 or len(makings(tree)) != 1:
        return None
    (name,) = names
    emptied = False
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        given = {ast.unparse(part) for part in (*call.args, *(word.value for word in call.keywords))}
        if name in given and not SCHEDULES.search(ast.unparse(call.func)):
            return None
        if owner == name and callee(call) != "zero_grad":
            return None
        emptied |= owner == name
    return name if emptied else None


BACKWARD = frozenset(["backward", "grad", "vjp", "jacrev", "jacfwd", "hessian", "grad_and_value", "jacobian"])
"""What computes gradients, by the last name of the call."""


@watcher(e.OptimizerStepped, e.NodeMade)
class NoBackward(FirstTrouble):
    """Waits for a step while a loss with a graph has a name."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        calls = (node for node in world.source.nodes if isinstance(node, ast.Call))
        self.asked = any(callee(call) in BACKWARD for call in calls)

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return (
            {}
            if self.asked
            or any(isinstance(event, e.BackwardStarted | e.GradStored) for event in self.world.trace.events)
            else super().subscriptions()
        )

    def on_optimizer_stepped(self, event: e.OptimizerStepped) -> None:
        if self.diagnosis is None and event.phase == "began" and (losses := list(filter(is_loss, self.named()))):
            self.tell(self.describe(losses[-1], event.optimizer))

    def named(self) -> list[TensorState]:
        """What has a name of the program's own, in the order in which it was made."""
        return [tensor for tensor in self.world.tensors.values() if tensor.names and tensor.bound is not None]

    def describe(self, loss: TensorState, optimizer: str) -> Diagnosis:
        world, name = self.world, name_of(self.world, loss) or "loss"
        built = (loss.bound or loss.place).line
        return Diagnosis(
            kind="grad_none",
            title="A step without a backward",
            lines={"built": built, "raised": None, "shows": world.place.line},
            story=(
                f"{code(optimizer)} takes a step {on(world.place.line)}, and no parameter has a gradient to take it "
                "by: no line of the program goes backward.",
                f"{code(name)}, made {on(built)}, carries the graph they would come from; {code(name + '.backward()')} "
                "before the step computes them.",
            ),
            events={"built": loss.made, "seen": world.count - 1},
            cause="no_backward",
            names=known_names(target=name),
        )


def is_loss(tensor: TensorState) -> bool:
    """Whether backward could start from it: one number, computed of what requires a gradient."""
    return tensor.alive and tensor.node is not None and all(size == 1 for size in tensor.shape)


CLIPPING = re.compile(r"^(?!\s*(?:def|from|import)\b).*\bclip_grad_(?:norm|value)_\((?!.*\binf\b)")
"""A statement that clips; at infinity nothing is clipped, and the norm is wanted for itself."""


@watcher(e.OptimizerStepped, e.GradStored)
class ClippedEarly(FirstTrouble):
    """Between two steps of optimizers: what was clipped, and which gradients arrived only then."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        lines = enumerate(world.source.code, 1)
        self.lines = {number for number, text in lines if CLIPPING.search(text) and ";" not in text}
        self.there: set[int] = set()
        """The tensors that have got a gradient since the last step."""
        self.clipped: tuple[int, int] | None = None
        self.had: frozenset[int] = frozenset()
        """What had a gradient when it was clipped last."""
        self.arrived: tuple[int, int] | None = None
        """The first gradient to come later: to what had none, or once more to what had one."""

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {} if not self.lines else super().subscriptions()

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        self.forget()

    def forget(self) -> None:
        self.arrived = self.clipped = None
        self.there.clear()

    def on_line_reached(self, event: e.LineReached) -> None:
        if event.line in self.lines:
            self.clipped, self.arrived = (event.line, self.world.count - 1), None
            self.had = frozenset(self.there)

    def on_grad_stored(self, event: e.GradStored) -> None:
        if event.after is None:
            self.there.discard(event.tensor)
            self.had -= {event.tensor}
        elif event.how != "assigned":
            late = self.clipped is not None and (event.tensor in self.had or not self.there)
            if late and self.arrived is None:
                self.arrived = self.world.place.line, self.world.count - 1
            self.there.add(event.tensor)

    def on_optimizer_stepped(self, event: e.OptimizerStepped) -> None:
        if event.phase == "began":
            return
        if self.clipped is not None and self.arrived is not None and self.diagnosis is None:
            self.tell(self.describe(self.clipped, self.arrived, event.optimizer))
        self.forget()

    def describe(self, clipped: tuple[int, int], arrived: tuple[int, int], optimizer: str) -> Diagnosis:
        world = self.world
        shows = world.place.line
        return Diagnosis(
            title="Clipped before the gradients came",
            lines={"changed": clipped[0], "seen": arrived[0], "raised": None, "shows": shows},
            story=(
                f"{code(world.source.text(clipped[0]))} {on(clipped[0])} clips the gradients that are there: none yet, "
                "or those of an earlier backward.",
                f"{code(world.source.text(arrived[0]))} {on(arrived[0])} brings the new ones only then, and "
                f"{code(optimizer)} takes its step with them {on(shows)} as they are, however large.",
            ),
            events={"changed": clipped[1], "seen": arrived[1]},
            cause="clipped_early",
        )


STEPS = 3
"""So many steps in a row must have made it grow before it overflowed."""
BAD = re.compile(r"\b(nan|inf)\b")


@watcher(e.Written)
class Diverged(Watcher):
    """Follows the size of each leaf that steps change."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.sizes: dict[int, list[float]] = {}
        """By memory, the largest number in it after each step that made it larger, in a row."""
        self.optimizers: dict[str, tuple[Place, int]] = {}
        """Where, and with which event, names were bound to what shows like this."""
        self.place: Place | None = None
        self.told_of: tuple[int, int, str | None] | None = None
        self.shown: int | None = None

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        self.sizes.clear()

    def on_name_bound(self, event: e.NameBound) -> None:
        if event.tensor is None and event.text is not None:
            self.optimizers.setdefault(event.text, (self.world.place, self.world.count - 1))

    def on_written(self, event: e.Written) -> None:
        tensor = self.world.tensors[event.tensor]
        if self.told_of is not None or not (tensor.requires_grad or tensor.base is not None) or tensor.node is not None:
            return
        sizes = self.sizes.setdefault(tensor.storage, [])
        size = largest(event.value)
        if size is None or math.isnan(size) or math.isinf(size):
            if len(sizes) >= STEPS and sizes[-1] > 1e3 * max(sizes[0], 1e-30):
                self.told_of = event.tensor, self.world.count - 1, self.world.optimizer
                self.place = self.world.place
            return
        if sizes and size <= sizes[-1]:
            sizes.clear()
        sizes.append(size)

    def on_printed(self, event: e.Printed) -> None:
        if self.told_of is not None and self.shown is None and BAD.search(event.text):
            self.shown = self.world.place.line

    def report(self) -> list[Diagnosis]:
        if self.told_of is None or self.place is None:
            return []
        world = self.world
        tensor, event, optimizer = self.told_of
        made = self.optimizers.get(optimizer) if optimizer is not None else None
        changed, at = (made[0].line, made[1]) if made is not None else (self.place.line, event)
        sizes = self.sizes[world.tensors[tensor].storage][-STEPS:]
        grew = ", ".join(f"{size:.3g}" for size in sizes)
        return [
            Diagnosis(
                title="The steps are too large",
                lines={"changed": changed, "raised": None, "shows": self.shown or self.place.line},
                story=(
                    f"{code(world.source.text(self.place.line))} {on(self.place.line)}{during(self.place)} takes "
                    f"{code_label(world, tensor)} past what a number can hold. In the steps before its largest entry "
                    f"was {grew}.",
                    "The gradients are right; each step goes so far past the lowest point that the next gradient is "
                    "larger than the last.",
                    f"A smaller rate {on(changed)} mends it, or a bound on the gradients.",
                ),
                events={"changed": at, "seen": event},
                cause="diverged",
                names=known_names(target=name_of(world, world.tensors[tensor])),
            )
        ]


def largest(value: Value) -> float | None:
    if not value.whole:
        ends = [abs(end) for end in (value.minimum, value.maximum) if isinstance(end, (int, float))]
        return max(ends, default=None)
    numbers = [abs(number) for number in flat(value.data) if isinstance(number, (int, float))]
    return math.nan if not all_finite(numbers) and any(map(math.isnan, numbers)) else max(numbers, default=None)


message_rules(
    "closure_missing",
    MessageRule(
        re.compile(r"(?P<what>\w+)\.step\(\) missing 1 required positional argument: 'closure'"),
        cause="no_closure",
        title="This optimizer needs a closure",
        story=(
            "{code} {line}{turn} asks `{what}` for a step, and does not say how the loss is computed.",
            "`{what}` tries several points within one step, with the loss and its gradients at each; for that it calls "
            "a function, the closure.",
            "A closure resets the gradients, computes the loss, calls `backward()` and returns the loss.",
        ),
    ),
)


declare_refusal(
    "missing 1 required positional argument: 'metrics'",
    cause="no_metric",
    title="A schedule without the number it watches",
    story=(
        "{code} {line} tells the schedule nothing.",
        "`ReduceLROnPlateau` lowers the rate when a number stops falling, so each step has to be given that "
        "number: the loss of the validation, say.",
    ),
)


# ---- fixes


@fix(diverged=1)
def shrink_steps(wanted: FixContext) -> Iterator[Proposal]:
    """A tenth or a hundredth of the rate, where it is written."""
    text, changed = wanted.text, wanted.at("changed")
    rates: list[ast.expr] = []
    for call in text.calls(changed):
        given = keyword(call, "lr")
        rates += [given.value] if given is not None else call.args[1:2]
    for statement in (changed, *stack_statements(wanted, "seen")):
        value = getattr(statement, "value", None)
        if isinstance(value, ast.expr) and not rates:
            rates += [
                part for node in ast.walk(value) if isinstance(node, ast.BinOp) for part in (node.left, node.right)
            ]
    names = {rate.id for rate in rates if isinstance(rate, ast.Name)}
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in names:
            rates.append(node.value)
    written = [rate for rate in rates if isinstance(rate, ast.Constant) and isinstance(rate.value, int | float)]
    for part in (10, 100, 1000):
        for rate in written:
            assert isinstance(rate.value, int | float)
            title = f"{rate.value / part:g} instead of {text.get(rate)} on line {rate.lineno}"
            yield wanted.proposal(title, "smaller steps", text.replaced(rate, f"{rate.value / part:g}"))


@fix(clipped_early=1)
def clip_later(wanted: FixContext) -> Iterator[Proposal]:
    """It is clipped when the gradients are there: behind the backward, before the step. Where a helper clips, that is
    called then."""
    text, clipping = wanted.text, wanted.at("changed")
    for goal in stack_statements(wanted, "seen") if clipping is not None else ():
        change = wanted.beside("changed", goal)
        if change is not None and change in text.block(goal) and text.alone(change) and change is not goal:
            title = f"line {change.lineno} after line {goal.lineno}: clip when the gradients are there"
            yield wanted.proposal(title, FREE, text.removed(change), text.after(goal, text.lines_of(change)))


@fix(no_closure=1)
def give_closure(wanted: FixContext) -> Iterator[Proposal]:
    """What computes the loss and goes back from it moves into a function, which the step is given."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised, "step"):
        assert raised is not None and isinstance(call.func, ast.Attribute)
        optimizer = text.get(call.func.value)
        before = since(text, raised, optimizer)
        goal = next((one for one in reversed(before) if backward_of(one) is not None), None)
        root = backward_of(goal) if goal is not None else None
        if goal is None or root is None:
            continue
        computed = [one for one in needed_before(text, goal, before[0]) if not makes_data(one)]
        emptied = [one for one in before if isinstance(one, ast.Expr) and callee(one.value) == "zero_grad"]
        loss = text.get(root) if isinstance(root, ast.Name) else "loss"
        body = [f"{optimizer}.zero_grad()", *(line for one in computed for line in text.lines_of(one))]
        body += [] if isinstance(root, ast.Name) else [f"loss = {text.get(root)}"]
        backward = text.get(goal).replace(text.get(root), loss, 1)
        body += [backward, f"return {loss}"]
        moved = [text.removed(one) for one in (*computed, *emptied, goal)]
        lines = ["def closure():", *(f"    {line}" for line in body)]
        step = text.replaced(
            call,
            f"{loss} = {optimizer}.step(closure)" if isinstance(raised, ast.Expr) else f"{optimizer}.step(closure)",
        )
        title = f"move the loss and its backward into a closure, for line {call.lineno}"
        yield wanted.proposal(
            title, "the loss is computed several times a step", *moved, text.before(raised, lines), step
        )


def since(text: Text, raised: ast.stmt, optimizer: str) -> list[ast.stmt]:
    """The statements before `raised`, in its block, since the optimizer was made."""
    block = text.block(raised)
    before = block[: block.index(raised)]
    made = [place for place, one in enumerate(before) if optimizer in targets(one)]
    return before[made[-1] + 1 :] if made else before


def backward_of(statement: ast.stmt) -> ast.expr | None:
    """`loss` of the statement `loss.backward()`."""
    if not isinstance(statement, ast.Expr) or callee(statement.value) != "backward":
        return None
    func = statement.value.func if isinstance(statement.value, ast.Call) else None
    return func.value if isinstance(func, ast.Attribute) else None


def makes_data(statement: ast.stmt) -> bool:
    """Whether it makes new numbers: those are made once, not each time that the loss is computed."""
    return any(callee(node) in MAKERS for node in ast.walk(statement) if isinstance(node, ast.Call))


@fix(no_backward=1)
def go_backward(wanted: FixContext) -> Iterator[Proposal]:
    """The loss goes backward before the step that follows it, else at once."""
    text, built, name = wanted.text, wanted.at("built"), wanted.name("target")
    if built is None or name is None or not name.isidentifier():
        return
    block, added = text.block(built), [f"{name}.backward()"]
    rest = block[block.index(built) + 1 :] if built in block else []
    step = next((statement for statement in rest if text.calls(statement, "step")), None)
    title = f"{name}.backward() " + (f"after line {built.lineno}" if step is None else f"before line {step.lineno}")
    yield wanted.proposal(
        title, "gradients are computed", text.after(built, added) if step is None else text.before(step, added)
    )


@fix(never_stepped=1)
def take_step(wanted: FixContext) -> Iterator[Proposal]:
    """The optimizer takes a step behind the backward."""
    text, built, name = wanted.text, wanted.at("built"), wanted.name("target")
    if built is not None and name is not None:
        title = f"{name}.step() after line {built.lineno}"
        yield wanted.proposal(title, "the parameters change", text.after(built, [f"{name}.step()"]))


@fix(no_metric=1)
def give_metric(wanted: FixContext) -> Iterator[Proposal]:
    """A schedule that watches a number is told it: the loss."""
    text = wanted.text
    losses = [
        text.get(node.func.value)
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Call) and callee(node) == "backward" and isinstance(node.func, ast.Attribute)
    ]
    for call in text.calls(wanted.at("raised"), "step"):
        for loss in dict.fromkeys(losses):
            title = f"tell it the loss: {loss}.item() on line {call.lineno}"
            yield wanted.proposal(title, FREE, with_argument(text, call, f"{loss}.item()"))
