"""What functions look like in print, and what Python calls them: torch wrote some in Python, the others in C++."""

from __future__ import annotations

import re
from types import MethodType
from typing import Any

from ..engine.engine import torch
from ..refusal import Refusal
from .type_tables import TypeTable
from .values import MISSING, OBJECTS, Builtin, Error, Foreign, Look, Stub, Value

ADDRESS = re.compile(r"\b0[xX][0-9a-fA-F]{6,}\b")

IN_PYTHON = (
    torch.Tensor,
    torch.nn.Module,
    torch.optim.Optimizer,
    torch.optim.lr_scheduler.LRScheduler,
    torch.distributions.Distribution,
    torch.distributions.Transform,
)
"""Classes with methods that torch wrote in Python: in the engine these are named after the class that has them."""

TYPE_NAME: Any = vars(type)["__name__"]
"""The name of a type as Python's messages have it; see WrittenInC in the engine's module_names.py."""

WRITTEN_IN_C = {f"datetime.{name}" for name in ("date", "datetime", "time", "timedelta")} | {
    "_io.StringIO",
    "re.Match",
    "re.Pattern",
    "types.SimpleNamespace",
}
"""Classes of modules that Python's messages name with their module, as they do with all that is written in C."""


def own_title(kind: type, name: str) -> str | None:
    """`Module.train` for a method `train` of the class `kind` that torch wrote in Python."""
    if not issubclass(kind, IN_PYTHON):
        return None
    title = getattr(getattr(kind, name, None), "__qualname__", "")  # a name of our tables
    return title if "." in title and "<" not in title else None


def of_class(kind: type, name: str) -> Look:
    """What the method `name` looks like, got from the class `kind` itself."""
    title = own_title(kind, name)
    if title is not None:
        return Look(f"<function {title} at 0x...>", "function")
    owner = "torch._C.TensorBase" if issubclass(kind, torch.Tensor) else TYPE_NAME.__get__(kind)
    return Look(f"<method '{name}' of '{owner}' objects>", "method_descriptor")


def function_kind(function: Builtin | Foreign) -> str:
    """The name of its type."""
    if function.receiver is not MISSING:
        return "builtin_function_or_method" if own_title(type(function.receiver), function.name) is None else "method"
    if isinstance(function.run, MethodType) and "." in function.run.__qualname__:
        return "method"
    return "builtin_function_or_method" if function.look is None else function.look.kind


def look_alike(table: dict[str, Value], real: Any) -> None:
    """Let the functions of `table` look like those of the `real` module that they stand for."""
    for name, entry in table.items():
        if isinstance(entry, (Builtin, Foreign)) and entry.look is None and hasattr(real, name):
            kind = type(getattr(real, name))
            title = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
            entry.look = Look(ADDRESS.sub("0x...", repr(getattr(real, name))), title)


UNBOUND: TypeTable[dict[Any, Value]] = TypeTable("methods", lambda kind: {})


def unbound(entry: Any, kind: type, name: str) -> Value:
    """The method `entry` of the objects of `kind`, got from the class itself."""
    found = UNBOUND[kind].get((entry, name))
    if found is None:
        found = UNBOUND[kind][entry, name] = _unbound(entry, kind, name)
    return found


def _unbound(entry: Any, kind: type, name: str) -> Value:
    look = of_class(kind, name)
    if isinstance(entry, Foreign):
        return Foreign(entry.name, entry.run, look=look)
    return Builtin(entry.name, entry.run, entry.machine, entry.receiver, entry.title, entry.method, look)


def kind_name(value: Value) -> str:
    """The name of the type of `value`, as Python's messages give it. What stands for a library has none to tell."""
    if isinstance(value, OBJECTS):
        return value.kind.title if value.kind.title in WRITTEN_IN_C else value.kind.name
    if type(value) is Stub:
        raise refuse_stub(value)
    if isinstance(value, Error):
        return value.own.name if value.own else value.kind.name
    if type(value) in (Builtin, Foreign):
        return function_kind(value)
    return type_name(type(value))


def type_name(kind: type) -> str:
    """The name of a type of the host as Python's messages give it."""
    home = f"{kind.__module__}." if kind.__module__ in ("numpy", "torch.return_types") else ""
    return home + str(TYPE_NAME.__get__(kind))


def refuse_stub(value: Stub) -> Refusal:
    """What a program asks of a library that has no part here cannot be known."""
    return Refusal(
        f"`{value.name}` does nothing here, so the program cannot use what it would give. Put something of your own in "
        "its place, such as a tensor from `torch.rand(8, 3)`."
    )
