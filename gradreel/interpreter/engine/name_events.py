"""Name events: which tensors the names of the program stand for, as events.

A name that stands for a tensor is told with the tensor's number; for a module, list, tuple or dict its parts are told
under paths: `net.0.weight`, `params[2]`, `state['h']`. What was told is remembered by numbers and texts, never by
reference, so telling keeps nothing alive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from gradreel.trace.events import NameBound, NameUnbound
from gradreel.trace.texts import brief

from ..limits import LONG_NAME
from ..runtime.type_names import kind_name
from ..runtime.values import (
    ATTRIBUTES,
    MISSING,
    Builtin,
    Cell,
    Class,
    Foreign,
    Function,
    Instance,
    Namespace,
    Stub,
    Type,
    Value,
)
from .engine import TENSORS, tensor_id, torch
from .subclasses import ProgramModule

SILENT = frozenset({Function, Class, Type, Namespace, Builtin, Foreign})
"""Not told: functions, classes and imported names."""

PLAIN = frozenset({bool, int, float, str, type(None)})

NODE = torch.autograd.graph.Node
"""The context of a Function of the program's own is its node: what the program puts on it is told as its parts."""

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
    return value.name if isinstance(value, Stub) else kind_name(value)


def key_path(key: str | int) -> str:
    """The key of a dictionary as a path has it."""
    return repr(brief(key)) if isinstance(key, str) else repr(key)


def parts(value: Value, path: str, depth: int = 0) -> Iterator[tuple[str, Value]]:
    """The tensors in `value`, with the paths that lead to them."""
    if isinstance(value, TENSORS):
        yield path, value
    elif depth >= DEEPEST:
        return
    elif isinstance(value, (list, tuple)):
        for nr, part in enumerate(value[:PARTS]):
            kind = type(part)
            if kind in TENSORS:
                yield f"{path}[{nr}]", part
            elif kind not in PLAIN:
                yield from parts(part, f"{path}[{nr}]", depth + 1)
    elif isinstance(value, dict):
        for key, part in islice(value.items(), PARTS):
            if type(part) not in PLAIN and isinstance(key, (str, int)):
                yield from parts(part, f"{path}[{key_path(key)}]", depth + 1)
    elif isinstance(value, torch.nn.Module):
        yield from parts_of_module(value, path, depth)
    elif isinstance(value, NODE):
        own: dict[str, Value] = getattr(value, "__dict__", {}).get(ATTRIBUTES, {})
        for name, part in islice(own.items(), PARTS):
            yield from parts(part, f"{path}.{brief(name)}", depth + 1)
    elif isinstance(value, Instance):
        for name in list(value.attributes)[:PARTS]:
            yield from parts(value.attributes[name], f"{path}.{brief(name)}", depth + 1)


def parts_of_module(module: torch.nn.Module, path: str, depth: int) -> Iterator[tuple[str, Value]]:
    if "_parameters" not in module.__dict__:
        return
    for name, held in (*module.named_parameters(), *module.named_buffers()):
        if isinstance(held, TENSORS):  # a program may have put anything there
            yield f"{path}.{brief(name)}", held
    if isinstance(module, ProgramModule):
        for name in list(module.attributes)[:PARTS]:
            yield from parts(module.attributes[name], f"{path}.{brief(name)}", depth + 1)


Told = str | int | dict[str, tuple[int | None, str]]
"""What a name was told to stand for: a text, the number of a tensor, or its parts by their paths."""


class NoNameEvents:
    """For a library module, whose names are not told."""

    def bind_name(self, scope: int, name: str, value: Value) -> None:
        return None

    def unbind_name(self, scope: int, name: str) -> None:
        return None

    def leave_scope(self, scope: int) -> None:
        return None


class NameEvents(NoNameEvents):
    """What names were told to stand for, by scope and name."""

    def __init__(
        self, emit: Callable[[tuple[Any, ...]], None], say: Callable[[int], None] = lambda characters: None
    ) -> None:
        self.emit = emit
        self.say = say
        self.names: dict[str, Value] = {}
        """The variables of the program itself."""
        self.on = True
        """Whether names are told: not while nothing is recorded."""
        self.told: dict[int, dict[str, Told]] = {}

    def bind_name(self, scope: int, name: str, value: Value) -> None:
        """`name` is about to stand for `value`, or a part of what it stands for has changed."""
        if not self.on:
            return
        kind = type(value)
        if kind in SILENT:
            return
        if len(name) > LONG_NAME:
            name = brief(name)
            self.say(len(name))
        names = self.told.get(scope)
        if names is None:
            names = self.told[scope] = {}
        before = names.get(name)
        now: Told
        if kind in PLAIN:
            now = short(value)
            tensor, text = None, now
        elif kind in TENSORS:
            now = tensor_id(value)
            tensor, text = now, ""
        else:
            self.compound(scope, name, value, names, before)
            return
        if type(before) is dict:
            for path in before:
                if path != name:
                    self.emit((NameUnbound, path, scope))
        elif before == now and type(before) is type(now):
            return
        names[name] = now
        self.emit((NameBound, name, scope, tensor, text))

    def compound(self, scope: int, name: str, value: Value, names: dict[str, Told], told: Told | None) -> None:
        """A value with parts: those that are new or different are told, those that are gone as well."""
        before = told if isinstance(told, dict) else {}
        now: dict[str, tuple[int | None, str]] = {name: (None, short(value))}
        for path, tensor in islice(parts(value, name), PARTS):
            now[path] = (tensor_id(tensor), "")
        names[name] = now
        for path in before:
            if path not in now:
                self.emit((NameUnbound, path, scope))
        for path, (number, text) in now.items():
            if before.get(path) != (number, text):
                if len(path) > LONG_NAME:
                    self.say(len(path))
                self.emit((NameBound, path, scope, number, text))

    def unbind_name(self, scope: int, name: str) -> None:
        if not self.on:
            return
        told = self.told.get(scope, {}).pop(brief(name), None)
        if told is not None:
            for path in told if isinstance(told, dict) else (name,):
                self.emit((NameUnbound, path, scope))

    def tell_changes(self, scope: int, names: Mapping[str, Value], cells: Mapping[str, Cell]) -> None:
        """Tell what the names of `scope` stand for now, where that is not what they were told to stand for."""
        for name in list(self.told.get(scope, ())):
            if name not in names and (name not in cells or cells[name].value is MISSING):
                self.unbind_name(scope, name)
        for name in self.told.get(scope, {}).keys() & cells.keys():
            self.bind_name(scope, name, cells[name].value)
        for name, value in list(names.items()):
            if name.isidentifier() and not name.startswith("__"):
                self.bind_name(scope, name, value)

    def leave_scope(self, scope: int) -> None:
        """The function call `scope` ends, and its names with it: that is told once for all."""
        self.told.pop(scope, None)
