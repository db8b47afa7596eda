"""The torch that programs import: tables of names, made once from our own list of torch's names and the engine.

`torch_names.txt` lists, module by module and type by type, the names of PyTorch that a program may say. Of these, what
the engine has is offered; the rest is known to exist in PyTorch, and said to be missing here. So an operator that
joins the engine is offered as soon as it is there.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..engine.engine import torch
from ..runtime.errors import type_for
from ..runtime.values import Builtin, Foreign, Namespace, Type, Value
from ..words import words


def _listed(file: str) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for block in Path(__file__).with_name(file).read_text(encoding="utf-8").split("["):
        title, _, listed = block.partition("]")
        if listed:
            names[title] = words(listed)
    return names


NAMES = _listed("torch_names.txt")
"""The names of torch that a program may say, by module or type."""

SAVED = NAMES.pop("saved")
"""What nodes keep: each name is an attribute of a node behind `_saved_` and `_raw_saved_`."""

SURFACE = {module: frozenset(names) for module, names in _listed("torch_surface.txt").items()}
"""All public names of PyTorch 2.13, by module or type: what is missing here, and what is nowhere."""

OWNERS = words("Tensor Module Optimizer LRScheduler Function Size finfo Generator Node Distribution Transform")
"""Listed types: their names are attributes of values."""


def offered(path: str) -> Any:
    """The engine's object behind a dotted name of ours, or None where it has none."""
    found: Any = torch
    for part in path.split(".")[1:]:
        found = getattr(found, part, None)  # `path` comes from torch_names.txt, never from a program
    return found


TYPES: dict[type, Type] = {}
"""The record of each of the engine's classes that programs can name."""

WAYS_TO_MAKE = {"Embedding": ("from_pretrained",), "EmbeddingBag": ("from_pretrained",)}
"""Class methods of the engine's classes that programs may call."""

FUNCTIONS: dict[int, Foreign] = {}


def presented(name: str, path: str, found: Any) -> Value:
    """What a program gets to see of the engine's object."""
    if isinstance(found, type):
        if issubclass(found, Exception):
            return type_for(found)
        if found not in TYPES:
            methods: dict[str, Value] = {way: Foreign(way, getattr(found, way)) for way in WAYS_TO_MAKE.get(name, ())}
            TYPES[found] = Type(name, (found,), Foreign(name, found), title(found, name, path), methods)
        return TYPES[found]
    if isinstance(found, (types.FunctionType, types.BuiltinFunctionType, types.MethodType)) or (
        callable(found) and not isinstance(found, torch.nn.Module)
    ):
        return FUNCTIONS.setdefault(id(found), Foreign(name, found))
    return found


def title(kind: type, name: str, path: str) -> str:
    """What `repr` says of a class: its home, which may be another than where it is offered."""
    return f"{kind.__module__ if kind.__module__.startswith('torch') else path}.{name}"


NO_CARD = ("torch.accelerator", "torch.cuda", "torch.mps", "torch.xpu")
"""What programs ask for a card; there is none."""


def without_card(path: str) -> Namespace:
    """What the engine says in such a place: the functions there that answer or refuse whatever they are given."""
    found = vars(offered(path))
    ways = {name: way for name, way in found.items() if getattr(way, "__module__", "").endswith(".without")}
    return Namespace(path, {name: Builtin(name, way) for name, way in ways.items()})


def always(answer: Value) -> Callable[..., Value]:
    return lambda *args: answer


def _spaces() -> dict[str, Namespace]:
    spaces: dict[str, Namespace] = {}
    for path, names in NAMES.items():
        if path.rpartition(".")[2] in OWNERS:
            continue
        owner = offered(path)
        table = {}
        for name in names:
            found = getattr(owner, name, None)  # names of ours, see above
            if (found is not None or name == "newaxis") and not isinstance(found, types.ModuleType):
                table[name] = presented(name, path, found)
        spaces[path] = Namespace(path, table)
    for kind, record in TYPES.items():
        home = kind.__module__
        if home.startswith("torch.") and "._" not in home and home not in ALIASES:
            spaces.setdefault(home, Namespace(home, {})).table[record.name] = record
    spaces |= {path: without_card(path) for path in NO_CARD}
    spaces["torch.backends"] = Namespace("torch.backends", {})
    for path in list(spaces):
        while "." in path:
            parent, _, name = path.rpartition(".")
            around = spaces.setdefault(parent, Namespace(parent, {}))
            around.table.setdefault(name, spaces[path])
            path = parent
    version = {"__version__": torch.__version__, "cuda": None, "hip": None, "debug": False}
    spaces["torch"].table["__version__"] = torch.__version__
    spaces["torch.version"] = spaces["torch"].table["version"] = Namespace("torch.version", version)
    modules = spaces["torch.nn.modules"]
    modules.table = spaces["torch.nn"].table | modules.table
    for alias, path in ALIASES.items():
        if path in spaces:
            spaces[alias] = spaces[path]
    return spaces


DISTRIBUTIONS = words(
    "distribution normal bernoulli categorical uniform exponential independent laplace kl multivariate_normal beta "
    "gamma dirichlet log_normal transformed_distribution poisson"
)

ALIASES = {
    "torch.autograd.variable": "torch.autograd",
    "torch.optim.sgd": "torch.optim",
    "torch.optim.adam": "torch.optim",
    **{f"torch.distributions.{name}": "torch.distributions" for name in DISTRIBUTIONS},
}

presented("Tensor", "torch", torch.Tensor)  # first, so that this is its name
SPACES = _spaces()
"""Every module of torch that can be imported."""
