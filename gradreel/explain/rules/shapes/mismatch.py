"""Operands whose shapes do not go together."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from ...calls import callee, keyword
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import entries, find_mentioned, raising_code, raising_statement
from ...diagnostics.registry import rule
from ...fixes.edits import append_suffix, bracket, in_brackets, set_keyword, with_argument
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix, fix_kind
from ...fixes.text import Text, names_in
from ...narration.words import code, on
from ...replay.graph_queries import origin
from ...replay.states import TensorState
from ...replay.world import World
from ..inplace.out_of_place import COPY, plain
from .layer_sizes import written_count

SIGNS = (
    "must match the size of tensor",
    "shapes cannot be multiplied",
    "size mismatch",
    "doesn't match the broadcast shape",
    "inconsistent tensor size",
    "1D tensors expected",
    "must be a matrix",
    "vector + matrix @ vector expected",
    "must be a 3D tensor",
    "Expected size for first two dimensions",
    "both arguments to matmul need to be at least 1D",
    "is invalid for input of size",
    "view size is not compatible",
    "The expanded size of the tensor",
    "Sizes of tensors must match",
    "Tensors must have same number of dimensions",
    "stack expects each tensor to be equal size",
    "does not match the shape of the indexed tensor",
    "number of dimensions in the tensor input does not match",
    "expects a tensor with <= 2 dimensions",
    "attempting to assign a gradient of size",
    "to match target batch_size",
    "Expected target size",
    "has changed the size of value",
    "must be the same as input size",
    "that is different to the input size",
    "multi-target not supported",
    "channels, but got",
    "(unbatched) or",
    "can't be greater than actual input size",
    "must be equal to input_size",
    "has inconsistent",
    "Expected hidden",
    "running_mean should contain",
    "Given normalized_shape",
    "Expected more than 1 value per channel",
    "must be greater or equal to the number of dimensions",
    "expects split_sizes to sum exactly",
    "cannot be concatenated",
    "2D or 3D input (got",
    "expected 4D input (got",
    "expected 5D input (got",
    "which does not broadcast with previously seen size",
    "the number of subscripts in the equation",
    "Output size is too small",
    "Padding length should be",
)
"""Parts of PyTorch's messages."""

DOT = "A product of two vectors adds up over their entries: there must be as many of the one as of the other."
WHY = {
    "inconsistent tensor size": DOT,
    "size mismatch": "A matrix times a vector adds up over its columns: the vector must have one entry for each.",
    "1D tensors expected": "`dot` takes two vectors, of one dimension each; `(a * b).sum()` takes any shape.",
    "must be a matrix": "`mm` takes two matrices, of two dimensions each; `@` takes vectors as well.",
    "vector + matrix @ vector": "`mv` takes a matrix and a vector, in this order; `@` takes two vectors as well.",
    "must be a 3D tensor": "`bmm` takes two batches of matrices, of three dimensions each; `@` takes matrices.",
    "Expected size for first two": "Of two batches each matrix is multiplied with its partner: there must be as many "
    "of the one as of the other. The columns of the left must be as many as the rows of the right.",
    "both arguments to matmul": "`@` adds up over a dimension, and a single number has none; `*` takes one times each "
    "entry.",
    "doesn't match the broadcast": "What is written in place keeps its shape, and the result would be larger; out of "
    "place it may grow.",
    "The expanded size": "Entries are repeated only along dimensions of size 1, or along new ones in front.",
    "Tensors must have same number": "Joined along one dimension, tensors must have the same number of dimensions; "
    "`unsqueeze(0)` makes a table of one row of a row.",
    "does not match the shape of the indexed": "A mask says of each entry whether it is taken: it must be as long.",
    "number of dimensions in the tensor input": "`permute` names every dimension once, no more and no fewer.",
    "expects a tensor with <= 2": "`t()` is for matrices; in a batch `transpose(-2, -1)` turns each matrix.",
    "shapes cannot be multiplied": "A matrix product adds up over the columns of the left and the rows of the right. "
    "There must be as many of the one as of the other.",
    "must match the size of tensor": "Entry by entry, two sizes go together if they are equal or one of them is 1.",
    "is invalid for input of size": "Another shape must have as many entries as the tensor has.",
    "view size is not compatible": "A view cannot rearrange numbers in memory; `reshape` copies where it must.",
    "attempting to assign a gradient": "A gradient has one entry for each entry of its tensor.",
    "must be the same as input size": "This loss compares entry by entry, so scores and targets need one shape: "
    "`squeeze(1)` the one or `unsqueeze(1)` the other.",
    "that is different to the input size": "This loss compares entry by entry, so scores and targets need one shape: "
    "`squeeze(1)` the one or `unsqueeze(1)` the other.",
    "multi-target": "This loss takes one class number for each row of scores, in a target of one dimension.",
    "to match target batch_size": "There must be one target for each row of scores.",
    "Expected target size": "Scores of classes stand in dimension 1, [batch, classes, places], and targets are the "
    "same without it, [batch, places]: `transpose(1, 2)` brings the classes there.",
    "channels, but got": "A convolution is made for a number of channels, which stand in front of height and width: "
    "an image alone is [channels, height, width].",
    "(unbatched) or": "Channels stand in front of height and width, and the batch in front of them all.",
    "can't be greater than actual": "A kernel must fit into what it slides over: the image has become too small.",
    "must be equal to input_size": "A recurrent layer is made for a number of features: each step must bring as many.",
    "inconsistent": "A cell is made for a number of features, and what comes in must have as many.",
    "Expected hidden": "A state is [layers, batch, features]: it must have been made for as many rows as come in now.",
    "running_mean": "A normalisation keeps one mean per channel, and there come more or fewer channels.",
    "Given normalized_shape": "The sizes to normalise over must be the last ones of what comes in.",
    "Expected more than 1 value": "With one row in the batch there is no spread to normalise by; `eval()` uses what "
    "was learnt instead.",
    "must be greater or equal": "`expand` repeats along dimensions that are there, or adds some in front; it takes "
    "none away.",
    "cannot be concatenated": "`cat` joins along a dimension, and a single number has none: `stack` makes a row of "
    "single numbers.",
    "2D or 3D input (got": "This layer normalises [batch, channels] or [batch, channels, places]; for images, "
    "[batch, channels, height, width], there is `BatchNorm2d`.",
    "expected 4D input (got": "This layer takes images, [batch, channels, height, width]; for [batch, channels] there "
    "is `BatchNorm1d`.",
    "expected 5D input (got": "This layer takes volumes, [batch, channels, depth, height, width].",
    "which does not broadcast": "A letter stands for one size, wherever it appears: all dimensions that it names must "
    "have that size.",
    "the number of subscripts": "An operand has one letter for each of its dimensions.",
    "Output size is too small": "A window must fit into what it slides over: the image has become too small.",
    "Padding length should be": "`pad` takes two numbers for each dimension, from the last one on: there are more "
    "pairs than dimensions.",
    "expects split_sizes": "The parts of a split must add up to the whole.",
    "Sizes of tensors must match": "Joined along one dimension, tensors must agree in all the others.",
    "stack expects": "`stack` lays tensors on one another, so all of them need one shape.",
    "has changed the size of value": "A hook may change the numbers of a gradient, not its shape.",
}
ELSE = "The operator needs sizes that go together."


WRITTEN = re.compile(r"[\w.]+\[.*?\] = ")
RANKS = {"must be a matrix": (2,), "must be a 3D tensor": (3,), "to be at least 1D": (1, 2, 3, 4)}
"""How many dimensions a message asks for."""


@rule
def shapes_differ(world: World, failure: Failure) -> Diagnosis | None:
    message, line = failure.raised.message, failure.raised.line
    sign = next((sign for sign in SIGNS if sign in message), None)
    if sign is None:
        return None
    pairs = list(find_mentioned(world, raising_statement(world, failure)))
    pairs += [
        pair for pair in entries(world, raising_statement(world, failure)) if pair[1] not in [one for _, one in pairs]
    ]
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    story = [f"{code(raising_code(world, failure))} {on(line)} puts together what does not fit."]
    given = [(name, tensor) for name, tensor in pairs if f"{name}.grad =" not in raising_statement(world, failure)]
    if "The expanded size" in message and (written := WRITTEN.match(raising_statement(world, failure))):
        given = [pair for pair in pairs if pair[0] not in written.group()]
    elif "attempting to assign" not in message:
        given = pairs
    found = fitting(given or pairs, message)
    if found is not None:
        base = found[1] if found[1].called else origin(world, found[1]) or found[1]
        lines["built"], events["built"] = base.place.line, base.made
        shapes = [
            f"{code(name)} (made {on(tensor.place.line)}) has the shape {list(tensor.shape)}"
            for name, tensor in pairs[:3]
        ]
        story.append("; ".join(shapes)[:1].upper() + "; ".join(shapes)[1:] + ".")
    why = next((why for part, why in WHY.items() if part in message), ELSE)
    inner = re.search(r"\(\d+x(\d+) and (\d+)x\d+\)", message)
    story.append(why if inner is None else f"{why[:-1]}, and here they are {inner[1]} and {inner[2]}.")
    makers = dict.fromkeys((origin(world, tensor) or tensor).place.line for _, tensor in pairs)
    return Diagnosis(
        kind="shape",
        title="Shapes that do not go together",
        message=message,
        lines=lines,
        story=tuple(story),
        events=events,
        cause=sign,
        names=known_names(
            target=found[0] if found else None,
            first=pairs[0][0] if pairs else None,
            makers=" ".join(map(str, makers)),
            sizes=" ".join(map(str, found[1].shape)) if found else None,
        ),
    )


def fitting(pairs: list[tuple[str, TensorState]], message: str) -> tuple[str, TensorState] | None:
    """Of the tensors that the line names, the last made whose sizes the message tells; else the last made."""
    for part, ranks in RANKS.items():
        odd = [pair for pair in pairs if part in message and len(pair[1].shape) not in ranks]
        if odd:
            return odd[-1]
    numbers = {int(number) for number in re.findall(r"\d+", message)}
    fit = [pair for pair in pairs if pair[1].shape and set(pair[1].shape) & numbers]
    return max(fit or pairs, key=lambda pair: pair[1].made, default=None)


# ---- fixes


OTHER_ENTRIES = "other entries meet: see that it is what you mean"
SIZED = ("zeros", "ones", "rand", "randn", "empty", "full", "randint", "arange", "eye")
MOST_SIZE = 4096


@fix_kind(shape=21)
def turn_matrices(wanted: FixContext) -> Iterator[Proposal]:
    """In a batch of matrices each is turned by itself."""
    text, raised, message = wanted.text, wanted.at("raised"), wanted.found.message
    if raised is None or not ("Expected size for first two" in message or "with <= 2 dimensions" in message):
        return
    for call in text.calls(raised, "t"):
        if isinstance(call.func, ast.Attribute):
            made = f"{in_brackets(text, call.func.value)}.transpose(-2, -1)"
            title = f"transpose(-2, -1), which turns each matrix of the batch, on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call, made))
    for operand in operands_of(raised):
        title = f"turn each matrix of {text.get(operand)} on line {operand.lineno}"
        yield wanted.proposal(title, OTHER_ENTRIES, append_suffix(text, operand, ".transpose(-2, -1)"))


@fix_kind(shape=12)
def make_table(wanted: FixContext) -> Iterator[Proposal]:
    """A row that is joined to a table becomes a table of one row."""
    text, raised = wanted.text, wanted.at("raised")
    if "same number of dimensions: got" not in wanted.found.message:
        return
    for call in text.calls(raised, "cat", "concat"):
        for part in call.args[0].elts if call.args and isinstance(call.args[0], ast.List | ast.Tuple) else ():
            title = f"{text.get(part)}.unsqueeze(0), a table of one row, on line {part.lineno}"
            yield wanted.proposal(title, FREE, append_suffix(text, part, ".unsqueeze(0)"))


@fix_kind(shape=22)
def grow_result(wanted: FixContext) -> Iterator[Proposal]:
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
            yield wanted.proposal(title, "one row for all", append_suffix(text, raised.value, f".{way}"))


@fix_kind(shape=23)
def multiply_vectors(wanted: FixContext) -> Iterator[Proposal]:
    """The product of all entries with their partners, added up, whatever the shape."""
    text = wanted.text
    if "1D tensors expected" not in wanted.found.message:
        return
    for call in text.calls(wanted.at("raised"), "dot", "inner", "vdot"):
        method = isinstance(call.func, ast.Attribute) and len(call.args) == 1
        owner = [call.func.value] if method and isinstance(call.func, ast.Attribute) else []
        parts = [in_brackets(text, part) for part in (*owner, *call.args)]
        if len(parts) == 2:
            title = f"entry by entry, added up, on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call, f"({parts[0]} * {parts[1]}).sum()"))


@fix_kind(shape=24)
def multiply_each(wanted: FixContext) -> Iterator[Proposal]:
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
def repeat_rows(wanted: FixContext) -> Iterator[Proposal]:
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
        made = f"{in_brackets(text, call.func.value)}.repeat({', '.join(counts)})"
        title = f"repeat({', '.join(counts)}) instead of expand, on line {call.lineno}"
        yield wanted.proposal(title, "the copies take memory", text.replaced(call, made))
        sizes = [*map(text.get, call.args[: dim + 1]), *["-1"] * (len(call.args) - dim)]
        made = f"{in_brackets(text, call.func.value)}.unsqueeze({dim}).expand({', '.join(sizes)})"
        title = f"a new dimension to repeat along, on line {call.lineno}"
        yield wanted.proposal(title, "one dimension more", text.replaced(call, made))
    raised = wanted.at("raised")
    if isinstance(raised, ast.Assign) and isinstance(raised.targets[0], ast.Subscript) and old > new:
        title = f"the first {new} of {text.get(raised.value)} on line {raised.lineno}"
        made = f"{in_brackets(text, raised.value)}[:{new}]"
        yield wanted.workaround(title, "the other entries are left out", text.replaced(raised.value, made))


@fix_kind(shape=27)
def cut_mask(wanted: FixContext) -> Iterator[Proposal]:
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
def match_rows(wanted: FixContext) -> Iterator[Proposal]:
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
        made = append_suffix(text, longer, f"[:len({text.get(shorter)})]")
        yield wanted.proposal(title, "those without a partner are left out", made)


@fix_kind(shape=29)
def match_einsum(wanted: FixContext) -> Iterator[Proposal]:
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
        shown = in_brackets(text, owner)
        made = f"({shown} if {shown}.dim() == {named} else {shown}.unsqueeze(-1))"
        title = f"a last dimension for what lacks one, on line {call.lineno}"
        yield wanted.proposal(title, "a dimension of size 1", text.replaced(owner, made))


# ---- where they are made


@fix(past_the_end=3)
@fix_kind(shape=30)
def remake_operand(wanted: FixContext) -> Iterator[Proposal]:
    """What is made in a size that does not fit is made in the other: `torch.ones(3)` becomes `torch.ones(2)`."""
    text = wanted.text
    lines = [int(line) for line in (wanted.name("makers") or "").split()]
    lines += [line for line in (wanted.line("built"), wanted.line("saved")) if line]
    sizes = {int(number) for number in re.findall(r"\d+", wanted.found.message) if int(number) <= MOST_SIZE}
    sizes |= {size + 1 for size in sizes if wanted.found.cause == "past_the_end"}
    for line in dict.fromkeys(lines):
        for call in text.calls(text.statement(line), *SIZED):
            for part in size_parts(call):
                old = written_count(part)
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


MISFIT = re.compile(r"shape '\[(?P<shape>[-\d, ]+)\]' is invalid for input of size (?P<size>\d+)")


@fix_kind(shape=7)
def flatten_batch(wanted: FixContext) -> Iterator[Proposal]:
    """A batch stays a batch: `x.view(-1, 400)` before a layer becomes `x.flatten(1)`, whatever the sizes are."""
    text, found = wanted.text, MISFIT.search(wanted.found.message)
    several = len((wanted.name("sizes") or "").split()) > 2
    if found is None or not several or not re.fullmatch(r"-1, \d+", found["shape"]):
        return
    for call in text.calls(wanted.at("raised"), "view", "reshape"):
        if isinstance(call.func, ast.Attribute):
            made = f"{in_brackets(text, call.func.value)}.flatten(1)"
            title = f"one row for each of the batch: flatten(1) on line {call.lineno}"
            yield wanted.proposal(title, "another shape", text.replaced(call, made))


@fix_kind(shape=8)
def put_batch_first(wanted: FixContext) -> Iterator[Proposal]:
    """`b, c, h, w = x.shape` and then `x.view(c, h * w)`: the batch comes first, as a dimension or a factor of one."""
    text, raised = wanted.text, wanted.at("raised")
    if MISFIT.search(wanted.found.message) is None:
        return
    for call in text.calls(raised, "view", "reshape"):
        batch = batch_left_out(wanted, call)
        if batch is not None:
            title = f"the batch in front, {batch}, on line {call.lineno}"
            yield wanted.proposal(
                title, "another shape", text.replaced(call.args[0], f"{batch}, {text.get(call.args[0])}")
            )
            made = f"{batch} * {in_brackets(text, call.args[0])}"
            title = f"the batch among the rows: {made} on line {call.lineno}"
            yield wanted.proposal(title, "another shape", text.replaced(call.args[0], made))


def batch_left_out(wanted: FixContext, call: ast.Call) -> str | None:
    """The first size of a tensor, if `call` gives it a shape of all its other sizes."""
    text = wanted.text
    if not isinstance(call.func, ast.Attribute) or not call.args or isinstance(call.args[0], ast.Tuple):
        return None
    owner = text.get(call.func.value)
    for node in text.parts(text.tree, ast.Assign):
        goal = node.targets[0]
        if not isinstance(goal, ast.Tuple) or text.get(node.value) not in (f"{owner}.size()", f"{owner}.shape"):
            continue
        first, *rest = map(text.get, goal.elts)
        used = set().union(*map(names_in, call.args))
        if first not in used and used and used <= set(rest):
            return first
    return None


@fix_kind(shape=9)
def turn_last(wanted: FixContext) -> Iterator[Proposal]:
    """`x.t()` of more than two dimensions: the last two change places, in each of a batch."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "t") if "t() expects" in wanted.found.message else ():
        if isinstance(call.func, ast.Attribute) and not call.args:
            made = f"{text.get(call.func.value)}.transpose(-2, -1)"
            title = f"turn the last two dimensions: {made} on line {call.lineno}"
            yield wanted.proposal(title, "each of a batch is turned", text.replaced(call, made))


@fix_kind(shape=10)
def fit_sizes(wanted: FixContext) -> Iterator[Proposal]:
    """One size is left to be worked out; where one is already, another gets a number that divides the entries."""
    text, found = wanted.text, MISFIT.search(wanted.found.message)
    if found is None:
        return
    shape, size = [int(part) for part in found["shape"].split(", ")], int(found["size"])
    for call in text.calls(wanted.at("raised"), "view", "reshape"):
        parts = call.args[0].elts if call.args and isinstance(call.args[0], ast.Tuple | ast.List) else call.args
        if len(parts) != len(shape) or batch_left_out(wanted, call) is not None:
            continue
        places = [at for at in reversed(range(len(shape))) if shape[at] > 0]
        for at in places:
            others = math.prod(other for place, other in enumerate(shape) if place != at)
            if others > 0 and size % others == 0:
                title = f"-1 for {text.get(parts[at])} on line {call.lineno}: as many as there are"
                yield wanted.proposal(title, "another shape", text.replaced(parts[at], "-1"))
        for at in places if -1 in shape else []:
            rest = abs(math.prod(other for place, other in enumerate(shape) if place != at))
            for new in near(size // rest if rest and size % rest == 0 else 0, shape[at], own(wanted))[:2]:
                title = f"{new} for {text.get(parts[at])} on line {call.lineno}: {size} entries are a multiple of it"
                yield wanted.proposal(title, "another shape", text.replaced(parts[at], str(new)))


def own(wanted: FixContext) -> list[int]:
    """The sizes that the tensor has."""
    return [int(part) for part in (wanted.name("sizes") or "").split()]


def near(size: int, wanted: int, first: list[int]) -> list[int]:
    """The divisors of `size`: those in `first` before the others, the nearest to `wanted` before those further off."""
    divisors = [number for number in range(2, min(size, 4 * wanted) + 1) if size % number == 0]
    return sorted(divisors, key=lambda number: (number not in first, abs(number - wanted)))


@fix_kind(shape=26)
def drop_rest(wanted: FixContext) -> Iterator[Proposal]:
    """What does not fill a row is left out."""
    text = wanted.text
    if "is invalid for input of size" not in wanted.found.message or " " in (wanted.name("sizes") or ""):
        return
    for call in text.calls(wanted.at("raised"), "reshape", "view"):
        if not isinstance(call.func, ast.Attribute) or len(call.args) != 2 or text.get(call.args[0]) != "-1":
            continue
        owner, width = in_brackets(text, call.func.value), in_brackets(text, call.args[1])
        made = f"{owner}[:len({owner}) // {width} * {width}]"
        title = f"leave out what does not fill a row of {width}, on line {call.lineno}"
        cost = "the last entries are left out"
        yield wanted.proposal(title, cost, text.replaced(call.func.value, made))


PAD = "torch.nn.utils.rnn.pad_sequence({0}, batch_first=True)"


@fix_kind(shape=13)
def pad_batch(wanted: FixContext) -> Iterator[Proposal]:
    """A loader fills the short items of a batch up with zeros, or hands out one item at a time."""
    text = wanted.text
    if "stack expects" not in wanted.found.message:
        return
    for call in ast.walk(text.tree):
        if not isinstance(call, ast.Call) or callee(call) != "DataLoader" or keyword(call, "collate_fn") is not None:
            continue
        first = PAD.format("[one[0] for one in batch]")
        pair = f"({first}, torch.utils.data.default_collate([one[1] for one in batch]))"
        for made in (pair, PAD.format("batch")):
            title = f"fill short items up with zeros: collate_fn on line {call.lineno}"
            cost = "zeros stand behind short items"
            yield wanted.proposal(title, cost, with_argument(text, call, f"collate_fn=lambda batch: {made}"))


@fix_kind(shape=20)
def drop_last_batch(wanted: FixContext) -> Iterator[Proposal]:
    """A last batch of one row is left out, or its layer uses what it learnt."""
    text = wanted.text
    if "more than 1 value per channel" not in wanted.found.message:
        return
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Call) and callee(node) == "DataLoader" and keyword(node, "drop_last") is None:
            title = f"drop_last=True on line {node.lineno}"
            yield wanted.proposal(title, "the rows left over are not seen", with_argument(text, node, "drop_last=True"))


@fix_kind(shape=19)
def put_classes_second(wanted: FixContext) -> Iterator[Proposal]:
    """Scores of places in a sequence bring their classes into dimension 1."""
    text = wanted.text
    if "Expected target size" not in wanted.found.message:
        return
    for call in text.calls(wanted.at("raised")):
        if len(call.args) < 2:
            continue
        first, second = call.args[:2]
        title = f"the classes in dimension 1: transpose(1, 2), on line {call.lineno}"
        made = f"{bracket(text.get(first))}.transpose(1, 2)"
        yield wanted.proposal(title, FREE, text.replaced(first, made))
        made = f"{bracket(text.get(first))}.flatten(0, 1)"
        flat = f"{bracket(text.get(second))}.flatten()"
        title = f"one long row of places, on line {call.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(first, made), text.replaced(second, flat))


@fix_kind(shape=16)
def join_along_other(wanted: FixContext) -> Iterator[Proposal]:
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


@fix_kind(shape=3)
def shape_gradient(wanted: FixContext) -> Iterator[Proposal]:
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
def add_up(wanted: FixContext) -> Iterator[Proposal]:
    """What is added to a running total is one number, however many rows came."""
    text, raised = wanted.text, wanted.at("raised")
    for node in ast.walk(raised) if raised is not None else ():
        adds = isinstance(node, ast.AugAssign | ast.BinOp) and isinstance(node.op, ast.Add)
        if not adds or "must match the size" not in wanted.found.message:
            continue
        part = node.value if isinstance(node, ast.AugAssign) else node.right  # type: ignore[attr-defined]
        for way, cost in ((".sum()", "each entry counts 1"), (".mean()", "each turn counts alike")):
            title = f"add up its {way[1:-2]}, on line {part.lineno}"
            yield wanted.proposal(title, cost, append_suffix(text, part, way))


@fix_kind(shape=18)
def use_matrices(wanted: FixContext) -> Iterator[Proposal]:
    """bmm takes batches of matrices: `@` takes matrices, and rows become matrices of one row and of one column."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "bmm"):
        owner = [call.func.value] if isinstance(call.func, ast.Attribute) and len(call.args) == 1 else []
        parts = [in_brackets(text, part) for part in (*owner, *call.args)]
        if len(parts) != 2:
            continue
        one, two = parts
        for made, title, cost in (
            (f"torch.matmul({one}, {two})", "matmul, which takes matrices too", FREE),
            (f"torch.matmul({one}, {two}.transpose(-2, -1))", "every row with every row", "one number for each pair"),
            (f"torch.bmm({one}.unsqueeze(1), {two}.unsqueeze(2))", "each row with its row", "one number for each pair"),
        ):
            yield wanted.proposal(f"{title}, on line {call.lineno}", cost, text.replaced(call, made))


@fix(no_dimensions=2)
@fix_kind(shape=31)
def fit_shapes(wanted: FixContext) -> Iterator[Proposal]:
    """Operands turned, given a dimension more or one less, until they fit; the run is the judge."""
    text, raised = wanted.text, wanted.at("raised")
    if raised is None:
        return
    for call in text.calls(raised, "view"):
        made = text.get(call).replace(".view(", ".reshape(", 1)
        yield wanted.proposal("reshape instead of view", "copies where it must", text.replaced(call, made))
    if "view size is not compatible" in wanted.found.message:
        return  # the entries are right, and in the right order
    operands = operands_of(raised)
    for suffix, what in (
        (".t()", "transpose"),
        (".squeeze()", "drop the dimension of size 1 of"),
        (".unsqueeze(1)", "add a last dimension to"),
        (".unsqueeze(0)", "add a first dimension to"),
        (".flatten()", "flatten"),
    ):
        for operand in operands:
            title = f"{what} {text.get(operand)} on line {operand.lineno}"
            yield wanted.proposal(
                title, "other entries meet: see that it is what you mean", append_suffix(text, operand, suffix)
            )
    for one in operands:
        for two in operands:
            if one is not two:
                title = f"give {text.get(one)} the shape of {text.get(two)}"
                yield wanted.proposal(
                    title,
                    "the same numbers, in another order of places",
                    text.replaced(one, f"{in_brackets(text, one)}.reshape({text.get(two)}.shape)"),
                )


def operands_of(statement: ast.stmt) -> list[ast.expr]:
    """What the operators and calls of a statement work on, the later first."""
    found: list[ast.expr] = []
    for node in ast.walk(statement):
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp):
            parts = [node.right, node.left]
        elif isinstance(node, ast.Call):
            inside = [part for arg in node.args if isinstance(arg, ast.List | ast.Tuple) for part in arg.elts]
            parts = [*reversed(inside), *reversed(node.args)]
            if isinstance(node.func, ast.Attribute) and not ast.unparse(node.func.value).startswith(
                ("torch", "nn", "F")
            ):
                parts.append(node.func.value)
        found += [part for part in parts if isinstance(part, ast.Name | ast.Attribute | ast.Call | ast.Subscript)]
    return found[:6]
