"""Pooling as functions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...api.functions import pointwise
from ...dispatch.schema.guard import guard
from ...dispatch.schema.schema import composite
from ...ops import pooling, unary
from ...ops._common import wrap
from ...ops.binary import mul
from ...ops.reduction import mean_dim
from ...ops.view import squeeze_dim, unsqueeze
from ...tensor.tensor import Tensor
from .activation import relu

Lengths = int | Sequence[int]


def lengths(n: int, title: str, how: str, name: str, value: Any, omitted: bool = False) -> list[int]:
    """`value` for all `n` spatial dimensions; nothing where it may be omitted. `how` is torch's way to ask for it."""
    if omitted and (value is None or (not isinstance(value, int) and not len(value))):
        return []
    given = [value] if isinstance(value, int) else [int(v) for v in value]
    if len(given) not in (1, n):
        word = {2: "two", 3: "three"}[n]
        raise RuntimeError(f"{title}: {name} must {how} a single int, or a tuple of {word} ints")
    return given * n if len(given) == 1 else given


def two(title: str, name: str, value: Any, omitted: bool = False) -> list[int]:
    """`value` for both spatial dimensions."""
    return lengths(2, title, "either be omitted," if omitted else "either be", name, value, omitted)


def one(title: str, name: str, value: Any) -> int:
    """The single number in `value`."""
    if isinstance(value, int):
        return value
    if len(value) != 1:
        if title == "max_pool1d":
            raise RuntimeError(
                f"max_pool1d() {name} must be an int, list of ints or tuple of ints of size 1 but got size {len(value)}"
            )
        raise RuntimeError(f"{title}() argument '{name}' should contain one int (got {len(value)})")
    return int(value[0])


def need_row(title: str, input: Tensor) -> None:
    if input.data_.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.data_.ndim}-dimensional tensor for argument #1 'self' (while "
            f"checking arguments for {title})"
        )


# ---- the maximum


@composite("""
    max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool \
        ceil_mode=False) -> Tensor: function
    """)
def max_pool1d(
    input: Tensor,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    if input.data_.ndim not in (2, 3) or 0 in input.data_.shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(input.data_.shape)}"
        )
    k = one("max_pool1d", "kernel_size", kernel_size)
    step = k if stride is None or stride == [] else one("max_pool1d", "stride", stride)
    pad, spaced = one("max_pool1d", "padding", padding), one("max_pool1d", "dilation", dilation)
    if not return_indices:
        check_row(input, k, step, pad, spaced, ceil_mode)
    row = unsqueeze(input, -2)
    values, indices = pooling.max_pool2d(row, [1, k], [1, step], [0, pad], [1, spaced], ceil_mode)
    out = squeeze_dim(values, -2)
    return (out, squeeze_dim(indices, -2)) if return_indices else out


def check_row(input: Tensor, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> None:
    """Whether a row can be pooled so.

    Raises:
        RuntimeError: it cannot, in torch's words.
    """
    for name, value in (("kernel_size", kernel), ("stride", stride)):
        if value <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value}")
    if padding < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {padding}")
    if padding > kernel // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={padding} and "
            f"kernel_size={kernel}"
        )
    if dilation <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {dilation}")
    size = pooling.places([input.data_.shape[-1]], [kernel], [stride], [padding], [dilation], ceil_mode)[0]
    if size <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {size}")


@composite("""
    max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool \
        ceil_mode=False) -> Tensor: function
    """)
def max_pool2d(
    input: Tensor,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    named = {"kernel_size": kernel_size, "padding": padding, "dilation": dilation}
    kernel, room, spaced = (two("max_pool2d", name, value) for name, value in named.items())
    values, indices = pooling.max_pool2d(
        input, kernel, two("max_pool2d", "stride", stride, True), room, spaced, ceil_mode
    )
    return (values, indices) if return_indices else values


def adaptive_max_pool1d(input: Tensor, output_size: Lengths, return_indices: bool = False) -> Any:
    need_row("adaptive_max_pool1d", input)
    pooling.refuse_empty("adaptive_max_pool1d", input.data_, 1)
    size = one("adaptive_max_pool1d", "output_size", output_size)
    values, indices = pooling.adaptive_max_pool2d(unsqueeze(input, -2), [1, size])
    out = squeeze_dim(values, -2)
    return (out, squeeze_dim(indices, -2)) if return_indices else out


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    values, indices = ADAPTIVE_MAX_POOL2D(input, sizes_or_own(output_size, input.data_.shape))
    return (values, indices) if return_indices else values


def with_indices(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same pooling, with the places of the largest elements whatever is said of them."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def pool(*args: Any, **options: Any) -> Any:
        call = signature.bind(*args, **options)
        call.arguments["return_indices"] = True
        return function(*call.args, **call.kwargs)

    pool.__name__ = pool.__qualname__ = f"{function.__name__}_with_indices"
    return pool


def largest_of_two_sides(input: Tensor, output_size: Any) -> Any:
    if not isinstance(output_size, int) and len(output_size) != 2:
        raise RuntimeError("adaptive_max_pool2d(): internal error: output_size.size() must be 2")
    return pooling.adaptive_max_pool2d(input, both_sides(output_size))


def both_sides(output_size: Any) -> list[int]:
    return [output_size] * 2 if isinstance(output_size, int) else [int(size) for size in output_size]


ADAPTIVE_MAX_POOL2D: Any = guard("torch.nn.functional", "_adaptive_max_pool2d", largest_of_two_sides)


def sizes_or_own(output_size: Any, own: Sequence[int]) -> Any:
    """The wanted lengths; None keeps that of the input."""
    if isinstance(output_size, int):
        return output_size
    if len(own) <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    ends = own[len(own) - len(output_size) :]
    return [n if size is None else size for size, n in zip(output_size, ends, strict=True)]


# ---- the mean


@composite("""
    avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool \
        count_include_pad=True) -> Tensor: function nn
    """)
def avg_pool1d(
    input: Tensor,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    need_row("avg_pool1d", input)
    k = one("avg_pool1d", "kernel_size", kernel_size)
    step = k if stride is None or stride == [] else one("avg_pool1d", "stride", stride)
    room = [0, one("avg_pool1d", "padding", padding)]
    row = unsqueeze(input, -2)
    return squeeze_dim(pooling.avg_pool2d(row, [1, k], [1, step], room, ceil_mode, count_include_pad, None), -2)


@composite("""
    avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool \
        count_include_pad=True, int? divisor_override=None) -> Tensor: nn out
    """)
def avg_pool2d(
    input: Tensor,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    kernel, room = two("avg_pool2d", "kernel_size", kernel_size), two("avg_pool2d", "padding", padding)
    step = two("avg_pool2d", "stride", stride, True)
    wrap(-3, input.data_.ndim)
    return pooling.avg_pool2d(input, kernel, step, room, ceil_mode, count_include_pad, divisor_override)


@composite("adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor: function nn")
def adaptive_avg_pool1d(input: Tensor, output_size: Lengths) -> Tensor:
    need_row("adaptive_avg_pool1d", input)
    size = one("adaptive_avg_pool1d", "output_size", output_size)
    return squeeze_dim(adaptive_avg_pool2d(unsqueeze(input, -2), [1, size]), -2)


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    found: Tensor = ADAPTIVE_AVG_POOL2D(input, sizes_or_own(output_size, input.data_.shape))
    return found


def means_of_two_sides(input: Tensor, output_size: Any) -> Tensor:
    if not isinstance(output_size, int) and len(output_size) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2")
    size = both_sides(output_size)
    if size == [1, 1]:  # the mean of all, which torch finds quicker
        for dim in (-1, -2):
            wrap(dim, input.data_.ndim)
        return mean_dim(input, [-1, -2], True)
    pooling.refuse_empty("adaptive_avg_pool2d", input.data_, 1)  # whether there are channels, its gradient asks
    return pooling.adaptive_avg_pool2d(input, size)


ADAPTIVE_AVG_POOL2D: Any = guard("torch.nn.functional", "_adaptive_avg_pool2d", means_of_two_sides)


# ---- over three dimensions


@composite("""
    max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool \
        ceil_mode=False) -> Tensor: function
    """)
def max_pool3d(
    input: Tensor,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    kernel = lengths(3, "max_pool3d", "either be", "kernel_size", kernel_size)
    step = lengths(3, "max_pool3d", "either be omitted,", "stride", stride, True)
    room = lengths(3, "max_pool3d", "either be", "padding", padding)
    spaced = lengths(3, "max_pool3d", "be either", "dilation", dilation)
    values, indices = pooling.max_pool3d(input, kernel, step, room, spaced, ceil_mode)
    return (values, indices) if return_indices else values


@composite("""
    avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool \
        count_include_pad=True, int? divisor_override=None) -> Tensor: nn out
    """)
def avg_pool3d(
    input: Tensor,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    kernel = lengths(3, "avg_pool3d", "be", "kernel_size", kernel_size)
    step = lengths(3, "avg_pool3d", "be omitted,", "stride", stride, True)
    room = lengths(3, "avg_pool3d", "be", "padding", padding)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    return pooling.avg_pool3d(input, kernel, step, room, ceil_mode, count_include_pad, divisor_override)


def all_sides(output_size: Any) -> list[int]:
    return [output_size] * 3 if isinstance(output_size, int) else [int(size) for size in output_size]


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    found: Tensor = ADAPTIVE_AVG_POOL3D(input, sizes_or_own(output_size, input.data_.shape))
    return found


def means_of_three_sides(input: Tensor, output_size: Any) -> Tensor:
    size = all_sides(output_size)
    if len(size) != 3:
        raise RuntimeError("adaptive_avg_pool3d: output_size must be 3")
    if min(size) < 0:
        raise RuntimeError(
            "adaptive_avg_pool3d: elements of output_size must be greater than or equal to 0 but received "
            f"{{{size[0]}, {size[1]},{size[2]}}}"
        )
    if size == [1, 1, 1]:  # the mean of all, which torch finds quicker
        return mean_dim(input, [-1, -2, -3], True)
    return pooling.adaptive_avg_pool3d(input, size)


ADAPTIVE_AVG_POOL3D: Any = guard("torch.nn.functional", "_adaptive_avg_pool3d", means_of_three_sides)


# ---- means of powers, and maxima put back


AVG_POOL: dict[int, Callable[..., Tensor]] = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}
MAXIMA: dict[int, Callable[..., Any]] = {1: max_pool1d, 2: max_pool2d, 3: max_pool3d}


def sides(n: int, value: Lengths) -> tuple[int, ...]:
    """`value` for each of `n` dimensions."""
    return (value,) * n if isinstance(value, int) else tuple(value)


def lp_pool(n: int, input: Tensor, power: float, kernel: Lengths, stride: Any, ceil_mode: bool) -> Tensor:
    """The root of the sum of powers under a sliding window of `n` dimensions."""
    if power == np.inf:
        return MAXIMA[n](unary.abs(input), kernel, stride, 0, 1, ceil_mode)
    if power == -np.inf:
        return unary.neg(MAXIMA[n](unary.neg(unary.abs(input)), kernel, stride, 0, 1, ceil_mode))
    mean = AVG_POOL[n](pointwise.pow(input, power), kernel, stride, 0, ceil_mode)
    count = int(np.prod(sides(n, kernel)))
    total = mul(mul(unary.sign(mean), relu(unary.abs(mean))), count)
    return pointwise.pow(total, 1.0 / power)


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: int, stride: Lengths | None = None, ceil_mode: bool = False
) -> Tensor:
    return lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Lengths, stride: Lengths | None = None, ceil_mode: bool = False
) -> Tensor:
    return lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


# ---- undone


def room(
    n: int, input: Tensor, kernel: Lengths, stride: Lengths | None, padding: Lengths, asked: Sequence[int] | None
) -> list[int]:
    """The size that was pooled: the least one, unless another is asked for that is pooled alike."""
    steps = sides(n, kernel if stride is None else stride)
    terms = zip(input.data_.shape[-n:], sides(n, kernel), steps, sides(n, padding), strict=True)
    least = [(length - 1) * step + k - 2 * pad for length, k, step, pad in terms]
    if asked is None:
        return least
    given = asked[2:] if len(asked) == n + 2 else asked
    if len(given) != n:
        raise ValueError(
            f"output_size should be a sequence containing {n} or {n + 2} elements, but it has a length of "
            f"'{len(given)}'"
        )
    for dim, (length, step, wanted) in enumerate(zip(least, steps, given, strict=True)):
        if not length - step < wanted < length + step:
            raise ValueError(
                f'invalid output_size "{given}" (dim {dim} must be between {length - step} and {length + step})'
            )
    return [int(length) for length in given]


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    return pooling.max_unpool2d(input, indices, room(2, input, kernel_size, stride, padding, output_size))


max_pool1d_with_indices = composite("""
    max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, \
        bool ceil_mode=False) -> (Tensor, Tensor): function
    """)(with_indices(max_pool1d))
max_pool2d_with_indices = with_indices(max_pool2d)
max_pool3d_with_indices = with_indices(max_pool3d)
adaptive_max_pool1d_with_indices = composite("""
    adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor): function
    """)(with_indices(adaptive_max_pool1d))
adaptive_max_pool2d_with_indices = with_indices(adaptive_max_pool2d)

# What Python says of arguments that do not fit names the function that torch has inside, without indices.
for _function in (max_pool1d, max_pool2d, max_pool3d, adaptive_max_pool1d, adaptive_max_pool2d):
    _function.__qualname__ = f"_{_function.__name__}"
