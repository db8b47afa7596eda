"""Mends for what a function demands of the call: a closure, an order, numbers in a range."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..calls import callee, keyword
from ..checkpoints import draws_elsewhere, find_change, find_generators, recomputed_functions
from ..fixes.edits import (
    enclosing,
    enumerated,
    followed,
    grouped,
    needed_before,
    returns,
    set_keyword,
    with_argument,
    without_keyword,
)
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text, targets
from .out_of_place import written_name
from .setting_up import whole_batches
from .tracking import MAKERS


@fix(no_closure=1)
def closure_given(wanted: Wanted) -> Iterator[Proposal]:
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


@fix(strict=1)
def not_strict(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised")):
        edit = without_keyword(text, call, "strict")
        if edit is not None:
            title = f"without strict=True on line {call.lineno}"
            yield wanted.proposal(title, "zeros where nothing depends on an input", edit)


@fix(unsorted=1)
def sorted_there(wanted: Wanted) -> Iterator[Proposal]:
    """PyTorch sorts the sequences itself."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "pack_padded_sequence", "pack_sequence"):
        title = f"enforce_sorted=False on line {call.lineno}"
        yield wanted.proposal(title, FREE, set_keyword(text, call, "enforce_sorted", "False"))


@fix(vmap_random=1)
def random_for_each(wanted: Wanted) -> Iterator[Proposal]:
    """`vmap` is told whose random numbers they are."""
    text = wanted.text
    for call in ast.walk(text.tree):
        if isinstance(call, ast.Call) and callee(call) == "vmap" and keyword(call, "randomness") is None:
            for way, words in (
                ("different", "each example draws its own"),
                ("same", "all examples share what is drawn"),
            ):
                title = f'randomness="{way}" on line {call.lineno}: {words}'
                yield wanted.proposal(title, words, with_argument(text, call, f'randomness="{way}"'))


EVERY = "it is computed in every call"


@fix(recomputed=1)
def repeat_alike(wanted: Wanted) -> Iterator[Proposal]:
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


def draw_by_torch(wanted: Wanted) -> Iterator[Proposal]:
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
        title = f"draw with torch, whose generator the checkpoint sets back, on line {enumerated(lines)}"
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
        low, high = (grouped(text, part) for part in call.args)
        return AS_TORCH[name] if (low, high) == ("0", "1") else f"({low} + ({high} - {low}) * {AS_TORCH[name]})"
    if name in ("randint", "integers", "randrange") and 0 < len(given) <= 2:
        more = " + 1" if own and name == "randint" else ""
        return f"torch.randint({', '.join(given)}{more}, ()).item()"
    if name == "choice" and len(given) == 1:
        first = call.args[0]
        if isinstance(first, ast.Constant):
            return f"torch.randint({given[0]}, ()).item()"
        return f"{grouped(text, first)}[torch.randint(len({given[0]}), ()).item()]"
    if name == "binomial" and len(given) == 2 and given[0] == "1":
        return f"int(torch.rand(()).item() < {given[1]})"
    if name == "permutation" and len(given) == 1:
        return f"torch.randperm({given[0]}).tolist()"
    return None


def count_outside(wanted: Wanted, write: ast.stmt, path: str) -> Iterator[Proposal]:
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
def not_recomputed(wanted: Wanted) -> Iterator[Proposal]:
    """`checkpoint(block, x)` becomes `block(x)`."""
    text = wanted.text
    for call in ast.walk(text.tree):
        if isinstance(call, ast.Call) and callee(call) == "checkpoint" and len(call.args) > 1:
            made = f"{grouped(text, call.args[0])}({', '.join(text.get(part) for part in call.args[1:])})"
            title = f"{made}, without a checkpoint, on line {call.lineno}"
            yield wanted.makeshift(title, "what it computes is kept in memory", text.replaced(call, made))


@fix(vmap_item=3)
def no_number_taken(wanted: Wanted) -> Iterator[Proposal]:
    """`x.item()` becomes `x`."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "item"):
        if isinstance(call.func, ast.Attribute):
            title = f"the tensor itself, without item(), on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call, grouped(text, call.func.value)))


@fix(vmap_write=1)
def made_for_each(wanted: Wanted) -> Iterator[Proposal]:
    """`torch.zeros(3)`, which is written into, becomes `x.new_zeros(3)`: like `x`, there is one for each example."""
    text, raised = wanted.text, wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    if raised is None or not isinstance(home, ast.FunctionDef):
        return
    name = written_name(raised)
    for part in ast.walk(home):
        if not isinstance(part, ast.Assign) or name not in targets(part):
            continue
        for call in text.calls(part, "zeros", "ones", "empty", "full"):
            for parameter in home.args.args:
                made = f"{parameter.arg}.new_{callee(call)}"
                title = f"{made} on line {part.lineno}: one for each example"
                yield wanted.proposal(title, FREE, text.replaced(call.func, made))


@fix(vmap_mask=1)
def zeros_in_place(wanted: Wanted) -> Iterator[Proposal]:
    """`x[mask]` becomes `torch.where(mask, x, 0)`, if the mask is for the last dimensions."""
    text = wanted.text
    for node in ast.walk(wanted.at("raised") or text.tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            *before, mask = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if all(isinstance(part, ast.Slice | ast.Constant) and text.get(part) in (":", "...") for part in before):
                made = f"torch.where({text.get(mask)}, {text.get(node.value)}, 0)"
                title = f"zeros in the place of what is not picked, on line {node.lineno}"
                yield wanted.proposal(title, "the result keeps the size", text.replaced(node, made))


@fix(batch_of_one=1)
def not_training(wanted: Wanted) -> Iterator[Proposal]:
    """Whole batches, or a module that uses what it has learnt."""
    yield from whole_batches(wanted)
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised):
        if raised is not None and isinstance(call.func, ast.Name):
            name = call.func.id
            title = f"{name}.eval() before line {raised.lineno}"
            cost = "it uses the mean and spread that it has learnt"
            yield wanted.proposal(title, cost, text.before(raised, [f"{name}.eval()"]))


@fix(not_of_one=1)
def of_one_number(wanted: Wanted) -> Iterator[Proposal]:
    """The function whose second derivative is taken gives a sum."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), wanted.name("what") or ""):
        function = call.args[0] if call.args else None
        results: list[ast.expr] = [function.body] if isinstance(function, ast.Lambda) else []
        if isinstance(function, ast.Name):
            results = [part.value for part in returns(text, function.id) if part.value is not None]
        if results:
            edits = [followed(text, result, ".sum()") for result in results]
            title = f"the sum of what the function gives, on line {results[0].lineno}"
            yield wanted.proposal(title, "the second derivatives of all entries, added up", *edits)
