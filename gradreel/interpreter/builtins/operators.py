"""Operators: what `a + b`, `-a`, `a < b` do, with sizes checked before the work.

Pairs that can be neither large nor the program's own go straight to Python. For the others one row of BINARY says
the operator's sign, its method names and what to check first.
"""

from __future__ import annotations

import ast
import operator
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from ..engine.bridge import machine_of
from ..engine.cost_model import Shaped, broadcast_numel, count_of, product, product_weight
from ..engine.engine import TENSORS
from ..engine.gate import unsafe_part
from ..machine import Machine
from ..numpy_module.sharing import emit_write
from ..runtime.allowed_types import check_array
from ..runtime.attributes import WAYS, of_instance
from ..runtime.calls import call_method, truth_of
from ..runtime.type_names import kind_name
from ..runtime.values import (
    MISSING,
    OBJECTS,
    Bound,
    Builtin,
    Class,
    Error,
    ExceptionType,
    Foreign,
    Function,
    Generator,
    Instance,
    Namespace,
    Own,
    Stub,
    Type,
    Value,
)
from .formatting import format_percent, type_name
from .hashing import charge_key, charge_keys, charge_unfolded, unfolded_size
from .iteration import DICTS, collect_items, grow, iterate

Guard = Callable[["Machine", Value, Value], None]

NUMBERS = (bool, int, float, complex)
SEQUENCES = (str, list, tuple, deque)
FUNCTIONS = (Function, Bound, Builtin, Foreign)
RECORDS = (Instance, Class, Type, Error, ExceptionType, Stub, Namespace, Generator, *FUNCTIONS)
OWN = (*RECORDS, Own)
TYPES_TOO = (Class, Type, ExceptionType, type(None))
ARRAYS: tuple[Any, ...] = (*TENSORS, np.ndarray)
NUMPY = (np.ndarray, np.generic)
NUMPY_TOO = (*NUMPY, bool, int, float)
WARNING: dict[str, Any] = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
"""What numpy warns of where it works for itself; torch has no such warnings."""
BIG = 1 << 62


# ---- guards: the size of the result, before it is made


def _size(value: Value) -> int:
    return len(value) if isinstance(value, SEQUENCES) else 0


def charge_addition(machine: Machine, left: Value, right: Value) -> None:
    if isinstance(left, SEQUENCES):
        machine.meter.length(len(left) + _size(right))
    elif isinstance(left, int) and isinstance(right, int):
        machine.meter.bits(max(left.bit_length(), right.bit_length()))


def charge_repetition(machine: Machine, left: Value, right: Value) -> None:
    if isinstance(left, SEQUENCES):
        machine.meter.length(len(left) * repetitions(right))
    elif isinstance(right, SEQUENCES):
        machine.meter.length(len(right) * repetitions(left))
    elif isinstance(left, int) and isinstance(right, int):
        machine.meter.bits(left.bit_length() + right.bit_length())


COUNTING: tuple[Any, ...] = (int, np.generic, *ARRAYS)


def repetitions(value: Any) -> int:
    """How often a sequence is repeated by `value`, which may be a number of numpy's or a tensor; else 0."""
    if not isinstance(value, COUNTING):
        return 0
    try:
        return max(operator.index(value), 0)
    except (TypeError, ValueError, RuntimeError):
        return 0


def charge_power(machine: Machine, left: Value, right: Value) -> None:
    if isinstance(left, int) and isinstance(right, int) and right > 0 and left not in (-1, 0, 1):
        machine.meter.bits(left.bit_length() * right)


def charge_shift(machine: Machine, left: Value, right: Value) -> None:
    if isinstance(left, int) and isinstance(right, int) and right > 0:
        machine.meter.bits(left.bit_length() + right)


def charge_nothing(machine: Machine, left: Value, right: Value) -> None:
    pass


def charge_union(machine: Machine, left: Value, right: Value) -> None:
    if isinstance(left, (set, frozenset, dict)) and isinstance(right, (set, frozenset, dict)):
        machine.meter.length(len(left) + len(right))


class Binary(NamedTuple):
    """An operator of two operands; `inplace` is what an augmented assignment does."""

    sign: str
    run: Callable[[Value, Value], Value]
    inplace: Callable[[Value, Value], Value]
    method: str
    guard: Guard


BINARY: dict[type[ast.operator], Binary] = {
    ast.Add: Binary("+", operator.add, operator.iadd, "add", charge_addition),
    ast.Sub: Binary("-", operator.sub, operator.isub, "sub", charge_addition),
    ast.Mult: Binary("*", operator.mul, operator.imul, "mul", charge_repetition),
    ast.Div: Binary("/", operator.truediv, operator.itruediv, "truediv", charge_union),
    ast.FloorDiv: Binary("//", operator.floordiv, operator.ifloordiv, "floordiv", charge_union),
    ast.Mod: Binary("%", operator.mod, operator.imod, "mod", charge_union),
    ast.Pow: Binary("**", operator.pow, operator.ipow, "pow", charge_power),
    ast.MatMult: Binary("@", operator.matmul, operator.imatmul, "matmul", charge_nothing),
    ast.LShift: Binary("<<", operator.lshift, operator.ilshift, "lshift", charge_shift),
    ast.RShift: Binary(">>", operator.rshift, operator.irshift, "rshift", charge_union),
    ast.BitAnd: Binary("&", operator.and_, operator.iand, "and", charge_union),
    ast.BitOr: Binary("|", operator.or_, operator.ior, "or", charge_union),
    ast.BitXor: Binary("^", operator.xor, operator.ixor, "xor", charge_union),
}

UNARY: dict[type[ast.unaryop], tuple[str, Callable[[Value], Value], str]] = {
    ast.USub: ("-", operator.neg, "__neg__"),
    ast.UAdd: ("+", operator.pos, "__pos__"),
    ast.Invert: ("~", operator.invert, "__invert__"),
}


def apply_unary(machine: Machine, sign: str, value: Value) -> Value:
    """The operator for a value of Python's or numpy's own types, or a tensor."""
    if isinstance(value, np.ndarray):
        machine.meter.elements(value.size)
    return ALONE[sign](value)


ALONE = {sign: apply for sign, apply, _ in UNARY.values()}

PLAIN = frozenset({*TENSORS, float, bool})
"""Types whose arithmetic needs no look at sizes here: the engine asks the meter itself before it allocates."""


def make_binary(machine: Machine, kind: type[ast.operator], inplace: bool = False) -> Callable[[Value, Value], Value]:
    """What the operator does with two values; `inplace` for an augmented assignment."""
    row = BINARY[kind]
    run = row.inplace if inplace else row.run
    plain = PLAIN if kind is not ast.Pow else frozenset(TENSORS)
    arithmetic = kind in (ast.Add, ast.Sub, ast.Mult)

    def apply(left: Value, right: Value) -> Value:
        first, second = type(left), type(right)
        if first in plain and second in plain:
            return run(left, right)
        if arithmetic and first is int and second is int:
            if -BIG < left < BIG and -BIG < right < BIG:
                return run(left, right)
        elif (first in plain and second is int) or (second in plain and first is int):
            return run(left, right)
        return general_binary(machine, row, run, inplace, left, right)

    return apply


def general_binary(
    machine: Machine, row: Binary, run: Callable[[Value, Value], Value], inplace: bool, left: Value, right: Value
) -> Value:
    """The operator for any two values: methods of the program's classes, then Python's own, after the guard."""

    if isinstance(left, OWN) or isinstance(right, OWN):
        for owner, other, name in methods(row, inplace, left, right):
            answer = call_method(machine, owner, name, [other]) if isinstance(owner, OBJECTS) else NotImplemented
            if answer is not NotImplemented:
                return answer
        records = isinstance(left, RECORDS) or isinstance(right, RECORDS)
        if not records or (row.sign == "%" and isinstance(left, str)) or is_of_views(row.sign, left, right):
            return base_apply(machine, row, run, left, right, inplace)
        if row.sign == "|" and isinstance(left, TYPES_TOO) and isinstance(right, TYPES_TOO):
            return UNION
        raise TypeError(unsupported_operands(row.sign, inplace, left, right))
    return base_apply(machine, row, run, left, right, inplace)


def unsupported_operands(sign: str, inplace: bool, left: Value, right: Value) -> str:
    """What Python says where neither side knows the operator."""
    for kind in (str, list, tuple):
        if sign == "+" and isinstance(left, kind) and not (inplace and kind is list):
            return f'can only concatenate {kind.__name__} (not "{type_name(right)}") to {kind.__name__}'
    for side, other in ((left, right), (right, left)):
        if sign == "*" and isinstance(side, SEQUENCES):
            return f"can't multiply sequence by non-int of type '{type_name(other)}'"
    sign = sign + "=" if inplace else "** or pow()" if sign == "**" else sign
    return f"unsupported operand type(s) for {sign}: '{type_name(left)}' and '{type_name(right)}'"


def methods(row: Binary, inplace: bool, left: Value, right: Value) -> list[tuple[Value, Value, str]]:
    """The methods that an operator asks, in order.

    The right side goes first where its class extends that of the left and has a reflected method of its own.
    """
    reflected = f"__r{row.method}__"
    found = [(left, right, f"__{row.method}__"), (right, left, reflected)]
    if isinstance(left, OBJECTS) and isinstance(right, OBJECTS):
        if left.kind is right.kind:
            found.pop()
        elif left.kind in right.kind.order and right.kind.find(reflected) is not left.kind.find(reflected):
            found.reverse()
    return [(left, right, f"__i{row.method}__"), *found] if inplace else found


UNION = Type("UnionType", (), None, "types.UnionType")
"""What `int | None` gives: a hint."""


def base_binary(machine: Machine, name: str, left: Value, right: Value, inplace: bool = False) -> Value:
    """The operator of that name, without the methods of classes that extend the values' types."""
    row = next(row for row in BINARY.values() if row.method == name)
    try:
        return base_apply(machine, row, row.inplace if inplace else row.run, left, right, inplace)
    except TypeError:
        return NotImplemented


def of_numpy(left: Value, right: Value) -> bool:
    """Whether an operator of these is numpy's alone."""
    sides = (left, right)
    return any(isinstance(side, NUMPY) for side in sides) and all(isinstance(side, NUMPY_TOO) for side in sides)


def is_hidden_from_numpy(left: Value, right: Value) -> bool:
    """Whether one side is numpy's, and the other nothing that numpy may see."""
    if isinstance(left, NUMPY):
        return unsafe_part(right) is not None
    return isinstance(right, NUMPY) and unsafe_part(left) is not None


def check_operands(machine: Machine, left: Value, right: Value) -> None:
    """Charges what the host compares of two sets, and what numpy makes of two values, if one is of numpy's: it goes
    through lists and makes arrays of them."""
    if isinstance(left, (set, frozenset)) and isinstance(right, (set, frozenset)):
        charge_unfolded(machine, left)
        charge_unfolded(machine, right)
    if not isinstance(left, NUMPY) and not isinstance(right, NUMPY):
        return
    check_lists(machine, left, right)
    machine.meter.elements(broadcast_numel([shape_of(left), shape_of(right)]))


def check_lists(machine: Machine, *sides: Value) -> None:
    """Charges the lists of which numpy makes arrays."""
    for side in sides:
        if isinstance(side, NESTED):
            machine.meter.elements(unfolded_size(side, LISTS) if isinstance(side, LISTS) else count_of(side))


LISTS = (list, tuple, deque)
NESTED = (*LISTS, range)
SHAPED: tuple[Any, ...] = (*NUMPY, *TENSORS)


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape that numpy sees: of nested lists, that of the first ones."""
    if isinstance(value, SHAPED):
        return tuple(value.shape)
    shape: list[int] = []
    while isinstance(value, NESTED) and len(shape) < 64:
        shape.append(count_of(value))
        value = value[0] if value else None
    return (*shape, *shape_of(value)) if isinstance(value, SHAPED) else tuple(shape)


ITEMS: tuple[type, ...] = tuple(type(d.items()) for d in DICTS)
SET_LIKE: tuple[Any, ...] = (*ITEMS, *(type(d.keys()) for d in DICTS))
"""Views of dicts, which are compared as sets are: Python does so with values inside as they are, of any size."""
SETS: tuple[Any, ...] = (set, frozenset, *SET_LIKE)


def is_of_views(sign: str, left: Value, right: Value) -> bool:
    """Whether an operator is that of a view of a dict, which takes on its other side whatever can be gone through."""
    return sign in ("&", "|", "^", "-") and (isinstance(left, SET_LIKE) or isinstance(right, SET_LIKE))


def combine_views(machine: Machine, row: Binary, left: Value, right: Value) -> set[Value]:
    """The set that a view of a dict gives with something else. Of items the values are compared, not hashed."""
    if row.sign in ("&", "-") and (isinstance(left, ITEMS) or isinstance(right, ITEMS)):
        common = row.sign == "&"
        others = right if isinstance(right, SETS) else collect_items(machine, right)
        found = collect_items(machine, left)
        return {charge_key(machine, item) for item in found if contains(machine, item, others) is common}
    first, second = (set(charge_keys(machine, collect_items(machine, side))) for side in (left, right))
    return row.run(first, second)  # type: ignore[no-any-return]


def grows(left: Value, right: Value) -> bool:
    """Whether `+=` and `|=` are a matter of the left side: arrays and tensors on the right say themselves what is."""
    return isinstance(left, (list, deque, dict)) and not isinstance(right, (*NUMPY, *ARRAYS))


def base_apply(
    machine: Machine,
    row: Binary,
    run: Callable[[Value, Value], Value],
    left: Value,
    right: Value,
    inplace: bool = False,
) -> Value:
    """The operator as Python has it for the values' own types, after the guard."""
    if row.sign == "%" and isinstance(left, str):
        return format_percent(machine, left, right)
    row.guard(machine, left, right)
    if row.sign == "@" and (isinstance(left, ARRAYS) or isinstance(right, ARRAYS)):
        check_lists(machine, left, right)
        made, multiplications = product((Shaped(shape_of(left)), Shaped(shape_of(right))))
        machine.meter.work(multiplications * product_weight((left, right)))
        machine.meter.elements(made)
    else:
        check_operands(machine, left, right)
    if is_hidden_from_numpy(left, right):
        raise TypeError(unsupported_operands(row.sign, inplace, left, right))
    if is_of_views(row.sign, left, right):
        return combine_views(machine, row, left, right)
    if inplace and grows(left, right) and grow(machine, row.sign, left, right):
        return left
    with np.errstate(**WARNING) if of_numpy(left, right) else nullcontext():
        result = run(left, right)
    if isinstance(left, NUMPY) or isinstance(right, NUMPY):
        for part in result if isinstance(result, tuple) else (result,):
            check_array(part)
    if machine.mirrored and result is left and isinstance(left, np.ndarray):
        emit_write(machine, left)
    return result


# ---- comparisons: `==`, `<`, `in` by our own walk through containers, with the methods of the program's classes

SIMPLE = frozenset({bool, int, float, str, type(None)})
"""Types that Python compares by itself."""


def extends(right: Value, left: Value) -> bool:
    """Whether the class of `right` extends that of `left`: then it is asked first how they compare."""
    if not (isinstance(left, OBJECTS) and isinstance(right, OBJECTS)):
        return False
    return left.kind is not right.kind and left.kind in right.kind.order


def equal(machine: Machine, left: Value, right: Value) -> Value:
    """`left == right`, by our own walk through containers: each step is charged, own methods are called."""

    machine.meter.charge()
    if type(left) in SIMPLE and type(right) in SIMPLE:
        return left == right
    if isinstance(left, OBJECTS) or isinstance(right, OBJECTS):
        asked = ((left, right), (right, left))
        for owner, other in reversed(asked) if extends(right, left) else asked:
            if isinstance(owner, OBJECTS):
                answer = call_method(machine, owner, "__eq__", [other])
                if answer is not NotImplemented:
                    return answer
        if isinstance(left, Instance) or isinstance(right, Instance):
            return left is right
    if type(left) is Bound and type(right) is Bound:
        return left.function is right.function and left.receiver is right.receiver
    if type(left) is Foreign and type(right) is Foreign:
        return left.run is right.run and left.receiver is right.receiver and left.look == right.look
    return base_equal(machine, left, right)


def base_equal(machine: Machine, left: Any, right: Any) -> Value:
    if are_sequences(left, right):
        return len(left) == len(right) and all(is_same(machine, a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        return len(left) == len(right) and all(has_pair(machine, right, k, v) for k, v in left.items())
    if isinstance(left, np.dtype) or isinstance(right, np.dtype):
        return host_of(left) == host_of(right)
    if isinstance(left, slice) and isinstance(right, slice):
        return base_equal(machine, bounds(left), bounds(right))
    if isinstance(left, SET_LIKE) and isinstance(right, SETS) or isinstance(right, SET_LIKE) and isinstance(left, SETS):
        return len(left) == len(right) and all(contains(machine, item, right) for item in left)
    check_operands(machine, left, right)
    if is_hidden_from_numpy(left, right):
        return compare_elements(False, left, right)
    return left == right


def compare_elements(answer: bool, left: Value, right: Value) -> Value:
    """One answer for each number of the side that is numpy's: what compares by being the same object equals none."""
    found: Any = left if isinstance(left, NUMPY) else right
    return np.full(found.shape, answer)[()]


def has_pair(machine: Machine, holder: dict[Value, Value], key: Value, value: Value) -> bool:
    return charge_key(machine, key) in holder and is_same(machine, value, holder[key])


def bounds(given: slice) -> tuple[Value, Value, Value]:
    return given.start, given.stop, given.step


def host_of(value: Value) -> Any:
    """What numpy compares dtypes with: of a type of numbers its own class."""
    return value.hosts[0] if type(value) is Type and value.hosts and issubclass(value.hosts[0], OF_DTYPES) else value


OF_DTYPES = (np.generic, int, float, complex)


def are_sequences(left: Value, right: Value) -> bool:
    """Whether both are lists, both tuples or both deques, which are compared item by item."""
    both = isinstance(left, (list, tuple, deque)) and isinstance(right, (list, tuple, deque))
    return both and sequence_kind(left) is sequence_kind(right)


def sequence_kind(value: Value) -> type:
    """list or tuple: such are equal item by item; of the engine's own tuples the engine knows."""
    kind = type(value)
    if kind is list or (isinstance(value, Own) and isinstance(value, list)):
        return list
    if isinstance(value, deque):
        return deque
    return tuple if kind is tuple or isinstance(value, Own) else kind


def is_same(machine: Machine, left: Value, right: Value) -> bool:
    """What `in` asks: the same object, or equal."""
    return left is right or truth_of(machine, equal(machine, left, right))


def contains(machine: Machine, item: Value, holder: Any) -> bool:
    if isinstance(holder, OBJECTS):
        answer = call_method(machine, holder, "__contains__", [item])
        if answer is not NotImplemented:
            return truth_of(machine, answer)
    return base_contains(machine, item, holder)


def base_contains(machine: Machine, item: Value, holder: Any) -> bool:
    if isinstance(holder, str):
        machine.meter.charge(len(holder) >> 6)
        if not isinstance(item, str):
            raise TypeError(f"'in <string>' requires string as left operand, not {type_name(item)}")
        return item in holder
    if isinstance(holder, (dict, set, frozenset)):
        return charge_key(machine, item) in holder
    if isinstance(holder, ITEMS):
        view: Any = holder
        return isinstance(item, tuple) and len(item) == 2 and has_pair(machine, view.mapping, *item)
    if isinstance(holder, range) and type(item) in (int, bool):
        return item in holder
    if isinstance(holder, ARRAYS):
        check_operands(machine, holder, item)
        return not is_hidden_from_numpy(holder, item) and bool(holder.__contains__(item))
    try:
        items = iterate(machine, holder)
    except TypeError:
        raise TypeError(f"argument of type '{type_name(holder)}' is not iterable") from None
    for other in items:
        machine.meter.charge()
        if is_same(machine, other, item):
            return True
    return False


def not_ordered(sign: str, left: Value, right: Value) -> str:
    return f"'{sign}' not supported between instances of '{type_name(left)}' and '{type_name(right)}'"


def is_included(machine: Machine, some: Any, all_: Any) -> bool:
    """Whether each item of the one is in the other."""
    return all(contains(machine, item, all_) for item in some)


def make_ordering(sign: str, run: Callable[[Value, Value], Value], name: str, mirrored: str) -> Callable[..., Value]:
    def compare(machine: Machine, left: Value, right: Value) -> Value:
        if isinstance(left, OWN) or isinstance(right, OWN):
            asked = ((left, right, name), (right, left, mirrored))
            for owner, other, method in reversed(asked) if extends(right, left) else asked:
                answer = call_method(machine, owner, method, [other]) if isinstance(owner, OBJECTS) else NotImplemented
                if answer is not NotImplemented:
                    return answer
            if not isinstance(left, RECORDS) and not isinstance(right, RECORDS):
                return base_compare(machine, left, right)
            raise TypeError(not_ordered(sign, left, right))
        return base_compare(machine, left, right)

    def base_compare(machine: Machine, left: Any, right: Any) -> Value:
        if are_sequences(left, right):
            for a, b in zip(left, right, strict=False):
                if not is_same(machine, a, b):
                    return compare(machine, a, b)
            return run(len(left), len(right))
        if isinstance(left, SET_LIKE) and isinstance(right, SETS):
            return run(len(left), len(right)) and is_included(
                machine, *((left, right) if "<" in sign else (right, left))
            )
        check_operands(machine, left, right)
        if is_hidden_from_numpy(left, right):
            raise TypeError(not_ordered(sign, left, right))
        return run(left, right)

    BASE[sign] = base_compare
    return compare


BASE: dict[str, Callable[[Machine, Value, Value], Value]] = {}
"""`<`, `<=`, `>`, `>=` without the methods that the program's classes have, by sign."""


def unequal(machine: Machine, left: Value, right: Value) -> Value:
    if isinstance(left, OBJECTS):
        answer = call_method(machine, left, "__ne__", [right])
        if answer is not NotImplemented:
            return answer
    if isinstance(left, (*OBJECTS, list, tuple, dict, deque, slice, *SET_LIKE, np.dtype)) or isinstance(
        right, (*OBJECTS, np.dtype)
    ):
        return not truth_of(machine, equal(machine, left, right))
    check_operands(machine, left, right)
    if is_hidden_from_numpy(left, right):
        return compare_elements(True, left, right)
    return left != right


less = make_ordering("<", operator.lt, "__lt__", "__gt__")
greater = make_ordering(">", operator.gt, "__gt__", "__lt__")

COMPARE: dict[type[ast.cmpop], Callable[[Machine, Value, Value], Value]] = {
    ast.Eq: equal,
    ast.NotEq: unequal,
    ast.Lt: less,
    ast.LtE: make_ordering("<=", operator.le, "__le__", "__ge__"),
    ast.Gt: greater,
    ast.GtE: make_ordering(">=", operator.ge, "__ge__", "__le__"),
    ast.Is: lambda machine, left, right: left is right,
    ast.IsNot: lambda machine, left, right: left is not right,
    ast.In: contains,
    ast.NotIn: lambda machine, left, right: not contains(machine, left, right),
}

COMPARE_SIGNS = {"<": COMPARE[ast.Lt], "<=": COMPARE[ast.LtE], ">": COMPARE[ast.Gt], ">=": COMPARE[ast.GtE]}


class Keyed(Instance):
    """An object whose class says how it is compared or hashed: as a key of a dict it is asked, each time charged."""

    __slots__ = ()

    def __hash__(self) -> int:

        kind = self.kind
        if kind.find("__hash__") in (MISSING, None):
            raise TypeError(f"unhashable type: '{kind.name}'")
        found = call_method(machine_of(kind), self, "__hash__", [])
        if not isinstance(found, int):
            raise TypeError(f"__hash__ method should return an integer, not {kind_name(found)}")
        return hash(found)

    def __eq__(self, other: object) -> bool:
        return is_same(machine_of(self.kind), self, other)


WAYS[Keyed] = of_instance
