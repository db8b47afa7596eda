"""Telling names: which tensors the names of the program stand for, as events.

A name that stands for a tensor is told with the tensor's number; for a module, list, tuple or dict its parts are told
under paths: `net.0.weight`, `params[2]`, `state['h']`. What was told is remembered by numbers and texts, never by
reference, so telling keeps nothing alive.
"""

from __future__ import annotations

from collections.abc import Iterator

from gradreel.trace.events import NameBound, NameUnbound

from .bridge import Companion
from .calls import kind_name
from .engine import TENSORS, tensor_id, torch
from .machine import Machine
from .values import Builtin, Class, Foreign, Function, Instance, Namespace, Type, Value

SILENT = (Function, Class, Type, Namespace, Builtin, Foreign)
"""Not told: functions, classes and imported names."""

PARTS = 64
"""So many parts of a container are told."""
LONGEST = 60
"""Characters of a value's text."""
DEEPEST = 3


def short(value: Value) -> str:
    """A few words for a value that is no tensor."""
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)[:LONGEST]
    if isinstance(value, str):
        return repr(value[:LONGEST])
    if isinstance(value, (list, tuple, dict, set, frozenset)):
        return f"{kind_name(value)} of {len(value)}"
    return kind_name(value)


def parts(value: Value, path: str, depth: int = 0) -> Iterator[tuple[str, Value]]:
    """The tensors in `value`, with the paths that lead to them."""
    if isinstance(value, TENSORS):
        yield path, value
    elif depth >= DEEPEST:
        return
    elif isinstance(value, (list, tuple)):
        for nr, part in enumerate(value[:PARTS]):
            yield from parts(part, f"{path}[{nr}]", depth + 1)
    elif isinstance(value, dict):
        for key in list(value)[:PARTS]:
            if isinstance(key, (str, int)):
                yield from parts(value[key], f"{path}[{key!r}]", depth + 1)
    elif isinstance(value, torch.nn.Module):
        yield from parts_of_module(value, path, depth)
    elif isinstance(value, Instance):
        for name in list(value.attributes)[:PARTS]:
            yield from parts(value.attributes[name], f"{path}.{name}", depth + 1)


def parts_of_module(module: torch.nn.Module, path: str, depth: int) -> Iterator[tuple[str, Value]]:
    if "_parameters" not in module.__dict__:
        return
    for name, held in (*module.named_parameters(), *module.named_buffers()):
        yield f"{path}.{name}", held
    if isinstance(module, Companion):
        for name in list(module.attributes)[:PARTS]:
            yield from parts(module.attributes[name], f"{path}.{name}", depth + 1)


class Telling:
    """What names were told to stand for, by scope and name."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.told: dict[int, dict[str, dict[str, tuple[int | None, str]]]] = {}

    def bound(self, scope: int, name: str, value: Value) -> None:
        """`name` is about to stand for `value`, or a part of what it stands for has changed."""
        if isinstance(value, SILENT):
            return
        now: dict[str, tuple[int | None, str]] = {}
        if not isinstance(value, TENSORS):
            now[name] = (None, short(value))
        for nr, (path, tensor) in enumerate(parts(value, name)):
            if nr == PARTS:
                break
            now[path] = (tensor_id(tensor), "")
        names = self.told.setdefault(scope, {})
        before = names.get(name, {})
        for path in before:
            if path not in now:
                self.machine.emit((NameUnbound, path, scope))
        for path, (tensor, text) in now.items():
            if before.get(path) != (tensor, text):
                self.machine.emit((NameBound, path, scope, tensor, text))
        names[name] = now

    def unbound(self, scope: int, name: str) -> None:
        for path in self.told.get(scope, {}).pop(name, {}):
            self.machine.emit((NameUnbound, path, scope))

    def left(self, scope: int) -> None:
        """The function call `scope` ends, and its names with it."""
        for name in list(self.told.get(scope, {})):
            self.unbound(scope, name)
        self.told.pop(scope, None)
