"""torch.Size: a tuple of lengths."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, SupportsIndex, overload

import numpy as np

from ..namespace.module_names import WrittenInC


def whole(length: Any, place: int) -> Any:
    """A length, of a tensor of one whole number that number.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(length, int | np.integer):
        return length
    data = getattr(length, "data_", None)
    if data is None or data.size != 1 or data.dtype.kind not in "iub":
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {place} is '{type(length).__name__}')")
    return int(data.item())


class Size(tuple[int, ...], metaclass=WrittenInC):
    """The shape of a tensor."""

    __slots__ = ()

    def __new__(cls, lengths: Iterable[Any] = ()) -> Size:
        """
        Raises:
            TypeError: one of the lengths is no whole number.
        """
        made = super().__new__(cls, lengths)
        if all(length.__class__ is int for length in made):
            return made
        return super().__new__(cls, [whole(length, place) for place, length in enumerate(made)])

    @classmethod
    def of(cls, shape: tuple[int, ...]) -> Size:
        """The shape of an array, which is known to be one."""
        return super().__new__(cls, shape)

    def numel(self) -> int:
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    @overload
    def __getitem__(self, key: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, key: slice) -> Size: ...
    def __getitem__(self, key: Any) -> Any:
        got = super().__getitem__(key)
        return Size(got) if isinstance(key, slice) else got

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size((*self, *other))

    def __radd__(self, other: Any) -> Any:
        return Size((*other, *self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> Size:
        return Size(tuple(self) * times)

    __rmul__ = __mul__
