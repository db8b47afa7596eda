"""The type of a value as a program sees it, and what is said when a value or module lacks a name."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..engine.bridge import Callback, Parcel, from_engine
from ..engine.engine import torch
from ..refusal import Refusal
from ..torch_module.namespace import NAMES, SURFACE
from ..words import words
from .allowed_types import PYTHON_TYPES, TYPES
from .looks import function_kind, kind_name
from .tables import table_of
from .values import OBJECTS, Builtin, Class, Error, Foreign, Namespace, Type, Value

FUNCTION_TYPES: dict[str, Type] = {}
"""Those of functions, by name; filled likewise."""


MODULES = ("torch.", "itertools.", "random.", "numpy.dtypes.")
"""Where types are at home that say so."""


def type_of(value: Value) -> Value:
    """`type(value)`"""
    if isinstance(value, OBJECTS):
        return value.kind
    if isinstance(value, Error):
        return value.own or value.kind
    if isinstance(value, (Callback, Parcel)):
        return type_of(from_engine(value))
    kind = type(value)
    if kind in (Builtin, Foreign):
        made = function_kind(value)
        return FUNCTION_TYPES.get(made) or FUNCTION_TYPES.setdefault(
            made, Type(made.rpartition(".")[2], (), None, made)
        )
    if kind in PYTHON_TYPES:
        return PYTHON_TYPES[kind]
    if kind in TYPES:
        return TYPES[kind]
    title = f"{kind.__module__}.{kind.__qualname__}".replace(torch.__name__, "torch", 1)
    found = Type(kind_name(value).rpartition(".")[2], (kind,), None, title if title.startswith(MODULES) else None)
    PYTHON_TYPES[kind] = found
    return found


PUBLIC: dict[type, frozenset[str]] = {
    kind: frozenset(name for name in dir(kind) if not name.startswith("_"))
    for kind in (str, list, tuple, dict, set, frozenset, int, float, bool, range)
}
"""The names that values of Python's own types have there."""


def missing(owner: Value, name: str) -> BaseException:
    """The AttributeError, or the refusal where torch has the name and we do not."""
    for kind, listed in ((torch.Tensor, "torch.Tensor"), (torch.nn.Module, "torch.nn.Module")):
        if isinstance(owner, kind) and exists(listed, name):
            near = nearest(name, table_of(kind))
            hint = f" Near to it: {', '.join(near)}." if near else ""
            what = "a tensor" if kind is torch.Tensor else "a module"
            return Refusal(f"`{name}` of {what} exists in PyTorch, but is not supported here.{hint}")
    if name in PUBLIC.get(type(owner), ()):
        near = nearest(name, table_of(type(owner)))
        hint = f" Near to it: {', '.join(near)}." if near else ""
        return Refusal(f"`{name}` of a {kind_name(owner)} is not supported here.{hint}")
    raised = AttributeError(f"'{kind_name(owner)}' object has no attribute '{name}'")
    raised.candidates = Names(owner)  # type: ignore[attr-defined]
    return raised


class Names(Sequence[str]):
    """The names that a value has, found out when they are asked for."""

    def __init__(self, owner: Value) -> None:
        self.names = [*getattr(owner, "attributes", ())]
        kind = getattr(owner, "kind", None)
        self.classes = kind.order if isinstance(kind, Class) else ()
        self.host = type(owner)

    def __len__(self) -> int:
        return len(self.listed())

    def __getitem__(self, at: Any) -> Any:
        return self.listed()[at]

    def listed(self) -> list[str]:
        own = [name for base in self.classes for name in base.attributes]
        return sorted({*self.names, *own, *table_of(self.host)})


def unknown_name(owner: Namespace, name: str) -> BaseException:
    """A name that a module does not have here: a refusal if the real module has it, else Python's error."""
    if exists(owner.name, name):
        near = nearest(name, owner.table)
        hint = f" Near to it: {', '.join(near)}." if near else ""
        what = "exists in PyTorch, but is" if owner.name.startswith("torch") else "is"
        return Refusal(f"`{owner.name}.{name}` {what} not supported here.{hint}")
    said = (numpy_once(name) if owner.name == "numpy" else None) or f"module '{owner.name}' has no attribute '{name}'"
    raised = AttributeError(said)
    raised.candidates = tuple(sorted(owner.table))  # type: ignore[attr-defined]
    return raised


def numpy_once(name: str) -> str | None:
    """What numpy says of a name that it had once; of some also that they will come again."""
    once = vars(np)
    if name in once["__future_scalars__"]:
        again = f"In the future `np.{name}` will be defined as the corresponding NumPy scalar."
        warnings.warn(again, FutureWarning, stacklevel=2)
    if name in once["__former_attrs__"]:
        return str(once["__former_attrs__"][name])
    removed = once["__expired_attributes__"].get(name)
    return f"`np.{name}` was removed in the NumPy 2.0 release. {removed}" if removed else None


def exists(module: str, name: str) -> bool:
    """Whether the real module has the name."""
    return name in NAMES.get(module, ()) or name in SURFACE.get(module, ()) or name in PYTHON.get(module, ())


PYTHON: dict[str, Container[str]] = {}
"""The names that modules which are not torch's have."""


def nearest(name: str, known: Iterable[str]) -> list[str]:
    return get_close_matches(name, [k for k in known if not k.startswith("_")], 3, 0.6)


DUNDERS = frozenset(
    words(
        "__init__ __new__ __call__ __repr__ __str__ __format__ __len__ __getitem__ __setitem__ __delitem__ __missing__ "
        "__iter__ __next__ __reversed__ __contains__ __enter__ __exit__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ "
        "__bool__ __neg__ __pos__ __abs__ __invert__ __int__ __float__ __complex__ __index__ __round__ __trunc__ "
        "__floor__ __ceil__ __hash__ __getattr__ __setattr__ __delattr__ __getattribute__ __get__ __set__ __delete__ "
        "__set_name__ __init_subclass__ __class_getitem__ __post_init__ __copy__ __deepcopy__ __divmod__ __rdivmod__ "
        "__fspath__ __name__ __qualname__ __class__ __doc__ __version__ __self__ __func__ __module__ __dict__ "
        "__bases__ __mro__ __slots__ __match_args__ __annotations__ __defaults__ __wrapped__ __members__ __all__ "
        "__author__ __cause__ __context__ __suppress_context__ __notes__ __traceback__ __isabstractmethod__ "
        "__abstractmethods__ __stdout__ __stderr__ "
        "__getstate__ __setstate__ __constants__"
    )
) | {
    f"__{side}{name}__"
    for name in words("add sub mul truediv floordiv mod pow matmul and or xor lshift rshift")
    for side in ("", "r", "i")
}
"""Special names that programs may say."""


def special(wanted: str) -> bool:
    """Whether Python itself gives a meaning to this name."""
    return len(wanted) > 4 and wanted.startswith("__") and wanted.endswith("__")
