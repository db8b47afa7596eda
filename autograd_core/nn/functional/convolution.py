"""Convolutions as functions, and what lays blocks of images out in columns or channels out in pixels."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import errors
from ...errors import type_name
from ...ops import convolution
from ...ops import shape as s
from ...ops.padding import constant_pad_nd
from ...tensor import Tensor

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


def shown(sizes: Sequence[int]) -> str:
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
    if min(options["dilation"]) <= 0:
        spaced = [1, *options["dilation"]][-2:]  # torch computes one dimension as two
        raise RuntimeError(f"dilation should be greater than zero, but got {spaced}")
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
                f"Calculated padded input size per channel: ({shown(room)}). Kernel size: ({shown(spans)}). Kernel "
                "size can't be greater than actual input size"
            )
    else:
        check_room(options)
    check_kinds(input, weight, bias, transposed)


def check_kinds(input: Tensor, weight: Tensor, bias: Tensor | None, transposed: bool) -> None:
    """Whether the operands of a convolution are of one dtype, and one that torch has a kernel for.

    Raises:
        RuntimeError, NotImplementedError: they are not, or it has none.
    """
    kind, other = input.data_.dtype, weight.data_.dtype
    if not transposed:
        check_bias(kind, bias)
    if kind.name == "float16" and other != kind:
        raise RuntimeError(
            f"Input type ({errors.legacy_type(kind)}) and weight type ({errors.legacy_type(other)}) should be the same "
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
        names = [errors.C_NAMES[dtype.name] for dtype in (kind, bias.data_.dtype)]
        raise RuntimeError(f"Input type ({names[0]}) and bias type ({names[1]}) should be the same")


STRAIGHT = "slow_conv2d_cpu", ("bool",)
TRANSPOSED = "slow_conv_transpose2d_out_cpu", ("bool", "uint8", "int8", "int16", "int32")
"""Kernels of torch, and the dtypes for which it has none."""


def check_room(options: dict[str, Any]) -> None:
    """A transposed convolution may make its result longer by less than a step.

    Raises:
        RuntimeError: it would by more.
    """
    terms = [[[0, 1, 1][i], *options[name]][-2:] for i, name in enumerate(("output_padding", "stride", "dilation"))]
    if any(more >= step and more >= wide for more, step, wide in zip(*terms, strict=True)):
        pairs = zip(("output_padding", "stride", "dilation"), terms, strict=True)
        told = " ".join(f"{name}_height: {high} {name}_width: {wide}" for name, (high, wide) in pairs)
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
    batch = s.unsqueeze(input, 0) if ndim == n + 1 else input
    options["groups"], options["output_padding"] = groups, lengths(output_padding, n, "output_padding")
    if isinstance(padding, str):
        batch, options["padding"] = room_for(padding, batch, weight, options)
    else:
        options["padding"] = lengths(padding, n, "padding")
    check(batch, weight, bias, options, transposed)
    given = (options[name] for name in ("stride", "padding", "dilation"))
    out = convolution.convolution(batch, weight, bias, *given, transposed, options["output_padding"], groups)
    return s.squeeze_dim(out, 0) if ndim == n + 1 else out


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
        around: list[int] = []
        for extra in reversed(more):
            around += [0, extra]
        batch = constant_pad_nd(batch, around, 0)
    return batch, left


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Lengths = 1,
    padding: Lengths | str = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Tensor:
    return convolve(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Lengths = 1,
    padding: Lengths | str = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Tensor:
    return convolve(2, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Lengths = 1,
    padding: Lengths = 0,
    output_padding: Lengths = 0,
    groups: int = 1,
    dilation: Lengths = 1,
) -> Tensor:
    return convolve(1, input, weight, bias, stride, padding, dilation, groups, output_padding, True)


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Lengths = 1,
    padding: Lengths = 0,
    output_padding: Lengths = 0,
    groups: int = 1,
    dilation: Lengths = 1,
) -> Tensor:
    return convolve(2, input, weight, bias, stride, padding, dilation, groups, output_padding, True)


# ---- blocks and pixels


def pair(value: Lengths) -> tuple[int, int]:
    if isinstance(value, int):
        return value, value
    one, *rest = value
    return int(one), int(rest[0] if rest else one)


def unfold(
    input: Tensor, kernel_size: Lengths, dilation: Lengths = 1, padding: Lengths = 0, stride: Lengths = 1
) -> Tensor:
    """The blocks under a sliding kernel, one a column."""
    if input.data_.ndim < 3:
        s.wrap(2, input.data_.ndim)
    kernel, spaced, room, step = pair(kernel_size), pair(dilation), pair(padding), pair(stride)
    size = input.data_.shape[-2:]
    terms = zip(size, room, spaced, kernel, step, strict=True)
    places = tuple((n + 2 * pad - d * (k - 1) - 1) // st + 1 for n, pad, d, k, st in terms)
    if min(places) < 1:
        raise RuntimeError(
            f"Given input with spatial size {size}, kernel_size={kernel}, dilation={spaced}, padding={room}, "
            f"calculated shape of the array of sliding blocks as {places}, but its components must be at least one."
        )
    return convolution.im2col(input, kernel, spaced, room, step)


def fold(
    input: Tensor,
    output_size: Lengths,
    kernel_size: Lengths,
    dilation: Lengths = 1,
    padding: Lengths = 0,
    stride: Lengths = 1,
) -> Tensor:
    """The image whose blocks add up from columns."""
    shape = input.data_.shape
    if len(shape) not in (2, 3):
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(shape)}"
        )
    size, kernel, spaced, room, step = (pair(v) for v in (output_size, kernel_size, dilation, padding, stride))
    at = len(shape) - 2
    if shape[at] % math.prod(kernel):
        raise RuntimeError(
            f"Expected size of input's dimension {at} to be divisible by the product of kernel_size, but got "
            f"input.size({at})={shape[at]} and kernel_size={kernel}."
        )
    terms = zip(size, room, spaced, kernel, step, strict=True)
    places = [(n + 2 * pad - d * (k - 1) - 1) // st + 1 for n, pad, d, k, st in terms]
    if shape[at + 1] != math.prod(places):
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={spaced}, padding={room}, stride={step}, "
            f"expected size of input's dimension {at + 1} to match the calculated number of sliding blocks "
            f"{places[0]} * {places[1]} = {math.prod(places)}, but got input.size({at + 1})={shape[at + 1]}."
        )
    return convolution.col2im(input, size, kernel, spaced, room, step)


def need_image(name: str, input: Tensor) -> None:
    if input.data_.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {input.data_.ndim} dimension(s)"
        )


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Channels (C * r * r, H, W) laid out as pixels (C, H * r, W * r)."""
    need_image("pixel_shuffle", input)
    if upscale_factor <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {upscale_factor}")
    channels = input.data_.shape[-3]
    if channels % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {upscale_factor**2}"
        )
    return convolution.pixel_shuffle(input, upscale_factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    need_image("pixel_unshuffle", input)
    if downscale_factor <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {downscale_factor}")
    for dim, name in ((-2, "height"), (-1, "width")):
        n = input.data_.shape[dim]
        if n % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({dim})={n} is "
                f"not divisible by {downscale_factor}"
            )
    return convolution.pixel_unshuffle(input, downscale_factor)
