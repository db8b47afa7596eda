"""The torch that programs import: its names, and what its functions look like in print.

The tables are made once from the engine and our own list of torch's names. What the engine declares by a schema of
torch is offered. `torch_names.txt` lists, module by module and type by type, the other names of PyTorch that a program
may say. Of these, what the engine has is offered; the rest is known to exist in PyTorch, and said to be missing here.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from autograd_core.dispatch.schema.schema import DECLARED

from ..engine.engine import LazyView, torch
from ..runtime.allowed_types import ENGINE_TYPES
from ..runtime.errors import type_for
from ..runtime.values import Builtin, Foreign, Look, Namespace, Type, Value


def _read_names(file: str) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for block in Path(__file__).with_name(file).read_text(encoding="utf-8").split("["):
        title, _, listed = block.partition("]")
        if listed:
            names[title] = listed.split()
    return names


NAMES = _read_names("torch_names.txt")
"""The names of torch that a program may say, by module or type."""

WITHHELD = {"frombuffer"}
"""Declared functions that programs may not say: this one reads the memory of an object."""

PATHS = {"Tensor": "torch.Tensor"}
"""Where names are offered that are declared in a place of another name."""

for _space, _declared in DECLARED.items():
    _names = NAMES.setdefault(PATHS.get(_space, _space), [])
    _names[:] = sorted({*_names, *_declared} - WITHHELD)

SAVED = NAMES.pop("saved")
"""What nodes keep: each name is an attribute of a node behind `_saved_` and `_raw_saved_`."""

SURFACE = {module: frozenset(names) for module, names in _read_names("torch_surface.txt").items()}
"""All public names of PyTorch 2.13, by module or type: what is missing here, and what is nowhere."""

OWNERS = "Tensor Module Optimizer LRScheduler Function Size finfo Generator Node Distribution Transform".split()
"""Listed types: their names are attributes of values."""


def find_in_engine(path: str) -> Any:
    """The engine's object behind a dotted name of ours, or None where it has none."""
    found: Any = torch
    for part in path.split(".")[1:]:
        found = getattr(found, part, None)  # `path` comes from torch_names.txt, never from a program
    return found


WAYS_TO_MAKE = {"Embedding": ("from_pretrained",), "EmbeddingBag": ("from_pretrained",)}
"""Class methods of the engine's classes that programs may call."""

FUNCTIONS: dict[int, Foreign] = {}


def present(name: str, path: str, found: Any) -> Value:
    """What a program gets to see of the engine's object."""
    if isinstance(found, type):
        if issubclass(found, Exception):
            return type_for(found)
        if found not in ENGINE_TYPES:
            methods: dict[str, Value] = {way: Foreign(way, getattr(found, way)) for way in WAYS_TO_MAKE.get(name, ())}
            ENGINE_TYPES[found] = Type(name, (found,), Foreign(name, found), title(found, name, path), methods)
        return ENGINE_TYPES[found]
    if callable(found) and not isinstance(found, (torch.nn.Module, torch.distributions.Transform)):
        return FUNCTIONS.setdefault(id(found), Foreign(name, found))
    return found


def title(kind: type, name: str, path: str) -> str:
    """What `repr` says of a class: its home, which may be another than where it is offered."""
    return f"{kind.__module__ if kind.__module__.startswith('torch') else path}.{name}"


NO_CARD = ("torch.accelerator", "torch.cuda", "torch.mps", "torch.xpu")
"""What programs ask for a card; there is none."""


def without_card(path: str) -> Namespace:
    """What the engine says in such a place: the functions there that answer or refuse whatever they are given."""
    found = vars(find_in_engine(path))
    ways = {name: way for name, way in found.items() if getattr(way, "__module__", "").endswith(".unavailable")}
    return Namespace(path, {name: Builtin(name, way) for name, way in ways.items()})


def always(answer: Value) -> Callable[..., Value]:
    return lambda *args: answer


def _spaces() -> dict[str, Namespace]:
    spaces: dict[str, Namespace] = {}
    for path, names in NAMES.items():
        if path.rpartition(".")[2] in OWNERS:
            continue
        owner = find_in_engine(path)
        table = {}
        for name in names:
            found = getattr(owner, name, None)  # names of ours, see above
            if (found is not None or name == "newaxis") and not isinstance(found, types.ModuleType):
                table[name] = present(name, path, found)
        spaces[path] = Namespace(path, table)
    for kind, record in ENGINE_TYPES.items():
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


DISTRIBUTIONS = (
    "distribution normal bernoulli categorical uniform exponential independent laplace kl multivariate_normal beta "
    "gamma dirichlet log_normal transformed_distribution poisson"
).split()

ALIASES = {
    "torch.autograd.variable": "torch.autograd",
    "torch.optim.sgd": "torch.optim",
    "torch.optim.adam": "torch.optim",
    **{f"torch.distributions.{name}": "torch.distributions" for name in DISTRIBUTIONS},
}

present("Tensor", "torch", torch.Tensor)  # first, so that this is its name
ENGINE_TYPES[LazyView] = ENGINE_TYPES[torch.Tensor]
SPACES = _spaces()
"""Every module of torch that can be imported."""


# ---- what functions look like in print: most of torch itself is written in C++, most of its modules in Python.

IN_PYTHON = (
    "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist "
    "compile compiled_with_cxx11_abi einsum get_default_device get_deterministic_debug_mode is_tensor "
    "is_deterministic_algorithms_warn_only_enabled set_deterministic_debug_mode are_deterministic_algorithms_enabled "
    "get_float32_matmul_precision get_rng_state initial_seed is_warn_always_enabled load manual_seed meshgrid norm "
    "save seed set_default_device set_default_dtype set_default_tensor_type set_float32_matmul_precision "
    "set_printoptions set_rng_state set_warn_always split stft tensordot typename unique "
    "unique_consecutive unravel_index use_deterministic_algorithms vmap"
).split()
"""Of torch itself."""

IN_C = (
    "adaptive_avg_pool1d avg_pool1d bilinear celu_ conv1d conv2d conv3d conv_tbc conv_transpose1d "
    "conv_transpose2d conv_transpose3d cosine_similarity hardshrink native_channel_shuffle pairwise_distance pdist "
    "pixel_shuffle pixel_unshuffle prelu relu_ rrelu_ selu_ threshold_"
).split()
"""Of torch.nn.functional."""

BUILT_IN = {
    "torch": (
        "get_default_dtype get_num_interop_threads get_num_threads is_anomaly_check_nan_enabled is_anomaly_enabled "
        "is_grad_enabled is_inference_mode_enabled set_anomaly_enabled set_flush_denormal set_num_threads "
        "set_num_interop_threads"
    ).split(),
    "torch.nn.functional": (
        "avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear logsigmoid one_hot scaled_dot_product_attention "
        "softplus softshrink"
    ).split(),
}
"""Functions of a module that is written in C++."""

PREFIXES = {"torch.linalg": "linalg_", "torch.special": "special_", "torch.fft": "fft_"}
"""What all functions of a module begin with where it is written in C++."""

DISPATCHED = (
    "unique unique_consecutive max_pool1d max_pool2d max_pool3d adaptive_max_pool1d adaptive_max_pool2d"
).split()
IN_CPP = "builtin_function_or_method"

TITLES = {"threshold": "_threshold", "logsigmoid": "log_sigmoid"}
TITLES |= {name: f"_{name}" for name in ("clip_grads_with_norm_", "get_total_norm")}
TITLES |= dict.fromkeys(DISPATCHED, "boolean_dispatch.<locals>.fn")
"""Functions that are called otherwise where they are written."""


def look(path: str, name: str) -> Look:
    """What the function `name` of the module `path` of torch looks like."""
    title = PREFIXES[path] + name if path in PREFIXES else TITLES.get(name, name)
    if path in PREFIXES or name in BUILT_IN.get(path, ()):
        return Look(f"<built-in function {title}>", IN_CPP)
    if (path == "torch" and name not in IN_PYTHON) or (path == "torch.nn.functional" and name in IN_C):
        return Look(f"<built-in method {name} of type object at 0x...>", IN_CPP)
    return Look(f"<function {title} at 0x...>", "function")


def give_looks(spaces: Iterable[Namespace]) -> None:
    """Let the functions of torch's modules look as there; one that several offer in their own ways is parted."""
    for space in spaces:
        for name, entry in space.table.items():
            if type(entry) in (Foreign, Builtin):
                space.table[name] = looking(entry, look(space.name, name))


def looking(function: Value, wanted: Look) -> Value:
    if function.look in (None, wanted):
        function.look = wanted
        return function
    if isinstance(function, Foreign):
        return Foreign(function.name, function.run, look=wanted)
    return Builtin(function.name, function.run, function.machine, title=function.title, look=wanted)
