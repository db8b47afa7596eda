"""typing: hints, which say nothing here, and what makes classes of the program something else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..builtins.sequences import make_dict
from ..machine import Machine
from ..runtime.attributes import load
from ..runtime.type_names import kind_name
from ..runtime.typing_classes import PROTOCOL, TYPED_DICT, describe_fields
from ..runtime.values import Builtin, Class, Namespace, Type, Value, make_module


def _typed_dict(
    machine: Machine, /, name: Value = (), fields: Value = None, *, total: Value = True, **named: Value
) -> Value:
    """`TypedDict("Movie", {...})`: the class; without a name a dictionary."""
    if not isinstance(name, str) or not isinstance(fields, dict):
        return make_dict(machine, name, **named)
    machine.meter.length(len(fields))
    made = Class(str.__str__(name), (), {"__annotations__": dict(fields)}, machine)
    describe_fields(made, {"total": total})
    return made


TYPED_DICT.make = Builtin("TypedDict", _typed_dict, machine=True)


def _runtime_checkable(machine: Machine, kind: Value) -> Value:
    if not isinstance(kind, Class) or "protocol" not in kind.traits:
        raise TypeError(f"@runtime_checkable can be only applied to protocol classes, got {kind_name(kind)}")
    kind.traits |= {"checkable"}
    return kind


HINTS = (
    "Any AnyStr Callable ClassVar Deque DefaultDict Dict Final FrozenSet Generator Generic Hashable Iterable Iterator "
    "List Literal Mapping MutableMapping NoReturn Optional Protocol Self Sequence Set Sized SupportsFloat Text Tuple "
    "Type Union Annotated Concatenate ParamSpec Awaitable Collection Container Counter OrderedDict TypeAlias Never "
    "AbstractSet AsyncIterator ChainMap ContextManager Coroutine ItemsView IO KeysView LiteralString MutableSet "
    "NotRequired Required Reversible SupportsAbs SupportsIndex SupportsInt TextIO TypeGuard Unpack ValuesView"
)


def _cast(machine: Machine, kind: Value, value: Value) -> Value:
    return value


def _same(machine: Machine, value: Value) -> Value:
    return value


def _hint(machine: Machine, /, name: Value, *rest: Value, **named: Value) -> Type:
    if not isinstance(name, str):
        raise TypeError(f"the name of a type must be str, not {kind_name(name)}")
    return Type(str.__str__(name), (), None, f"typing.{str.__str__(name)}")


def make_typing_module(named_tuple: Value) -> Namespace:
    """`typing`; `named_tuple` is what NamedTuple is."""
    values: dict[str, Value] = {name: Type(name, (), None, f"typing.{name}") for name in HINTS.split()}
    values["Protocol"] = PROTOCOL
    values |= {
        "TYPE_CHECKING": False,
        "NamedTuple": named_tuple,
        "TypedDict": TYPED_DICT,
    }
    ways: dict[str, Callable[..., Any]] = {
        "cast": _cast,
        "TypeVar": _hint,
        "NewType": _hint,
        "overload": _same,
        "final": _same,
        "override": _same,
    }
    return make_module(
        "typing",
        ways | {"runtime_checkable": _runtime_checkable, "no_type_check": _same, "get_type_hints": _hints},
        values,
    )


def _hints(machine: Machine, owner: Value, /, **named: Value) -> Value:
    return load(machine, owner, "__annotations__")
