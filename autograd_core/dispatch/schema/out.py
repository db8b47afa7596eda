"""Results that a program wants in places of its own: `out=`, the same way for all functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import errors
from ...api.methods.inplace import resize
from ...engine.state import state
from ...engine.warnings import warn
from ...events import session as tell
from ...functorch.levels import carries_tangent
from ...random.generator import laid_out
from ...tensor.memory_overlap import refuse_overlap
from ...tensor.tensor import Tensor
from .kernel_dtypes import Function

SEVERAL = (tuple, list)

KINDS = {
    "drawn": "rand randn randint",
    "factory": "zeros ones empty full eye arange linspace logspace randperm",
    "no derivative": "eq ne lt le gt ge logical_and logical_or logical_xor logical_not all "
    "any argmax argmin argsort nonzero searchsorted bucketize isin histc",
    "no formula": "bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift",
}
KIND = {name: kind for kind, names in KINDS.items() for name in names.split()}
"""Factories take the dtype of a place, and fill it in the order of its memory if they draw. Where torch knows that
there is no derivative, it does not look for gradients; without that knowledge it says so under a longer name."""
RESIZING = ("empty", "randn")
"""Factories that take the place in hand before they look for gradients."""
STEPS = ("arange", "linspace", "logspace")
"""Factories that keep the shape of a place with as many elements as they make."""
INSIDE = {
    "det": "_linalg_det",
    "inv": "linalg_inv_ex",
    "solve": "_linalg_solve_ex",
    "vector_norm": "linalg_vector_norm",
    "take_along_dim": "gather",
    "float_power": "pow",
    "diff": "sub",
    **dict.fromkeys(("outer", "kron"), "mul"),
}
"""What the function of a name consists of: the first operator that looks for gradients."""
UNCAST = frozenset(
    """mm bmm baddbmm addmm addmv mv gather tril triu diag index_add scatter softmax log_softmax renorm cross
    old_cross argmax argmin vector_norm inv det cholesky abs neg sign ceil floor round trunc frac clamp
    clamp_min clamp_max index_select masked_select amax amin where nan_to_num take logcumsumexp quantile
    nanquantile all any dot nonzero histc searchsorted bucketize max min sort topk aminmax qr cummax cummin
    median nanmedian mode kthvalue""".split()
)
"""Functions that put no result into a place of another dtype; all others cast."""
FOLLOWING = frozenset(("sum", "prod", "cumsum", "cumprod", "mean", "nansum"))
"""Reductions that may be told a dtype; all but `mean` compute in that of the place otherwise."""
DTYPE = "Expected out tensor to have dtype {}, but got {} instead"


def write_out(out: Any, args: Sequence[Any], options: dict[str, Any], function: Function) -> Any:
    """The result of `function`, put into `out`: a tensor, or one for each result.

    Raises:
        RuntimeError: a gradient would be needed; a place overlaps what is read, or cannot take the result.
    """
    places = out if isinstance(out, SEVERAL) else (out,)
    name = function.__name__
    if KIND.get(name) in ("factory", "drawn"):
        return made_in(out, args, options, function)
    inputs = [
        part for value in (*args, *options.values()) for part in (value if isinstance(value, SEVERAL) else [value])
    ]
    if state.dual is not None and any(isinstance(t, Tensor) and carries_tangent(t) for t in (*inputs, *places)):
        raise NotImplementedError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
        )
    if KIND.get(name) != "no derivative" and any(isinstance(t, Tensor) and t.requires_grad for t in (*inputs, *places)):
        refuse_gradient(inside(name, args, options))
    for place in places:
        refuse_overlap(name, place, inputs)
    result = function(*args, **follow_out(name, options, places[0]))
    values = result if isinstance(result, SEVERAL) else (result,)
    if name in UNCAST or (name == "matmul" and min(t.data_.ndim for t in inputs) > 1):
        check_places(name, values, places)
    for place, value in zip(places, values, strict=True):
        put(place, value)
        tell.emit_write(place, f"{name}_", (value,))
    return out if not isinstance(result, SEVERAL) else type(result)(*places)


def check_places(name: str, values: Sequence[Tensor], places: Sequence[Tensor]) -> None:
    """Whether `places` have the dtypes of the results of `name`.

    Raises:
        RuntimeError: one has another.
    """
    for value, place in zip(values, places, strict=False):
        kind, given = (errors.kind_name(t.data_.dtype) for t in (value, place))
        if kind != given and not (given == "uint8" and name in ("all", "any")):
            raise RuntimeError(DTYPE.format(errors.C_NAMES[kind], errors.C_NAMES[given]))


def follow_out(name: str, options: dict[str, Any], place: Tensor) -> dict[str, Any]:
    """The options of `name`, which may take the dtype of its place.

    Raises:
        RuntimeError: it was told another.
    """
    if name not in FOLLOWING:
        return options
    wanted = options.get("dtype")
    if wanted is None:
        return options if name == "mean" else options | {"dtype": place.dtype}
    if wanted is not place.dtype:
        raise RuntimeError(DTYPE.format(errors.c_name(wanted), errors.c_name(place.dtype)))
    return options


def refuse_gradient(name: str) -> None:
    if state.grad_enabled:
        raise RuntimeError(GRAD_WITH_OUT.format(name))


def inside(name: str, args: Sequence[Any], options: dict[str, Any]) -> str:
    """The function that torch is in when it looks for gradients, in a call of `name`."""
    if name in ("max", "min") and isinstance((*args[1:], *options.values(), None)[0], Tensor):
        return f"{name}imum"
    if KIND.get(name) == "no formula":
        return f"aten::{name}"
    return INSIDE.get(name, name)


def made_in(place: Tensor, args: Sequence[Any], options: dict[str, Any], function: Function) -> Tensor:
    """What a factory makes, in `place`, whose dtype it takes.

    Raises:
        RuntimeError: the place requires grad, or has another dtype than was asked for.
    """
    name, kind = function.__name__, place.dtype
    wanted = options.get("dtype")
    if wanted is not None and wanted is not kind:
        names = (errors.TYPE_NAMES[k.name] for k in (wanted, kind))
        raise RuntimeError("dtype {} does not match dtype of out parameter ({})".format(*names))
    if place.requires_grad:
        if name in RESIZING:
            raise RuntimeError("cannot resize variables that require grad")
        refuse_gradient(f"aten::{name}")
        place.requires_grad_(False)  # the write is its history now, which leads nowhere
    value = function(*args, **(options | {"dtype": kind})).data_
    count, size = value.size, place.data_.size
    if name in STEPS:
        refuse_overlap(name, place, ())
    if name not in STEPS or count != size:
        if name == "arange" and size:
            warn(COUNTED.format(list(place.data_.shape), size, count))
        before = place._version
        place.resize_(value.shape)
        if name == "empty" or (place._version > before and name not in RESIZING):
            place.overwrite(value)
            return place
    drawn = KIND[name] == "drawn"
    place.overwrite(laid_out(value.reshape(-1), place.data_) if drawn else value.reshape(place.data_.shape))
    place.bump()
    tell.emit_write(place, f"{name}_", ())
    return place


def put(place: Tensor, value: Tensor) -> None:
    """Write `value` over `place`, which takes its shape."""
    errors.check_cast(value.data_.dtype, place.data_.dtype)
    if place.data_.shape != value.data_.shape:
        if place.data_.size:
            warn(RESIZED.format(list(place.data_.shape), list(value.data_.shape)))
        resize(place, value.data_.shape)  # which counts as the write
        place.overwrite(value.data_)
    else:
        place.overwrite(value.data_)
        place.bump()


GRAD_WITH_OUT = (
    "{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires "
    "grad."
)
RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0)."
)
COUNTED = (
    "The number of elements in the out tensor of shape {0} is {1} which does not match the computed number of elements "
    "{2}. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape "
    "({2},)."
)
