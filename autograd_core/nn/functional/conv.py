"""Convolutions as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import errors
from ...dispatch.schema.schema import composite
from ...engine.warnings import warn_once
from ...errors import type_name
from ...ops.binary import mul_scalar
from ...ops.complex import is_complex, resolve_conj, view_as_real
from ...ops.convolution import convolution
from ...ops.padding import constant_pad_nd
from ...ops.view import select, squeeze_dim, unsqueeze
from ...tensor.tensor import Tensor

Lengths = int | Sequence[int]


def lengths(value: Lengths, n: int, name: str) -> list[int]:
    """`value` for each of `n` spatial dimensions."""
    given = [value] if isinstance(value, int) else [int(v) for v in value]
    if len(given) not in (1, n):
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {n} values to match the convolution "
            f"dimensions, but got {name}={given}"
        )
    return given * n if len(given) == 1 else given


def show(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes))


def check(input: Tensor, weight: Tensor, bias: Tensor | None, options: dict[str, Any], transposed: bool) -> None:
    """Whether the operands of a convolution go together.

    Raises:
        RuntimeError: they do not, in torch's words.
    """
    shape, kernel, groups = input.data_.shape, weight.data_.shape, options["groups"]
    for name in ("padding", "output_padding"):
        if min(options[name]) < 0:
            raise RuntimeError(f"negative {name} is not supported")
    if min(options["stride"]) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(options["dilation"]) < 0:
        raise RuntimeError("dilation should be greater than zero")
    if min(options["dilation"]) == 0:
        spaced = as_two(1, options["dilation"])
        found = sides_of("dilation", spaced, ", ") if transposed else spaced
        raise RuntimeError(f"dilation should be greater than zero, but got {found}")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if kernel[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{list(kernel)} instead"
        )
    if kernel[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{list(kernel)}] instead"
        )
    channels = kernel[0] if transposed else kernel[1] * groups
    if not transposed:
        check_bias(input.data_.dtype, bias)
    if shape[1] != channels:
        what = f"transposed={int(transposed)}" if transposed else f"groups={groups}"
        raise RuntimeError(
            f"Given {what}, weight of size {list(kernel)}, expected input{list(shape)} to have {channels} channels, "
            f"but got {shape[1]} channels instead"
        )
    out = kernel[1] * groups if transposed else kernel[0]
    if bias is not None and bias.data_.shape != (out,):
        what = f"transposed={int(transposed)}, " if transposed else ""
        raise RuntimeError(
            f"Given {what}weight of size {list(kernel)}, expected bias to be 1-dimensional with {out} elements, but "
            f"got bias of size {list(bias.data_.shape)} instead"
        )
    if not transposed:
        room = [n + 2 * pad for n, pad in zip(shape[2:], options["padding"], strict=True)]
        spans = [d * (k - 1) + 1 for k, d in zip(kernel[2:], options["dilation"], strict=True)]
        if any(r < span for r, span in zip(room, spans, strict=True)):
            raise RuntimeError(
                f"Calculated padded input size per channel: ({show(room)}). Kernel size: ({show(spans)}). Kernel "
                "size can't be greater than actual input size"
            )
    else:
        check_room(options)
        check_result(shape[2:], kernel[2:], options)
    check_kinds(input, weight, bias, transposed)


def check_kinds(input: Tensor, weight: Tensor, bias: Tensor | None, transposed: bool) -> None:
    """Whether the operands of a convolution are of one dtype, and one that torch has a kernel for.

    Raises:
        RuntimeError, NotImplementedError: they are not, or it has none.
    """
    kind, other = input.data_.dtype, weight.data_.dtype
    if (kind.name == "float16" or not kind.isnative) and other != kind:
        name = errors.legacy_type(kind) if kind.isnative else "CPUBFloat16Type"
        raise RuntimeError(
            f"Input type ({name}) and weight type ({errors.legacy_type(other)}) should be the same "
            "or input should be a MKLDNN tensor and weight is a dense tensor"
        )
    kernel, without = TRANSPOSED if transposed else STRAIGHT
    if kind.name in without:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{type_name(kind)}'")
    if kind != other:
        raise RuntimeError(f"expected scalar type {type_name(kind)} but found {type_name(other)}")
    check_bias(kind, bias)


def check_bias(kind: np.dtype[Any], bias: Tensor | None) -> None:
    """Whether the bias is of the dtype of the input.

    Raises:
        RuntimeError: it is not.
    """
    if bias is not None and bias.data_.dtype != kind:
        names = [errors.c_name(dtype) for dtype in (kind, bias.data_.dtype)]
        raise RuntimeError(f"Input type ({names[0]}) and bias type ({names[1]}) should be the same")


STRAIGHT = "slow_conv2d_cpu", ("bool",)
TRANSPOSED = "slow_conv_transpose2d_out_cpu", ("bool", "uint8", "int8", "int16", "int32")
"""Kernels of torch, and the dtypes for which it has none."""


def as_two(missing: int, values: Sequence[int]) -> list[int]:
    """`values` of a convolution in one dimension as those of an image of height one, as torch computes it."""
    return [missing, *values][-max(2, len(values)) :]


def sides_of(name: str, values: Sequence[int], between: str) -> str:
    """What is given for each side, as messages show it."""
    sides = ("depth", "height", "width")[-len(values) :]
    return between.join(f"{name}_{side}: {n}" for side, n in zip(sides, values, strict=True))


def check_result(size: Sequence[int], kernel: Sequence[int], options: dict[str, Any]) -> None:
    """Whether anything is left of the result of a transposed convolution.

    Raises:
        RuntimeError: nothing is.
    """
    names = ("stride", "padding", "dilation", "output_padding")
    terms = zip(size, kernel, *(options[name] for name in names), strict=True)
    left = [(n - 1) * s - 2 * p + d * (k - 1) + more + 1 for n, k, s, p, d, more in terms]
    if min(left) < 1:
        raise RuntimeError(
            f"Given input size per channel: ({show(as_two(1, size))}). Calculated output size per channel: "
            f"({show(as_two(1, left))}). Output size is too small"
        )


def check_room(options: dict[str, Any]) -> None:
    """A transposed convolution may make its result longer by less than a step.

    Raises:
        RuntimeError: it would by more.
    """
    given = {name: as_two(one, options[name]) for name, one in (("output_padding", 0), ("stride", 1), ("dilation", 1))}
    if any(more >= step and more >= wide for more, step, wide in zip(*given.values(), strict=True)):
        told = " ".join(sides_of(name, values, " ") for name, values in given.items())
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {told}")


def convolve(
    n: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Lengths,
    padding: Lengths | str,
    dilation: Lengths,
    groups: int,
    output_padding: Lengths = 0,
    transposed: bool = False,
) -> Tensor:
    """A convolution over the last `n` dimensions; one without a batch gets one for the time being."""
    title = f"conv{'_transpose' if transposed else ''}{n}d"
    refuse_others(title, input, weight)
    ndim = input.data_.ndim
    if ndim not in (n + 1, n + 2):
        raise RuntimeError(
            f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {title}, but got input of size: "
            f"{list(input.data_.shape)}"
        )
    if weight.data_.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    options: dict[str, Any] = {"stride": lengths(stride, n, "stride"), "dilation": lengths(dilation, n, "dilation")}
    if weight.data_.ndim != n + 2:
        lengths(options["stride"], weight.data_.ndim - 2, "stride")
    batch = unsqueeze(input, 0) if ndim == n + 1 else input
    options["groups"], options["output_padding"] = groups, lengths(output_padding, n, "output_padding")
    if isinstance(padding, str):
        batch, options["padding"] = room_for(padding, batch, weight, options)
    else:
        options["padding"] = lengths(padding, n, "padding")
    check(batch, weight, bias, options, transposed)
    given = [options[name] for name in ("stride", "padding", "dilation")]
    run = convolve_complex if is_complex(batch) else convolution
    out = run(batch, weight, bias, *given, transposed, options["output_padding"], groups)
    return squeeze_dim(out, 0) if ndim == n + 1 else out


def convolve_complex(input: Tensor, weight: Tensor, bias: Tensor | None, *options: Any) -> Any:
    """A convolution of complex numbers by three real ones, as torch does it (the way of Gauss)."""
    (x, y), (u, v) = parts_of(input), parts_of(weight)
    p, q = (None, None) if bias is None else parts_of(bias)
    a = convolution(x, u, p, *options)
    b = convolution(y, v, None, *options)
    c = convolution(x + y, u + v, None if p is None else p + q, *options)
    return a - b + mul_scalar(c - a - b, 1j)


def parts_of(tensor: Tensor) -> tuple[Any, Any]:
    pairs = view_as_real(resolve_conj(tensor))
    return select(pairs, -1, 0), select(pairs, -1, 1)


def refuse_others(title: str, input: Any, weight: Any) -> None:
    if isinstance(input, Tensor) and isinstance(weight, Tensor):
        return
    kinds = ", ".join(type(value).__name__ for value in (input, weight))
    raise TypeError(f"{title}() received an invalid combination of arguments - got ({kinds})")


def room_for(padding: str, batch: Tensor, weight: Tensor, options: dict[str, Any]) -> tuple[Tensor, list[int]]:
    """The input and the padding of "same" and "valid": where sides differ, the right one is padded beforehand."""
    n = len(options["stride"])
    if padding == "valid":
        return batch, [0] * n
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(step != 1 for step in options["stride"]):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(options["dilation"], weight.data_.shape[2:], strict=True)]
    left = [t // 2 for t in total]
    more = [t - 2 * side for t, side in zip(total, left, strict=True)]
    if any(more):
        warn_once("one side of an even kernel", ONE_SIDE)
        around: list[int] = []
        for extra in reversed(more):
            around += [0, extra]
        batch = constant_pad_nd(batch, around, 0)
    return batch, left


ONE_SIDE = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
    "created"
)


SCHEMAS = """
    conv{n}d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[{n}] stride=1, SymInt[{n}] padding=0, SymInt[{n}] \
        dilation=1, SymInt groups=1) -> Tensor: function nn
    conv{n}d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[{n}] stride=1, str padding="valid", \
        SymInt[{n}] dilation=1, SymInt groups=1) -> Tensor: function nn
"""
TRANSPOSED_SCHEMA = """
    conv_transpose{n}d{overload}(Tensor input, Tensor weight, Tensor? bias=None, SymInt[{n}] stride=1, SymInt[{n}] \
        padding=0, SymInt[{n}] output_padding=0, SymInt groups=1, SymInt[{n}] dilation=1) -> Tensor: function nn
"""


def of_dimensions(n: int) -> Callable[..., Tensor]:
    """The convolution over `n` dimensions."""

    def conv(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Lengths = 1,
        padding: Lengths | str = 0,
        dilation: Lengths = 1,
        groups: int = 1,
    ) -> Tensor:
        return convolve(n, input, weight, bias, stride, padding, dilation, groups)

    conv.__name__ = conv.__qualname__ = f"conv{n}d"
    return composite(SCHEMAS.format(n=n))(conv)


def transposed_of_dimensions(n: int) -> Callable[..., Tensor]:
    """The transposed convolution over `n` dimensions."""

    def conv(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Lengths = 1,
        padding: Lengths = 0,
        output_padding: Lengths = 0,
        groups: int = 1,
        dilation: Lengths = 1,
    ) -> Tensor:
        return convolve(n, input, weight, bias, stride, padding, dilation, groups, output_padding, True)

    conv.__name__ = conv.__qualname__ = f"conv_transpose{n}d"
    return composite(TRANSPOSED_SCHEMA.format(n=n, overload=".input" if n > 1 else ""))(conv)


conv1d, conv2d, conv3d = map(of_dimensions, (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = map(transposed_of_dimensions, (1, 2, 3))
