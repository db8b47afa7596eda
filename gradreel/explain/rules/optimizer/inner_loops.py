"""Steps inside a loop that are to be differentiated, as in MAML: the outer optimizer moves nothing."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from gradreel.trace import events as e

from ...calls import callee, keyword
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.registry import watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import enclosing
from ...fixes.proposal import FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, names_in
from ...narration.words import code, code_label, on
from ...optimizers import makings
from ...replay.world import World

STEPS = 2
"""So many steps there must be on the line at least."""


@watcher(e.OptimizerStepped, e.Written)
class InVain(FirstTrouble):
    """By line of a step whether any of its steps wrote anything, while those on other lines did, or gradients came."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.steps: dict[int, int] = {}
        self.moving: set[int] = set()
        self.arrived: tuple[int, int] | None = None
        """The last leaf that a gradient came to since the last step, and the line of the backward."""
        self.elsewhere: dict[int, tuple[int, int]] = {}
        """The same, by the line of the step that it came before."""
        self.beside: Counter[int] = Counter()
        """By line of a step how many of its steps followed a gradient that came to something else."""
        self.unrolled: set[int] = set()
        """The leaves that a backward which records itself brought a gradient to."""
        self.written: set[int] = set()
        """The memory that steps wrote into."""
        self.last: tuple[int, int, str] | None = None
        self.line = 0

    def on_grad_stored(self, event: e.GradStored) -> None:
        if event.how not in ("assigned", "retained") and event.after is not None:
            self.arrived = event.tensor, self.world.place.line
            call = self.world.calls.get(event.call) if event.call is not None else None
            if call is not None and call.create_graph:
                self.unrolled.add(event.tensor)

    def on_optimizer_stepped(self, event: e.OptimizerStepped) -> None:
        if event.phase == "began":
            self.line = self.world.place.line
            if self.arrived is not None:
                self.beside[self.line] += 1
                self.elsewhere[self.line] = self.arrived
            self.arrived = None
            self.steps[self.line] = self.steps.get(self.line, 0) + 1
            self.last = self.line, self.world.count - 1, event.optimizer
            if self.steps[self.line] == STEPS and self.line not in self.moving and not self.showing.waiting:
                self.showing.wait()

    def on_written(self, event: e.Written) -> None:
        if self.world.optimizer is not None:
            self.moving.add(self.line)
            self.written.add(event.storage)

    def report(self) -> list[Diagnosis]:
        idle = [line for line, steps in self.steps.items() if steps >= STEPS and line not in self.moving]
        idle = [line for line in idle if self.moving or self.beside[line] >= STEPS]
        if not idle or self.world.skipped:
            return []
        line, text = idle[0], self.world.source.text(idle[0])
        story: tuple[str, ...] = (
            f"{code(text)} {on(line)} never changes anything: no parameter that this optimizer was given ever gets a "
            "gradient.",
            f"{self.goal(line)}. They may be of a copy, or of another part of the program: a copy has its own, and "
            "hands nothing back.",
        )
        lines: dict[str, int | None] = {"built": line, "raised": None}
        if line in self.elsewhere:
            lines["cut"] = self.world.tensors[self.elsewhere[line][0]].place.line
        if self.moving and line in self.elsewhere and self.left_behind():
            inner = max(self.moving)
            story, lines["cut"] = self.told_unrolled(line, inner), inner
        title, names = "Steps in vain", known_names(target=text)
        found = Diagnosis(title=title, lines=lines, story=story, cause="in_vain", names=names)
        return [self.showing.shown(found)]

    def left_behind(self) -> bool:
        """Whether a backward that records itself came to something that no step ever moved."""
        return any(self.world.tensors[leaf].storage not in self.written for leaf in self.unrolled)

    def told_unrolled(self, line: int, inner: int) -> tuple[str, ...]:
        """Of an inner optimizer that is to be differentiated through: its steps are no part of any graph."""
        text, backward = self.world.source.text, self.elsewhere[line][1]
        return (
            f"{code(text(line))} {on(line)} never changes anything: whenever it is taken, no parameter that this "
            "optimizer was given has a gradient.",
            f"{code(text(inner))} {on(inner)} writes new numbers into weights and records nothing. What "
            f"{code(text(backward))} {on(backward)} starts from knows nothing of what those weights were trained with.",
            "An inner loop that is to be differentiated computes new weights, as `w - lr * g` with `create_graph`, and "
            "calls the model with them by `torch.func.functional_call`.",
        )

    def goal(self, line: int) -> str:
        """Where the gradients go that come before the step on `line`."""
        if line not in self.elsewhere:
            return "The gradients come to other leaves"
        leaf, backward = self.elsewhere[line]
        made = self.world.tensors[leaf].place.line
        what = f"{code_label(self.world, leaf)} of **line {made}**"
        return f"The gradients of {code(self.world.source.text(backward))} {on(backward)} come to others, as {what}"


# ---- fixes


OF_SECOND_ORDER = "second derivatives: the graph of every inner step is kept"


@fix(in_vain=1)
def compute_weights(wanted: FixContext) -> Iterator[Proposal]:
    """`fast = copy.deepcopy(net)` and an SGD of its own become `weights` that each inner step computes anew, with a
    graph back to `net`, and `fast` a function that calls `net` with them."""
    text = wanted.text
    for made in text.parts(text.tree, ast.Assign):
        if callee(made.value) != "deepcopy" or not isinstance(made.targets[0], ast.Name) or not text.alone(made):
            continue
        if not isinstance(made.value, ast.Call) or not made.value.args:
            continue
        home = enclosing(text, made, ast.FunctionDef) or text.tree
        fast, model = made.targets[0].id, text.get(made.value.args[0])
        edits = compute_steps(text, home, fast)
        if edits:
            lines = [
                f"weights = dict({model}.named_parameters())",
                f"{fast} = lambda *given: torch.func.functional_call({model}, weights, given)",
            ]
            title = f"compute the weights of {fast} from those of {model}, with torch.func.functional_call, on line"
            first = text.replaced(made, f"\n{text.indent(made)}".join(lines))
            yield wanted.proposal(f"{title} {made.lineno}", OF_SECOND_ORDER, first, *edits)


def compute_steps(text: Text, home: ast.AST, fast: str) -> list[Edit]:
    """The steps of a plain SGD of `fast` as formulas; none if there is no such, or more than that is done with it."""
    inner = [part for part in text.parts(home, ast.Assign) if is_plain_sgd(text, part.value, fast)]
    if len(inner) != 1 or not isinstance(inner[0].value, ast.Call):
        return []
    name, rate = text.get(inner[0].targets[0]), inner[0].value
    size = keyword(rate, "lr")
    shown = text.get(size.value) if size is not None else text.get(rate.args[1])
    edits = [text.removed(inner[0])]
    statements = [part for part in text.parts(home, ast.Expr) if isinstance(part.value, ast.Call)]
    steps = [part for part in statements if ast.unparse(part) == f"{name}.step()"]
    loops = [text.loop(part) for part in steps]
    own = [last_backward(text, part) for part in steps]
    for statement in statements:
        written = ast.unparse(statement)
        if written == f"{name}.zero_grad()":
            edits.append(text.removed(statement))
        elif written == f"{name}.step()":
            step = f"{{name: w - {shown} * grad for (name, w), grad in zip(weights.items(), grads)}}"
            edits.append(text.replaced(statement, f"weights = {step}"))
        elif statement in own:
            call = statement.value
            assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            asked = f"torch.autograd.grad({text.get(call.func.value)}, list(weights.values()), create_graph=True)"
            edits.append(text.replaced(statement, f"grads = {asked}"))
    return edits if len(edits) >= 3 and all(loop is not None for loop in loops) else []


def last_backward(text: Text, step: ast.Expr) -> ast.stmt | None:
    """The `loss.backward()` that goes before a step in its block: those behind it are of what comes after."""
    block = text.block(step)
    before = [part for part in block[: block.index(step)] if callee(getattr(part, "value", None)) == "backward"]
    return before[-1] if before else None


def is_plain_sgd(text: Text, value: ast.expr, fast: str) -> bool:
    """Whether `value` is `SGD(fast.parameters(), lr=rate)`, without momentum or decay."""
    if not isinstance(value, ast.Call) or callee(value) != "SGD" or not value.args:
        return False
    words = {word.arg for word in value.keywords}
    return text.get(value.args[0]) == f"{fast}.parameters()" and words <= {"lr"} and len(value.args) + len(words) == 2


def ask_for_gradients(wanted: FixContext) -> Iterator[Proposal]:
    """`loss.backward(create_graph=True)` and `w - rate * w.grad`, where `w` is a result after the first step, become
    `torch.autograd.grad(loss, ws, create_graph=True)` and a step with what it gives."""
    text = wanted.text
    raised = wanted.at("raised")
    if raised is None:
        return
    for failed in [raised, *(part for part in text.around(raised) if isinstance(part, ast.stmt))]:
        block = text.block(failed)
        above = block[: block.index(failed)] if failed in block else []
        calls = [call for one in above for call in text.calls(one, "backward") if keyword(call, "create_graph")]
        asked = [call for call in calls if isinstance(text.parents.get(call), ast.Expr)]
        if not asked or not isinstance(asked[-1].func, ast.Attribute):
            continue
        call = asked[-1]
        reads = [part for one in block[block.index(failed) :] for part in text.parts(one, ast.Attribute)]
        reads = [part for part in reads if part.attr == "grad" and isinstance(part.ctx, ast.Load)]
        taken = {part.id for part in text.parts(text.tree, ast.Name)}
        grads, own = (next(name for name in (first, f"{first}_2") if name not in taken) for first in ("grads", "g"))
        source, edits = entries_with_gradients(text, reads, grads, own)
        if source is None:
            source, edits = names_with_gradients(text, reads, grads)
        if source is not None:
            root = text.get(call.func.value)  # type: ignore[attr-defined]
            made = f"torch.autograd.grad({root}, {source}, create_graph=True)"
            title = f"{made} on line {call.lineno}: the gradients of results, for the step on line {raised.lineno}"
            statement = text.parents[call]
            assert isinstance(statement, ast.Expr)
            yield replace(
                wanted.proposal(title, OF_SECOND_ORDER, text.replaced(statement, f"{grads} = {made}"), *edits),
                decisive=True,
            )
        return


def entries_with_gradients(
    text: Text, reads: list[ast.Attribute], grads: str, own: str
) -> tuple[str | None, list[Edit]]:
    """What a loop or a comprehension takes its weights from, and the edits that have it take `grads` along."""
    name = reads[0].value if reads else None
    if not isinstance(name, ast.Name):
        return None, []
    loops = [part for part in text.around(reads[0]) if isinstance(part, ast.For | ast.comprehension)]
    loops += [one for part in text.around(reads[0]) for one in getattr(part, "generators", ())]
    loop = next((one for one in loops if name.id in names_in(one.target)), None)
    if loop is None or any(ast.unparse(read.value) != name.id for read in reads):
        return None, []
    shown, target = text.get(loop.iter), text.get(loop.target)
    zipped = isinstance(loop.iter, ast.Call) and callee(loop.iter) == "zip"
    parts = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    place = next((at for at, part in enumerate(parts) if ast.unparse(part) == name.id), None)
    if place is None:
        return None, []
    if zipped and isinstance(loop.iter, ast.Call):
        source = text.get(loop.iter.args[place])
        new = f"{target}, {own}", f"zip({', '.join(map(text.get, loop.iter.args))}, {grads})"
    elif len(parts) == 2 and place == 1 and shown.endswith((".items()", ".named_parameters()")):
        source = shown.replace("named_parameters()", "parameters()").replace(".items()", ".values()")
        new = f"({target.strip('()')}), {own}", f"zip({shown}, {grads})"
    elif len(parts) == 1:
        source, new = shown, (f"{target}, {own}", f"zip({shown}, {grads})")
    else:
        return None, []
    source = f"list({source})" if source.endswith(")") else source
    edits = [text.replaced(loop.target, new[0]), text.replaced(loop.iter, new[1])]
    return source, [*edits, *(text.replaced(read, own) for read in reads)]


def names_with_gradients(text: Text, reads: list[ast.Attribute], grads: str) -> tuple[str | None, list[Edit]]:
    """The weights that are stepped one by one, `w = w - rate * w.grad`, with their parts of `grads`."""
    names = list(dict.fromkeys(text.get(read.value) for read in reads))
    stepped = all(
        isinstance(one := enclosing(text, read, ast.stmt), ast.Assign)
        and text.get(one.targets[0]) == text.get(read.value)
        for read in reads
    )
    if not names or not stepped:
        return None, []
    return f"[{', '.join(names)}]", [
        text.replaced(read, f"{grads}[{names.index(text.get(read.value))}]") for read in reads
    ]


@fix(in_vain=2)
def hand_weights_back(wanted: FixContext) -> Iterator[Proposal]:
    """The gradients of a copy, `fast = copy.deepcopy(net)`, are handed over to what the optimizer has."""
    text, built = wanted.text, wanted.at("built")
    if built is None:
        return
    given = {text.get(call.args[0]).rpartition(".")[0] for call in makings(text.tree) if call.args}
    for node in text.parts(text.tree, ast.Assign):
        if callee(node.value) != "deepcopy" or not isinstance(node.value, ast.Call) or not node.value.args:
            continue
        whole, copy = text.get(node.value.args[0]), text.get(node.targets[0])
        if any(whole == owner or owner.startswith(f"{whole}.") for owner in given) and text.alone(built):
            stepped = any(text.get(call.args[0]) == f"{copy}.parameters()" for call in makings(text.tree) if call.args)
            way = wanted.workaround if stepped else wanted.proposal  # the gradients of its own steps are in there, too
            head = f"for own, other in zip({whole}.parameters(), {copy}.parameters()):"
            backward = backward_of_each(text, built, copy)
            if backward is not None:  # a copy in each turn, and one step for all of them
                lines = [head, "    own.grad = other.grad if own.grad is None else own.grad + other.grad"]
                title = f"add the gradients of each {copy} to those of {whole}, after line {backward.lineno}"
                yield way(title, OF_FIRST_ORDER, text.after(backward, lines))
                continue
            lines = [head, "    own.grad = other.grad"]
            title = f"hand the gradients of {copy} over to {whole}, before line {built.lineno}"
            yield way(title, OF_FIRST_ORDER, text.before(built, lines))


OF_FIRST_ORDER = "as they are at the copy: of first order"


def backward_of_each(text: Text, step: ast.stmt, copy: str) -> ast.stmt | None:
    """The last backward in a loop before `step`, in each turn of which `copy` is another."""
    block = text.block(step)
    for loop in reversed(block[: block.index(step)]):
        if isinstance(loop, ast.For) and any(
            text.get(part.targets[0]) == copy for part in text.parts(loop, ast.Assign)
        ):
            calls = [part for part in loop.body if isinstance(part, ast.Expr) and callee(part.value) == "backward"]
            return calls[-1] if calls else None
    return None
