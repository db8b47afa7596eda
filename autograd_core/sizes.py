"""torch.Size: a tuple of lengths."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex, overload

from .homes import WrittenInC


class Size(tuple[int, ...], metaclass=WrittenInC):
    """The shape of a tensor."""

    __slots__ = ()

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
