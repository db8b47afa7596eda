"""numpy as programs import it: which names it has, and what an array, a number and a dtype offer."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..builtins.iteration import collect_items
from ..limits import extent
from ..machine import Machine
from ..runtime.attribute_tables import register
from ..runtime.type_names import kind_name
from ..runtime.values import Attribute, Builtin, Namespace, Type, Value
from .arrays import (
    ARRAY_TYPES,
    DTYPES,
    Array,
    alike,
    arange,
    array,
    asarray,
    bincount,
    convolve,
    diagonal,
    dtype_of,
    einsum,
    full,
    full_like,
    histogram,
    interpolate,
    join_along,
    linspace,
    logspace,
    make_filling,
    meshgrid,
    ndarray,
    numbers,
    options,
    pad,
    square,
)
from .fourier import FOURIER
from .functions import elementwise, joining, make_product, make_reduction, make_repetition, make_reshaping, make_solver
from .result_sizes import check_shape, check_view
from .sharing import emit_write

# ---- dtypes: what programs ask of them, and what they are equal to

HOSTS = tuple(type(np.dtype(kind)) for kind in ARRAY_TYPES)
"""The type of each dtype."""
READ = ("name", "kind", "itemsize", "char", "str", "num", "alignment")


def dtype(machine: Machine, kind: Value) -> Any:
    return np.dtype(dtype_of(kind))


DTYPE = Type("dtype", (np.dtype,), Builtin("dtype", dtype, machine=True), "numpy.dtype")


def issubdtype(machine: Machine, kind: Value, other: Value) -> bool:
    """Whether numbers of the one are of the other, which may be abstract: np.floating, np.integer."""
    left, right = (
        of.hosts[0] if isinstance(of, Type) and of.hosts and issubclass(of.hosts[0], np.generic) else dtype_of(of)
        for of in (kind, other)
    )
    return bool(np.issubdtype(left, right))


def finfo(machine: Machine, kind: Value) -> Namespace:
    found = np.finfo(dtype_of(kind))
    names = ("eps", "max", "min", "tiny", "bits", "resolution", "smallest_normal")
    return Namespace("finfo", {name: getattr(found, name) for name in names})


def iinfo(machine: Machine, kind: Value) -> Namespace:
    found = np.iinfo(dtype_of(kind))
    return Namespace("iinfo", {"max": found.max, "min": found.min, "bits": found.bits})


# ---- names and arrays

REDUCTIONS = (
    "sum mean max min std var prod median any all argmax argmin cumsum cumprod ptp amax amin nansum nanmean "
    "count_nonzero average"
).split()
ELEMENTWISE = (
    "abs exp log sqrt sin cos tan tanh maximum minimum arcsin arccos arctan arctan2 sinh cosh log2 log10 log1p expm1 "
    "exp2 power square sign floor ceil rint round clip isnan isinf isfinite add subtract multiply divide mod "
    "floor_divide negative reciprocal greater less equal not_equal greater_equal less_equal logical_and logical_or "
    "logical_not logical_xor absolute fabs hypot deg2rad rad2deg cbrt isclose isin allclose array_equal trunc around "
    "nan_to_num real imag conj conjugate angle iscomplex isreal"
).split()
SHAPES = (
    "reshape transpose squeeze ravel expand_dims flip roll argsort sort unique split array_split nonzero triu tril "
    "trace diff swapaxes moveaxis fliplr flipud atleast_1d atleast_2d percentile quantile argwhere rot90 copy "
    "cov corrcoef digitize searchsorted ascontiguousarray"
).split()

NONZERO, CHOOSE = make_reshaping(np.nonzero), elementwise(np.where)


def where(machine: Machine, condition: Value, *choices: Value) -> Any:
    """Of a condition alone the places where it holds, else the elements chosen by it."""
    return CHOOSE(machine, condition, *choices) if choices else NONZERO(machine, condition)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "array": array,
    "asarray": asarray,
    "zeros": make_filling(np.zeros),
    "ones": make_filling(np.ones),
    "empty": make_filling(np.zeros),
    "full": full,
    "zeros_like": alike(np.zeros_like),
    "ones_like": alike(np.ones_like),
    "empty_like": alike(np.zeros_like),
    "eye": square(np.eye),
    "identity": square(np.identity),
    "diag": diagonal,
    "linspace": linspace,
    "logspace": logspace,
    "append": join_along,
    "histogram": histogram,
    "bincount": bincount,
    "full_like": full_like,
    "arange": arange,
    "meshgrid": meshgrid,
    "finfo": finfo,
    "iinfo": iinfo,
    "issubdtype": issubdtype,
    "where": where,
    "einsum": einsum,
    "convolve": convolve,
    "interp": interpolate,
    "pad": pad,
    "tile": make_repetition(np.tile),
    "repeat": make_repetition(np.repeat),
    "set_printoptions": options,
    **{name: joining(getattr(np, name)) for name in "concatenate stack vstack hstack column_stack dstack".split()},
    **{name: make_product(getattr(np, name)) for name in "dot matmul outer inner vdot".split()},
    **{name: elementwise(getattr(np, name)) for name in ELEMENTWISE},
    **{name: make_reduction(getattr(np, name)) for name in REDUCTIONS},
    **{name: make_reshaping(getattr(np, name)) for name in SHAPES},
}
LINALG = {
    name: make_solver(getattr(np.linalg, name)) for name in "norm inv det solve eig eigh svd matrix_rank pinv".split()
}


def _flat_shape(machine: Machine, this: Array, *shape: Value) -> Array:
    wanted = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) else shape
    sizes = tuple(collect_items(machine, wanted))
    check_view(machine, this)
    check_shape(machine, sizes)
    return this.reshape(sizes)


def _astype(machine: Machine, this: Array, kind: Value, copy: Value = True) -> Array:
    machine.meter.elements(extent(this.shape))
    return this.astype(dtype_of(kind))


def _fill(machine: Machine, this: Array, value: Value) -> None:
    this.fill(numbers(machine, value))
    if machine.mirrored:
        emit_write(machine, this)


def _make_copy(method: Callable[..., Array]) -> Callable[..., Any]:
    """A method that copies all elements in an order, 'C' unless another is named."""

    def run(machine: Machine, this: Array, order: Value = "C") -> Array:
        machine.meter.elements(extent(this.shape))
        if not isinstance(order, str):
            raise TypeError(f"order must be str, not {kind_name(order)}")
        return method(this, order)

    return run


def _tolist(machine: Machine, this: Array) -> Any:
    machine.meter.elements(extent(this.shape))
    return this.tolist()


def _sort(machine: Machine, this: Array, axis: Value = -1) -> None:
    machine.meter.elements(extent(this.shape))
    this.sort(numbers(machine, axis))


def _transpose(machine: Machine, this: Array, *axes: Value) -> Array:
    return this.transpose(*(numbers(machine, part) for part in axes))


METHODS: dict[str, Callable[..., Any]] = {
    "reshape": _flat_shape,
    "astype": _astype,
    "fill": _fill,
    "transpose": _transpose,
    "copy": _make_copy(np.ndarray.copy),
    "tolist": _tolist,
    "item": lambda machine, this, *at: this.item(*at),
    "flatten": _make_copy(np.ndarray.flatten),
    "dot": make_product(np.dot),
    "sort": _sort,
    "nonzero": make_reshaping(np.nonzero),
    "repeat": make_repetition(np.repeat),
    **{name: elementwise(getattr(np, name)) for name in "round clip conj conjugate".split()},
    **{name: make_reshaping(getattr(np, name)) for name in "squeeze ravel argsort trace diagonal swapaxes".split()},
    **{
        name: make_reduction(getattr(np, name))
        for name in "sum mean max min std var prod any all argmax argmin cumsum".split()
    },
}


READS: dict[str, Callable[[Any], Any]] = {
    "shape": lambda this: this.shape,
    "ndim": lambda this: this.ndim,
    "size": lambda this: this.size,
    "dtype": lambda this: this.dtype,
    "T": lambda this: this.T,
    "real": lambda this: this.real,
    "imag": lambda this: this.imag,
    "nbytes": lambda this: this.nbytes,
    "itemsize": lambda this: this.itemsize,
    "strides": lambda this: this.strides,
}

ARRAY_METHODS: dict[str, Any] = {name: Builtin(name, way, machine=True) for name, way in METHODS.items()} | {
    name: Attribute(way) for name, way in READS.items()
}


def scalar(name: str, kind: Callable[[Any], Any]) -> Type:
    make = Builtin(name, lambda machine, value=0: kind(numbers(machine, value)), machine=True)
    return Type(name, (DTYPES[name],), make, f"numpy.{name}")


SCALARS = {name: scalar(name, kind) for name, kind in DTYPES.items() if name != "bool_"}
SCALARS["bool_"] = SCALARS["bool"]
ABSTRACT = {
    "integer": (np.integer,),
    "floating": (np.floating,),
    "complexfloating": (np.complexfloating,),
    "inexact": (np.inexact,),
    "number": (np.number,),
    "generic": (np.generic,),
}

DTYPE_READS = {name: Attribute(operator.attrgetter(name)) for name in READ}
DTYPE_READS["type"] = Attribute(lambda this: SCALARS[this.type.__name__])
DTYPE_TABLES: dict[type, dict[str, Any]] = dict.fromkeys(HOSTS, DTYPE_READS)
"""What programs read of a dtype."""

ARRAY = Type("ndarray", (np.ndarray,), Builtin("ndarray", ndarray, machine=True), "numpy.ndarray")
NUMPY_TYPES = [*SCALARS.values(), ARRAY, DTYPE]
"""The types that values of numpy's have."""

NUMPY = Namespace(
    "numpy",
    {name: Builtin(name, way, machine=True) for name, way in FUNCTIONS.items()}
    | SCALARS
    | {name: Type(name, hosts, None, f"numpy.{name}") for name, hosts in ABSTRACT.items()}
    | {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None}
    | {
        "ndarray": ARRAY,
        "dtype": DTYPE,
        "linalg": Namespace("numpy.linalg", {name: Builtin(name, way, machine=True) for name, way in LINALG.items()}),
        "fft": Namespace("numpy.fft", {name: Builtin(name, way, machine=True) for name, way in FOURIER.items()}),
        "__version__": np.__version__,
    },
)
"""numpy, as programs import it; `numpy.random` is put in by random.py."""

register({**DTYPE_TABLES, **dict.fromkeys((np.ndarray, *ARRAY_TYPES), ARRAY_METHODS)})
