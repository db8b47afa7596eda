"""Mends for shapes that do not go together: turned, repeated, cut, or made in another size where they are made."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import followed, grouped, loads, stack_statements, value_of
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix, fix_kind
from .out_of_place import COPY, plain
from .sizes import counted
from .values import operands_of

OTHER_ENTRIES = "other entries meet: see that it is what you mean"
SIZED = ("zeros", "ones", "rand", "randn", "empty", "full", "randint", "arange", "eye")
MOST_SIZE = 4096


@fix_kind(shape=21)
def turned(wanted: Wanted) -> Iterator[Proposal]:
    """In a batch of matrices each is turned by itself."""
    text, raised, message = wanted.text, wanted.at("raised"), wanted.found.message
    if raised is None or not ("Expected size for first two" in message or "with <= 2 dimensions" in message):
        return
    for call in text.calls(raised, "t"):
        if isinstance(call.func, ast.Attribute):
            made = f"{grouped(text, call.func.value)}.transpose(-2, -1)"
            title = f"transpose(-2, -1), which turns each matrix of the batch, on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call, made))
    for operand in operands_of(raised):
        title = f"turn each matrix of {text.get(operand)} on line {operand.lineno}"
        yield wanted.proposal(title, OTHER_ENTRIES, followed(text, operand, ".transpose(-2, -1)"))


@fix_kind(shape=12)
def a_table_of_one_row(wanted: Wanted) -> Iterator[Proposal]:
    """A row that is joined to a table becomes a table of one row."""
    text, raised = wanted.text, wanted.at("raised")
    if "same number of dimensions: got" not in wanted.found.message:
        return
    for call in text.calls(raised, "cat", "concat"):
        for part in call.args[0].elts if call.args and isinstance(call.args[0], ast.List | ast.Tuple) else ():
            title = f"{text.get(part)}.unsqueeze(0), a table of one row, on line {part.lineno}"
            yield wanted.proposal(title, FREE, followed(text, part, ".unsqueeze(0)"))


@fix_kind(shape=22)
def grown(wanted: Wanted) -> Iterator[Proposal]:
    """A result that is larger than what it would be written into is a new tensor."""
    text, raised = wanted.text, wanted.at("raised")
    if "doesn't match the broadcast shape" not in wanted.found.message:
        return
    made = plain(text, raised)
    if raised is not None and made is not None:
        title = f"a new tensor, which may be larger, on line {raised.lineno}"
        yield wanted.proposal(title, COPY, text.replaced(raised, made))
    if isinstance(raised, ast.AugAssign):
        for way in ("sum(0)", "mean(0)"):
            title = f"the {way[:-3]} of the rows of {text.get(raised.value)} on line {raised.lineno}"
            yield wanted.proposal(title, "one row for all", followed(text, raised.value, f".{way}"))


@fix_kind(shape=23)
def of_vectors(wanted: Wanted) -> Iterator[Proposal]:
    """The product of all entries with their partners, added up, whatever the shape."""
    text = wanted.text
    if "1D tensors expected" not in wanted.found.message:
        return
    for call in text.calls(wanted.at("raised"), "dot", "inner", "vdot"):
        method = isinstance(call.func, ast.Attribute) and len(call.args) == 1
        owner = [call.func.value] if method and isinstance(call.func, ast.Attribute) else []
        parts = [grouped(text, part) for part in (*owner, *call.args)]
        if len(parts) == 2:
            title = f"entry by entry, added up, on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call, f"({parts[0]} * {parts[1]}).sum()"))


@fix_kind(shape=24)
def times_each(wanted: Wanted) -> Iterator[Proposal]:
    """A single number times each entry is `*`."""
    text, raised = wanted.text, wanted.at("raised")
    if "to be at least 1D" not in wanted.found.message:
        return
    for node in ast.walk(raised) if raised is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            made = f"{text.get(node.left)} * {text.get(node.right)}"
            title = f"* instead of @ on line {node.lineno}: one number times each entry"
            yield wanted.proposal(title, FREE, text.replaced(node, made))


EXPANDED = re.compile(
    r"tensor \((?P<new>\d+)\) must match the existing size \((?P<old>\d+)\) at non-singleton dimension (?P<dim>\d+)"
)


@fix_kind(shape=25)
def repeated(wanted: Wanted) -> Iterator[Proposal]:
    """Rows that are there already are repeated; `expand` repeats what is one."""
    text, found = wanted.text, EXPANDED.search(wanted.found.message)
    if found is None:
        return
    new, old, dim = (int(found[name]) for name in ("new", "old", "dim"))
    for call in text.calls(wanted.at("raised"), "expand"):
        if not isinstance(call.func, ast.Attribute) or not old or new % old or len(call.args) <= dim:
            continue
        counts = ["1"] * len(call.args)
        counts[dim] = str(new // old)
        made = f"{grouped(text, call.func.value)}.repeat({', '.join(counts)})"
        title = f"repeat({', '.join(counts)}) instead of expand, on line {call.lineno}"
        yield wanted.proposal(title, "the copies take memory", text.replaced(call, made))
        sizes = [*map(text.get, call.args[: dim + 1]), *["-1"] * (len(call.args) - dim)]
        made = f"{grouped(text, call.func.value)}.unsqueeze({dim}).expand({', '.join(sizes)})"
        title = f"a new dimension to repeat along, on line {call.lineno}"
        yield wanted.proposal(title, "one dimension more", text.replaced(call, made))
    raised = wanted.at("raised")
    if isinstance(raised, ast.Assign) and isinstance(raised.targets[0], ast.Subscript) and old > new:
        title = f"the first {new} of {text.get(raised.value)} on line {raised.lineno}"
        made = f"{grouped(text, raised.value)}[:{new}]"
        yield wanted.makeshift(title, "the other entries are left out", text.replaced(raised.value, made))


@fix_kind(shape=27)
def mask_cut(wanted: Wanted) -> Iterator[Proposal]:
    """As many entries are looked at as the mask has."""
    text, raised = wanted.text, wanted.at("raised")
    if "does not match the shape of the indexed tensor" not in wanted.found.message:
        return
    for node in ast.walk(raised) if raised is not None else ():
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
            whole, mask = text.get(node.value), text.get(node.slice)
            for made, title in (
                (f"{whole}[:len({mask})][{mask}]", f"look at as many entries of {whole} as {mask} has"),
                (f"{whole}[{mask}[:len({whole})]]", f"use as much of {mask} as {whole} has entries"),
            ):
                cost = "the others are left out"
                yield wanted.proposal(f"{title}, on line {node.lineno}", cost, text.replaced(node, made))


@fix_kind(shape=28)
def as_many_rows(wanted: Wanted) -> Iterator[Proposal]:
    """Of scores and targets those are compared that have a partner."""
    text, raised = wanted.text, wanted.at("raised")
    found = re.search(r"input batch_size \((\d+)\) to match target batch_size \((\d+)\)", wanted.found.message)
    if found is None:
        return
    rows, labels = int(found[1]), int(found[2])
    for call in text.calls(raised):
        if len(call.args) < 2:
            continue
        longer, shorter = call.args[:2] if rows > labels else reversed(call.args[:2])
        title = f"compare as many as have a partner: {text.get(longer)} cut, on line {call.lineno}"
        made = followed(text, longer, f"[:len({text.get(shorter)})]")
        yield wanted.proposal(title, "those without a partner are left out", made)


@fix_kind(shape=29)
def dimensions_as_named(wanted: Wanted) -> Iterator[Proposal]:
    """What lacks a dimension gets one at its end before the dimensions are permuted."""
    text = wanted.text
    if "number of dimensions in the tensor input" not in wanted.found.message:
        return
    for call in text.calls(wanted.at("raised"), "permute"):
        if not isinstance(call.func, ast.Attribute):
            continue
        owner, named = call.func.value, len(call.args)
        if named == 1 and isinstance(call.args[0], ast.Tuple | ast.List):
            named = len(call.args[0].elts)
        shown = grouped(text, owner)
        made = f"({shown} if {shown}.dim() == {named} else {shown}.unsqueeze(-1))"
        title = f"a last dimension for what lacks one, on line {call.lineno}"
        yield wanted.proposal(title, "a dimension of size 1", text.replaced(owner, made))


# ---- places


@fix(too_many_indices=1)
def fewer_places(wanted: Wanted) -> Iterator[Proposal]:
    """As many places are named as there are dimensions."""
    text, raised = wanted.text, wanted.at("raised")
    found = re.search(r"tensor of dimension (\d+)", wanted.found.message)
    for node in ast.walk(raised) if raised is not None and found is not None else ():
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and found is not None:
            rank, places = int(found[1]), node.slice.elts
            if not 0 < rank < len(places):
                continue
            for kept in (places[:rank], places[-rank:]):
                shown = ", ".join(map(text.get, kept))
                made = f"{text.get(node.value)}[{shown}]"
                yield wanted.proposal(f"{made} on line {node.lineno}", "another entry", text.replaced(node, made))


@fix(too_many_indices=2)
def dimension_first(wanted: Wanted) -> Iterator[Proposal]:
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    for use in loads(raised, name)[:1] if raised is not None and name else ():
        title = f"{name}.unsqueeze(0), a batch of one, on line {use.lineno}"
        yield wanted.proposal(title, FREE, followed(text, use, ".unsqueeze(0)"))


@fix(no_dimensions=1)
def row_of_one(wanted: Wanted) -> Iterator[Proposal]:
    """A single number is gone through as a row of one."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    for use in loads(raised, name)[:1] if raised is not None and name else ():
        title = f"{name}.reshape(1), a row of one, on line {use.lineno}"
        yield wanted.proposal(title, FREE, followed(text, use, ".reshape(1)"))


@fix(past_the_end=2)
def fewer_turns(wanted: Wanted) -> Iterator[Proposal]:
    """The loop stops before the turn that goes past the end: `range(n - 1)` for `i + 1`, a smaller number."""
    text, index = wanted.text, wanted.name("index")
    offsets = {
        name.id: node.right.value
        for raised in stack_statements(wanted, "raised")
        for node in ast.walk(raised)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add)
        and isinstance(name := node.left, ast.Name)
        and isinstance(node.right, ast.Constant)
        and isinstance(node.right.value, int)
    }
    for statement in stack_statements(wanted, "raised"):
        for loop in (statement, *text.around(statement)):
            if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call) or callee(loop.iter) != "range":
                continue
            if not loop.iter.args:
                continue
            stop = loop.iter.args[0 if len(loop.iter.args) == 1 else 1]
            counter = loop.target.id if isinstance(loop.target, ast.Name) else ""
            if counter in offsets:
                made = f"{grouped(text, stop)} - {offsets[counter]}"
                title = f"let the loop on line {loop.lineno} stop at {made}"
                yield wanted.proposal(title, "fewer turns", text.replaced(stop, made))
            last = counted(stop)
            wrong = abs(int(index)) if index is not None else 0
            if last is not None and 0 < wrong < last:
                title = f"let the loop on line {loop.lineno} stop at {wrong}"
                yield wanted.proposal(title, "fewer turns", text.replaced(stop, str(wrong)))


# ---- where they are made


@fix(past_the_end=3)
@fix_kind(shape=30)
def remade(wanted: Wanted) -> Iterator[Proposal]:
    """What is made in a size that does not fit is made in the other: `torch.ones(3)` becomes `torch.ones(2)`."""
    text = wanted.text
    lines = [int(line) for line in (wanted.name("makers") or "").split()]
    lines += [line for line in (wanted.line("built"), wanted.line("saved")) if line]
    sizes = {int(number) for number in re.findall(r"\d+", wanted.found.message) if int(number) <= MOST_SIZE}
    sizes |= {size + 1 for size in sizes if wanted.found.cause == "past_the_end"}
    for line in dict.fromkeys(lines):
        for call in text.calls(text.statement(line), *SIZED):
            for part in size_parts(call):
                old = counted(part)
                for new in sorted(sizes - {old, 0}) if old in sizes else ():
                    title = f"{new} instead of {old} in {callee(call)}(…) on line {line}"
                    yield wanted.proposal(
                        title, "another size: see that it is what you mean", text.replaced(part, str(new))
                    )


def size_parts(call: ast.Call) -> list[ast.expr]:
    """The arguments of a factory that are sizes."""
    parts: list[ast.expr] = []
    for arg in call.args:
        parts += arg.elts if isinstance(arg, ast.Tuple | ast.List) else [arg]
    return parts


# ---- steps


@fix(no_derivative=1)
def not_rounded(wanted: Wanted) -> Iterator[Proposal]:
    """`//` becomes `/`, which has a slope; or the result is rounded down, with a slope of 0 or of doing nothing."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    for node in ast.walk(value) if value is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            made = f"{grouped(text, node.left)} / {grouped(text, node.right)}"
            title = f"/ instead of // on line {node.lineno}"
            yield wanted.proposal(title, "other numbers: they are not rounded", text.replaced(node, made))
            title = f"torch.floor of the quotient on line {node.lineno}"
            yield wanted.proposal(title, "a gradient of 0", text.replaced(node, f"torch.floor({made})"))
    for call in text.calls(value, "floor_divide") if value is not None else ():
        shown = text.get(call).replace("floor_divide", "div", 1)
        title = f"div instead of floor_divide on line {call.lineno}"
        yield wanted.proposal(title, "other numbers: they are not rounded", text.replaced(call, shown))
