"""A gradient that is None, read after the backward that should have brought it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from gradreel.trace import events as e

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, Failure
from ...diagnostics.mentions import stands_for
from ...diagnostics.registry import Watcher, rule, watcher
from ...diagnostics.showing import Showing
from ...fixes.edits import (
    append_suffix,
    copies,
    enclosing,
    root_name,
    set_keyword,
    stack_statements,
    value_of,
)
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Text
from ...narration.words import code_label, on
from ...optimizers import may_be_optimized
from ...replay.graph_queries import ancestors
from ...replay.states import Call, Seen, TensorState
from ...replay.world import World
from ...source import Source, bound_by
from ..optimizer.inner_loops import ask_for_gradients
from .leaves import make_leaf_before_use, make_leaf_last
from .no_graph import tracked_at_cut, tracked_before_use
from .unused_inputs import without_way
from .why_grad_is_none import Reason, finished_calls, handed_out, why_none

ASKED = re.compile(r"\.grad\s*(?:is\b|==|!=)")
READ = re.compile(r"([A-Za-z_][\w.\[\]']*)\.grad\b(?!_)")
FIRST = re.compile(r"\[0\]")
"""What was kept first, before anything could go wrong."""
CUTS = re.compile(r"\bdetach|\.data\b")
FORM = "shape|size|dtype|ndim|device|is_leaf|requires_grad"
HOW_LOST = frozenset({"numbers", "tensor", "parameter", "data"})
"""Cuts that nobody makes in order to stop a gradient."""


def shown_by(names: frozenset[str]) -> re.Pattern[str]:
    """Finds statements that show the numbers behind one of `names`, not only what form they have."""
    return re.compile(
        rf"\b(?:{'|'.join(sorted(names))})\b(?!\.(?:shape|size|dtype|ndim|device|is_leaf|requires_grad)\b)"
    )


@watcher(e.GradMissing)
class Missing(Watcher):
    """Reads of None, each with its reason as it stood, kept until the end of the run shows whether they were meant."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.candidates: list[tuple[Seen, Reason]] = []
        self.kept: set[int] = set()
        """Tensors whose gradient was kept or seen otherwise: the program knows what it does."""
        self.hooked: set[int] = set()
        self.guarded: list[tuple[Seen, Reason]] = []
        """Results whose gradient the program went without, as `if w.grad is not None:` lets it."""
        self.unmoved: list[tuple[Seen, Reason]] = []
        """Those of them that were to be changed by it: nobody can mean an update that never happens."""
        self.unmoved_shown: Showing | None = None
        self.reachable = False
        """Whether a gradient came to anything that has a name."""
        self.showing: int | None = None
        self.results: dict[int, Showing] = {}
        """For reads of None that print nothing, by their event: what shows the result that comes of it."""
        self.retained = False
        self.optimizes = False

    def on_grad_captured(self, event: e.GradCaptured) -> None:
        self.reachable = True

    def on_printed(self, event: e.Printed) -> None:
        line = self.world.place.line
        for showing in self.results.values():
            showing.on_printed(event)
        if self.guarded:
            self.showing = line
        text = self.world.source.statement(line)
        if self.unmoved_shown is not None and not FIRST.search(text):
            self.unmoved_shown.on_printed(event)

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        """What the turns left may show that a gradient was kept after all."""
        count = self.world.count
        for left in self.world.trace.events[count : count + event.left]:
            if isinstance(left, e.GradStored):
                self.on_grad_stored(left)
            self.optimizes |= isinstance(left, e.OptimizerStepped)

    def on_optimizer_stepped(self, event: e.OptimizerStepped) -> None:
        self.optimizes = True

    def on_grad_stored(self, event: e.GradStored) -> None:
        if event.after is not None:
            self.kept.add(event.tensor)
            tensor = self.world.tensors.get(event.tensor)  # of skipped turns not all is known yet
            self.reachable |= tensor is None or tensor.called is not None
            self.retained |= event.how == "retained"

    def on_hook_ran(self, event: e.HookRan) -> None:
        if event.tensor is not None:
            self.hooked.add(event.tensor)
        if event.node is not None:
            self.hooked.update(self.world.nodes[event.node].outputs)

    def on_grad_missing(self, event: e.GradMissing) -> None:
        seen = self.world.missing[-1]
        tensor = self.world.tensors[event.tensor]
        if len(self.candidates) > 50 or not finished_calls(self.world):
            return
        if self.among_others(seen, tensor):
            if tensor.node is not None and self.guards(seen):
                self.passed_over(seen, tensor)
            return
        if tensor.node is not None:
            if self.passed_through(tensor):
                self.suspect(seen, why_none(self.world, seen))
        elif tensor.requires_grad and tensor.emptied is None:
            reason = why_none(self.world, seen)
            if reason.cause in ("lost", "not_used", "withheld"):
                self.suspect(seen, reason)
        elif self.handed_out(tensor):
            self.suspect(seen, handed_out(self.world, tensor))
        elif self.slope_asked(tensor):
            self.suspect(seen, why_none(self.world, seen))

    def slope_asked(self, tensor: TensorState) -> bool:
        """Whether the one gradient that the program reads at all is that of data which a backward came from, and which
        nobody said wants none: a slope at points, or an image's saliency."""
        whole = self.world.source.whole
        names = {found.group(1) for found in READ.finditer(whole)}
        name = names.pop() if len(names) == 1 else ""
        if not name.isidentifier() or stands_for(self.world, name) is not tensor:  # a layer's own may be frozen
            return False
        if tensor.cut is not None or "requires_grad=False" in whole or not tensor.dtype.startswith("float"):
            return False
        roots = [self.world.tensors[root] for call in finished_calls(self.world) for root in call.roots]
        return any(state is tensor for root in roots for state in ancestors(self.world, root))

    def handed_out(self, tensor: TensorState) -> bool:
        """Whether `tensor` was cut off a leaf that has a gradient, on a line that does not say so: `state_dict()`."""
        owner = self.world.tensors.get(tensor.base) if tensor.base is not None else None
        text = self.world.source.statement(tensor.place.line, self.world.ends.get(tensor.place.line))
        cut = tensor.op == "detach" and not tensor.requires_grad and CUTS.search(text) is None
        return cut and owner is not None and owner.node is None and owner.grad is not None

    def suspect(self, seen: Seen, reason: Reason) -> None:
        self.candidates.append((seen, reason))
        source, place = self.world.source, seen.place
        if "print" in source.statement(place.line, place.end_line):
            return
        lines = (place.line, *(frame.line for frame in place.frames))
        names = frozenset().union(*(bound_by(each) for line in lines for each in source.simple(line)))
        if names:
            self.results[seen.event] = Showing(self.world, shown_by(names))
            self.results[seen.event].wait()

    def passed_over(self, seen: Seen, tensor: TensorState) -> None:
        """A test goes without the gradient of a result."""
        kept = [] if self.guarded else [self.guarded]
        if not self.unmoved and updates(self.world.source, seen.place.line):
            kept.append(self.unmoved)
            names = frozenset(re.split(r"[.\[]", name)[0] for _, name in tensor.names)
            self.unmoved_shown = Showing(self.world, shown_by(names))
            self.unmoved_shown.wait()
        if kept and self.passed_through(tensor):
            reason = why_none(self.world, seen)
            for entries in kept:
                entries.append((seen, reason))

    def passed_through(self, tensor: TensorState) -> bool:
        """Whether a backward brought a gradient to this result, or should have but for a write into its memory."""
        if any(tensor.node in call.expected for call in finished_calls(self.world)):
            return True
        seen = self.world.missing[-1]
        return why_none(self.world, seen).cause == "rebased"

    def among_others(self, seen: Seen, tensor: TensorState) -> bool:
        """Whether the statement only asks if there is one, or shows it beside gradients that are there."""
        place = seen.place
        text = self.world.source.statement(place.line, place.end_line)
        reads = list(READ.finditer(text))
        if ASKED.search(text) and all(ASKED.match(text, found.end() - len(".grad")) for found in reads):
            return True
        others = [stands_for(self.world, found.group(1)) for found in reads]
        return any(other is not None and other is not tensor and other.grad is not None for other in others)

    def guards(self, seen: Seen) -> bool:
        """Whether an `if` asks for the gradient, to go without it."""
        return self.world.source.statement(seen.place.line, seen.place.end_line).startswith(("if ", "elif "))

    def report(self) -> list[Diagnosis]:
        for seen, reason in self.candidates:
            if seen.tensor in self.kept or seen.tensor in self.hooked:
                continue
            if reason.cause == "not_leaf" and self.retained:
                continue
            if reason.cause in ("lost", "not_used") and not self.mistaken(seen, reason):
                continue
            showing = self.results.get(seen.event)
            return [self.describe(seen, reason, showing.line if showing is not None else None)]
        for seen, reason in self.unmoved:
            if seen.tensor not in self.kept and seen.tensor not in self.hooked:
                return [self.never_moved(seen, reason)]
        if self.reachable or self.optimizes or self.hooked or self.retained:
            return []
        return [self.describe(seen, reason, self.showing) for seen, reason in self.guarded]

    def never_moved(self, seen: Seen, reason: Reason) -> Diagnosis:
        later = self.unmoved_shown
        found = self.describe(seen, reason, later and (later.line or later.within) or self.showing)
        name = code_label(self.world, seen.tensor)
        story = (*found.story[:-1], f"The `if` {on(seen.place.line)} goes without it, so {name} never changes.")
        return replace(found, story=story, cause="never_moved") if reason.cause == "not_leaf" else found

    def mistaken(self, seen: Seen, reason: Reason) -> bool:
        """Whether nobody can have meant the cut: it is none to stop a gradient with, or what was cut off is trained."""
        if reason.names.get("how") in HOW_LOST or "leaf" in reason.names:
            return True
        return self.optimizes and may_be_optimized(self.world, self.world.tensors[seen.tensor])

    def describe(self, seen: Seen, reason: Reason, shows: int | None = None) -> Diagnosis:
        """`shows` is the line that prints last, where a test passed over the None."""
        line = seen.place.line
        return Diagnosis(
            kind=reason.kind,
            title="The gradient is None",
            lines={**reason.lines, "raised": None, "shows": shows or line},
            story=(f"{reason.name} is None where **line {line}** reads it, after a backward has run.", *reason.story),
            nodes=reason.nodes,
            events={**reason.events, "seen": seen.event},
            cause=reason.cause,
            names=reason.names,
        )


KEEPS = frozenset({"requires_grad_", "retain_grad_", "detach_"})
"""In-place methods that change no number."""


def updates(source: Source, line: int) -> bool:
    """Whether the `if` on `line` asks for a gradient and the tensor that has it is written into behind it."""
    for block in blocks(source.tree):
        for at, statement in enumerate(block):
            if isinstance(statement, ast.If) and statement.lineno == line:
                asked = set(map(ast.unparse, holders(statement.test)))
                leaves = isinstance(statement.body[-1], ast.Continue)
                behind = [*statement.orelse, *block[at + 1 :]] if leaves else statement.body
                return any(written_target(part) in asked for other in behind for part in ast.walk(other))
    return False


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                yield body


def holders(test: ast.expr) -> list[ast.expr]:
    """The tensors whose `.grad` is asked for."""
    return [part.value for part in ast.walk(test) if isinstance(part, ast.Attribute) and part.attr == "grad"]


def written_target(node: ast.AST) -> str | None:
    """What `node` writes into or binds anew: `w` of `w -= 1`, of `w.data = w - 1` and of `w.data.sub_(1)`."""
    goal: ast.AST | None = None
    if isinstance(node, ast.AugAssign):
        goal = node.target
    elif isinstance(node, ast.Assign):
        goal = node.targets[0]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        changes = node.func.attr.endswith("_") and node.func.attr not in KEEPS
        goal = node.func.value if changes else None
    return ast.unparse(goal).removesuffix(".data") if goal is not None else None


@rule
def no_gradient(world: World, failure: Failure) -> Diagnosis | None:
    """A TypeError or AttributeError about NoneType, on a line that read a `.grad` that was None or got None of grad."""
    if "NoneType" not in failure.raised.message:
        return None
    line = failure.raised.line
    read = [seen for seen in world.missing if seen.place.line == line]
    if not read:
        call = gave_none(world)
        return without_way(world, failure, call) if call is not None else None
    reason = why_none(world, read[-1])
    return Diagnosis(
        kind=reason.kind,
        title="There is no gradient here",
        message=failure.raised.message,
        lines={**reason.lines, "raised": line},
        story=(
            f"{reason.name} is None {on(line)}, and Python cannot compute with None.",
            *reason.story,
        ),
        nodes=reason.nodes,
        events={"raised": failure.number, **reason.events},
        cause=reason.cause,
        names=reason.names,
    )


def gave_none(world: World) -> Call | None:
    """The last call of autograd.grad that found no way to one of its inputs."""
    for call in reversed(world.calls.values()):
        if call.called == "grad" and not call.failed and len(call.captured) < len(call.inputs):
            return call
    return None


# ---- fixes


@fix(not_leaf=1)
def keep_leaf(wanted: FixContext) -> Iterator[Proposal]:
    """The gradient of a result was read."""
    used = wanted.line("shows") is None
    ways = (make_leaf_last, retain_grad) if used else (retain_grad, make_leaf_last)
    for way in (ask_for_gradients, update_in_place, stepped_to_leaves, *ways):
        yield from way(wanted)


def stepped_to_leaves(wanted: FixContext) -> Iterator[Proposal]:
    """`[w - rate * w.grad for w in ws]` makes results of the old leaves; detached, they are leaves of their own."""
    text, built = wanted.text, wanted.at("built")
    steps = [
        part
        for part in text.parts(built, ast.BinOp)
        if isinstance(part.op, ast.Sub) and ".grad" in ast.unparse(part.right) and text.parents.get(part) is not built
    ]
    if steps and built is not None:
        title = f"make leaves of what was stepped: .detach().requires_grad_() on line {built.lineno}"
        edits = [append_suffix(text, part, ".detach().requires_grad_()") for part in steps]
        yield wanted.proposal(title, "each gradient is that of one turn", *edits)


@fix(never_moved=4)
def retain_grad(wanted: FixContext) -> Iterator[Proposal]:
    """`retain_grad()` behind the line that made it."""
    text, built, name = wanted.text, wanted.at("built"), wanted.name("target")
    if name is None:
        return
    for statement in [*stack_statements(wanted, "built"), built]:
        if not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
            continue
        goals = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        shown = [ast.unparse(goal) for goal in goals]
        paths = [path for path in shown if path == name or same_end(path, name)]
        for path in paths or shown[:1]:
            if isinstance(ast.parse(path, mode="eval").body, ast.Name | ast.Attribute):
                title = f"ask it to keep its gradient: {path}.retain_grad() after line {statement.lineno}"
                yield wanted.proposal(
                    title, "its gradient stays in memory", text.after(statement, [f"{path}.retain_grad()"])
                )
    call = backward_before(wanted)
    if call is not None:
        title = f"{name}.retain_grad() before line {call.lineno}"
        yield wanted.proposal(title, "its gradient stays in memory", text.before(call, [f"{name}.retain_grad()"]))
    yield from retained_where_kept(wanted, name)


def retained_where_kept(wanted: FixContext, name: str) -> Iterator[Proposal]:
    """`retain_grad()` behind the line that puts it in a dict or on an object, as hooks do: `found[key] = out`."""
    text, holder = wanted.text, re.split(r"[.\[]", name)[0]
    for node in ast.walk(text.tree):
        goal = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(goal, ast.Subscript | ast.Attribute):
            continue
        if ast.unparse(root_name(goal)) == holder:
            title = f"ask it to keep its gradient: {text.get(goal)}.retain_grad() after line {node.lineno}"
            line = f"{text.get(goal)}.retain_grad()"
            yield wanted.proposal(title, "its gradient stays in memory", text.after(node, [line]))


def same_end(path: str, name: str) -> bool:
    """`self.h` and `net.h`."""
    return "." in path and "." in name and path.partition(".")[2] == name.partition(".")[2]


def backward_before(wanted: FixContext) -> ast.stmt | None:
    """The last statement with a backward before the gradient is read."""
    line = wanted.line("shows") or wanted.line("raised") or 0
    text = wanted.text
    here = text.statement(line)
    within = enclosing(text, here, ast.FunctionDef) if here is not None else None
    found = [
        statement
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Call)
        and callee(node) == "backward"
        and node.lineno < line
        and (statement := text.statement(node.lineno)) is not None
        and enclosing(text, statement, ast.FunctionDef) is within
    ]
    return found[-1] if found else None


@fix(never_moved=2)
def update_in_place(wanted: FixContext) -> Iterator[Proposal]:
    """`w = w - rate * w.grad` makes another tensor; `w -= rate * w.grad` under no_grad keeps the leaf."""
    text = wanted.text
    rebound = [
        node
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.BinOp)
        and isinstance(node.value.op, ast.Sub)
        and ast.unparse(node.targets[0]) == ast.unparse(node.value.left)
        and ".grad" in ast.unparse(node.value.right)
    ]
    if not rebound:
        return
    for header in (None, "with torch.no_grad():"):
        edits = []
        for node in rebound:
            assert isinstance(node.value, ast.BinOp)
            made = f"{text.get(node.targets[0])} -= {text.get(node.value.right)}"
            quiet = header is None or any(
                isinstance(outer, ast.With) and "no_grad" in ast.unparse(outer.items[0]) for outer in text.around(node)
            )
            edits.append(text.replaced(node, made if quiet else f"{header} {made}"))
        title = "change the leaf in place, under torch.no_grad(), instead of binding its name anew"
        yield wanted.proposal(title, FREE, *edits)
        backward = backward_before(wanted)
        if backward is not None and header is not None:
            cleared = [f"{text.get(node.targets[0])}.grad = None" for node in rebound]
            yield wanted.proposal(f"{title}, and clear its gradient", FREE, *edits, text.before(backward, cleared))


@fix(handed_out=1)
def read_parameters(wanted: FixContext) -> Iterator[Proposal]:
    """The parameters themselves instead of what `state_dict()` hands out."""
    text = wanted.text
    for call in text.calls(wanted.at("built"), "state_dict"):
        if not isinstance(call.func, ast.Attribute):
            continue
        items = text.parents.get(call)
        whole = text.parents.get(items) if isinstance(items, ast.Attribute) and items.attr == "items" else None
        if isinstance(whole, ast.Call):
            made = f"{text.get(call.func.value)}.named_parameters()"
            yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(whole, made))
        title = f"keep_vars=True on line {call.lineno}: the parameters themselves"
        yield wanted.proposal(title, FREE, set_keyword(text, call, "keep_vars", "True"))


@fix(rebased=1)
def write_before_view(wanted: FixContext) -> Iterator[Proposal]:
    """The write into the base comes before the view is taken."""
    text, change, saved = wanted.text, wanted.at("changed"), wanted.at("saved")
    if change is not None and saved is not None and change in text.block(saved) and text.alone(change):
        title = f"line {change.lineno} before line {saved.lineno}: write before the view is taken"
        yield wanted.proposal(title, FREE, text.removed(change), text.before(saved, copies(text, [change])))


ASKED_EARLY = ("register_hook", "retain_grad")
"""What is asked of a tensor before it has a gradient."""


@fix(too_early=1)
def ask_later(wanted: FixContext) -> Iterator[Proposal]:
    """Until the first backward there is no gradient."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    if raised is None or name is None:
        return
    block = text.block(raised)
    group = [raised]
    at = block.index(raised)
    while at + len(group) < len(block) and is_clearing(block[at + len(group)]) and is_clearing(raised):
        group.append(block[at + len(group)])
    if isinstance(raised, ast.For | ast.While | ast.With | ast.If):
        return
    yield from backward_first(wanted, raised)
    test = f"{name}.requires_grad" if text.calls(raised, *ASKED_EARLY) else f"{name}.grad is not None"
    yield wanted.proposal(f"only where there is one: if {test}", FREE, text.wrapped(group, f"if {test}:"))
    if len(block) > at + len(group) and all(text.alone(part) for part in group):
        title = f"line {raised.lineno} after the backward, at the end of the turn"
        edits = [text.removed(part) for part in group]
        yield wanted.proposal(title, FREE, *edits, text.after(block[-1], copies(text, group)))


def backward_first(wanted: FixContext, raised: ast.stmt) -> Iterator[Proposal]:
    """Where no line of the program goes backward, the loss made last does so before its gradients are used."""
    text = wanted.text
    if any(callee(call) in ("backward", "grad") for call in text.parts(text.tree, ast.Call)):
        return
    for statement in (raised, *(node for node in text.around(raised) if isinstance(node, ast.stmt))):
        block = text.block(statement)
        above = (
            [node for node in block[: block.index(statement)] if isinstance(node, ast.Assign)]
            if statement in block
            else []
        )
        names = [node.targets[0].id for node in above if isinstance(node.targets[0], ast.Name)]
        for name in [name for name in names[-1:] if name != wanted.name("target")]:
            title = f"{name}.backward() before line {statement.lineno}"
            yield wanted.proposal(title, "gradients are computed", text.before(statement, [f"{name}.backward()"]))


def is_clearing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and ".grad" in ast.unparse(statement) and "zero_" in ast.unparse(statement)


@fix(emptied=1)
def keep_gradients(wanted: FixContext) -> Iterator[Proposal]:
    """zero_grad sets gradients to None: zeros on request, or later."""
    text, change = wanted.text, wanted.at("changed")
    for call in text.calls(change, "zero_grad"):
        title = f"set_to_none=False on line {call.lineno}: zeros instead of None"
        yield wanted.proposal(title, "the zeros stay in memory", set_keyword(text, call, "set_to_none", "False"))
    for goal in stack_statements(wanted, "raised"):
        if change is not None and change in text.block(goal) and text.alone(change) and change is not goal:
            title = f"line {change.lineno} after line {goal.lineno}: reset it when it was used"
            yield wanted.proposal(title, FREE, text.removed(change), text.after(goal, copies(text, [change])))
    yield from ask_later(wanted)


@fix(not_tracked=2)
def track_input_first(wanted: FixContext) -> Iterator[Proposal]:
    yield from update_in_place(wanted)
    yield from tracked_at_cut(wanted)
    yield from tracked_before_use(wanted)
    yield from ask_later(wanted)


@fix(not_used=3)
def use_parameter(wanted: FixContext) -> Iterator[Proposal]:
    yield from ask_later(wanted)


OTHERWISE = "another function: see that it is what you mean"


@fix(not_used=1)
def make_leaf_first(wanted: FixContext) -> Iterator[Proposal]:
    yield from make_leaf_before_use(wanted, wanted.at("built"))


@fix(not_used=2)
def call_layer(wanted: FixContext) -> Iterator[Proposal]:
    """In place of the second call of a layer of the same making, or behind another layer."""
    text, built = wanted.text, wanted.at("built")
    if not isinstance(built, ast.Assign) or not isinstance(built.value, ast.Call):
        return
    name = text.get(built.targets[0])
    made = same_making(text, built)
    calls = calls_of_layers(text, built)
    for other in made:
        uses = [call for call in calls if text.get(call.func) == other]
        for use in reversed(uses[1:]):
            title = f"call {name} instead of {other} on line {use.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(use.func, name))
    for use in reversed(calls):
        title = f"call {name} behind {text.get(use.func)} on line {use.lineno}"
        yield wanted.proposal(title, OTHERWISE, text.replaced(use, f"{name}({text.get(use)})"))
    yield from returned_through(wanted, built, name)


def same_making(text: Text, built: ast.Assign) -> list[str]:
    """The layers made as `built` makes its own, by their names."""
    return [
        text.get(node.targets[0])
        for node in ast.walk(enclosing(text, built, ast.ClassDef) or text.tree)
        if isinstance(node, ast.Assign) and node is not built and ast.dump(node.value) == ast.dump(built.value)
    ]


def calls_of_layers(text: Text, built: ast.Assign) -> list[ast.Call]:
    """The calls of layers, in the methods of the class or, outside of classes, anywhere."""
    home = enclosing(text, built, ast.ClassDef) or text.tree
    layers = {
        text.get(node.targets[0])
        for node in ast.walk(home)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
    }
    found = [node for node in ast.walk(home) if isinstance(node, ast.Call) and text.get(node.func) in layers]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def returned_through(wanted: FixContext, built: ast.Assign, name: str) -> Iterator[Proposal]:
    text, home = wanted.text, enclosing(wanted.text, built, ast.ClassDef)
    for method in home.body if isinstance(home, ast.ClassDef) else ():
        last = method.body[-1] if isinstance(method, ast.FunctionDef) and method.name == "forward" else None
        value = value_of(last)
        if isinstance(last, ast.Return) and value is not None and not isinstance(value, ast.Tuple):
            title = f"call {name} on what line {last.lineno} returns"
            yield wanted.proposal(title, OTHERWISE, text.replaced(value, f"{name}({text.get(value)})"))
