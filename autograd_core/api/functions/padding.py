"""F.pad: `input` with more, or less, at the ends of its last dimensions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...dispatch.inplace import in_place
from ...errors import Unsupported
from ...ops._common import refuse
from ...ops.padding import constant_pad_nd, reflection_pad1d, reflection_pad2d, replication_pad1d, replication_pad2d
from ...ops.unary import copy
from ...ops.view import slice_
from ...tensor.tensor import Tensor, plain


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """`input` with more, or less, at the ends of its last dimensions: `pad` names them from the last one on."""
    around, rank = list(pad), input.data_.ndim
    if len(around) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(around) > 2 * rank:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(around)} and input of dimension {rank}"
        )
    if mode == "constant":
        return constant_pad_nd(input, around, 0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode == "circular" and rank in (len(around) // 2 + 1, len(around) // 2 + 2):
        return circular(input, around)
    found = PADDINGS.get((mode, len(around)))
    if found is not None and rank in (len(around) // 2 + 1, len(around) // 2 + 2):
        kind = "reflection" if mode == "reflect" else "replication"
        refuse(f"{kind}_pad{len(around) // 2}d", "b", input.data_)
        return found(input, around)
    if len(around) == 6 and rank in (4, 5):
        raise Unsupported(f"pad of three dimensions with mode='{mode}' is not supported")
    raise NotImplementedError(COMBINATIONS.format(len(around), rank))


def circular(input: Tensor, around: list[int]) -> Tensor:
    """`input` with its own other end beyond each end: written part by part into new memory, as torch does.

    Raises:
        RuntimeError: more than all of a dimension is asked for, or less than nothing of it is left.
    """
    first = input.data_.ndim - len(around) // 2
    ends = [(0, 0)] * first + [(around[i], around[i + 1]) for i in range(len(around) - 2, -2, -2)]
    lengths = []
    for length, (left, right) in zip(input.data_.shape, ends, strict=True):
        if left > length or right > length:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if length + left + right < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        lengths.append(length + left + right)
    out: Tensor = plain(np.zeros(lengths, input.data_.dtype))
    inside, shown = out, input
    last_first = range(input.data_.ndim - 1, first - 1, -1)
    for dim in last_first:
        left, right = ends[dim]
        inside = slice_(inside, dim, max(left, 0), lengths[dim] - max(right, 0), 1)
        shown = slice_(shown, dim, max(-left, 0), input.data_.shape[dim] - max(-right, 0), 1)
    in_place(copy, inside, shown)
    for dim in last_first:
        length, left, right = lengths[dim], max(ends[dim][0], 0), max(ends[dim][1], 0)
        if left:
            part = slice_(out, dim, 0, left, 1)
            in_place(copy, part, slice_(out, dim, length - left - right, length - right, 1))
        if right:
            part = slice_(out, dim, length - right, length, 1)
            in_place(copy, part, slice_(out, dim, left, left + right, 1))
    return out


COMBINATIONS = """Padding size {} is not supported for {}D input tensor.
Supported combinations for non-constant padding:
  - 2D or 3D input: padding size = 2 (pads last dimension)
  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)
  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"""


PADDINGS = {
    ("reflect", 2): reflection_pad1d,
    ("reflect", 4): reflection_pad2d,
    ("replicate", 2): replication_pad1d,
    ("replicate", 4): replication_pad2d,
}
