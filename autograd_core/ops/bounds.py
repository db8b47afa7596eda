"""Whether the places in an index exist, and what torch says if one does not: each family of operators its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..tensor import Array

OF_DIMENSION = "index {place} is out of bounds for dimension {dim} with size {size}"
IN_SELF = "index out of range in self"
OF_DATA = "INDICES element is out of DATA bounds, id={place} axis_dim={size}"


def within(
    index: Array, size: int, dim: int, text: str = OF_DIMENSION, kind: Any = RuntimeError, least: int = 0
) -> None:
    """Whether all of `index` are from `least` on and below `size`, the length of dimension `dim`.

    Raises:
        Exception: one is not; of the `kind` and with the `text` given.
    """
    if index.size == 0:
        return
    wrong = np.ravel((index < least) | (index >= size))
    if wrong.any():
        raise kind(text.format(place=int(np.ravel(index)[wrong.argmax()]), dim=dim, size=size))


def selected(data: Array, index: Array, at: int, adding: bool = False) -> None:
    """`within` for index_select, and for index_add (`adding`), whose words hang on how torch goes through memory."""
    size = data.shape[at] if data.ndim else 1
    if adding and data.ndim > 1:
        within(index, size, at)
    elif adding or at == 0:
        within(index, size, at, IN_SELF, IndexError)
    else:
        within(index, size, at, OF_DATA)


def meet(self: Array, mask: Array) -> None:
    """Whether a mask and what it masks broadcast: torch names the size of the mask first.

    Raises:
        RuntimeError: they do not.
    """
    if mask.shape != self.shape and (text := errors.broadcast((mask.shape, self.shape))) is not None:
        raise RuntimeError(text)
