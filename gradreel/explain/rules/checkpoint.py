"""Checkpoints: what is run a second time may come out otherwise, and the reentrant kind asks its inputs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gradreel.trace import events as e

from ..calls import callee
from ..diagnostics.diagnosis import Diagnosis, Failure
from ..diagnostics.message_rules import MessageRule, match_rules
from ..diagnostics.refusals import declare_refusal
from ..diagnostics.registry import rule, watcher
from ..diagnostics.showing import FirstTrouble
from ..fixes.edits import enclosing, in_brackets, join_names, set_keyword
from ..fixes.proposal import FREE, FixContext, Proposal
from ..fixes.registry import fix
from ..fixes.text import Text
from ..narration.words import code, on
from ..replay.world import World

SECOND_RUN = (
    MessageRule(
        re.compile(r"^Unexpected keyword arguments: (?P<got>[\w, ]+)$"),
        cause="reentrant_words",
        title="The old checkpoint takes no names",
        story=(
            "{code} {line}{turn} gives the checkpoint arguments by name, and it is of the reentrant kind.",
            "That kind hands on arguments by their places alone; `use_reentrant=False` takes names, too.",
        ),
        on_line=re.compile(r"\bcheckpoint\("),
    ),
    MessageRule(
        re.compile(
            r"torch\.utils\.checkpoint: (?:A different number of tensors was saved|Recomputed values for the following)"
        ),
        cause="recomputed",
        title="The second run computes something else",
        story=(
            "{code} {line}{turn} goes back through a checkpoint, which saves nothing and runs its function again.",
            "That run made other tensors than the first. The function depends on something that has changed since, as "
            "a counter, a switch, or a list that it fills.",
            "What runs in a checkpoint must depend on its arguments alone.",
        ),
    ),
)


@rule
def checkpoint_refused(world: World, failure: Failure) -> Diagnosis | None:
    """One of SECOND_RUN, with what makes the second run another, if that is found."""
    found = match_rules(SECOND_RUN, world, failure)
    change = find_change(world.source.tree) if found is not None and found.cause == "recomputed" else None
    if found is None or change is None:
        return found
    line, choice = change.write.lineno, change.choice.lineno
    what = code(world.source.text(line))
    story = (*found.story[:1], CHANGES[change.kind].format(what=what, line=on(line), choice=on(choice)), found.story[2])
    return replace(found, story=story, lines={**found.lines, "changed": line, "saved": choice})


CHANGES = {
    "count": "{what} {line} counts in both runs, and {choice} the count decides what is computed. That run made other "
    "tensors than the first.",
    "kept": "{what} {line} keeps what the first run computed; {choice} the second run finds it there, and computes and "
    "saves less.",
    "filled": "{what} {line} fills in both runs what {choice} decides what is computed. That run made other tensors "
    "than the first.",
    "drawn": "{what} {line} draws from random numbers that are not torch's, which no checkpoint sets back. So "
    "the second run chose otherwise than the first {choice}.",
}


CHOICES = (ast.If, ast.IfExp, ast.While, ast.BoolOp)
DRAWN_FOR = (*CHOICES, ast.For, ast.Subscript)
"""What a random number may decide: how often something is done, and which of several is taken, too."""
FILLING = ("append", "extend", "add", "insert", "pop", "setdefault", "update")
DRAWING = (
    *("random", "uniform", "randint", "randrange", "choice", "choices", "rand", "randn", "gauss", "binomial"),
    *("shuffle", "sample", "integers", "permutation", "normal", "standard_normal", "poisson", "geometric"),
)


@dataclass(frozen=True, slots=True)
class StateChange:
    """Something that outlives a call, `path`, is written by `write`, and `choice` depends on it.

    `kind` is "count" if it goes on from what was there, "kept" if it is computed where it is not there yet, "filled"
    if it is put into a list or a dict, "drawn" if it is a random number that no checkpoint sets back.
    """

    kind: str
    path: str
    write: ast.stmt | ast.expr
    choice: ast.expr | ast.stmt


def recomputed_functions(tree: ast.AST) -> list[ast.FunctionDef]:
    """The functions that a checkpoint may run, as far as names tell."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and callee(node) == "checkpoint"]
    names = {"forward"}
    for call in calls:
        first = call.args[0] if call.args else call
        names |= {ast.unparse(first).rpartition(".")[2]}
        names |= {callee(part) or "" for part in ast.walk(first) if isinstance(part, ast.Call)}
    found: list[ast.FunctionDef] = []
    while True:
        more = [one for one in functions if one.name in names and one not in found and not calls_checkpoint(one)]
        if not more:
            return found
        found += more
        names = {callee(part) or "" for one in more for part in ast.walk(one) if isinstance(part, ast.Call)}


def calls_checkpoint(function: ast.FunctionDef) -> bool:
    """Whether `function` goes on past its checkpoint itself, and is not run by it."""
    return any(isinstance(node, ast.Call) and callee(node) == "checkpoint" for node in ast.walk(function))


def find_change(tree: ast.AST) -> StateChange | None:
    """The first choice in what a checkpoint runs that may be made otherwise the second time."""
    functions = recomputed_functions(tree)
    choices = [(home, part) for home in functions for part in ast.walk(home) if isinstance(part, CHOICES)]
    for kind in ("count", "kept", "filled"):
        for _, choice in choices:
            test = deciding(choice)
            for home in functions:
                for path, write in find_writes(home, kind):
                    if path in paths(test) and not is_local(home, path):
                        return StateChange(kind, path, write, choice)
    return find_drawn(functions, find_generators(tree))


def find_drawn(functions: list[ast.FunctionDef], generators: set[str]) -> StateChange | None:
    """The first choice that a random number makes which no checkpoint sets back; else the first such number, which
    may be a size."""
    for function in functions:
        for choice in [part for part in ast.walk(function) if isinstance(part, DRAWN_FOR)]:
            drawn = find_draw(function, deciding(choice), generators)
            if drawn is not None:
                return StateChange("drawn", ast.unparse(drawn), drawn, choice)
    draws = (part for function in functions for part in ast.walk(function) if draws_elsewhere(part, generators))
    return next((StateChange("drawn", ast.unparse(one), one, one) for one in draws if isinstance(one, ast.Call)), None)


def deciding(choice: ast.AST) -> ast.expr:
    """What decides: the test of an `if`, what a `for` goes through, the place that is taken, or all of an `and`."""
    if isinstance(choice, ast.If | ast.IfExp | ast.While):
        return choice.test
    if isinstance(choice, ast.For):
        return choice.iter
    assert isinstance(choice, ast.Subscript | ast.BoolOp)
    return choice.slice if isinstance(choice, ast.Subscript) else choice


def paths(node: ast.AST) -> set[str]:
    return {ast.unparse(part) for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute | ast.Subscript)}


def is_local(function: ast.FunctionDef, path: str) -> bool:
    """Whether `path` is a name of `function` alone, made anew in every call."""
    if not path.isidentifier():
        return False
    outer = any(isinstance(part, ast.Nonlocal | ast.Global) and path in part.names for part in ast.walk(function))
    bound = any(
        isinstance(part, ast.Name) and part.id == path and isinstance(part.ctx, ast.Store)
        for part in ast.walk(function)
    )
    return path in {arg.arg for arg in function.args.args} or (bound and not outer)


def find_writes(function: ast.FunctionDef, kind: str) -> list[tuple[str, ast.stmt | ast.expr]]:
    """What `function` writes in a way of this kind: the path, and the statement or the call."""
    found: list[tuple[str, ast.stmt | ast.expr]] = []
    for part in ast.walk(function):
        if isinstance(part, ast.AugAssign) and kind == "count":
            found.append((ast.unparse(part.target), part))
        elif isinstance(part, ast.Assign):
            for goal in part.targets:
                path = ast.unparse(goal)
                if kind == ("count" if path in paths(part.value) else "kept"):
                    found.append((path, part))
                if kind == "filled" and isinstance(goal, ast.Subscript):
                    found.append((ast.unparse(goal.value), part))
        elif isinstance(part, ast.Call) and kind == "filled" and callee(part) in FILLING:
            found.append((ast.unparse(part.func).rpartition(".")[0], part))
    return found


def find_draw(function: ast.FunctionDef, test: ast.expr, generators: set[str]) -> ast.Call | None:
    """The call of Python's or numpy's random numbers that `test` is made of, if it is."""
    parts = list(ast.walk(test))
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    for step in ast.walk(function):
        if isinstance(step, ast.Assign) and {ast.unparse(goal) for goal in step.targets} & names:
            parts += ast.walk(step.value)
    return next((part for part in parts if draws_elsewhere(part, generators) and isinstance(part, ast.Call)), None)


def draws_elsewhere(node: ast.AST, generators: set[str]) -> bool:
    """Whether `node` draws from one of `generators`, which a checkpoint does not set back."""
    return isinstance(node, ast.Call) and callee(node) in DRAWING and comes_of(node, generators)


def find_generators(tree: ast.AST) -> set[str]:
    """The names and paths that stand for random numbers of Python or numpy, or for what is made of these."""
    nodes = list(ast.walk(tree))
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias for alias in node.names if alias.name.partition(".")[0] in ("random", "numpy")]
            found |= {alias.asname or alias.name.partition(".")[0] for alias in names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ("random", "numpy"):
            found |= {alias.asname or alias.name for alias in node.names}
    for node in nodes:
        if isinstance(node, ast.Assign) and comes_of(node.value, found):
            found |= {ast.unparse(goal) for goal in node.targets}
    return found


def comes_of(node: ast.AST, generators: set[str]) -> bool:
    """Whether `node` is one of `generators`, or is read from one or called on one."""
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        if ast.unparse(node) in generators:
            return True
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and node.id in generators


UNSEEN_INPUTS = "None of the inputs have requires_grad=True"


@watcher(e.Warned, e.BackwardStarted)
class Reentrant(FirstTrouble):
    """Waits for PyTorch's warning while something is recorded, and for a step or a backward behind it."""

    def on_warned(self, event: e.Warned) -> None:
        if self.diagnosis is not None or not event.message.startswith(UNSEEN_INPUTS):
            return
        world, line = self.world, event.line
        text = code(world.source.text(line))
        self.tell(
            Diagnosis(
                kind="no_graph",
                title="A checkpoint that no gradient comes to",
                lines={"cut": line, "raised": None},
                story=(
                    f"{text} {on(line)} saves nothing, and runs its function again on the way back. The reentrant kind "
                    "comes to that only if one of its inputs asks for a gradient.",
                    "Here all of them are plain data, so the graph has no node for it: the parameters inside get no "
                    "gradient, and PyTorch only warns.",
                    "`use_reentrant=False` asks nothing of the inputs, and is what PyTorch advises.",
                ),
                events={"cut": world.count - 1},
                cause="reentrant_inputs",
            )
        )


declare_refusal(
    "torch.utils.checkpoint is incompatible with .grad()",
    cause="reentrant_grad",
    title="The old checkpoint works with backward alone",
    role="built",
    story=(
        "{code} {line} asks for the gradient by some tensors, and goes through a checkpoint of the reentrant kind.",
        "That kind calls backward inside of backward, which fills `.grad` and can hand nothing to `grad`.",
        "`use_reentrant=False` computes again without a second backward.",
    ),
)


# ---- fixes


EVERY = "it is computed in every call"


@fix(recomputed=1)
def repeat_alike(wanted: FixContext) -> Iterator[Proposal]:
    """What a checkpoint runs does the same the second time: it keeps nothing, counts outside, draws by torch."""
    text = wanted.text
    change = find_change(text.tree)
    if change is None:
        return
    write, choice = change.write, change.choice
    if change.kind in ("kept", "filled") and isinstance(choice, ast.If) and not choice.orelse:
        title = f"compute it in every run, without the test of line {choice.lineno}"
        if any(part is write for part in ast.walk(choice)):
            yield wanted.proposal(title, EVERY, text.unwrapped(choice))
        elif isinstance(choice.body[-1], ast.Return):
            yield wanted.proposal(title, EVERY, text.removed(choice))
    if change.kind == "drawn":
        yield from draw_by_torch(wanted)
    if change.kind == "count" and isinstance(write, ast.stmt):
        yield from count_outside(wanted, write, change.path)


AS_TORCH = {
    "rand": "torch.rand(()).item()",
    "random": "torch.rand(()).item()",
    "randn": "torch.randn(()).item()",
    "uniform": "torch.rand(()).item()",
    "normal": "torch.randn(()).item()",
    "standard_normal": "torch.randn(()).item()",
}


def draw_by_torch(wanted: FixContext) -> Iterator[Proposal]:
    """`np.random.rand()` becomes `torch.rand(()).item()`, which a checkpoint draws alike in both runs."""
    text = wanted.text
    edits, lines = [], []
    generators = find_generators(text.tree)
    calls = [call for home in recomputed_functions(text.tree) for call in text.parts(home, ast.Call)]
    for call in [call for call in calls if draws_elsewhere(call, generators)]:
        made = drawn_by_torch(text, call)
        if made is None:
            continue
        edits.append(text.replaced(call, made))
        lines.append(str(call.lineno))
    if edits:
        title = f"draw with torch, whose generator the checkpoint sets back, on line {join_names(lines)}"
        yield wanted.proposal(title, FREE, *edits)


def drawn_by_torch(text: Text, call: ast.Call) -> str | None:
    """What draws as `call` does, from torch's numbers."""
    name, given = callee(call), [text.get(part) for part in call.args]
    own = text.get(call.func).startswith("random.")  # where the end of a range is in it
    if call.keywords:
        return None
    if name in AS_TORCH and not given:
        return AS_TORCH[name]
    if name == "uniform" and len(given) == 2:
        low, high = (in_brackets(text, part) for part in call.args)
        return AS_TORCH[name] if (low, high) == ("0", "1") else f"({low} + ({high} - {low}) * {AS_TORCH[name]})"
    if name in ("randint", "integers", "randrange") and 0 < len(given) <= 2:
        more = " + 1" if own and name == "randint" else ""
        return f"torch.randint({', '.join(given)}{more}, ()).item()"
    if name == "choice" and len(given) == 1:
        first = call.args[0]
        if isinstance(first, ast.Constant):
            return f"torch.randint({given[0]}, ()).item()"
        return f"{in_brackets(text, first)}[torch.randint(len({given[0]}), ()).item()]"
    if name == "binomial" and len(given) == 2 and given[0] == "1":
        return f"int(torch.rand(()).item() < {given[1]})"
    if name == "permutation" and len(given) == 1:
        return f"torch.randperm({given[0]}).tolist()"
    return None


def count_outside(wanted: FixContext, write: ast.stmt, path: str) -> Iterator[Proposal]:
    """`self.calls += 1` of what a checkpoint runs goes before the checkpoint, as `block.calls += 1`."""
    text = wanted.text
    home = enclosing(text, write, ast.FunctionDef)
    for call in text.parts(text.tree, ast.Call):
        outer = next((node for node in text.around(call) if isinstance(node, ast.stmt)), None)
        if callee(call) != "checkpoint" or not call.args or outer is None or not isinstance(home, ast.FunctionDef):
            continue
        given, shown = text.get(call.args[0]), text.get(write)
        own = given.rpartition(".")[0] if given.rpartition(".")[2] == home.name else given
        made = re.sub(r"\bself\.", f"{own}.", shown) if path.startswith("self.") else shown
        if not text.alone(outer) or isinstance(call.args[0], ast.Lambda):
            continue
        title = f"{made} before line {outer.lineno}, outside of the checkpoint"
        yield wanted.proposal(title, FREE, text.removed(write), text.before(outer, [made]))


@fix(recomputed=2)
def drop_checkpoint(wanted: FixContext) -> Iterator[Proposal]:
    """`checkpoint(block, x)` becomes `block(x)`."""
    text = wanted.text
    for call in ast.walk(text.tree):
        if isinstance(call, ast.Call) and callee(call) == "checkpoint" and len(call.args) > 1:
            made = f"{in_brackets(text, call.args[0])}({', '.join(text.get(part) for part in call.args[1:])})"
            title = f"{made}, without a checkpoint, on line {call.lineno}"
            yield wanted.workaround(title, "what it computes is kept in memory", text.replaced(call, made))


@fix(reentrant_inputs=1, reentrant_grad=1, reentrant_words=1)
def use_nonreentrant(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Call) and (callee(node) or "").startswith("checkpoint"):
            title = f"use_reentrant=False on line {node.lineno}"
            yield wanted.proposal(title, FREE, set_keyword(text, node, "use_reentrant", "False"))
