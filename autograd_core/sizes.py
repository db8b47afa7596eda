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
        return Size((*self, *other))
