"""The type of a value as a program sees it, and what is said when a value or module lacks a name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from .calls import kind_name
from .engine import torch
from .face import NAMES, TYPES
from .refusal import Refusal
from .values import OBJECTS, Error, Namespace, Type, Value

PYTHON_TYPES: dict[type, Type] = {}
"""The records of Python's own types; filled by `builtin`."""


def type_of(value: Value) -> Value:
    """`type(value)`"""
    if isinstance(value, OBJECTS):
        return value.kind
    if isinstance(value, Error):
        return value.own or value.kind
    kind = type(value)
    if kind in PYTHON_TYPES:
        return PYTHON_TYPES[kind]
    if kind in TYPES:
        return TYPES[kind]
    title = f"{kind.__module__}.{kind.__qualname__}".replace(torch.__name__, "torch", 1)
    found = Type(kind_name(value), (kind,), None, title if title.startswith("torch") else None)
    PYTHON_TYPES[kind] = found
    return found


def missing(owner: Value, name: str) -> BaseException:
    """The AttributeError, or the refusal where torch has the name and we do not."""
    if isinstance(owner, torch.Tensor) and name in NAMES["torch.Tensor"]:
        return Refusal(f"`{name}` of a tensor exists in PyTorch, but is not supported here.")
    raised = AttributeError(f"'{kind_name(owner)}' object has no attribute '{name}'")
    return raised


def unknown_name(owner: Namespace, name: str) -> BaseException:
    """A name that a module does not have here: a refusal if the real module has it, else Python's error."""
    if exists(owner.name, name):
        near = nearest(name, owner.table)
        hint = f" Near to it: {', '.join(near)}." if near else ""
        what = "exists in PyTorch, but is" if owner.name.startswith("torch") else "is"
        return Refusal(f"`{owner.name}.{name}` {what} not supported here.{hint}")
    return AttributeError(f"module '{owner.name}' has no attribute '{name}'")


def exists(module: str, name: str) -> bool:
    """Whether the real module has the name."""
    return name in NAMES.get(module, ()) or name in PYTHON.get(module, ())


PYTHON: dict[str, frozenset[str]] = {}
"""The names that Python's own modules have."""


def nearest(name: str, known: Iterable[str]) -> list[str]:
    return get_close_matches(name, [k for k in known if not k.startswith("_")], 3, 0.6)


def suggested(name: str, known: Iterable[str]) -> str:
    """What Python adds to an error about a name that is nearly right."""
    return ""
