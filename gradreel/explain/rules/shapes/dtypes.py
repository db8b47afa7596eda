"""Types of numbers: whole ones have no gradient and hold no fractions, and two types do not go together."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Value

from ...calls import callee, keyword
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import find_mentioned, raising_code, raising_statement
from ...diagnostics.registry import rule, watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import append_suffix, loads, set_keyword, value_of, without_keyword
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text
from ...narration.words import code, code_label, name_of, on, upper
from ...replay.graph_queries import ancestors, flat, origin
from ...replay.states import Place, TensorState
from ...replay.world import World
from ..tracking.plain_numbers import number_of
from .mismatch import operands_of

FLAGGED = ("only Tensors of floating point", "Only Tensors of floating point")
SIGNS = (
    "to have the same dtype",
    "to have same dtype",
    "Found dtype",
    "expected scalar type",
    "expected target dtype",
    "can't be cast to the desired output type",
    "could not infer output dtype",
    "not implemented for 'Long'",
    "not implemented for 'Int'",
    "with dtype",
    "must have the same dtype",
    "to be equal to src.dtype",
    "one of the following scalar types",
    "floating point type for target with class probabilities",
)
EXPECTED = re.compile(r"expected (?:scalar type|target dtype to be) (?P<wanted>\w+).* but (?:found|got) (?P<got>\w+)")
TYPES = {"Long": "int64", "Int": "int32", "Byte": "uint8", "Float": "float32", "Double": "float64", "Half": "float16"}
"""What messages call a type, and what programs do."""
FLAG_STORY = (
    "A gradient says what a small change does, and whole numbers cannot change by a little.",
    "Make it of floating point numbers, with `.float()` or by writing `1.` for `1`.",
)


@rule
def dtype_mixed(world: World, failure: Failure) -> Diagnosis | None:
    message = failure.raised.message
    if message.startswith(FLAGGED):
        return diagnose_flag(world, failure)
    if not any(sign in message for sign in SIGNS):
        return None
    line = failure.raised.line
    pairs = list(find_mentioned(world, raising_statement(world, failure)))
    odd = oddest(pairs, "desired output type" in message)
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    what = code(raising_code(world, failure))
    expected = EXPECTED.search(message)
    story = [f"{what} {on(line)} takes numbers of two types together, or of one it cannot take."]
    if expected is not None:
        wanted, got = (TYPES.get(expected[part], expected[part]) for part in ("wanted", "got"))
        story = [f"{what} {on(line)} asks for numbers of type {wanted}, and is given {got}."]
    if "class probabilities" in message:
        story.append(
            "A target in the shape of the scores says how likely each class is, in numbers with a point. "
            "The number of the class alone, `argmax(1)` of a row of 0 and 1, is a whole one."
        )
    if "target dtype" in message:
        story.append("The targets of this loss are the numbers of classes, and those are whole.")
    if odd is not None:
        base = before_loop(world, origin(world, odd[1]) or odd[1])
        lines["built"], events["built"] = base.place.line, base.made
        kinds = [f"{code(name)} (made {on(tensor.place.line)}) is of {tensor.dtype}" for name, tensor in pairs[:3]]
        story.append("; ".join(kinds) + ".")
    whole = "scalar types: Long" in message or expected is not None and expected["wanted"] == "Long"
    ways = "`.long()`" if whole else "`.cfloat()`" if "omplex" in message else "`.float()`"
    story.append(f"PyTorch does not convert them by itself here: convert one of them, with {ways} or `.to(...)`.")
    return Diagnosis(
        kind="dtype",
        title="Types of numbers that do not go together",
        message=message,
        lines=lines,
        story=tuple(story),
        events=events,
        cause="mixed",
        names=known_names(target=odd[0] if odd else None),
    )


def before_loop(world: World, tensor: TensorState) -> TensorState:
    """What a batch is made of, where a loop over a loader made it: the data of its type that has a name."""
    if not world.source.loop_names(tensor.place.line):
        return tensor
    of_type = [state for state in ancestors(world, tensor) if state.dtype == tensor.dtype and state.called]
    outside = [state for state in of_type if state.place.line != tensor.place.line]
    return (origin(world, outside[0]) or outside[0]) if outside else tensor


def oddest(pairs: list[tuple[str, TensorState]], written: bool) -> tuple[str, TensorState] | None:
    """Of what the line names, the last tensor that is not float32, or (`written`) the first, which is written into;
    else the last. Beside complex ones the last that is real."""
    complex_too = [pair for pair in pairs if pair[1].dtype.startswith("complex")]
    if complex_too and not written:  # what is real can become complex, and not the other way round
        return next((pair for pair in reversed(pairs) if pair not in complex_too), pairs[-1])
    odd = [pair for pair in pairs if pair[1].dtype != "float32"]
    return odd[0 if written else -1] if odd else pairs[-1] if pairs else None


def diagnose_flag(world: World, failure: Failure) -> Diagnosis:
    """A gradient was wanted for whole numbers."""
    message, line = failure.raised.message, failure.raised.line
    text = raising_statement(world, failure)
    whole = [
        (name, tensor)
        for name, tensor in find_mentioned(world, text)
        if not tensor.dtype.startswith(("float", "complex"))
    ]
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    if whole and (not message.startswith("Only") or "Parameter(" in text):
        name, tensor = whole[0]
        base = origin(world, tensor) or tensor
        lines["built"], events["built"] = base.place.line, base.made
        first = f"{code(name)}, whose numbers were made {on(base.place.line)}, is of type {tensor.dtype}."
        names = known_names(target=name, whole=name_of(world, base))
    else:
        first, names = f"The tensor of line {line} would be of whole numbers or truth values.", {}
    return Diagnosis(
        kind="dtype",
        title="Whole numbers have no gradient",
        message=message,
        lines=lines,
        story=(first, *FLAG_STORY),
        events=events,
        cause="whole_numbers",
        names=names,
    )


WHOLE = re.compile(r"u?int\d+$")
MEANT = re.compile(r"\bdtype\b|\bu?int\d*\b|\blong\b|\bshort\b|LongTensor|IntTensor|round|floor|trunc|bincount|histc")
"""What says that whole numbers are wanted."""
PLACES = frozenset({"arange", "argmax", "argmin", "argsort", "sort", "topk", "nonzero", "randperm", "multinomial"})
"""What gives places rather than amounts."""
LOOK_UP = frozenset(
    {
        *("Index", "IndexSelect", "IndexPut", "IndexAdd", "Gather", "Scatter", "ScatterAdd", "Take", "TakeAlongDim"),
        *("Embedding", "EmbeddingBag", "NllLoss", "NllLoss2D", "MaskedSelect", "MaskedFill"),
    }
)
"""Nodes that take whole numbers for places or classes."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Where fractions went: into `tensor`, made there or before, with the event and the number that was cut."""

    tensor: TensorState
    place: Place
    event: int
    number: float | None = None


@watcher(e.NodeMade)
class CutFractions(FirstTrouble):
    """Follows what lost its fractions to a node that a backward goes through."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.lost: dict[int, Lost] = {}
        """By memory, of what was made of it too."""
        self.used: dict[int, Lost] = {}
        """By node that computes with it."""

    # ---- how fractions are lost

    def on_written(self, event: e.Written) -> None:
        if event.storage in self.lost or not event.op.startswith(("copy", "fill")) or not whole(event.value):
            return
        tensor = self.world.tensors[event.tensor]
        base = origin(self.world, tensor) or tensor
        meant = any(MEANT.search(self.statement(place)) for place in (base.place, self.world.place))
        if meant or (base.inputs and base.op != "clone"):
            return
        number = self.given(event)
        if number is not None and number != int(number):
            self.lost[event.storage] = Lost(base, self.world.place, self.world.count - 1, number)

    def given(self, event: e.Written) -> float | None:
        """The number that was written, as it was before: of a tensor the first that has a fraction."""
        for number in event.inputs:
            value = self.world.tensors[number].value
            if value is not None and value.dtype.startswith(("float", "bfloat")):
                return next((part for part in flat(value.data) if fractional(part)), None)
        for statement in self.world.source.simple(self.world.place.line):
            written: ast.expr | None = None
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
                written = statement.value
            elif (
                isinstance(statement, ast.Expr)
                and isinstance(statement.value, ast.Call)
                and filled_call(statement.value)
            ):
                written = statement.value.args[0]
            found = number_of(self.world, written) if written is not None else None
            if found is not None and fractional(found):
                return found
        return None

    def divided(self, event: e.TensorMade) -> bool:
        """Whether `//` made nothing but 0 of amounts that are at most as large as what they are divided by."""
        source = self.world.tensors[event.inputs[0]]
        if source.op.partition(".")[0] in PLACES or not whole(source.value) or not whole(event.value):
            return False
        amounts = sorted(set(flat(source.value.data))) if source.value is not None and source.value.whole else []
        if len(amounts) < 3 or amounts[0] < 0 or MEANT.search(self.statement(self.world.place)):
            return False
        for statement in self.world.source.simple(self.world.place.line):
            for node in ast.walk(statement):
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
                    divisor = number_of(self.world, node.right)
                    return divisor is not None and amounts[-1] <= divisor
        return False

    def statement(self, place: Place) -> str:
        return self.world.source.statement(place.line, place.end_line)

    # ---- where they are missed

    def on_tensor_made(self, event: e.TensorMade) -> None:
        if event.node is None and event.op.startswith(("div.Tensor_mode", "floor_divide")) and len(event.inputs) == 1:
            if self.divided(event):
                tensor = self.world.tensors[event.tensor]
                self.lost.setdefault(event.storage, Lost(tensor, self.world.place, self.world.count - 1))
        elif self.lost and event.node is None and event.base is None and event.dtype != "bool":
            name = event.op.partition(".")[0]
            for number in event.inputs if name not in PLACES else ():
                lost = self.lost.get(self.world.tensors[number].storage)
                if lost is not None and name not in ("index", "gather", "embedding", "one_hot"):
                    self.lost.setdefault(event.storage, lost)

    def on_node_made(self, event: e.NodeMade) -> None:
        for number in event.inputs if self.lost and event.variable is None else ():
            lost = self.lost.get(self.world.tensors[number].storage)
            if lost is not None and self.world.nodes[event.node].kind not in LOOK_UP:
                self.used.setdefault(event.node, lost)

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        if self.diagnosis is not None or not self.used:
            return
        reached = self.world.calls[event.call].expected
        node = next((node for node in self.used if node in reached or node in event.nodes), None)
        if node is not None:
            self.tell(self.describe(node, self.used[node]), self.world.source.assigned(self.world.place.line))

    def describe(self, node: int, lost: Lost) -> Diagnosis:
        world, tensor, place = self.world, lost.tensor, lost.place
        taker = world.nodes[node]
        name = code_label(world, tensor.number)
        text = f"{code(world.source.text(place.line, place.end_line))} {on(place.line)}"
        lines: dict[str, int | None] = {"built": tensor.place.line, "raised": None}
        events = {"built": tensor.made, "seen": world.count - 1}
        after = f"**{taker.title}** {on(taker.place.line)} computes the loss with what is left of them."
        if lost.number is None:
            story: tuple[str, ...] = (
                f"{text} divides whole numbers by `//`, which rounds down: all that are smaller than the divisor "
                "become 0.",
                after,
                "`/` gives the fractions, as floating point numbers.",
            )
        else:
            lines["changed"], events["changed"] = place.line, lost.event
            story = (
                f"{upper(name)}, made {on(tensor.place.line)}, holds whole numbers ({code(tensor.dtype)}): it copies "
                "the type of what it was made like or made of.",
                f"{text} writes {lost.number:.4g} into it, and the fraction is cut off without a word.",
                after,
                "A tensor of floating point numbers keeps the fractions.",
            )
        cause = "divided_whole" if lost.number is None else "cut_fractions"
        return Diagnosis(
            kind="dtype",
            title="Fractions that whole numbers cannot hold",
            lines=lines,
            story=story,
            nodes=(node,),
            events=events,
            cause=cause,
            names=known_names(target=name_of(world, tensor)),
        )


def filled_call(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "fill_" and len(call.args) == 1


def whole(value: Value | None) -> bool:
    return value is not None and WHOLE.match(value.dtype) is not None


def fractional(number: Any) -> bool:
    return isinstance(number, float) and number - number == 0 and number != int(number)


# ---- fixes


MAKERS = frozenset(
    {
        *("zeros_like", "ones_like", "full_like", "empty_like", "new_zeros", "new_ones", "new_full"),
        *("tensor", "zeros", "ones", "full", "empty", "arange"),
    }
)
FLOATING = "floating point numbers take the place of whole ones"


@fix(cut_fractions=1)
def write_in_floats(wanted: FixContext) -> Iterator[Proposal]:
    """The tensor that is written into is made of floating point numbers."""
    text, built = wanted.text, wanted.at("built")
    for call in text.calls(built):
        if callee(call) in MAKERS and keyword(call, "dtype") is None:
            title = f"dtype=torch.float32 on line {call.lineno}"
            yield wanted.proposal(title, FLOATING, set_keyword(text, call, "dtype", "torch.float32"))
    if isinstance(built, ast.Assign):
        title = f"floating point numbers: .float() on line {built.lineno}"
        yield wanted.proposal(title, FLOATING, append_suffix(text, built.value, ".float()"))


@fix(divided_whole=1)
def divide_truly(wanted: FixContext) -> Iterator[Proposal]:
    """`//` becomes `/`."""
    text, built = wanted.text, wanted.at("built")
    for node in ast.walk(built) if built is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            made = f"{text.get(node.left)} / {text.get(node.right)}"
            if text.get(node.left).count("(") == text.get(node.left).count(")"):
                yield wanted.proposal(f"/ in the place of // on line {node.lineno}", FREE, text.replaced(node, made))


# ---- types of numbers


@fix(whole_numbers=1)
def convert_whole_numbers(wanted: FixContext) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    cost = "floating point numbers: 2. instead of 2"
    flagged = [
        node
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Call) and callee(node) in ("tensor", "arange", "full", "as_tensor", "zeros", "ones")
    ]
    edits = [edit for call in flagged if is_int(call) for edit in floats(text, call)]
    mine = [edit for call in text.calls(raised) for edit in floats(text, call) if is_int(call)]
    built = wanted.at("built")
    yield from only_floats(wanted)
    made = [edit for call in text.calls(built) for edit in floats(text, call) if is_int(call)]
    line = raised.lineno if raised is not None else 0
    if mine:
        yield wanted.proposal(f"write the numbers of line {line} with a point", cost, *mine)
    if made and built is not None:
        yield wanted.proposal(f"write the numbers of line {built.lineno} with a point", cost, *made)
    if len(edits) > len(mine):
        yield wanted.proposal("write all these numbers with a point", cost, *edits)
    for role in ("raised", "built"):
        for call in text.calls(wanted.at(role)):
            if callee(call) in ("tensor", "arange", "full", "zeros", "ones", "as_tensor", "eye"):
                title = f"dtype=torch.float32 on line {call.lineno}"
                yield wanted.proposal(title, cost, set_keyword(text, call, "dtype", "torch.float32"))
    value = value_of(built)
    if built is not None and isinstance(built, ast.Assign) and value is not None:
        yield wanted.proposal(f".float() on line {built.lineno}", cost, append_suffix(text, value, ".float()"))
    if raised is not None and isinstance(raised, ast.Expr | ast.Assign):
        if isinstance(raised, ast.Expr) or isinstance(raised.targets[0], ast.Attribute):
            title = f"leave out line {raised.lineno}: whole numbers need no gradient"
            yield wanted.proposal(title, "no gradient for them", text.removed(raised))
        for call in text.calls(raised):
            edit = without_keyword(text, call, "requires_grad")
            if edit is not None:
                title = f"leave out requires_grad on line {raised.lineno}"
                yield wanted.proposal(title, "no gradient for them", edit)
        name = wanted.name("target")
        set_on = goal_of(raised)
        for use in [use for use in loads(raised, name) if set_on is not use][:1] if name else []:
            title = f"{name}.float() on line {raised.lineno}"
            yield wanted.proposal(title, cost, append_suffix(text, use, ".float()"))


def goal_of(statement: ast.stmt) -> ast.expr | None:
    """What `statement` sets an attribute of: a converted copy would have it for a moment only."""
    goal = statement.targets[0] if isinstance(statement, ast.Assign) else None
    return goal.value if isinstance(goal, ast.Attribute) else None


def only_floats(wanted: FixContext) -> Iterator[Proposal]:
    """In a loop over tensors of several types only those that can have a gradient are asked for one."""
    text, raised = wanted.text, wanted.at("raised")
    goal = raised.targets[0] if isinstance(raised, ast.Assign) else None
    if isinstance(raised, ast.Expr) and isinstance(raised.value, ast.Call):
        goal = raised.value.func
    if raised is None or text.loop(raised) is None or not isinstance(goal, ast.Attribute):
        return
    if goal.attr in ("requires_grad", "requires_grad_"):
        test = f"{text.get(goal.value)}.is_floating_point()"
        yield wanted.proposal(f"only those of floating point: if {test}", FREE, text.wrapped([raised], f"if {test}:"))


def is_int(call: ast.Call) -> bool:
    """Whether whole numbers are written in `call`, and no type is asked for."""
    constants = [node for arg in call.args for node in ast.walk(arg) if isinstance(node, ast.Constant)]
    return bool(constants) and all(type(node.value) is int for node in constants) and keyword(call, "dtype") is None


def floats(text: Text, call: ast.Call) -> list[Edit]:
    if callee(call) not in ("tensor", "full", "as_tensor", "arange"):
        return []
    args = call.args if callee(call) != "full" else call.args[1:]
    return [
        text.replaced(node, f"{node.value}.")
        for arg in args
        for node in ast.walk(arg)
        if isinstance(node, ast.Constant) and type(node.value) is int
    ]


@fix(mixed=1)
def convert_operand(wanted: FixContext) -> Iterator[Proposal]:
    """One of the operands is converted, or what it was made of."""
    text, raised = wanted.text, wanted.at("raised")
    if raised is None:
        return
    goal = raised.targets[0] if isinstance(raised, ast.Assign) else None
    into_complex = "omplex" in wanted.found.message
    for suffix in (".cfloat()", ".cdouble()") if into_complex else (".float()", ".double()", ".long()"):
        if isinstance(raised, ast.Assign) and isinstance(goal, ast.Attribute) and goal.attr == "grad":
            title = f"the gradient in the type of its tensor: {suffix} on line {raised.lineno}"
            yield wanted.proposal(title, "a converted copy", append_suffix(text, raised.value, suffix))
            continue
        names = [wanted.name("target")] if wanted.name("target") else []
        for name in names:
            uses = loads(raised, str(name))
            if uses:
                title = f"{name}{suffix} on line {raised.lineno}"
                yield wanted.proposal(title, "a converted copy", append_suffix(text, uses[0], suffix))
        for operand in operands_of(raised):
            title = f"{text.get(operand)}{suffix} on line {operand.lineno}"
            yield wanted.proposal(title, "a converted copy", append_suffix(text, operand, suffix))
        if isinstance(raised, ast.AugAssign):
            made = f"{text.get(raised.target)} = {text.get(raised.target)}{suffix}"
            yield wanted.proposal(
                f"{made} before line {raised.lineno}", "a converted copy", text.before(raised, [made])
            )
        if isinstance(raised, ast.Expr) and isinstance(raised.value, ast.Call):
            func = raised.value.func
            if isinstance(func, ast.Attribute) and func.attr.endswith("_") and isinstance(func.value, ast.Name):
                made = f"{func.value.id} = {func.value.id}{suffix}"
                yield wanted.proposal(
                    f"{made} before line {raised.lineno}", "a converted copy", text.before(raised, [made])
                )
