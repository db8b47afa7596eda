"""_disk: what `io` and `os`, which are written in Python, need of the run. No file of the host is ever touched."""

from __future__ import annotations

import posixpath

from gradreel.trace.texts import cut

from ..machine import Machine
from ..refusal import Refusal
from ..runtime.calls import call_method
from ..runtime.type_names import kind_name
from ..runtime.values import OBJECTS, Value, make_module


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
        "remark": _remark,
        "refuse": _refuse,
    },
)
