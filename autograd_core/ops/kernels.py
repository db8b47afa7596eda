"""What torch's kernels refuse by dtype, once operands are brought to one and their shapes are seen to fit."""

from __future__ import annotations

import numpy as np

from .. import errors
from ..tensor import Array


def refuse(kernel: str, kinds: str, *operands: Array) -> None:
    """Whether `kernel` has code for the dtype of `operands`; `kinds` are numpy's kinds of those that it has none for.

    Raises:
        NotImplementedError: it has none.
        ValueError: the shapes do not broadcast.
    """
    kind = operands[0].dtype
    if kind.kind in kinds:
        np.broadcast_shapes(*(np.shape(data) for data in operands))
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{errors.type_name(kind)}'")
