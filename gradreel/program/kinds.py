"""The type of a value as a program sees it, and what is said when a value or module lacks a name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from .bridge import Companion
from .calls import kind_name
from .engine import torch
from .face import NAMES, TYPES
from .refusal import Refusal
from .values import Error, Instance, Namespace, Type, Value

PYTHON_TYPES: dict[type, Type] = {}
"""The records of Python's own types; filled by `builtin`."""


def type_of(value: Value) -> Value:
    """`type(value)`"""
    if isinstance(value, (Instance, Companion)):
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
    """A name that a module does not have here: a refusal if torch has it, else Python's error."""
    if name in NAMES.get(owner.name, ()) or owner.name not in NAMES:
        near = nearest(name, owner.table)
        hint = f" Near to it: {', '.join(near)}." if near else ""
        exists = "exists in PyTorch, but is" if owner.name in NAMES else "is"
        return Refusal(f"`{owner.name}.{name}` {exists} not supported here.{hint}")
    return AttributeError(f"module '{owner.name}' has no attribute '{name}'")


def nearest(name: str, known: Iterable[str]) -> list[str]:
    return get_close_matches(name, [k for k in known if not k.startswith("_")], 3, 0.6)
