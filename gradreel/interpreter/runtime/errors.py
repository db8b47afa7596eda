"""Exceptions: Python's hierarchy as records, and the passage between them and what the host raises."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterable

from .values import Class, Error, ExceptionType, mask_host

# ---- which name was probably meant: Python's own measure of likeness for "Did you mean"
#
# Letters that were moved, left out or added cost 2 each, a change of case 1; a name is near if that stays under a third
# of both lengths, as in CPython 3.11.

MOVE, CASE = 2, 1
LONGEST, MOST = 40, 750
"""Longer names and longer lists are not looked through."""


def distance(one: str, other: str, most: int) -> int:
    """What it costs to make one of the other, or more than `most`."""
    if abs(len(one) - len(other)) * MOVE > most:
        return most + 1
    row = list(range(0, (len(one) + 1) * MOVE, MOVE))
    for nr, letter in enumerate(other, 1):
        before, row[0] = row[0], nr * MOVE
        for at, mine in enumerate(one, 1):
            changed = before + change(mine, letter)
            before = row[at]
            row[at] = min(changed, row[at] + MOVE, row[at - 1] + MOVE)
        if min(row) > most:
            return most + 1
    return row[-1]


def change(one: str, other: str) -> int:
    if one == other:
        return 0
    return CASE if one.lower() == other.lower() else MOVE


def nearest(wrong: str, known: Iterable[str]) -> str | None:
    """The known name that is most like `wrong`, the first among equals; None if none is near."""
    names = list(known)
    if len(names) > MOST or len(wrong) > LONGEST:
        return None
    best, least = None, None
    for name in names:
        if name == wrong or len(name) > LONGEST:
            continue
        most = (len(wrong) + len(name) + 3) * MOVE // 6
        if least is not None:
            most = min(most, least - 1)
        cost = distance(wrong, name, most)
        if cost <= most:
            best, least = name, cost
    return best


# ---- the hierarchy: each line a type and its base

HIERARCHY = """
BaseException
SystemExit BaseException
KeyboardInterrupt BaseException
GeneratorExit BaseException
Exception BaseException
ArithmeticError Exception
FloatingPointError ArithmeticError
OverflowError ArithmeticError
ZeroDivisionError ArithmeticError
AssertionError Exception
AttributeError Exception
BufferError Exception
EOFError Exception
ImportError Exception
ModuleNotFoundError ImportError
LookupError Exception
IndexError LookupError
KeyError LookupError
MemoryError Exception
NameError Exception
UnboundLocalError NameError
OSError Exception
FileExistsError OSError
FileNotFoundError OSError
IsADirectoryError OSError
NotADirectoryError OSError
PermissionError OSError
TimeoutError OSError
ConnectionError OSError
RuntimeError Exception
NotImplementedError RuntimeError
RecursionError RuntimeError
StopIteration Exception
SyntaxError Exception
TypeError Exception
ValueError Exception
UnicodeError ValueError
Warning Exception
UserWarning Warning
DeprecationWarning Warning
FutureWarning Warning
RuntimeWarning Warning
"""


class ProgramError(Exception):
    """What we raise for a type of exception that has no host class: the program's own, and SystemExit and the like."""


def _host(name: str) -> type[Exception] | None:
    found = vars(builtins)[name]
    return found if issubclass(found, Exception) else None


ERRORS: dict[str, ExceptionType] = {}
for _line in HIERARCHY.split("\n"):
    if _line:
        _name, *_base = _line.split()
        ERRORS[_name] = ExceptionType(_name, ERRORS[_base[0]] if _base else None, _host(_name))

BY_HOST: dict[type[BaseException], ExceptionType] = {kind.host: kind for kind in ERRORS.values() if kind.host}


def type_for(host: type[BaseException]) -> ExceptionType:
    """The type that stands for the host's class; the engine's own classes join the table when first met."""
    if host in BY_HOST:
        return BY_HOST[host]
    base = next((BY_HOST[known] for known in host.__mro__ if known in BY_HOST), ERRORS["Exception"])
    kind = ExceptionType(host.__name__, base, host if issubclass(host, Exception) else None)
    kind.title = f"{host.__module__}.{host.__qualname__}".replace("autograd_core", "torch", 1)
    BY_HOST[host] = kind
    return kind


def split_os_error(record: Error) -> None:
    """An error of the system is made of its number, what it says, and the file."""
    if 2 <= len(record.args) <= 5 and ERRORS["OSError"] in record.kind.bases:
        number, said, *file = record.args
        record.attributes.update(errno=number, strerror=said, filename=file[0] if file else None)
        record.args = (number, said)


NAMED = re.compile(r"^name '(\w+)' is not|has no attribute '(\w+)'$")


def error_of(raised: Exception, message_of: Callable[[Exception], str]) -> Error:
    """The record of what was raised; `message_of` gives what the host says in it.

    The traceback goes: it would keep the temporaries of every frame alive.
    """
    raised.__traceback__ = None
    raised.__context__ = None
    record = getattr(raised, "error_record", None)
    if isinstance(record, Error):
        return record
    kind = type_for(type(raised))
    if isinstance(raised, (KeyError, StopIteration)):  # made of a value of the program, and no sentence
        record = Error(kind, raised.args[:1])
        record.place, record.candidates = getattr(raised, "place", None), getattr(raised, "candidates", ())
        return record
    recursion = kind.name == "RecursionError"
    message = "maximum recursion depth exceeded" if recursion else mask_host(message_of(raised))
    record = Error(kind, (message,))
    if isinstance(raised, OSError):
        record.args = (*raised.args[:2], *([raised.filename] if raised.filename else ()))
        split_os_error(record)
    elif not message:
        record.args = ()
    named = NAMED.search(message) if isinstance(raised, (NameError, AttributeError)) else None
    if named is not None:
        record.attributes["name"] = named[1] or named[2]
    record.place = getattr(raised, "place", None)
    record.candidates = getattr(raised, "candidates", ())
    return record


def raise_error(record: Error, text: str) -> Exception:
    """What the host raises for `record`, whose message is `text`."""
    host = record.kind.host or ProgramError
    try:
        raised = host(text)
    except TypeError:
        raised = ProgramError(text)
    raised.error_record = record  # type: ignore[attr-defined]
    return raised


def matches(record: Error, wanted: ExceptionType | Class) -> bool:
    """Whether `except wanted` takes `record`."""
    kind = wanted.exception if isinstance(wanted, Class) else wanted
    return kind in record.kind.bases


def suggestion(record: Error, text: str, names: dict[str, object]) -> str:
    """What Python adds to a NameError or AttributeError: a name that is near to the one that was not found."""
    found = NAMED.search(text)
    if found is None or not {"NameError", "AttributeError"} & {kind.name for kind in record.kind.bases}:
        return ""
    wrong = found[1] or found[2]
    if found[1]:
        near = nearest(wrong, record.candidates) or nearest(wrong, names) or nearest(wrong, [*ERRORS, *vars(builtins)])
    else:
        near = nearest(wrong, record.candidates)
    return f". Did you mean: '{near}'?" if near else ""
