"""Places and dimensions that a tensor does not have, single numbers asked of many."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass

from ...calls import callee, keyword
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import find_mentioned, raising_code, raising_statement
from ...diagnostics.refusals import declare_refusal
from ...diagnostics.registry import rule
from ...fixes.edits import append_suffix, in_brackets, loads, stack_statements
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Text, names_in
from ...narration.words import code, count, during, on, plural
from ...replay.graph_queries import flat
from ...replay.states import TensorState
from ...replay.world import World
from .layer_sizes import resize_layers, written_count
from .mismatch import operands_of

Pair = tuple[str, TensorState]
Fits = Callable[[TensorState, dict[str, str]], bool]


@dataclass(frozen=True, slots=True)
class Fault:
    """For messages that `pattern` finds: the kind, the cause, a title, which tensor it is about, and the story.

    The story's slots are the pattern's groups, and what `words_for` adds to them.
    """

    pattern: re.Pattern[str]
    _: KW_ONLY
    kind: str = "other"
    cause: str
    title: str
    fits: Fits
    story: tuple[str, ...]


def whole(tensor: TensorState, said: dict[str, str]) -> bool:
    return tensor.dtype.startswith(("int", "uint"))


def has_size(tensor: TensorState, said: dict[str, str]) -> bool:
    return int(said["size"]) in tensor.shape


def dimension(tensor: TensorState, said: dict[str, str]) -> str | None:
    """The dimension that the message means, as far as it can be told: PyTorch counts parts of the index for it."""
    if "dim" not in said or "size" not in said:
        return said.get("dim")
    dim, size = int(said["dim"]), int(said["size"])
    if len(tensor.shape) > dim and tensor.shape[dim] == size:
        return said["dim"]
    return str(tensor.shape.index(size)) if list(tensor.shape).count(size) == 1 else None


def many(tensor: TensorState, said: dict[str, str]) -> bool:
    return any(size != 1 for size in tensor.shape)


def dims_fit(tensor: TensorState, said: dict[str, str]) -> bool:
    return max(len(tensor.shape), 1) == int(said["high"]) + 1


def no_dims(tensor: TensorState, said: dict[str, str]) -> bool:
    return not tensor.shape


def of_dims(tensor: TensorState, said: dict[str, str]) -> bool:
    return len(tensor.shape) == int(said["rank"])


def no_index(tensor: TensorState, said: dict[str, str]) -> bool:
    return tensor.dtype.startswith("float")


def anything(tensor: TensorState, said: dict[str, str]) -> bool:
    return True


COUNTED = "Places are counted from 0, so the last of {many} is {last}; -1 means the last one, too."
MATCHING = "`gather` picks one entry for each place of its index, so both need the same number of dimensions."

FAULTS: tuple[Fault, ...] = (
    Fault(
        re.compile(r"index (?P<index>-?\d+) is out of bounds for dimension (?P<dim>\d+) with size (?P<size>\d+)"),
        cause="past_the_end",
        title="There is no such place",
        fits=has_size,
        story=(
            "{code} {line}{turn} asks for place {index}{along}.",
            "{Name} has the shape {shape}: {size} places there.",
            COUNTED,
        ),
    ),
    Fault(
        re.compile(r"Target (?P<index>-?\d+) is out of bounds"),
        cause="class_missing",
        title="A class that has no score",
        fits=lambda tensor, said: len(tensor.shape) >= 1 and tensor.dtype.startswith("float"),
        story=(
            "{code} {line}{turn} is given the class {index} as a target.",
            "{Name} has the shape {shape}, one score for each of {many} classes, which are counted from 0 to {last}.",
            "Give the last layer one output per class, or count the classes from 0.",
        ),
    ),
    Fault(
        re.compile(r"index out of range in self"),
        cause="row_missing",
        title="A row that the table does not have",
        fits=lambda tensor, said: len(tensor.shape) == 2 and tensor.requires_grad,
        story=(
            "{code} {line}{turn} looks up rows by number, and one of the numbers is too large or negative.",
            "{Name} has the shape {shape}: {many} rows, which are counted from 0 to {last}.",
            "An embedding needs as many rows as there are different numbers, the largest one plus 1.",
        ),
    ),
    Fault(
        re.compile(
            r"Dimension out of range \(expected to be in range of \[-\d+, (?P<high>\d+)\], but got (?P<dim>-?\d+)"
        ),
        kind="shape",
        cause="dimension_missing",
        title="There is no such dimension",
        fits=dims_fit,
        story=(
            "{code} {line}{turn} works along dimension {dim}.",
            "{Name} has the shape {shape}: {dims}, counted from 0 to {high}.",
            "`dim=-1` means the last dimension, however many there are; `unsqueeze(0)` adds one in front.",
        ),
    ),
    Fault(
        re.compile(r"too many indices for tensor of dimension (?P<rank>\d+)"),
        kind="shape",
        cause="too_many_indices",
        title="More places are named than there are dimensions",
        fits=of_dims,
        story=(
            "{code} {line}{turn} names a place in more dimensions than there are.",
            "{Name} has the shape {shape}: {dims}.",
            "`unsqueeze` adds a dimension, and `...` stands for all that are not named.",
        ),
    ),
    Fault(
        re.compile(r"invalid index of a 0-dim tensor|(?:iteration over|len\(\) of) a 0-d tensor"),
        kind="shape",
        cause="no_dimensions",
        title="A single number has no places",
        fits=no_dims,
        story=(
            "{code} {line}{turn} treats {name} as a row of entries.",
            "{Name} is a single number, a tensor without dimensions, so there is nothing to count or to pick from.",
            "`item()` takes the number out; `reshape(1)` makes a row of one.",
        ),
    ),
    Fault(
        re.compile(
            r"a Tensor with \d+ elements cannot be converted to Scalar|only one element tensors can be converted"
            r"|only integer tensors of a single element can be converted"
        ),
        cause="one_of_many",
        title="One number was asked of many",
        fits=many,
        story=(
            "{code} {line}{turn} asks for one plain number.",
            "{Name} has the shape {shape}: {entries}, and which of them is meant, or whether their sum is, only you "
            "can say.",
            "`mean()` or `sum()` makes one of them; `tolist()` gives them all.",
        ),
    ),
    Fault(
        re.compile(r"Boolean value of Tensor with more than one value is ambiguous"),
        cause="truth_of_many",
        title="Yes or no was asked of many",
        fits=many,
        story=(
            "{code} {line}{turn} needs one yes or no.",
            "{Name} has the shape {shape}, so a comparison with it gives {entries}: some may say yes and others no.",
            "`all()` asks if every entry says yes, `any()` if one of them does; `torch.where` decides entry by entry.",
        ),
    ),
    Fault(
        re.compile(
            r"Expected dtype int32(?:/| or )int64 for index|only applicable to index tensor"
            r"|tensors used as indices must be long|(?<!tuple )indices must be"
        ),
        kind="dtype",
        cause="index_type",
        title="Places are whole numbers",
        fits=no_index,
        story=(
            "{code} {line}{turn} uses numbers with a point as places.",
            "{Name}, made {where}, is of {dtype}; places are counted in whole numbers.",
            "`.long()` makes whole numbers of them.",
        ),
    ),
    Fault(
        re.compile(r"Class values must be smaller than num_classes"),
        cause="classes_beyond",
        title="A class beyond the last",
        fits=whole,
        story=(
            "{code} {line}{turn} makes a column for each class, and one of the classes in {name} has none.",
            "Classes are counted from 0, so there must be as many as the largest one plus 1.",
        ),
    ),
    Fault(
        re.compile(r"Index tensor must have the same number of dimensions as input"),
        kind="shape",
        cause="index_shape",
        title="The index has another number of dimensions",
        fits=whole,
        story=(
            "{code} {line}{turn} picks by {name}, which has the shape {shape}.",
            MATCHING,
            "`unsqueeze(1)` makes a column of it.",
        ),
    ),
    Fault(
        re.compile(r"selected index k out of range"),
        cause="too_few",
        title="More entries are asked for than there are",
        fits=anything,
        story=(
            "{code} {line}{turn} asks for more entries than there are.",
            "{Name} has the shape {shape}, and the largest k entries are taken along one dimension: k is at most its "
            "size.",
        ),
    ),
)


@rule
def place_missing(world: World, failure: Failure) -> Diagnosis | None:
    """One of FAULTS, with the tensor of the line that it is about."""
    message = failure.raised.message
    pairs = ((fault, fault.pattern.search(message)) for fault in FAULTS)
    fault, found = next(((fault, found) for fault, found in pairs if found is not None), (None, None))
    if fault is None or found is None:
        return None
    said = found.groupdict()
    pair = about(world, failure, fault, said)
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    events = {"raised": failure.number}
    words = words_for(world, failure, pair, said)
    if pair is not None:
        lines["built"], events["built"] = pair[1].place.line, pair[1].made
    return Diagnosis(
        kind=fault.kind,
        title=fault.title,
        message=message,
        lines=lines,
        story=tuple(
            sentence.format(**words) for sentence in fault.story if pair is not None or "{Name}" not in sentence
        ),
        nodes=() if pair is None or pair[1].node is None else (pair[1].node,),
        events=events,
        cause=fault.cause,
        names=known_names(
            target=pair[0] if pair else None,
            index=said.get("index"),
            dim=dimension(pair[1], said) if pair else said.get("dim"),
            size=words["many"],
            most=largest(world, failure),
        ),
    )


def about(world: World, failure: Failure, fault: Fault, said: dict[str, str]) -> Pair | None:
    """The tensor that the line names and the message fits; else the last made that it fits, else one of the line."""
    pairs = list(find_mentioned(world, raising_statement(world, failure)))
    fitting = [pair for pair in pairs if fault.fits(pair[1], said)]
    if fitting:
        return fitting[-1 if fault.cause == "index_type" else 0]
    loose = [tensor for tensor in world.tensors.values() if tensor.called and fault.fits(tensor, said)]
    return (loose[-1].called or "", loose[-1]) if loose else pairs[0] if pairs else None


def largest(world: World, failure: Failure) -> str | None:
    """The largest whole number in the tensors that the line names, else in the last made."""
    found = [
        tensor
        for _, tensor in find_mentioned(world, raising_statement(world, failure))
        if tensor.dtype.startswith("int")
    ]
    if not found:
        found = [tensor for tensor in world.tensors.values() if tensor.dtype.startswith("int")][-1:]
    numbers = [int(number) for tensor in found if tensor.value is not None for number in flat(tensor.value.data)]
    return str(max(numbers)) if numbers else None


def words_for(world: World, failure: Failure, pair: Pair | None, said: dict[str, str]) -> dict[str, str]:
    """What the slots of a story are filled with."""
    words = {
        **said,
        "code": code(raising_code(world, failure)),
        "line": on(failure.raised.line),
        "along": f" along dimension {said['dim']}" if "dim" in said else "",
        "turn": during(world.place),
        "name": "a tensor",
        "many": said.get("size") or "",
        "last": "",
    }
    if pair is None:
        return words
    name, tensor = pair
    along = dimension(tensor, said)
    size = int(words["many"] or (tensor.shape[-1] if "Target" in failure.raised.message else (tensor.shape or (1,))[0]))
    entries = 1
    for length in tensor.shape:
        entries *= length
    return words | {
        "name": code(name),
        "Name": code(name),
        "along": "" if along is None else f" along dimension {along}",
        "where": on(tensor.place.line),
        "shape": str(list(tensor.shape)),
        "dtype": tensor.dtype,
        "dims": plural(len(tensor.shape), "dimension"),
        "entries": "one entry" if entries == 1 else f"{count(entries)} entries",
        "many": str(size),
        "last": str(size - 1),
    }


declare_refusal(
    "all elements of",
    cause="range",
    title="Numbers out of the range of this loss",
    role="saved",
    story=(
        "{code} {line} takes chances: numbers from 0 to 1.",
        "{name}, made {where}, holds others; `sigmoid` makes chances of scores, and labels are 0. and 1.",
    ),
)


# ---- fixes


@fix(past_the_end=1)
def stay_inside(wanted: FixContext) -> Iterator[Proposal]:
    """A loop stops at the last place there is."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    if raised is None:
        return
    used = names_in(raised)
    for loop in text.around(raised):
        if not isinstance(loop, ast.For) or not names_in(loop.target) & used or not isinstance(loop.iter, ast.Call):
            continue
        if callee(loop.iter) == "range" and loop.iter.args and name is not None:
            stop = loop.iter.args[0 if len(loop.iter.args) == 1 else 1]
            made = f"{name}.shape[{wanted.name('dim') or 0}]"
            title = f"let the loop on line {loop.lineno} stop at {made}"
            yield wanted.proposal(title, "fewer turns", text.replaced(stop, made))
    index = wanted.name("index")
    for node in ast.walk(raised):
        if isinstance(node, ast.Constant) and str(node.value) == index and type(node.value) is int:
            title = f"the last place, -1, instead of {index} on line {node.lineno}"
            yield wanted.proposal(title, "another entry", text.replaced(node, "-1"))


@fix(too_few=1)
def take_at_most(wanted: FixContext) -> Iterator[Proposal]:
    """`topk(5)` of three entries takes as many as there are."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "topk"):
        method = isinstance(call.func, ast.Attribute) and text.get(call.func.value) != "torch"
        parts = [call.func.value, *call.args] if method and isinstance(call.func, ast.Attribute) else call.args
        named, along = keyword(call, "k"), keyword(call, "dim")
        count = named.value if named is not None else parts[1] if len(parts) > 1 else None
        if count is None or not parts:
            continue
        dim = text.get(along.value) if along is not None else text.get(parts[2]) if len(parts) > 2 else "-1"
        made = f"min({text.get(count)}, {in_brackets(text, parts[0])}.size({dim}))"
        title = f"{made} on line {call.lineno}: as many as there are, at most"
        yield wanted.proposal(title, "fewer entries", text.replaced(count, made))


@fix(class_missing=1)
def add_outputs(wanted: FixContext) -> Iterator[Proposal]:
    """The last layer gets one output per class."""
    index, size = wanted.name("index"), wanted.name("size")
    if index is not None and size is not None and int(index) >= 0:
        yield from resize_layers(wanted, ("Linear",), 1, "out_features", int(size), int(index) + 1)
    yield from counted_from_0(wanted)


def counted_from_0(wanted: FixContext) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised, "cross_entropy", "nll_loss"):
        if len(call.args) > 1:
            title = f"count the classes from 0: {text.get(call.args[1])} - 1 on line {call.lineno}"
            made = text.replaced(call.args[1], f"{in_brackets(text, call.args[1])} - 1")
            yield wanted.proposal(title, "other classes are meant", made)


@fix(classes_beyond=1)
def add_classes(wanted: FixContext) -> Iterator[Proposal]:
    """As many columns as the largest class plus 1."""
    text, most = wanted.text, wanted.name("most")
    for call in text.calls(wanted.at("raised"), "one_hot"):
        given = keyword(call, "num_classes")
        place = given.value if given is not None else call.args[1] if len(call.args) > 1 else None
        if place is not None and most is not None:
            made = str(int(most) + 1)
            title = f"{made} classes on line {call.lineno}"
            yield wanted.proposal(title, "more columns", text.replaced(place, made))


@fix(row_missing=1)
def add_rows(wanted: FixContext) -> Iterator[Proposal]:
    """The table gets one row for each number."""
    size, most = wanted.name("size"), wanted.name("most")
    if size is not None and most is not None:
        layers, more = ("Embedding", "EmbeddingBag"), int(most) + 1 - int(size)
        yield from resize_layers(wanted, layers, 0, "num_embeddings", int(size), int(most) + 1)
        for node in ast.walk(wanted.text.tree):
            if (
                isinstance(node, ast.Call)
                and callee(node) in layers
                and node.args
                and written_count(node.args[0]) is None
            ):
                shown = f"{wanted.text.get(node.args[0])} + {more}"
                title = f"{callee(node)} with {shown} rows on line {node.lineno}"
                yield wanted.proposal(title, "more weights", wanted.text.replaced(node.args[0], shown))


@fix(dimension_missing=1)
def use_last_dimension(wanted: FixContext) -> Iterator[Proposal]:
    """The last dimension, however many there are."""
    text, raised, dim = wanted.text, wanted.at("raised"), wanted.name("dim")
    for call in text.calls(raised):
        parts = [*(word.value for word in call.keywords if word.arg in ("dim", "axis")), *call.args]
        for part in parts:
            if ast.unparse(part) == dim:
                title = f"-1, the last dimension, instead of {dim} on line {part.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(part, "-1"))


@fix(index_type=1)
def convert_index(wanted: FixContext) -> Iterator[Proposal]:
    yield from index_changed(wanted, ".long()", "whole numbers; what stood behind the point is dropped")


@fix(index_shape=1)
def reshape_index(wanted: FixContext) -> Iterator[Proposal]:
    yield from index_changed(wanted, ".unsqueeze(1)", "a column of results")
    yield from index_changed(wanted, ".unsqueeze(0)", "a row of results")


def index_changed(wanted: FixContext, suffix: str, cost: str) -> Iterator[Proposal]:
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    for use in loads(raised, name)[:1] if name and raised is not None else []:
        yield wanted.proposal(f"{name}{suffix} on line {use.lineno}", cost, append_suffix(text, use, suffix))


@fix(too_many_indices=1)
def index_fewer(wanted: FixContext) -> Iterator[Proposal]:
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
def unsqueeze_first(wanted: FixContext) -> Iterator[Proposal]:
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    for use in loads(raised, name)[:1] if raised is not None and name else ():
        title = f"{name}.unsqueeze(0), a batch of one, on line {use.lineno}"
        yield wanted.proposal(title, FREE, append_suffix(text, use, ".unsqueeze(0)"))


@fix(no_dimensions=1)
def make_row(wanted: FixContext) -> Iterator[Proposal]:
    """A single number is gone through as a row of one."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    for use in loads(raised, name)[:1] if raised is not None and name else ():
        title = f"{name}.reshape(1), a row of one, on line {use.lineno}"
        yield wanted.proposal(title, FREE, append_suffix(text, use, ".reshape(1)"))


@fix(past_the_end=2)
def run_fewer_turns(wanted: FixContext) -> Iterator[Proposal]:
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
                made = f"{in_brackets(text, stop)} - {offsets[counter]}"
                title = f"let the loop on line {loop.lineno} stop at {made}"
                yield wanted.proposal(title, "fewer turns", text.replaced(stop, made))
            last = written_count(stop)
            wrong = abs(int(index)) if index is not None else 0
            if last is not None and 0 < wrong < last:
                title = f"let the loop on line {loop.lineno} stop at {wrong}"
                yield wanted.proposal(title, "fewer turns", text.replaced(stop, str(wrong)))


@fix(one_of_many=1)
def stack_tensors(wanted: FixContext) -> Iterator[Proposal]:
    """`torch.tensor(outs)` of a list of tensors is `torch.stack(outs)`, which keeps the graph of each."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "tensor", "as_tensor"):
        of_list = call.args and isinstance(call.args[0], ast.Name | ast.List | ast.ListComp)
        if of_list and isinstance(call.func, ast.Attribute):
            made = f"{text.get(call.func.value)}.stack({text.get(call.args[0])})"
            yield wanted.proposal(f"{made} on line {call.lineno}", "a row for each", text.replaced(call, made))


@fix(one_of_many=2)
def reduce_to_one(wanted: FixContext) -> Iterator[Proposal]:
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    for call in text.calls(raised, "item"):
        if isinstance(call.func, ast.Attribute):
            owner = call.func.value
            yield wanted.proposal("their mean", "one number for all", append_suffix(text, owner, ".mean()"))
            yield wanted.proposal("their sum", "one number for all", append_suffix(text, owner, ".sum()"))
            made = f"{in_brackets(text, owner)}.tolist()"
            yield wanted.proposal("all of them, as a list", FREE, text.replaced(call, made))
    whole = bool(text.calls(raised, "int"))
    for use in loads(raised, name)[:1] if name and raised is not None else []:
        for way in ("sum", "mean") if whole else ("mean", "sum"):
            yield wanted.proposal(f"their {way}", "one number for all", append_suffix(text, use, f".{way}()"))


@fix(truth_of_many=2)
def ask_all_or_any(wanted: FixContext) -> Iterator[Proposal]:
    """The test of an `if` or `while` asks for all, or for any."""
    text, raised = wanted.text, wanted.at("raised")
    test = getattr(raised, "test", None)
    yield from entry_by_entry(wanted)
    if isinstance(test, ast.expr):
        for way, means in (("all", "every entry must say yes"), ("any", "one yes is enough")):
            made = f"{bracket_node(text, test)}.{way}()"
            title = f".{way}() on line {test.lineno}: {means}"
            yield wanted.proposal(title, FREE, text.replaced(test, made))


def entry_by_entry(wanted: FixContext) -> Iterator[Proposal]:
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


def bracket_node(text: Text, node: ast.expr) -> str:
    return f"({text.get(node)})" if isinstance(node, ast.Compare | ast.BinOp) else in_brackets(text, node)


@fix(range=1)
def give_chances(wanted: FixContext) -> Iterator[Proposal]:
    """A loss of chances gets chances."""
    text, raised = wanted.text, wanted.at("raised")
    for operand in operands_of(raised) if raised is not None else []:
        of_labels = "of target" in wanted.found.message
        for suffix in (".clamp(0, 1)", ".sigmoid()") if of_labels else (".sigmoid()", ".clamp(0, 1)"):
            title = f"{text.get(operand)}{suffix} on line {operand.lineno}"
            yield wanted.proposal(title, "other numbers", append_suffix(text, operand, suffix))
