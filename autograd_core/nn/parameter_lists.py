"""Lists and dictionaries of parameters, as modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Self

from ..ordered_dict import OrderedDict
from ..tensor import Tensor
from .attributes import ELSEWHERE, delete_part, part_of, set_part
from .container import pairs_of
from .module import Module
from .parameter import Parameter


class ParameterList(Module):
    """A list whose tensors count as parameters."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self.extend(values or ())

    def append(self, value: Any) -> Self:
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        if isinstance(values, Tensor) or not isinstance(values, Iterable):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    __iadd__ = extend

    def __call__(self, *args: Any, **options: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")

    def _place(self, index: int) -> str:
        if not -self._size <= index < self._size:
            raise IndexError(f"index {index} is out of range")
        return str(index % self._size)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(self[i] for i in range(*index.indices(self._size)))
        return part_of(self, self._place(index))

    def __setitem__(self, index: int, value: Any) -> None:
        set_part(self, self._place(index), counted(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[i] for i in range(self._size))

    def extra_repr(self) -> str:
        return "\n".join(described(str(i), value, str(getattr(value, "dtype", ""))) for i, value in enumerate(self))

    def __repr__(self) -> str:
        return listed_repr(self)


class ParameterDict(Module):
    """A dict whose tensors count as parameters."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        self.update(parameters or {})

    def update(self, parameters: Any) -> None:
        if type(parameters) is dict:
            parameters = sorted(parameters.items())  # from when a dict had no order
        for name, value in pairs_of(parameters, ParameterDict, "ParametersDict", "ParameterDict"):
            self[name] = value

    def __getitem__(self, name: str) -> Any:
        found = part_of(self, checked_key(name))
        if found is ELSEWHERE:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return found

    def __setitem__(self, name: str, value: Any) -> None:
        self._keys[name] = None
        set_part(self, checked_key(name), counted(value))

    def __delitem__(self, name: str) -> None:
        del self._keys[name]
        delete_part(self, checked_key(name))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, name: object) -> bool:
        return name in self._keys

    def keys(self) -> Any:
        return self._keys.keys()

    def values(self) -> Any:
        return [self[name] for name in self._keys]

    def items(self) -> Any:
        return [(name, self[name]) for name in self._keys]

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self._keys else default

    def pop(self, name: str) -> Any:
        value = self[name]
        del self[name]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Takes out the last of them."""
        name = list(self._keys)[-1]
        return name, self.pop(name)

    def clear(self) -> None:
        for name in list(self._keys):
            del self[name]

    def setdefault(self, name: str, default: Any = None) -> Any:
        if name not in self._keys:
            self[name] = default
        return self[name]

    def copy(self) -> ParameterDict:
        return ParameterDict(OrderedDict(self.items()))

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        return ParameterDict((name, default) for name in keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __or__(self, other: ParameterDict) -> ParameterDict:
        both = self.copy()
        both.update(other)
        return both

    def __ror__(self, other: Any) -> Any:
        both = other.copy()
        both.update(self)
        return both

    def __ior__(self, other: ParameterDict) -> Self:
        self.update(other)
        return self

    def __call__(self, *args: Any, **options: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def extra_repr(self) -> str:
        lines = []
        for name, value in self.items():
            kind = value.type() if isinstance(value, Tensor) else ""
            lines.append(described(name, value, kind))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return listed_repr(self)


def checked_key(key: Any) -> str:
    """`key`, if it is a name.

    Raises:
        TypeError: it is not.
    """
    if isinstance(key, str):
        return key
    raise TypeError(
        f"Index given to ParameterDict cannot be used as a key as it is not a string (type is '{type(key).__name__}'). "
        "Open an issue on github if you need non-string keys."
    )


def counted(value: Any) -> Any:
    """A tensor as a parameter; anything else as it is."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def described(name: str, value: Any, kind: str) -> str:
    if not isinstance(value, Tensor):
        return f"  ({name}): Object of type: {type(value).__name__}"
    what = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({name}): {what} containing: [{kind} of size {'x'.join(str(n) for n in value.data_.shape)}]"


def listed_repr(module: Module) -> str:
    lines = module.extra_repr().split("\n") if module.extra_repr() else []
    if len(lines) == 1:
        return f"{module._get_name()}({lines[0]})"
    body = "\n  ".join(lines)
    return f"{module._get_name()}(\n  {body}\n)" if lines else f"{module._get_name()}()"
