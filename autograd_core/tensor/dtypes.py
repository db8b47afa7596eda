"""The element types, how they print, and how torch promotes them when operands differ.

Promotion looks at three ranks of operands: tensors with dimensions, then 0-d tensors, then Python numbers. A lower rank
changes the result only if its category (bool < integer < floating) is above that of the higher ranks.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from ..dispatch.schema.schema import composite
from ..engine.state import state
from ..errors import BRAIN, Unsupported
from ..namespace.module_names import WrittenInC
from .tensor import Tensor

BOOL, INTEGER, FLOATING, COMPLEX = range(4)


class dtype(metaclass=WrittenInC):
    """One element type. There is one object per type, so `is` compares."""

    __slots__ = ("name", "numpy", "category", "itemsize", "alias")

    def __init__(self, name: str, category: int, itemsize: int, alias: str | None = None, supported: bool = True):
        self.name: Final = name
        self.category: Final = category
        self.itemsize: Final = itemsize
        self.alias: Final = alias
        held = BRAIN if name == "bfloat16" else name
        self.numpy: Final[np.dtype[Any] | None] = np.dtype(held) if supported else None

    @property
    def is_floating_point(self) -> bool:
        return self.category == FLOATING

    @property
    def is_complex(self) -> bool:
        return self.category == COMPLEX

    @property
    def is_signed(self) -> bool:
        return self.name not in ("bool", "uint8")

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


float16 = half = dtype("float16", FLOATING, 2, "half")
bfloat16 = dtype("bfloat16", FLOATING, 2)
float32 = dtype("float32", FLOATING, 4, "float")
float64 = double = dtype("float64", FLOATING, 8, "double")
int8 = dtype("int8", INTEGER, 1)
int16 = short = dtype("int16", INTEGER, 2, "short")
int32 = dtype("int32", INTEGER, 4, "int")
int64 = long = dtype("int64", INTEGER, 8, "long")
uint8 = dtype("uint8", INTEGER, 1)
bool_ = dtype("bool", BOOL, 1)
complex64 = cfloat = dtype("complex64", COMPLEX, 8, "cfloat")
complex128 = cdouble = dtype("complex128", COMPLEX, 16, "cdouble")

# Known by name so that a program which asks for one is told plainly, not with a NameError.
complex32 = dtype("complex32", COMPLEX, 4, "chalf", supported=False)

SUPPORTED: Final = (
    *(float16, bfloat16, float32, float64),
    *(int8, int16, int32, int64, uint8, bool_, complex64, complex128),
)
UNSUPPORTED: Final = (complex32,)

# Every name under which torch offers a type: `torch.float32`, `torch.float`, `torch.bool`, ...
OF_PYTHON: Final[dict[Any, dtype]] = {int: int64, float: float64, bool: bool_, complex: complex128}
"""What Python's own types stand for."""

NAMES: Final[dict[str, dtype]] = {
    name: kind for kind in SUPPORTED + UNSUPPORTED for name in (kind.name, kind.alias) if name is not None
}

_OF_NUMPY: Final[dict[np.dtype[Any], dtype]] = {kind.numpy: kind for kind in SUPPORTED if kind.numpy is not None}
_OF_PYTHON: Final[dict[type, dtype]] = {bool: bool_, int: int64}


def resolve_dtype(kind: Any) -> Any:
    """The dtype that `kind` stands for where it is one of Python's types; else `kind` itself."""
    return OF_PYTHON.get(kind, kind) if isinstance(kind, type) else kind


def is_dtype(value: Any) -> bool:
    """Whether `value` stands for one."""
    return isinstance(value, dtype) or (isinstance(value, type) and value in OF_PYTHON)


def from_numpy(kind: np.dtype[Any] | type) -> dtype:
    """The type of an array whose numpy dtype is `kind`."""
    found = _OF_NUMPY.get(np.dtype(kind))
    if found is None:
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{np.dtype(kind).type.__name__}. The only supported types are: "
            "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, "
            "uint8, and bool."
        )
    return found


def to_numpy(kind: Any) -> np.dtype[Any]:
    """The numpy dtype that holds elements of type `kind`; those this engine does not have are refused."""
    kind = resolve_dtype(kind)
    if kind.numpy is None:
        raise Unsupported(f"{kind!r} is not supported: use one of {', '.join(map(str, SUPPORTED))}")
    found: np.dtype[Any] = kind.numpy
    if kind is bfloat16 and not state.bfloat16:
        state.bfloat16 = True
    return found


# ---- the default type

_default: ContextVar[dtype] = ContextVar("default dtype", default=float32)


def get_default_dtype() -> dtype:
    return _default.get()


def default_kind() -> np.dtype[Any]:
    """The type of floating numbers, as numpy has it, where none is named."""
    return to_numpy(get_default_dtype())


def set_default_dtype(d: dtype, /) -> None:
    if not (isinstance(d, dtype) and d.is_floating_point):
        reason = "" if isinstance(d, dtype) else "invalid dtype object: "
        raise TypeError(f"{reason}only floating-point types are supported as the default type")
    to_numpy(d)
    _default.set(d)


def of_number(value: object) -> dtype:
    """The type that a Python number takes as a tensor: int64 for int, the default type for float."""
    kind = type(value)
    found = _OF_PYTHON.get(kind)
    if found is not None:
        return found
    if isinstance(value, float):
        return _default.get()
    if isinstance(value, complex):
        return default_complex()
    if isinstance(value, int):
        return int64
    raise TypeError(f"result_type(): argument must be Tensor or Number, not {kind.__name__}")


COMPLEX_OF: Final = {float16: complex32, bfloat16: complex64, float32: complex64, float64: complex128}
"""The complex type whose parts are of a floating one."""
PARTS: Final = {complex32: float16, complex64: float32, complex128: float64}
"""The type of the parts of a complex one."""


def default_complex() -> dtype:
    """The type of complex numbers where none is named: its parts are of the default type."""
    return COMPLEX_OF[_default.get()]


def part_kind(kind: np.dtype[Any]) -> np.dtype[Any]:
    """The numpy type of the real part of elements of type `kind`."""
    return PART_KINDS.get(kind, kind)


def complex_kind(kind: np.dtype[Any]) -> np.dtype[Any]:
    """The numpy type of complex numbers whose parts are of type `kind`, which may be complex itself."""
    return to_numpy(COMPLEX_OF[from_numpy(part_kind(kind))])


PART_KINDS: Final[dict[np.dtype[Any], np.dtype[Any]]] = {
    np.dtype(np.complex64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.float64),
}


# ---- promotion


C_NAMES = {"int64": "int64_t", "int32": "int", "int16": "int16_t", "int8": "int8_t", "uint8": "uint8_t"}
C_NAMES |= {"float32": "float", "float64": "double", "float16": "double"}
"""What C++ calls the kinds of numbers into which it brings one; to a half it goes by a double."""


def fitting(value: Any, kind: np.dtype[Any], name: str | None = None) -> Any:
    """The number `value` as an element of `kind`: without its fraction where that is whole, as C++ converts it.

    Raises:
        RuntimeError: `kind` (of which the text speaks as `name`) cannot hold it.
    """
    if isinstance(value, complex) and (kind.kind == "b" or value.imag == 0):
        value = bool(value) if kind.kind == "b" else value.real
    if isinstance(value, complex) and kind.kind != "c":
        raise RuntimeError(f"value cannot be converted to type {name or C_NAMES[kind.name]} without overflow")
    if kind.kind not in "iu" or isinstance(value, np.generic | bool):
        return value
    limits = np.iinfo(kind)
    low = -limits.max if kind.kind == "u" and isinstance(value, int) else limits.min
    if not low <= value <= limits.max:
        raise RuntimeError(f"value cannot be converted to type {name or C_NAMES[kind.name]} without overflow")
    return int(value) % 256 if kind.kind == "u" else int(value)


@composite("promote_types(ScalarType type1, ScalarType type2) -> ScalarType: function")
def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest type of the higher category that can hold both, as `torch.promote_types` has it."""
    a, b = resolve_dtype(a), resolve_dtype(b)
    return a if a is b else _PROMOTED[a, b]


def _promote(a: dtype, b: dtype) -> dtype:
    if COMPLEX in (a.category, b.category):
        found, other = (a, b) if a.category == COMPLEX else (b, a)
        parts = other if other.category == FLOATING else PARTS.get(other, float16)
        return COMPLEX_OF[_promote(PARTS[found], parts)]
    if a.category != b.category:
        return a if a.category > b.category else b
    if a.category == INTEGER and uint8 in (a, b):
        return int16 if int8 in (a, b) else b if a is uint8 else a
    if {a, b} == {float16, bfloat16}:
        return float32
    return a if a.itemsize >= b.itemsize else b


_ALL = (*SUPPORTED, *UNSUPPORTED)
_PROMOTED: Final = {(a, b): _promote(a, b) for a in _ALL for b in _ALL}


def combine_ranks(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """What two ranks of operands give together: the lower one counts only if its category is above the higher one's."""
    if higher is None or lower is None:
        return higher or lower
    if higher.category >= lower.category:
        return higher
    return COMPLEX_OF[higher] if higher.category == FLOATING else promote_types(higher, lower)


def of_ranked(operands: Iterable[tuple[int, dtype]]) -> dtype:
    """The type of a computation on operands of these ranks (0, 1, 2: see the head of this module) and types."""
    ranks: list[dtype | None] = [None, None, None]
    for rank, kind in operands:
        held = ranks[rank]
        ranks[rank] = kind if held is None else promote_types(held, kind)
    result = combine_ranks(ranks[0], combine_ranks(ranks[1], ranks[2]))
    if result is None:
        raise ValueError("result_type() needs at least one operand")
    return result


def result_type(*operands: Any) -> dtype:
    """The type of a computation on `operands`: Python numbers, or what has `dtype` (ours or numpy's) and `ndim`."""
    return of_ranked(map(rank_of, operands))


def rank_of(operand: Any) -> tuple[int, dtype]:
    if isinstance(operand, (bool, int, float, complex)) and not isinstance(operand, np.generic):
        return 2, of_number(operand)
    kind = operand.dtype
    return (0 if operand.ndim else 1), kind if isinstance(kind, dtype) else from_numpy(kind)


def can_cast(source: dtype, target: dtype) -> bool:
    """Whether an in-place operation may store a result of type `source` into a tensor of type `target`."""
    held: int = resolve_dtype(target).category
    return bool(resolve_dtype(source).category <= held)


def floating(kind: dtype) -> dtype:
    """The type of functions that always give a float (`sin`, `/`, `mean`): integers become the default type."""
    return _default.get() if kind.category < FLOATING else kind


# ---- torch.iinfo and torch.finfo: the range of a type, and how fine its steps are


NOT_GIVEN: Final = object()

NO_DTYPE = "{}(): argument 'type' (position 1) must be torch.dtype, not {}"

BRAIN_LIMITS: Final = SimpleNamespace(
    bits=16, min=-(2.0**128 - 2.0**120), max=2.0**128 - 2.0**120, eps=2.0**-7, smallest_normal=2.0**-126
)
"""bfloat16, which numpy does not know: the exponent of float32 and seven bits behind the point."""


def check_kind(kind: Any, asked: str) -> dtype:
    """The dtype that `kind` stands for.

    Raises:
        TypeError: it stands for none.
    """
    if not is_dtype(kind):
        raise TypeError(NO_DTYPE.format(asked, type(kind).__name__))
    found: dtype = resolve_dtype(kind)
    return found


class Limits(metaclass=WrittenInC):
    """The range of a type; `_shown` names what its repr tells, in torch's order."""

    _shown: tuple[str, ...] = ("min", "max")

    def __init__(self, kind: dtype, info: Any):
        self.dtype = kind.name
        self.bits: int = info.bits
        self.min = info.min.item() if isinstance(info.min, np.generic) else info.min
        self.max = info.max.item() if isinstance(info.max, np.generic) else info.max

    def __repr__(self) -> str:
        shown = "".join(f"{name}={getattr(self, name):g}, " for name in self._shown)
        return f"{type(self).__name__}({shown}dtype={self.dtype})"


class iinfo(Limits):
    """The range of an integer type."""

    def __init__(self, type: Any = NOT_GIVEN):
        if type is NOT_GIVEN:
            raise TypeError('iinfo() missing 1 required positional arguments: "type"')
        kind = check_kind(type, "iinfo")
        if kind.category >= FLOATING:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        if kind is bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        super().__init__(kind, np.iinfo(to_numpy(kind)))


class finfo(Limits):
    """The range and precision of a floating type; of the default one where none is given."""

    _shown = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")

    def __init__(self, type: Any = NOT_GIVEN):
        kind = get_default_dtype() if type is NOT_GIVEN else check_kind(type, "finfo")
        kind = PARTS.get(kind, kind)
        if kind.category < FLOATING:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        info = BRAIN_LIMITS if kind is bfloat16 else np.finfo(to_numpy(kind))
        super().__init__(kind, info)
        self.eps = float(info.eps)
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = {"bfloat16": 1e-2, "float16": 1e-3, "float32": 1e-6, "float64": 1e-15}[kind.name]


# ---- numbers of a program, in an option or a setting: looked at here, before numpy meets them


REAL = "must be real number, not {}"


def kind_name(value: Any) -> str:
    """The type of a value, as messages name it; objects of programs have one of their own."""
    own = getattr(type(value), "own_type_name", None)
    kind = type(value)
    home = "numpy." if kind.__module__ == "numpy" else ""
    return home + (kind.__name__ if own is None else str(own(value)))


def number(value: Any, message: str = REAL, tensors: bool = False) -> Any:
    """`value` as a number of Python's; `tensors` may stay what they are.

    Raises:
        TypeError, RuntimeError: it is none.
    """
    kind = type(value)
    if kind is float or kind is int or kind is bool:
        return value
    if isinstance(value, Tensor):
        if tensors:
            return value
        if value.data_.size != 1:
            raise RuntimeError(f"a Tensor with {value.data_.size} elements cannot be converted to Scalar")
        return float(value.data_.reshape(()))
    if isinstance(value, complex | np.complexfloating):
        raise RuntimeError("value cannot be converted to type float without overflow")
    for host, types in ((bool, np.bool_), (int, int | np.integer), (float, float | np.floating)):
        if isinstance(value, types):
            return host(value) if isinstance(value, np.generic) else vars(host)[f"__{host.__name__}__"](value)
    raise TypeError(message.format(kind_name(value)))


def numbers(values: Iterable[Any], message: str = REAL) -> list[Any]:
    """All of `values`, likewise; tensors stay what they are."""
    return [number(value, message, tensors=True) for value in values]
