"""sys, os, time, copy, warnings: what of them means something to a program that has no machine of its own."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from typing import Any

from ..builtins.formatting import error_text, host_error, repr_of
from ..machine import ACTIONS, Filter, Machine
from ..runtime.errors import ERRORS
from ..runtime.type_names import kind_name
from ..runtime.values import (
    Attribute,
    Builtin,
    Class,
    Error,
    ExceptionType,
    Instance,
    Type,
    Value,
    make_module,
    stands_for,
)
from .copy import copy_deeply, shallow_copy


@stands_for("_io.TextIOWrapper")
class Output:
    """sys.stdout or sys.stderr. What is written to the second is not part of the output."""

    __slots__ = ("heard",)

    def __init__(self, heard: bool) -> None:
        self.heard = heard


def _write(machine: Machine, this: Output, written: Value) -> int:
    if not isinstance(written, str):
        raise TypeError(f"write() argument must be str, not {kind_name(written)}")
    if this.heard:
        machine.write(written)
    return len(written)


OUTPUT_METHODS: dict[str, Builtin | Attribute] = {
    "write": Builtin("write", _write, machine=True),
    "flush": Builtin("flush", lambda machine, this: None, machine=True),
    "isatty": Builtin("isatty", lambda machine, this: False, machine=True),
}
STDOUT, STDERR = Output(True), Output(False)


def _exit(machine: Machine, code: Value = None) -> None:
    record = Error(ERRORS["SystemExit"], () if code is None else (code,))
    raise host_error(machine, record)


def _exc_info(machine: Machine) -> tuple[Value, ...]:
    """`sys.exc_info`: what is being dealt with, but for where it came from, which the page shows."""
    if not machine.handling:
        return None, None, None
    error = machine.handling[-1]
    return error.own or error.kind, error, None


def _nothing(machine: Machine, /, *args: Value, **kwargs: Value) -> None:
    return None


FLOAT_INFO = {name: getattr(sys.float_info, name) for name in ("max", "min", "epsilon", "dig", "mant_dig")}
SYS = make_module(
    "sys",
    {
        "exit": _exit,
        "exc_info": _exc_info,
        "getrecursionlimit": lambda machine: 1000,
        "setrecursionlimit": _nothing,
        "getsizeof": lambda machine, value, default=0: 64,
    },
    {
        "stdout": STDOUT,
        "stderr": STDERR,
        "__stdout__": STDOUT,
        "__stderr__": STDERR,
        "version": "3.11.0",
        "version_info": (3, 11, 0, "final", 0),
        "maxsize": 2**63 - 1,
        "platform": "linux",
        "float_info": make_module("sys.float_info", {}, FLOAT_INFO),
        "byteorder": "little",
    },
    pure_python=True,
)
OS = make_module(
    "os",
    {"getpid": lambda machine: 1, "cpu_count": lambda machine: 1},
    {"sep": "/", "name": "posix"},
    pure_python=True,
)
"""Without processes or a real environment; its files are in `pure_python/os.py`."""

# ---- time


def _now(machine: Machine) -> float:
    return machine.clock + machine.meter.steps / 1e6


def _sleep(machine: Machine, seconds: Value) -> None:
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    machine.clock += float(seconds)


START = 1_700_000_000.0
"""When time begins: a program sees the same clock in every run."""

TIME = make_module(
    "time",
    {name: _now for name in ("perf_counter", "monotonic", "process_time", "thread_time")}
    | {f"{name}_ns": lambda machine: int(_now(machine) * 1e9) for name in ("perf_counter", "monotonic", "time")}
    | {"time": lambda machine: START + _now(machine), "sleep": _sleep}
    | {"strftime": lambda machine, form, *when: "2023-11-14 22:13:20"}
    | {"ctime": lambda machine, *when: "Tue Nov 14 22:13:20 2023"},
)

# ---- unicodedata


def _normalize(machine: Machine, form: Value, unistr: Value) -> str:
    machine.meter.length(len(unistr) * LONGER)
    return unicodedata.normalize(form, unistr)


LONGER = 18
"""So many letters can one become when it is taken apart."""


def _make_letter_query(way: Callable[..., Any]) -> Callable[..., Any]:
    return lambda machine, *args: way(*args)


ABOUT_LETTERS = (unicodedata.category, unicodedata.name, unicodedata.combining, unicodedata.digit, unicodedata.lookup)
UNICODEDATA = make_module(
    "unicodedata", {"normalize": _normalize} | {way.__name__: _make_letter_query(way) for way in ABOUT_LETTERS}
)

# ---- copy, warnings, gc

COPY = make_module("copy", {"copy": shallow_copy, "deepcopy": copy_deeply})


def _warn(machine: Machine, message: Value, category: Value = None, stacklevel: int = 1, source: Value = None) -> None:
    if isinstance(message, Error):
        category, said = message.own or message.kind, message
    else:
        category = ERRORS["UserWarning"] if category is None else category
        kinds = _kinds(category)
        if "Warning" not in kinds:
            raise TypeError(f"category must be a Warning subclass, not '{kind_name(category)}'")
        own = category if isinstance(category, Class) else None
        said = Error(own.exception if own else category, (message,), own)  # type: ignore[arg-type]
    if machine.warn(_kinds(category), error_text(machine, said)):
        raise host_error(machine, said)


def _kinds(category: Value) -> tuple[str, ...]:
    """The names of a category and of those above it; none where it is no class."""
    if isinstance(category, Class):
        above = category.exception.bases if category.exception else ()
        return (*(kind.name for kind in category.order), *(kind.name for kind in above))
    if isinstance(category, ExceptionType):
        return tuple(kind.name for kind in category.bases)
    return (category.name,) if isinstance(category, Type) else ()


@stands_for("catch_warnings")
class Hush:
    """`warnings.catch_warnings()`: filters set inside end with it. With `record`, warnings go to a list."""

    __slots__ = ("machine", "before", "record", "asked")

    def __init__(self, machine: Machine, record: bool, asked: dict[str, Value]) -> None:
        self.asked = asked
        self.machine = machine
        self.before = machine.filters.all, machine.recorded
        self.record = record

    def __enter__(self) -> Any:
        self.machine.filters.put(self.machine.filters.all)
        if self.asked.get("action") is not None:
            _filter_simply(self.machine, **self.asked)
        if not self.record:
            return None
        found: list[Value] = []
        self.machine.recorded = lambda category, message: found.append(warning_message(self.machine, category, message))
        return found

    def __exit__(self, *error: Any) -> None:
        before, self.machine.recorded = self.before
        self.machine.filters.put(before)


def warning_message(machine: Machine, category: str, message: str) -> Value:
    """What a recorded warning is for a program: what was said, of which category, and where."""
    kind = ERRORS.get(category, ERRORS["UserWarning"])
    made = Instance(Class("WarningMessage", (), {}, machine))
    said = Error(kind, (message,))
    made.attributes |= {"message": said, "category": kind, "lineno": machine.line, "filename": "program.py"}
    return made


def _filter(
    machine: Machine,
    action: Value,
    message: Value = "",
    category: Value = None,
    module: Value = "",
    lineno: Value = 0,
    append: Value = False,
) -> None:
    kinds = ("Warning",) if category is None else _kinds(category)
    for wrong, words in (
        (action not in ACTIONS, "invalid action: {}"),
        (not isinstance(message, str), "message must be a string"),
        (not kinds, "category must be a class"),
        ("Warning" not in kinds, "category must be a Warning subclass"),
        (not isinstance(module, str), "module must be a string"),
    ):
        if wrong:
            raise AssertionError(words.format(repr_of(machine, action)))
    found, others = Filter(action, kinds[0], message, module), machine.filters.all
    others = tuple(one for one in others if one != found)
    machine.filters.put((*others, found) if append else (found, *others))


def _filter_simply(
    machine: Machine, action: Value, category: Value = None, lineno: Value = 0, append: Value = False
) -> None:
    _filter(machine, action, category=category, append=append)


def _reset(machine: Machine) -> None:
    machine.filters.put(())


def _catch(machine: Machine, /, *, record: Value = False, module: Value = None, **asked: Value) -> Hush:
    return Hush(machine, bool(record), asked)


WARNINGS = make_module(
    "warnings",
    {
        "warn": _warn,
        "filterwarnings": _filter,
        "simplefilter": _filter_simply,
        "resetwarnings": _reset,
        "catch_warnings": _catch,
    },
)
GC = make_module("gc", {"collect": lambda machine, *generation: 0, "disable": _nothing, "enable": _nothing})
