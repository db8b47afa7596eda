"""Mends for layers of another width than what comes, and for tensors of sizes that do not fit together."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..calls import callee, keyword
from ..fixes.edits import followed, grouped, loads, set_keyword
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix, fix_kind
from ..fixes.text import Text

WIDTHS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (r"cannot be multiplied \(\d+x(?P<new>\d+) and (?P<old>\d+)x\d+\)", ("Linear",), "in_features"),
    (
        r"weight of size \[\d+, (?P<old>\d+),.*but got (?P<new>\d+) channels",
        ("Conv1d", "Conv2d", "Conv3d"),
        "in_channels",
    ),
    (
        r"running_mean should contain (?P<new>\d+) elements not (?P<old>\d+)",
        ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"),
        "num_features",
    ),
    (r"input_size\. Expected (?P<old>\d+), got (?P<new>\d+)", ("RNN", "LSTM", "GRU"), "input_size"),
    (
        r"inconsistent input_size: got (?P<new>\d+) expected (?P<old>\d+)",
        ("RNNCell", "LSTMCell", "GRUCell"),
        "input_size",
    ),
    (r"normalized_shape=\[(?P<old>\d+)\].*size ?\[(?:\d+, )*(?P<new>\d+)\]", ("LayerNorm",), "normalized_shape"),
)
"""What PyTorch says of a layer's first number, which layers those are, and what they call it."""


OUTPUTS = re.compile(r"size of tensor a \((?P<old>\d+)\) must match the size of tensor b \((?P<new>\d+)\)")


@fix_kind(shape=5)
def widened(wanted: Wanted) -> Iterator[Proposal]:
    """The layer is made for the width that comes."""
    for pattern, layers, word in WIDTHS:
        found = re.search(pattern, wanted.found.message)
        if found is not None:
            yield from resized(wanted, layers, 0, word, int(found["old"]), int(found["new"]))
    found = OUTPUTS.search(wanted.found.message)
    if found is not None:
        yield from resized(wanted, ("Linear",), 1, "out_features", int(found["old"]), int(found["new"]))


def resized(wanted: Wanted, layers: tuple[str, ...], at: int, word: str, old: int, new: int) -> Iterator[Proposal]:
    """Where one of `layers` is made with the number `old` in its place `at`, it gets `new`."""
    text = wanted.text
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.Call) or callee(node) not in layers:
            continue
        named = keyword(node, word)
        given = named.value if named is not None else node.args[at] if len(node.args) > at else None
        if given is not None and counted(given) == old:
            title = f"{callee(node)} with {word}={new} on line {node.lineno}"
            yield wanted.proposal(title, "another number of weights", text.replaced(given, str(new)))


def counted(node: ast.expr) -> int | None:
    """The number that is written, as such or as a product or sum: `16 * 5 * 5`."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if not isinstance(node, ast.BinOp):
        return None
    left, right = counted(node.left), counted(node.right)
    if left is None or right is None or max(abs(left), abs(right)) > 1 << 31:
        return None
    if isinstance(node.op, ast.Mult):
        return left * right
    return left + right if isinstance(node.op, ast.Add) else None


HIDDEN = re.compile(r"Expected hidden(?:\[\d\])? size \(([\d, ]+)\), got \[([\d, ]+)\]")


@fix_kind(shape=6)
def deepened(wanted: Wanted) -> Iterator[Proposal]:
    """A state is made with the layers, rows and features that the recurrent layer expects."""
    text, found = wanted.text, HIDDEN.search(wanted.found.message)
    if found is None:
        return
    sizes = [[int(number) for number in group.split(", ")] for group in found.groups()]
    made = [node for node in ast.walk(text.tree) if isinstance(node, ast.Call) and callee(node) in FACTORIES]
    made = [node for node in made if len(node.args) == len(sizes[1])]
    for at, (wants, has) in enumerate(zip(*sizes, strict=True)):
        if wants == has:
            continue
        edits = [text.replaced(node.args[at], str(wants)) for node in made if counted(node.args[at]) in (has, None)]
        if edits:
            title = f"{wants} for {has} in the state, in place {at} of its shape"
            yield wanted.proposal(title, "a state of another shape", *edits)


FACTORIES = ("zeros", "randn", "ones", "rand", "empty")


@fix_kind(shape=16)
def joined_otherwise(wanted: Wanted) -> Iterator[Proposal]:
    """Rows of several lengths can be put end to end, not stacked; what fits in one dimension may be joined there."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "stack"):
        if isinstance(call.func, ast.Attribute):
            made = f"{text.get(call.func.value)}.cat({text.get(call.args[0])})" if call.args else ""
            yield wanted.proposal("put them end to end with cat", "one long row", text.replaced(call, made))
            if call.args and "equal size" in wanted.found.message:
                owner = text.get(call.func.value)
                made = f"{owner}.cat([part.flatten() for part in {text.get(call.args[0])}])"
                yield wanted.proposal("put their entries end to end", "one long row", text.replaced(call, made))
    for call in text.calls(wanted.at("raised"), "cat", "concat"):
        if "zero-dimensional" in wanted.found.message and call.args and isinstance(call.func, ast.Attribute):
            made = f"{text.get(call.func.value)}.stack({text.get(call.args[0])})"
            yield wanted.proposal(f"{made} on line {call.lineno}", "a row of them", text.replaced(call, made))
            continue
        given = keyword(call, "dim")
        place = given.value if given is not None else call.args[1] if len(call.args) > 1 else None
        for dim in ("0", "1", "-1"):
            title = f"join along dimension {dim} on line {call.lineno}"
            edit = text.replaced(place, dim) if place is not None else set_keyword(text, call, "dim", dim)
            yield wanted.proposal(title, "another shape", edit)


@fix(one_of_many=1)
def stacked(wanted: Wanted) -> Iterator[Proposal]:
    """`torch.tensor(outs)` of a list of tensors is `torch.stack(outs)`, which keeps the graph of each."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "tensor", "as_tensor"):
        of_list = call.args and isinstance(call.args[0], ast.Name | ast.List | ast.ListComp)
        if of_list and isinstance(call.func, ast.Attribute):
            made = f"{text.get(call.func.value)}.stack({text.get(call.args[0])})"
            yield wanted.proposal(f"{made} on line {call.lineno}", "a row for each", text.replaced(call, made))


@fix(one_of_many=2)
def one_of_many(wanted: Wanted) -> Iterator[Proposal]:
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    for call in text.calls(raised, "item"):
        if isinstance(call.func, ast.Attribute):
            owner = call.func.value
            yield wanted.proposal("their mean", "one number for all", followed(text, owner, ".mean()"))
            yield wanted.proposal("their sum", "one number for all", followed(text, owner, ".sum()"))
            made = f"{grouped(text, owner)}.tolist()"
            yield wanted.proposal("all of them, as a list", FREE, text.replaced(call, made))
    whole = bool(text.calls(raised, "int"))
    for use in loads(raised, name)[:1] if name and raised is not None else []:
        for way in ("sum", "mean") if whole else ("mean", "sum"):
            yield wanted.proposal(f"their {way}", "one number for all", followed(text, use, f".{way}()"))


@fix(truth_of_many=2)
def truth_of_many(wanted: Wanted) -> Iterator[Proposal]:
    """The test of an `if` or `while` asks for all, or for any."""
    text, raised = wanted.text, wanted.at("raised")
    test = getattr(raised, "test", None)
    yield from entry_by_entry(wanted)
    if isinstance(test, ast.expr):
        for way, means in (("all", "every entry must say yes"), ("any", "one yes is enough")):
            made = f"{bracketed(text, test)}.{way}()"
            title = f".{way}() on line {test.lineno}: {means}"
            yield wanted.proposal(title, FREE, text.replaced(test, made))


def entry_by_entry(wanted: Wanted) -> Iterator[Proposal]:
    """`if c: return a` before `return b` becomes `return torch.where(c, a, b)`; assignments to one name likewise."""
    text, raised = wanted.text, wanted.at("raised")
    if not isinstance(raised, ast.If) or len(raised.body) != 1 or not text.alone(raised):
        return
    block = text.block(raised)
    behind = block[block.index(raised) + 1 :][:1]
    one, other = raised.body[0], (raised.orelse or behind or raised.body)[0]
    if isinstance(one, ast.Return) and isinstance(other, ast.Return) and one is not other:
        head, tail = "return", other if other in behind else None
    elif isinstance(one, ast.Assign) and isinstance(other, ast.Assign) and other in raised.orelse:
        head, tail = f"{text.get(one.targets[0])} =", None
    else:
        return
    if one.value is None or other.value is None:
        return
    made = f"{head} torch.where({text.get(raised.test)}, {text.get(one.value)}, {text.get(other.value)})"
    edits = [text.replaced(raised, made), *([text.removed(tail)] if tail is not None else [])]
    yield wanted.proposal(
        f"decide entry by entry: torch.where on line {raised.lineno}", "both sides are computed", *edits
    )


def bracketed(text: Text, node: ast.expr) -> str:
    return f"({text.get(node)})" if isinstance(node, ast.Compare | ast.BinOp) else grouped(text, node)


@fix(no_return=1)
def returned(wanted: Wanted) -> Iterator[Proposal]:
    """The function gives back what it computed last."""
    text, name = wanted.text, wanted.name("function")
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.FunctionDef) or node.name != name:
            continue
        last = node.body[-1]
        if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
            made = f"return {last.targets[0].id}"
            yield wanted.proposal(f"{made} at the end of {name}", FREE, text.after(last, [made]))
        elif isinstance(last, ast.Expr):
            title = f"return what line {last.lineno} computes"
            yield wanted.proposal(title, FREE, text.replaced(last, f"return {text.get(last.value)}"))


HOOK_NAME = re.compile(r"^hook '(.+)' has changed the size of value")
RESHAPING = frozenset(
    {"mean", "sum", "squeeze", "unsqueeze", "flatten", "view", "reshape", "t", "transpose", "permute"}
)
REDUCING = frozenset({"mean", "sum"})


@fix(hook_shape=3)
@fix_kind(shape=2)
def hook_keeps_shape(wanted: Wanted) -> Iterator[Proposal]:
    """A hook returns what it computes in the shape of the gradient that it was given: without the call that changes it
    at the end, or laid out, or spread over that shape."""
    text, found = wanted.text, HOOK_NAME.match(wanted.found.message)
    for node in ast.walk(text.tree) if found is not None else ():
        if not isinstance(node, ast.Lambda | ast.FunctionDef) or not node.args.args:
            continue
        if getattr(node, "name", "<lambda>") != found.group(1):  # type: ignore[union-attr]
            continue
        given = node.args.args[-1].arg
        parts = [node.body] if isinstance(node, ast.Lambda) else [r.value for r in returned_by(node) if r.value]
        changes = [call for part in parts for call in changing_shape(part)]
        if changes and all(text.get(owner_of(call)) != given for call in changes):
            title = f"leave out .{callee(changes[0])}(…) on line {changes[0].end_lineno}, and keep the shape of {given}"
            edits = [text.replaced(call, text.get(owner_of(call))) for call in changes]
            yield wanted.proposal(title, "each entry keeps the gradient of its own", *edits)
        title = f"in the shape of {given}, on line {parts[0].lineno}" if parts else ""
        laid = [text.replaced(part, f"{grouped(text, part)}.reshape_as({given})") for part in parts]
        yield wanted.proposal(title, FREE, *laid)
        means = [call for call in changes if callee(call) in REDUCING and keyword(call, "keepdim") is None]
        spread = [
            text.replaced(part, f"{kept_dimensions(text, part) if means else grouped(text, part)}.expand_as({given})")
            for part in parts
        ]
        title = f"give the shape of {given} to what the hook on line {node.lineno} returns"
        yield wanted.proposal(title, "one number for all entries", *spread)


def changing_shape(value: ast.expr) -> Iterator[ast.Call]:
    """The calls at the end of `value`, of either side of a choice, that may change a shape."""
    if isinstance(value, ast.IfExp):
        yield from changing_shape(value.body)
        yield from changing_shape(value.orelse)
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in RESHAPING:
        yield value


def owner_of(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return call.func.value


def kept_dimensions(text: Text, part: ast.expr) -> str:
    """`part` in brackets, the reduction at its end with keepdim=True where it only names dimensions."""
    if not isinstance(part, ast.Call) or callee(part) not in REDUCING:
        return grouped(text, part)
    by_place = any(isinstance(arg, ast.Constant) and isinstance(arg.value, bool) for arg in part.args)
    if by_place or keyword(part, "keepdim") is not None:
        return text.get(part)
    given = [*map(text.get, part.args), *map(ast.unparse, part.keywords)]
    return f"{text.get(part.func)}({', '.join([*given, 'keepdim=True'])})" if given else text.get(part)


@fix(hook_shape=2)
@fix_kind(shape=1)
def rows_put_back(wanted: Wanted) -> Iterator[Proposal]:
    """A hook that computes with some rows of the gradient puts them back into the whole of it."""
    text = wanted.text
    for node in text.parts(text.tree, ast.FunctionDef):
        given = node.args.args[-1].arg if node.args.args else ""
        rows = [part for part in text.parts(node, ast.Subscript) if text.get(part.value) == given]
        ends = returned_by(node)
        if len({text.get(part) for part in rows}) == 1 and len(ends) == 1 and ends[0].value is not None:
            place, end = text.get(rows[0].slice), ends[0]
            lines = [f"whole = {given}.clone()", f"whole[{place}] = {text.get(ends[0].value)}"]
            title = f"put what it computed back into the whole gradient, on line {end.lineno}"
            cost = "the other rows keep the gradient that came"
            yield wanted.proposal(title, cost, text.before(end, lines), text.replaced(ends[0].value, "whole"))


def returned_by(function: ast.FunctionDef) -> list[ast.Return]:
    return [node for node in ast.walk(function) if isinstance(node, ast.Return)]


@fix_kind(shape=3)
def gradient_like(wanted: Wanted) -> Iterator[Proposal]:
    """A gradient that is assigned gets the shape of its tensor."""
    text, raised = wanted.text, wanted.at("raised")
    goal = raised.targets[0] if isinstance(raised, ast.Assign) else None
    if not isinstance(raised, ast.Assign) or not isinstance(goal, ast.Attribute) or goal.attr != "grad":
        return
    owner, value = text.get(goal.value), text.get(raised.value)
    for made, title in (
        *like(text, raised.value, owner),
        (f"({value}).t()", "transpose the gradient"),
        (f"({value}).reshape({owner}.shape)", f"give the gradient the shape of {owner}"),
        (f"({value}).expand_as({owner})", f"spread the gradient over {owner}"),
        (f"({value}).sum_to_size({owner}.shape)", f"add the gradient up to the shape of {owner}"),
    ):
        yield wanted.proposal(f"{title} on line {raised.lineno}", FREE, text.replaced(raised.value, made))


def like(text: Text, value: ast.expr, owner: str) -> list[tuple[str, str]]:
    """`torch.ones(2)` made in the shape of `owner`."""
    if not isinstance(value, ast.Call) or callee(value) not in ("ones", "zeros", "rand", "randn", "full"):
        return []
    rest = "".join(f", {text.get(part)}" for part in value.args[1:2] if callee(value) == "full")
    return [(f"torch.{callee(value)}_like({owner}{rest})", f"make the gradient in the shape of {owner}")]


@fix_kind(shape=17)
def added_up(wanted: Wanted) -> Iterator[Proposal]:
    """What is added to a running total is one number, however many rows came."""
    text, raised = wanted.text, wanted.at("raised")
    for node in ast.walk(raised) if raised is not None else ():
        adds = isinstance(node, ast.AugAssign | ast.BinOp) and isinstance(node.op, ast.Add)
        if not adds or "must match the size" not in wanted.found.message:
            continue
        part = node.value if isinstance(node, ast.AugAssign) else node.right  # type: ignore[attr-defined]
        for way, cost in ((".sum()", "each entry counts 1"), (".mean()", "each turn counts alike")):
            title = f"add up its {way[1:-2]}, on line {part.lineno}"
            yield wanted.proposal(title, cost, followed(text, part, way))


@fix_kind(shape=18)
def of_matrices(wanted: Wanted) -> Iterator[Proposal]:
    """bmm takes batches of matrices: `@` takes matrices, and rows become matrices of one row and of one column."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "bmm"):
        owner = [call.func.value] if isinstance(call.func, ast.Attribute) and len(call.args) == 1 else []
        parts = [grouped(text, part) for part in (*owner, *call.args)]
        if len(parts) != 2:
            continue
        one, two = parts
        for made, title, cost in (
            (f"torch.matmul({one}, {two})", "matmul, which takes matrices too", FREE),
            (f"torch.matmul({one}, {two}.transpose(-2, -1))", "every row with every row", "one number for each pair"),
            (f"torch.bmm({one}.unsqueeze(1), {two}.unsqueeze(2))", "each row with its row", "one number for each pair"),
        ):
            yield wanted.proposal(f"{title}, on line {call.lineno}", cost, text.replaced(call, made))
