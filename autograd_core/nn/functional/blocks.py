"""What lays blocks of images out in columns, and channels out in pixels, and back."""

from __future__ import annotations

import math

from ...ops import convolution, join
from ...ops._common import wrap
from ...tensor import Tensor
from .convolution import Lengths


def pair(value: Lengths) -> tuple[int, int]:
    if isinstance(value, int):
        return value, value
    one, *rest = value
    return int(one), int(rest[0] if rest else one)


NAMES = {"kernel": "kernel size", "pad": "padding"}


def check_blocks(given: dict[str, tuple[int, int]]) -> None:
    """Whether blocks can lie so, asked in this order.

    Raises:
        RuntimeError: they cannot, in torch's words.
    """
    for name, (tall, wide) in given.items():
        if min(tall, wide) < (name != "pad"):
            least = "non-negative" if name == "pad" else "greater than zero"
            found = f"{name}_height: {tall} {name}_width: {wide}"
            raise RuntimeError(f"{NAMES.get(name, name)} should be {least}, but got {found}")


def unfold(
    input: Tensor, kernel_size: Lengths, dilation: Lengths = 1, padding: Lengths = 0, stride: Lengths = 1
) -> Tensor:
    """The blocks under a sliding kernel, one a column."""
    if input.data_.ndim < 3:
        wrap(2, input.data_.ndim)
    if 0 in input.data_.shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(input.data_.shape)}"
        )
    kernel, spaced, room, step = pair(kernel_size), pair(dilation), pair(padding), pair(stride)
    check_blocks({"kernel": kernel, "dilation": spaced, "pad": room, "stride": step})
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
    check_blocks({"kernel": kernel, "stride": step, "dilation": spaced, "pad": room})
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


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels in `groups`, taken in turn from each."""
    return join.channel_shuffle(input, groups)


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
