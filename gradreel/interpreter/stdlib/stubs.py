"""Libraries that draw, count or write what no result depends on: taken without effect, with a remark.

What a program would read from them cannot be known, and is refused where it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..builtins.constructors import make_range
from ..builtins.formatting import str_of
from ..builtins.iteration import WALKED, iterate
from ..machine import Machine
from ..runtime.values import Attribute, Builtin, Namespace, Stub, Value, make_module

PARTS = """animation artist axes cm collections colorbar colors dates figure font_manager gridspec image legend lines
markers patches path pylab pyplot style text ticker transforms widgets"""
DRAWING = ["matplotlib", *(f"matplotlib.{part}" for part in PARTS.split()), "mpl_toolkits", "mpl_toolkits.mplot3d"]
DRAWING += [
    "matplotlib_inline",
    "matplotlib_inline.backend_inline",
    "seaborn",
    "pylab",
    "graphviz",
    "torchviz",
    "IPython",
    "IPython.display",
    "ipywidgets",
]
WRITING = ["torch.utils.tensorboard", "tensorboardX", "wandb", "visdom", "torchsummary", "torchinfo"]
WRITING += ["pdb", "ipdb"]
PICTURES = ["torchvision.models", "torchvision.io", "torchvision.ops", "PIL", "PIL.Image", "cv2"]

REMARKS = {name: "Nothing is drawn here: calls of {name} do nothing." for name in DRAWING} | {
    name: "Calls of {name} do nothing here." for name in WRITING
}
REMARKS |= {name: "There are no files or downloads here: nothing can be loaded with {name}." for name in PICTURES}
"""What is said of each, once a run."""


class StubTable(dict[str, Value]):
    """The table of a module whose every name stands for nothing."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and not key.startswith("__")

    def __missing__(self, key: str) -> Value:
        return Stub(f"{self.name}.{key}")


STUBS: dict[str, Namespace] = {name: Namespace(name, StubTable(name)) for name in REMARKS}


# ---- tqdm: what it is given, as it is


class Progress:
    """A bar that is not shown: iterates over what it was given."""

    __slots__ = ("machine", "items", "n", "total")

    def __init__(self, machine: Machine, items: Value, total: Value) -> None:
        self.machine = machine
        self.items = items
        self.n = 0
        self.total = total

    def __iter__(self) -> Iterator[Value]:
        return iterate(self.machine, self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: Any) -> None:
        return None


WALKED.append(Progress)


def _bar(machine: Machine, iterable: Value = (), desc: Value = None, total: Value = None, **named: Value) -> Progress:
    machine.remark("Progress bars are not shown here.")
    return Progress(machine, iterable, total)


def _range(machine: Machine, /, *bounds: Value, **named: Value) -> Progress:
    return _bar(machine, make_range(machine, *bounds))


def _nothing(machine: Machine, /, *args: Value, **kwargs: Value) -> None:
    return None


def _update(machine: Machine, this: Progress, n: Value = 1) -> None:
    this.n += n


def _print(machine: Machine, /, text: Value, *rest: Value, **named: Value) -> None:
    machine.write(str_of(machine, text) + "\n")


PROGRESS: dict[str, Builtin | Attribute] = {
    name: Builtin(name, _nothing, machine=True)
    for name in (
        "set_description",
        "set_postfix",
        "set_postfix_str",
        "set_description_str",
        "close",
        "refresh",
        "reset",
    )
}
PROGRESS |= {
    "update": Builtin("update", _update, machine=True),
    "write": Builtin("write", lambda machine, this, /, text, *rest, **named: _print(machine, text), machine=True),
    "n": Attribute(lambda this: this.n),
    "total": Attribute(lambda this: this.total),
}

BAR = Builtin("tqdm", _bar, machine=True)
BAR.more = {"write": Builtin("write", _print, machine=True), "pandas": Builtin("pandas", _nothing, machine=True)}
TQDM = make_module("tqdm", {"trange": _range}, {"tqdm": BAR, "tqdm_notebook": BAR})
