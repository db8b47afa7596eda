"""Modules that hold others, and lists and dicts of parameters."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Self, overload

from ..engine.state import ask_room
from ..namespace.type_names import own_method
from ..ordered_dict import ORDERED, OrderedDict
from ..tensor.tensor import Tensor
from .attributes import ELSEWHERE, delete_part, part_of, set_part
from .module import Module, indent
from .parameter import Parameter


class Listed(Module):
    """What Sequential and ModuleList share: modules under the names "0", "1", ..."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._held())

    def __contains__(self, module: object) -> bool:
        return any(module is held for held in self._held())

    def _held(self) -> list[Module]:
        return [module for module in self._modules.values() if module is not None]

    def _key(self, index: int) -> str:
        length, index = len(self), operator.index(index)
        if not -length <= index < length:
            raise IndexError(f"index {index} is out of range")
        return list(self._modules)[index]

    def _replace(self, modules: Iterable[Module]) -> None:
        self._modules.clear()
        for i, module in enumerate(modules):
            self.add_module(str(i), module)

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            part = type(self)()
            part._replace(self._held()[index])
            return part
        return self._modules[self._key(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        set_part(self, self._key(index), module)

    def __delitem__(self, index: int | slice) -> None:
        held = self._held()
        del held[index]
        self._replace(held)

    def append(self, module: Module) -> Self:
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        if not isinstance(modules, Iterable):
            kind = type(modules).__name__
            raise TypeError(f"{type(self).__name__}.extend should be called with an iterable, but got {kind}")
        for module in list(modules):
            self.append(module)
        return self

    def pop(self, key: int | slice) -> Any:
        module = self[key]
        del self[key]
        return module

    def _placed(self, index: int, module: Module) -> None:
        held = self._held()
        held.insert(index, module)
        self._replace(held)


class Sequential(Listed):
    """Modules called one after the other, each with the result of the one before."""

    def __init__(self, *modules: Module | OrderedDict[str, Module]) -> None:
        super().__init__()
        first = modules[0] if len(modules) == 1 else None
        named = first if isinstance(first, ORDERED) else {str(i): module for i, module in enumerate(modules)}
        for name, module in named.items():
            self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Any:
        """A module, or a part of them, which keep their names."""
        if isinstance(index, slice):
            part: list[Any] = list(self._modules.items())[index]
            return type(self)(OrderedDict(part))
        return super().__getitem__(index)

    def extend(self, sequential: Iterable[Module]) -> Self:
        for module in list(sequential):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        self._placed(index + len(self) * (index < 0), module)
        return self

    def __add__(self, other: Any) -> Sequential:
        return Sequential(*self._held(), *in_a_row(other))

    def __iadd__(self, other: Any) -> Self:
        return self.extend(in_a_row(other))

    def __mul__(self, other: int) -> Sequential:
        return Sequential(*self._held() * times(other, len(self)))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Self:
        return self.extend(self._held() * (times(other, len(self)) - 1))


def in_a_row(other: Any) -> list[Module]:
    if not isinstance(other, Sequential):
        raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
    return other._held()


def times(count: Any, length: int) -> int:
    """`count`, if a Sequential of `length` modules can be repeated so often; the room for it is asked for first.

    Raises:
        TypeError, ValueError: it cannot.
    """
    if not isinstance(count, int):
        raise TypeError(f"unsupported operand type(s) for *: {Sequential} and {type(count)}")
    if count <= 0:
        raise ValueError(f"Non-positive multiplication factor {count} for {Sequential}")
    ask_room(count * length * 64)  # a place takes as much memory as 64 numbers
    return count


class ModuleList(Listed):
    """A list whose modules count as submodules."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __repr__(self) -> str:
        """Neighbours that print alike are shown once, with their number."""
        lines, start = [], 0
        for text, alike in groupby(map(repr, self)):
            count = len(list(alike))
            shown = f"({start}): {text}" if count == 1 else f"({start}-{start + count - 1}): {count} x {text}"
            lines.append(indent(shown))
            start += count
        body = "\n  ".join(lines)
        return f"{self._get_name()}(\n  {body}\n)" if lines else f"{self._get_name()}()"

    def insert(self, index: int, module: Module) -> None:
        self._placed(index, module)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self._held(), *other])

    __iadd__ = Listed.extend


class ModuleDict(Module):
    """A dict whose modules count as submodules."""

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        for name, module in pairs_of(modules, ModuleDict, "ModuleDict", "ModuleDict"):
            self[name] = module

    def __getitem__(self, name: str) -> Module:
        module = self._modules[name]
        assert module is not None
        return module

    def __setitem__(self, name: str, module: Module) -> None:
        self.add_module(name, module)

    def __delitem__(self, name: str) -> None:
        del self._modules[name]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, name: object) -> bool:
        return name in self._modules

    def keys(self) -> Any:
        return self._modules.keys()

    def values(self) -> Any:
        return self._modules.values()

    def items(self) -> Any:
        return self._modules.items()

    def pop(self, key: str) -> Module:
        module = self[key]
        del self[key]
        return module

    def clear(self) -> None:
        self._modules.clear()


for _kind, _names in ((Sequential, "append pop"), (ModuleList, "append extend pop")):
    for _name in _names.split():
        own_method(_kind, _name, _kind.__name__)


def pairs_of(given: Any, own: type[Module], title: str, short: str) -> Iterator[tuple[str, Any]]:
    """The names and values of a mapping, of a module of its `own` class, or of pairs one after the other.

    Raises:
        TypeError, ValueError: it is neither; `title` and `short` are what torch calls whom it was given to.
    """
    if not isinstance(given, Iterable):
        kind = type(given).__name__
        raise TypeError(f"{title}.update should be called with an iterable of key/value pairs, but got {kind}")
    if isinstance(given, Mapping | own):
        yield from given.items()
        return
    for i, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{short} update sequence element #{i} should be Iterable; is{type(pair).__name__}")
        pair = tuple(pair)
        if len(pair) != 2:
            raise ValueError(f"{short} update sequence element #{i} has length {len(pair)}; 2 is required")
        yield pair


# ---- lists and dicts of parameters


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
        set_part(self, self._place(index), as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[i] for i in range(self._size))

    def extra_repr(self) -> str:
        return "\n".join(describe(str(i), value, str(getattr(value, "dtype", ""))) for i, value in enumerate(self))

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
        set_part(self, checked_key(name), as_parameter(value))

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
            lines.append(describe(name, value, kind))
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


def as_parameter(value: Any) -> Any:
    """A tensor as a parameter; anything else as it is."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def describe(name: str, value: Any, kind: str) -> str:
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
