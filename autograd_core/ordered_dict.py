"""OrderedDict over dict: Python's own, which is written in C, does not bear keys whose `__eq__` changes it meanwhile.

A dict has kept its order since Python 3.7, and is safe against its keys; what OrderedDict has beyond it stands here.
"""

from __future__ import annotations

import collections
import operator
import sys
from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from typing import Any, TypeVar

Key = TypeVar("Key")
Held = TypeVar("Held")


class odict_keys(KeysView[Any]):
    """The views are those of the dict below, but for what they are called: no key is asked for its hash again."""

    __module__ = "builtins"
    __slots__ = ()

    _mapping: dict[Any, Any]

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._mapping)

    def __repr__(self) -> str:
        return f"odict_keys({list(self)})"


class odict_values(ValuesView[Any]):
    __module__ = "builtins"
    __slots__ = ()

    _mapping: dict[Any, Any]

    def __iter__(self) -> Iterator[Any]:
        return iter(dict.values(self._mapping))

    def __reversed__(self) -> Iterator[Any]:
        return reversed(dict.values(self._mapping))

    def __repr__(self) -> str:
        return f"odict_values({list(self)})"


class odict_items(ItemsView[Any, Any]):
    __module__ = "builtins"
    __slots__ = ()

    _mapping: dict[Any, Any]

    def __iter__(self) -> Iterator[Any]:
        return iter(dict.items(self._mapping))

    def __reversed__(self) -> Iterator[Any]:
        return reversed(dict.items(self._mapping))

    def __repr__(self) -> str:
        return f"odict_items({list(self)})"


class OrderedDict(dict[Key, Held]):
    """A dict that is told apart by its order, and whose ends can be reached."""

    __module__ = "collections"

    def move_to_end(self, key: Key, last: bool = True) -> None:
        """
        Raises:
            KeyError: it is not there.
        """
        held = self.pop(key)
        rest = {} if last else dict(dict.items(self))
        if rest:
            self.clear()
        self[key] = held
        dict.update(self, rest)

    def popitem(self, last: bool = True) -> tuple[Key, Held]:
        """
        Raises:
            KeyError: there is none.
        """
        if not self:
            raise KeyError("dictionary is empty")
        key = next(reversed(self) if last else iter(self))
        return key, self.pop(key)

    def copy(self) -> OrderedDict[Key, Held]:
        return type(self)(self)

    def keys(self) -> Any:
        return odict_keys(self)

    def values(self) -> Any:
        return odict_values(self)

    def items(self) -> Any:
        return odict_items(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OrderedDict):
            return dict.__eq__(self, other)
        return dict.__eq__(self, other) and all(map(operator.eq, self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        made = type(self)(self)
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        made = type(self)(other)
        made.update(self)
        return made

    def __repr__(self) -> str:
        shown = dict.__repr__(self) if sys.version_info >= (3, 12) else f"{list(dict.items(self))!r}"
        return f"{type(self).__name__}({shown if self else ''})"


ORDERED = (OrderedDict, collections.OrderedDict)
"""What is taken for one: who calls the engine from Python may have Python's own."""
