"""Every module that can be imported, what is said of those that cannot, and the names that an editor offers."""

from __future__ import annotations

import ast
import importlib
import random
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from autograd_core.engine.state import state
from autograd_core.nn.attributes import ModuleTable, TensorTable

from .builtins import object_methods
from .builtins.iteration import Charged, Indexed, InOrder, Walk
from .builtins.namespace import BUILTINS
from .builtins.sequences import Asked, Filtered, Mapped
from .compiler.compiler import Compiler
from .engine.engine import torch
from .engine.name_events import NoNameEvents
from .machine import Machine
from .numpy_module.namespace import NUMPY, NUMPY_TYPES
from .numpy_module.random import RANDOM as NUMPY_RANDOM
from .refusal import Refusal
from .runtime import attributes
from .runtime.allowed_types import PYTHON_TYPES, admit
from .runtime.attribute_tables import TABLES
from .runtime.attributes import PYTHON, WAYS, missing_module_name
from .runtime.record_attributes import RECORDS
from .runtime.type_names import look_alike
from .runtime.values import MISSING, Builtin, Foreign, Frame, Namespace, Value, make_module
from .stdlib import dataclasses, enum
from .stdlib.collections import ABOUT_FIELDS, COLLECTIONS
from .stdlib.copy import Memo
from .stdlib.dataclasses import Field, Wanted
from .stdlib.files import DISK
from .stdlib.functional import FUNCTOOLS, ITERTOOLS, OPERATOR
from .stdlib.numeric import CMATH, MATH, RANDOM, RANDOM_METHODS, State
from .stdlib.stubs import PROGRESS, REMARKS, STUBS, TQDM, Progress
from .stdlib.system import (
    COPY,
    GC,
    OS,
    OUTPUT_METHODS,
    SYS,
    TIME,
    UNICODEDATA,
    WARNINGS,
    Hush,
    Output,
)
from .stdlib.typing import make_typing_module
from .torch_module import devices, storage_addresses
from .torch_module.namespace import NAMES, OWNERS, SPACES, SURFACE, find_in_engine, give_looks
from .torch_module.serialization import load, save

devices.install()
storage_addresses.install()


def read_as_program(file: Path, package: str) -> str:
    """A module of the engine that uses torch as any program does, as programs have it."""
    text = file.read_text(encoding="utf-8").replace("from .", f"from {package}.")
    return text.replace("import autograd_core\n\ntorch: Any = autograd_core\n", "import torch\n")


def read_from_engine() -> dict[str, str]:
    """The modules that the engine and programs share."""
    engine = Path(torch.__path__[0])
    found = {}
    for file in sorted((engine / "utils" / "data").glob("*.py")):
        name = f"torch.utils.data.{file.stem}".removesuffix(".__init__")
        found[name] = read_as_program(file, "torch.utils.data")
    return found | {"torch.optim.swa_utils": read_as_program(engine / "optim" / "averaged_model.py", "torch.optim")}


def read_sources() -> dict[str, str]:
    """The text of every module that is written in Python, by its name; what the engine has of one comes first."""
    here = Path(__file__).parent
    found = read_from_engine()
    files = [*(here / "stdlib" / "pure_python").glob("*.py"), *(here / "thirdparty").glob("*.py")]
    for file in sorted(files, key=lambda file: file.name):
        found[file.stem] = found.get(file.stem, "") + file.read_text(encoding="utf-8")
    return found


SOURCES = read_sources()
"""Modules written in Python: they run as programs do, every step charged, but are not told. Read here, once: a process
that runs a program can open no file."""


@cache
def parse_module(name: str) -> ast.Module:
    return ast.parse(SOURCES[name])


admit(random.Random, Wanted, Field, State, Output, Hush, Progress, Mapped, Filtered, Asked)
admit(Walk, Indexed, InOrder, Charged)
TABLES[random.Random] = dict(RANDOM_METHODS)
TABLES[Output] = dict(OUTPUT_METHODS)
TABLES[Progress] = dict(PROGRESS)

SPACES["torch"].table |= {"save": Builtin("save", save, machine=True), "load": Builtin("load", load, machine=True)}
for _name in sorted(name for name in SOURCES if name.startswith("torch.")):
    _parent, _, _child = _name.rpartition(".")
    _native = SPACES[_name].table if _name in SPACES else {}
    SPACES[_name] = SPACES[_parent].table[_child] = make_module(_name, {}, _native, pure_python=True)

give_looks(SPACES.values())

MODULES: dict[str, Namespace] = {
    "math": MATH,
    "cmath": CMATH,
    "random": RANDOM,
    "sys": SYS,
    "os": OS,
    "gc": GC,
    "copy": COPY,
    "collections": COLLECTIONS,
    "dataclasses": dataclasses.make_dataclasses_module(BUILTINS["AttributeError"]),
    "enum": enum.make_enum_module(BUILTINS["int"], BUILTINS["str"]),
    "itertools": ITERTOOLS,
    "functools": FUNCTOOLS,
    "operator": OPERATOR,
    "time": TIME,
    "unicodedata": UNICODEDATA,
    "warnings": WARNINGS,
    "typing": make_typing_module(ABOUT_FIELDS),
    "numpy": NUMPY,
    "numpy.random": NUMPY_RANDOM,
    "numpy.fft": NUMPY.table["fft"],
    "numpy.linalg": NUMPY.table["linalg"],
    "tqdm": TQDM,
    "tqdm.auto": TQDM,
    "tqdm.notebook": TQDM,
    "__future__": make_module("__future__", {}, {"annotations": None, "print_function": None, "division": None}),
    **{name: make_module(name, {}, pure_python=True) for name in SOURCES if not name.startswith("torch.")},
    "_disk": DISK,
    **STUBS,
    **SPACES,
}
MODULES |= {"functools": FUNCTOOLS, "itertools": ITERTOOLS, "collections": COLLECTIONS, "os": OS, "sys": SYS}
MODULES["numpy"] = NUMPY
NUMPY.pure_python = True
PYTHON_TYPES.update({kind: record for record in NUMPY_TYPES for kind in record.hosts})
PYTHON_TYPES.update(dict.fromkeys((Memo, TensorTable, ModuleTable), PYTHON_TYPES[dict]))
MODULES["typing_extensions"] = MODULES["typing"]
for _name in REMARKS:
    _parent, _, _child = _name.rpartition(".")
    if _parent in SPACES:
        SPACES[_parent].table[_child] = STUBS[_name]

OURS = "math random sys os gc copy collections dataclasses enum itertools functools operator time warnings typing numpy"
for _name in [*OURS.split(), "cmath", "numpy.random", "numpy.linalg", "numpy.fft"]:
    _real = importlib.import_module(_name)
    PYTHON[_name] = frozenset(dir(_real))  # the names alone
    look_alike(MODULES[_name].table, _real)

REASONS = {
    "subprocess": "it would start programs on this machine",
    "socket": "there is no network here",
    "threading": "programs here do one thing after another",
    "multiprocessing": "programs here do one thing after another",
    "concurrent": "programs here do one thing after another",
    "asyncio": "programs here do one thing after another",
    "ctypes": "it would give access to this machine",
    "importlib": "it would give access to this machine",
    "inspect": "it would give access to this machine",
    "builtins": "it would give access to this machine",
}
OTHERS = """accelerate albumentations beartype botorch cupy cvxpy dgl fastai gpytorch hydra ignite jax
jaxtyping jieba keras lightgbm lightning networkx nltk numba omegaconf optuna pandas plotly psutil pybullet
pyDOE pyro pytest pytorch_lightning ray scipy spacy statsmodels sympy tensorflow torch_geometric torch_scatter
torch_sparse torchdiffeq torchmetrics torchsde triton unittest xgboost"""
LIBRARIES = {
    **dict.fromkeys(["requests", "urllib", "http"], "there is no network here"),
    **dict.fromkeys(["gzip", "shutil", "tempfile", "zipfile"], "there are no files here"),
    **dict.fromkeys(["cv2", "h5py", "imageio", "PIL", "skimage", "yaml"], "there are no files here"),
    **dict.fromkeys(["csv", "platform", "timeit"], "it is none of the modules of Python that are here"),
    "pickle": "there are no files here, and a pickle can be any program",
    **dict.fromkeys(["torchvision", "torchaudio", "torchtext"], "there are no files or downloads here"),
    **dict.fromkeys(["datasets", "gdown", "huggingface_hub", "timm", "transformers"], "there are no downloads here"),
    "sklearn": "of scikit-learn there are some data sets, train_test_split and two scalers",
    **dict.fromkeys(OTHERS.split(), "only PyTorch and a small NumPy are here"),
}
"""Why there is no such module: those that no program may touch, and those that one can do without."""


class AnyName:
    """The names of a library that is here in part: which else it has is not known."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and not name.startswith("_")


PYTHON.update(dict.fromkeys((name for name in SOURCES if name.partition(".")[0] in LIBRARIES), AnyName()))

FORBIDDEN = {
    "os": "there are no processes or settings of a machine here",
    "sys": "it would give access to this machine",
}
"""Why names are missing in modules that we have in part."""


SPACES["torch.nn"].table["Transformer"].methods["generate_square_subsequent_mask"] = Foreign(
    "generate_square_subsequent_mask", torch.nn.Transformer.generate_square_subsequent_mask
)


def autocast(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
    """`torch.autocast`, which is that of torch.amp."""
    return machine.call(machine, load_module(machine, "torch.amp")["autocast"], list(args), kwargs)


SPACES["torch"].table["autocast"] = Builtin("autocast", autocast, machine=True)


def is_autocast_enabled(device_type: Value = None) -> bool:
    """Whether a block of autocast is under way: without a device the question is for a card."""
    return device_type == "cpu" and state.autocast is not None


def autocast_dtype(device_type: Value = "cpu") -> Value:
    """In which dtype autocast computes on a device."""
    return torch.bfloat16 if device_type == "cpu" else torch.float16


SPACES["torch"].table |= {
    "is_autocast_enabled": Builtin("is_autocast_enabled", is_autocast_enabled),
    "is_autocast_cpu_enabled": Builtin("is_autocast_cpu_enabled", lambda: is_autocast_enabled("cpu")),
    "get_autocast_dtype": Builtin("get_autocast_dtype", autocast_dtype),
    "get_autocast_cpu_dtype": Builtin("get_autocast_cpu_dtype", autocast_dtype),
}


def open_file(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
    """`open`, which is that of io."""
    return machine.call(machine, load_module(machine, "io")["open"], list(args), kwargs)


BUILTINS["open"] = Builtin("open", open_file, machine=True)
BUILTINS["exit"] = BUILTINS["quit"] = SYS.table["exit"]


def is_private(name: str) -> bool:
    """Whether a module is for those modules alone that are written in Python here."""
    return any(part.startswith("_") for part in name.split(".")) and name != "__future__"


PRIVATE = frozenset(id(entry) for entry in DISK.table.values())
"""What acts for the interpreter: a module written in Python has it among its names, and gives it to no program."""


def find_module(machine: Machine, name: str, line: int = 0, private: bool = False) -> Namespace | None:
    """The module, with a remark if it has no effect, for the `line` of its import; the `private` ones if asked to."""
    found = None if is_private(name) and not private else MODULES.get(name)
    if found is not None and name in REMARKS:
        machine.remark(REMARKS[name].format(name=name), line)
    return found


def is_dispensable(name: str) -> bool:
    """Whether a program that never uses the module can be run without it."""
    return name not in MODULES and name.partition(".")[0] in LIBRARIES


def refuse_import(name: str, line: int) -> Refusal:
    """Why there is no module `name` here."""
    top = name.partition(".")[0]
    if top == "torch" and name not in SURFACE:
        return Refusal(f"There is no module `{name}` in PyTorch 2.13, or it is not supported here.", line)
    reason = REASONS.get(top) or LIBRARIES.get(top)
    if reason:
        return Refusal(f"`import {name}` is not possible here: {reason}.", line)
    if top == "torch":
        return Refusal(f"The module `{name}` of PyTorch is not supported here.", line)
    near = get_close_matches(name, [found for found in MODULES if not is_private(found)], 1)
    hint = f" Did you mean `{near[0]}`?" if near else ""
    offered = ", ".join(sorted({found.partition(".")[0] for found in MODULES if not found.startswith("_")}))
    return Refusal(f"`import {name}` is not possible here.{hint} What can be imported: {offered}.", line)


def load_member(machine: Machine, space: Namespace, name: str) -> Value:
    """`space.name`, MISSING if there is none."""
    if name in space.table:
        return space.table[name]
    if f"{space.name}.{name}" in MODULES:
        return find_module(machine, f"{space.name}.{name}") or MISSING
    if space.pure_python:
        own = load_module(machine, space.name)
        found = own.get(name, MISSING)
        if found is MISSING and "_member" in own and not name.startswith("_"):
            return machine.call(machine, own["_member"], [name], {})
        return MISSING if id(found) in PRIVATE else found
    return MISSING


def of_namespace(machine: Machine, owner: Namespace, name: str) -> Value:
    if owner.name == "sys" and name in machine.streams:
        return machine.streams[name]
    if name in owner.table:
        return owner.table[name]
    if name == "__name__":
        return owner.name
    found = load_member(machine, owner, name)
    if found is MISSING:
        raise missing_name(owner, name)
    return found


WAYS |= {**RECORDS, Namespace: of_namespace}
attributes.EVERY |= object_methods.EVERY
attributes.CONTENT |= object_methods.CONTENT
attributes.WALKS |= object_methods.WALKS


def missing_name(space: Namespace, name: str) -> BaseException:
    """The error or refusal for a name that a module does not have here."""
    if space.name in FORBIDDEN:
        return Refusal(f"`{space.name}.{name}` is not offered here: {FORBIDDEN[space.name]}.")
    return missing_module_name(space, name)


def load_module(machine: Machine, name: str) -> dict[str, Value]:
    """The names of a module written in Python, which is run for this machine when first asked for."""
    if name not in machine.modules:
        compiler = Compiler(machine, NoNameEvents(), parse_module(name), None, name)
        space = machine.modules[name] = Namespace(name, compiler.names)
        space.table["__name__"] = name
        frame = Frame(compiler.names, {}, 0, "<module>")
        frame.quiet = True
        for node in compiler.body:
            compiler.statement(node)(frame)
    return machine.modules[name].table


def public_names(machine: Machine, space: Namespace) -> list[str]:
    """What `from module import *` brings."""
    own = load_module(machine, space.name) if space.pure_python else {}
    names = [*space.table, *(name for name, value in own.items() if id(value) not in PRIVATE)]
    return [name for name in names if not name.startswith("_")]


# ---- what can be typed: the names that programs may use, by the module or type they belong to


@cache
def vocabulary() -> dict[str, list[str]]:
    """Names under `torch`, `torch.nn` ... and `Tensor`, `Module` ...; those of Python itself under the empty name."""
    words = {"": sorted(name for name in BUILTINS if not name.startswith("_"))}
    for path, space in SPACES.items():
        held = {*space.table, *(names_in_source(path) if space.pure_python else ())}
        words[path] = sorted(name for name in held if not name.startswith("_"))
    for path, names in NAMES.items():
        title = path.rpartition(".")[2]
        owner = find_in_engine(path) if title in OWNERS else None
        if owner is not None:
            words[title] = sorted(name for name in names if hasattr(owner, name))
    return words


def names_in_source(path: str) -> set[str]:
    """Those names of a module written in Python that the module of torch has, too."""
    body = parse_module(path).body
    names = {node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    names |= {alias.asname or alias.name for node in body if isinstance(node, ast.ImportFrom) for alias in node.names}
    return names & SURFACE.get(path, frozenset())
