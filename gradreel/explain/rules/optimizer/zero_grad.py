"""Gradients that pile up since nothing empties them, or that are emptied before the step uses them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from gradreel.trace import events as e
from gradreel.trace.events import Value

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.registry import Watcher, watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import copies, enclosing, join_names, stack_statements
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Text, names_in
from ...narration.words import code, code_label, name_of, on
from ...replay.graph_queries import all_zero
from ...replay.world import World


@watcher(e.GradStored)
class Piled(Watcher):
    """Follows each leaf: its gradient was used for a step, then added to without being emptied, then used again."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.used: dict[int, int] = {}
        """For each tensor whose gradient was used for a step since it was last emptied: the line of the step."""
        self.again: dict[int, tuple[int, int]] = {}
        """Of these, those to which a backward has added since: its event and line."""
        self.begun: dict[int, str] = {}
        """What each leaf was when its first gradient came: two that begin alike may show two ways."""
        self.fresh: dict[int, int] = {}
        """For each leaf how many steps used a gradient that had been emptied before."""
        self.before_skipped = BeforeSkipped(world)
        self.piled: int | None = None
        self.diagnosis: Diagnosis | None = None

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        self.before_skipped.note(self.used.keys() | self.again.keys())

    def on_written(self, event: e.Written) -> None:
        owner = self.world.owner_of(event.tensor)
        if owner is not None:
            if self.world.optimizer is None and not self.world.open_calls:
                self.forget(owner.number)
            return
        tensor = leaf_of(self.world, event.tensor)
        if tensor is None:
            return
        grad = self.world.tensors[tensor].grad
        if grad is None or not (self.world.optimizer is not None or from_gradient(self.world, event.inputs, tensor)):
            return
        if self.before_skipped.differs(tensor, grad):
            self.forget(tensor)
        if tensor in self.again and self.diagnosis is None:
            self.diagnosis, self.piled = self.describe(tensor), tensor
        if tensor not in self.again and tensor not in self.used:
            self.fresh[tensor] = self.fresh.get(tensor, 0) + 1
        self.again.pop(tensor, None)
        self.used[tensor] = self.world.place.line

    def on_grad_stored(self, event: e.GradStored) -> None:
        if event.tensor not in self.begun:
            self.begun[event.tensor] = repr(self.world.tensors[event.tensor].value)
        other = self.before_skipped.differs(event.tensor, event.before)
        if other or event.how == "assigned" or event.before is None:
            self.forget(event.tensor)
        elif event.tensor in self.used and not zero(event.before) and not zero(event.came):
            self.again.setdefault(event.tensor, (self.world.count - 1, self.world.place.line))

    def on_alias_changed(self, event: e.AliasChanged) -> None:
        owner = self.world.owner_of(event.tensor)
        if owner is not None and self.world.optimizer is None and not self.world.open_calls:
            self.forget(owner.number)

    def forget(self, tensor: int) -> None:
        self.before_skipped.forget(tensor)
        self.used.pop(tensor, None)
        self.again.pop(tensor, None)

    def describe(self, tensor: int) -> Diagnosis:
        world = self.world
        event, backward = self.again[tensor]
        step, line = self.used[tensor], world.place.line
        name = code_label(world, tensor)
        return Diagnosis(
            title="Gradients that nobody resets",
            lines={
                "built": world.tensors[tensor].place.line,
                "changed": backward,
                "raised": None,
                "shows": line,
            },
            story=(
                f"The step {on(step)} used the gradient of {name}, and left it where it was.",
                f"{code(world.source.text(backward))} {on(backward)} added the next gradient to it: `.grad` is a sum "
                "until somebody resets it.",
                f"The step {on(line)} then used the old part a second time; with every turn there is one more.",
            ),
            events={"changed": event, "seen": world.count - 1},
            cause="piled",
            names=known_names(target=name_of(world, world.tensors[tensor]), optimizer=world.optimizer),
        )

    def both_ways(self) -> bool:
        """Whether another leaf, which began with the same numbers, was trained with gradients emptied in time."""
        own = self.piled
        return any(
            self.fresh.get(leaf, 0) > 1
            for leaf, begun in self.begun.items()
            if leaf != own and own is not None and begun == self.begun.get(own)
        )

    def report(self) -> list[Diagnosis]:
        return [self.diagnosis] if self.diagnosis is not None and not self.both_ways() else []


LATEST = 3
"""So many of the last writes into a memory are looked at for what went into it."""


def zero(value: Value | None) -> bool:
    return value is not None and all_zero(value)


def leaf_of(world: World, number: int) -> int | None:
    """The leaf that a write into `number` changes: itself, or what it is `.data` of."""
    tensor = world.tensors.get(number)
    while tensor is not None:
        if tensor.requires_grad and tensor.node is None:
            return tensor.number
        tensor = world.tensors.get(tensor.base) if tensor.base is not None else None
    return None


def from_gradient(world: World, inputs: tuple[int, ...], leaf: int) -> bool:
    """Whether what is written was computed from the gradient of `leaf`."""
    todo, seen = list(inputs), set(inputs)
    while todo:
        number = todo.pop()
        owner = world.owner_of(number)
        if owner is not None and owner.number == leaf:
            return True
        tensor = world.tensors.get(number)
        if tensor is None:
            continue
        written = world.writes.get(tensor.storage, ())  # as a velocity is that is kept: `v.mul_(mu).add_(p.grad)`
        latest = [source for write in written[-LATEST:] for source in write.inputs]
        for source in (*tensor.inputs, *(() if tensor.base is None else (tensor.base,)), *latest):
            if source not in seen and len(seen) < 40:
                seen.add(source)
                todo.append(source)
    return False


@watcher(e.OptimizerStepped)
class Idle(FirstTrouble):
    """Between two steps of optimizers: which gradients arrived, which of them were emptied, what a step then wrote."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.arrived: dict[int, int] = {}
        """The tensors to which a gradient came since the last step: the line of the backward."""
        self.emptied: dict[int, tuple[int, int]] = {}
        """Those of them whose gradient was emptied before a step used it: the event and the line."""
        self.wrote = False

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        self.arrived.clear()
        self.emptied.clear()

    def on_grad_stored(self, event: e.GradStored) -> None:
        if event.after is not None and event.how != "assigned":
            self.arrived[event.tensor] = self.world.place.line
            self.emptied.pop(event.tensor, None)
        elif event.after is None and event.tensor in self.arrived:
            self.emptied[event.tensor] = self.world.count - 1, self.world.place.line

    def on_written(self, event: e.Written) -> None:
        self.wrote = True

    def on_optimizer_stepped(self, event: e.OptimizerStepped) -> None:
        if event.phase == "began":
            self.wrote = False
            return
        lost = [tensor for tensor in self.arrived if tensor in self.emptied]
        if lost and len(lost) == len(self.arrived) and not self.wrote and self.diagnosis is None:
            self.tell(self.describe(lost[0], event.optimizer))
        self.arrived.clear()
        self.emptied.clear()

    def describe(self, tensor: int, optimizer: str) -> Diagnosis:
        world = self.world
        event, line = self.emptied[tensor]
        shows, backward = world.place.line, self.arrived[tensor]
        return Diagnosis(
            kind="grad_none",
            title="A step without gradients",
            lines={"built": backward, "changed": line, "raised": None, "shows": shows},
            story=(
                f"{code(world.source.text(backward))} {on(backward)} brought gradients, one of them to "
                f"{code_label(world, tensor)}.",
                f"{code(world.source.text(line))} {on(line)} then set them to None, before anything had used them.",
                f"{code(optimizer)} {on(shows)} takes its step without a gradient, so no parameter changes.",
            ),
            events={"changed": event, "seen": world.count - 1},
            cause="idle",
            names=known_names(target=name_of(world, world.tensors[tensor])),
        )


class BeforeSkipped:
    """What gradients were before turns were left out, to be compared when they are used next."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.gradients: dict[int, Value | None] = {}

    def note(self, tensors: Iterable[int]) -> None:
        """Turns are left out, and these `tensors` are watched."""
        for tensor in tensors:
            self.gradients.setdefault(tensor, self.world.tensors[tensor].grad)

    def differs(self, tensor: int, now: Value | None) -> bool:
        """Whether turns were left out since `tensor` was seen, and its gradient was another before them."""
        return tensor in self.gradients and self.gradients.pop(tensor) != now

    def forget(self, tensor: int) -> None:
        self.gradients.pop(tensor, None)


# ---- fixes


@fix(idle=1)
def empty_later(wanted: FixContext) -> Iterator[Proposal]:
    """The gradients are emptied, by the helper that does so, when the step has used them."""
    text = wanted.text
    for goal in stack_statements(wanted, "seen"):
        change = wanted.beside("changed", goal)
        if change is not None and change in text.block(goal) and text.alone(change) and change is not goal:
            title = f"line {change.lineno} after line {goal.lineno}: reset them when the step has used them"
            yield wanted.proposal(title, FREE, text.removed(change), text.after(goal, copies(text, [change])))


def clear_forgotten(wanted: FixContext) -> Iterator[Proposal]:
    """Where some gradients are emptied, one by one or in a loop, those that were forgotten are emptied, too."""
    text, target = wanted.text, wanted.name("target")
    for loop in text.parts(text.tree, ast.For):
        if not isinstance(loop.iter, ast.List | ast.Tuple) or not any(map(cleared_name, loop.body)):
            continue
        here = names_in(loop.iter)
        others = [part for kind in (ast.List, ast.Tuple) for part in text.parts(text.tree, kind)]
        for other in [part for part in others if isinstance(part, ast.expr) and here < names_in(part)]:
            if isinstance(other, ast.List | ast.Tuple) and all(isinstance(part, ast.Name) for part in other.elts):
                more = join_names(
                    [part.id for part in other.elts if isinstance(part, ast.Name) and part.id not in here]
                )
                title = f"reset the gradients of {more}, too, on line {loop.lineno}"
                made = f"({', '.join(map(text.get, other.elts))})"
                yield wanted.proposal(title, FREE, text.replaced(loop.iter, made))
                return
    plain = [part for part in text.parts(text.tree, ast.Expr) if (cleared_name(part) or "").isidentifier()]
    if plain and target is not None and target.isidentifier() and target not in map(cleared_name, plain):
        made = text.get(plain[-1]).replace(f"{cleared_name(plain[-1])}.", f"{target}.", 1)
        title = f"reset the gradient of {target}, too: {made} after line {plain[-1].lineno}"
        yield wanted.proposal(title, FREE, text.after(plain[-1], [made]))


def cleared_name(statement: ast.stmt) -> str | None:
    """The name of what `w.grad.zero_()` resets the gradient of."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or callee(call) != "zero_" or not isinstance(call.func, ast.Attribute):
        return None
    owner = call.func.value
    owner = owner.value if isinstance(owner, ast.Attribute) and owner.attr == "data" else owner
    return ast.unparse(owner.value) if isinstance(owner, ast.Attribute) and owner.attr == "grad" else None


def is_emptying(text: Text, statement: ast.AST | None, within: bool = False) -> bool:
    """Whether all that `statement` does is to empty gradients: `opt.zero_grad()`, or a loop, or, unless it is `within`
    one, a function of the program that does nothing else."""
    if isinstance(statement, ast.For | ast.If):
        return all(is_emptying(text, part, within) for part in statement.body)
    if isinstance(statement, ast.Assign):
        goal = statement.targets[0]
        return isinstance(goal, ast.Attribute) and goal.attr == "grad" and ast.unparse(statement.value) == "None"
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(statement, ast.Expr) or not isinstance(call, ast.Call):
        return False
    homes = [] if within else [node for node in text.parts(text.tree, ast.FunctionDef) if node.name == callee(call)]
    own = any(all(is_emptying(text, part, True) for part in home.body) for home in homes)
    return own or callee(call) == "zero_grad" or cleared_name(statement) is not None


def emptied_again(wanted: FixContext) -> Iterator[Proposal]:
    """What empties the gradients before the first of two backwards in a turn does so before the second, too."""
    text = wanted.text
    for goal in stack_statements(wanted, "changed"):
        home = enclosing(text, goal, ast.FunctionDef)
        statements = [part for part in text.parts(home or text.tree, ast.stmt) if part.lineno < goal.lineno]
        here = [part for part in statements if enclosing(text, part, ast.FunctionDef) is home]
        for one in [part for part in here if text.alone(part) and is_emptying(text, part)]:
            if is_emptying(text, text.parents.get(one)):
                continue
            lines = text.lines_of(one)
            title = f"{lines[0].partition('#')[0].strip()} before line {goal.lineno}, too"
            yield wanted.proposal(title, OF_ONE_TURN, text.before(goal, lines))


def emptied_for_step(wanted: FixContext) -> Iterator[Proposal]:
    """Of several optimizers, the one that steps next is emptied before the backward that it steps with: in the place
    of another, if that is emptied there for nothing."""
    text, step = wanted.text, wanted.at("shows")
    owner = next(iter(owners(text, step, "step")), None)
    if step is None or owner is None or not text.alone(step):
        return
    block = text.block(step)
    before = block[: block.index(step)]
    others = [at for at, part in enumerate(before) if owners(text, part, "step")]
    stretch = before[others[-1] + 1 :] if others else before
    for part in stretch:
        emptied = [name for name in owners(text, part, "zero_grad") if name != owner]
        again = [later for later in block if later not in stretch and owners(text, later, "zero_grad") == emptied]
        if emptied and again and isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            title = f"{owner}.zero_grad() instead of {emptied[0]}.zero_grad() on line {part.lineno}"
            yield wanted.proposal(title, OF_ONE_TURN, text.replaced(part.value.func, f"{owner}.zero_grad"))
    first = next((part for part in stretch if text.calls(part, "backward")), None)
    if first is not None and any(
        name != owner for part in text.parts(text.tree, ast.Expr) for name in owners(text, part, "step")
    ):
        line = f"{owner}.zero_grad()"
        yield wanted.proposal(f"{line} before line {first.lineno}", OF_ONE_TURN, text.before(first, [line]))


def owners(text: Text, statement: ast.stmt | None, method: str) -> list[str]:
    """What the calls of `method` in a statement are made on."""
    calls = text.calls(statement, method)
    return [text.get(call.func.value) for call in calls if isinstance(call.func, ast.Attribute)]


OF_ONE_TURN = "each step uses the gradient of its own turn only"


@fix(piled=1)
def reset_gradients(wanted: FixContext) -> Iterator[Proposal]:
    """Somebody resets the gradients before the next are added."""
    text = wanted.text
    yield from clear_forgotten(wanted)
    yield from emptied_for_step(wanted)
    yield from emptied_again(wanted)
    goals = stack_statements(wanted, "changed")
    steps = [
        node
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Call) and callee(node) == "step" and isinstance(node.func, ast.Attribute)
    ]
    cost = OF_ONE_TURN
    for goal in goals:
        for step in steps:
            assert isinstance(step.func, ast.Attribute)
            line = f"{text.get(step.func.value)}.zero_grad()"
            yield wanted.proposal(f"{line} before line {goal.lineno}", cost, text.before(goal, [line]))
    target = wanted.name("target")
    clears = [target] if target else []
    updated = [
        text.get(node.target)
        for node in ast.walk(text.tree)
        if isinstance(node, ast.AugAssign) and ".grad" in ast.unparse(node.value)
    ]
    updated += [
        ast.unparse(node.targets[0]).removesuffix(".data")
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Assign)
        and ".grad" in ast.unparse(node.value)
        and ".data" in ast.unparse(node.targets[0])
    ]
    names = list(dict.fromkeys(name.removesuffix(".data") for name in [*updated, *clears]))
    lines = [f"{name}.grad = None" for name in names if name.isidentifier()]
    for goal in goals if lines else ():
        title = f"reset the gradients before line {goal.lineno}: {'; '.join(lines)}"
        yield wanted.proposal(title, cost, text.before(goal, lines))
    shows = [statement for statement in stack_statements(wanted, "seen") if isinstance(statement, ast.stmt)]
    for statement in shows[:1]:
        block = text.block(statement)
        if lines and text.alone(block[-1]):
            yield wanted.proposal(
                f"reset the gradients after the step: {'; '.join(lines)}", cost, text.after(block[-1], lines)
            )
