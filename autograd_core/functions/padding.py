"""F.pad: `input` with more, or less, at the ends of its last dimensions."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Sequence

from ..ops import padding as p
from ..tensor import Tensor


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
        return p.constant_pad_nd(input, around, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode == "circular":
        raise NotImplementedError("circular padding is not supported: join slices with torch.cat instead")
    found = PADDINGS.get((mode, len(around)))
    if found is not None and rank in (len(around) // 2 + 1, len(around) // 2 + 2):
        return found(input, around)
    if mode not in ("reflect", "replicate"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(around) == 6:
        raise NotImplementedError(f"padding of three dimensions by mode {mode} is not supported")
    raise NotImplementedError("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now")


PADDINGS = {
    ("reflect", 2): p.reflection_pad1d,
    ("reflect", 4): p.reflection_pad2d,
    ("replicate", 2): p.replication_pad1d,
    ("replicate", 4): p.replication_pad2d,
}
