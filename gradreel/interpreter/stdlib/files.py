"""_disk: what modules that are written in Python need of the run. No file of the host is ever touched."""

from __future__ import annotations

import posixpath

from autograd_core.backends.switches import begin_autocast, end_autocast
from gradreel.trace.texts import cut

from ..engine.engine import torch
from ..machine import Machine
from ..refusal import Refusal
from ..runtime.calls import call_method
from ..runtime.type_names import kind_name
from ..runtime.values import OBJECTS, Bound, Function, Value, make_module


def key(machine: Machine, path: Value) -> str:
    """The name under which a path is kept: `./a/../b`, `b` and `/b` are one file.

    Raises:
        TypeError: it is no path.
    """
    if isinstance(path, OBJECTS):
        path = call_method(machine, path, "__fspath__", [])
    if not isinstance(path, str):
        raise TypeError(f"expected str, bytes or os.PathLike object, not {kind_name(path)}")
    return posixpath.normpath(path).lstrip("/")


def check_sentence(given: Value) -> str:
    """What is said in Gradreel's own voice: a text, and not a long one.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(given, str):
        raise TypeError(f"a sentence must be str, not {kind_name(given)}")
    return cut(str.__str__(given))


def link(machine: Machine, old: Value, new: Value) -> None:
    """Keeps under another name what `torch.save` put under `old`, which nobody changes."""
    machine.files[check_sentence(new)] = machine.files[check_sentence(old)]


def _parameters(machine: Machine, function: Value) -> list[Value]:
    """The parameters of a program's function, a dictionary each; those behind a `*` are `keyword`.

    Raises:
        TypeError: it is none.
    """
    if isinstance(function, Bound):
        return _parameters(machine, function.function)[1:]
    if not isinstance(function, Function) or function.parameters is None:
        raise TypeError(f"{kind_name(function)} is not a function of the program")
    signature, given = function.parameters
    starred = [name for name in (signature.rest, signature.named) if name is not None]
    names = [*signature.positional, *signature.keyword, *starred]
    machine.meter.length(len(names) + 1)
    found: list[Value] = []
    for name in names:
        one = {"name": name, "keyword": name in signature.keyword, "plain": name not in starred}
        one |= {"hint": function.hints[name]} if name in function.hints else {}
        found.append(one | ({"default": given[name]} if name in given else {}))
    return found


def _begin_autocast(machine: Machine, dtype: Value, cache: Value) -> None:
    """Lets a block of torch.autocast on the CPU begin; None switches it off within one.

    Raises:
        TypeError: the dtype is none.
    """
    if dtype is not None and not isinstance(dtype, torch.dtype):
        raise TypeError(f"a dtype is wanted, not {kind_name(dtype)}")
    machine.meter.length(len(machine.autocasts) + 1)
    machine.autocasts.append(begin_autocast(dtype, cache is True))


def _end_autocast(machine: Machine) -> None:
    if machine.autocasts:
        end_autocast(machine.autocasts.pop())


def _remark(machine: Machine, sentence: Value) -> None:
    machine.remark(check_sentence(sentence))


def _refuse(machine: Machine, sentence: Value) -> None:
    raise Refusal(check_sentence(sentence))


DISK = make_module(
    "_disk",
    {
        "key": key,
        "texts": lambda machine: machine.texts,
        "saved": lambda machine: list(machine.files),
        "link": link,
        "forget": lambda machine, name: machine.files.pop(name, None),
        "parameters": _parameters,
        "begin_autocast": _begin_autocast,
        "end_autocast": _end_autocast,
        "remark": _remark,
        "refuse": _refuse,
    },
)
