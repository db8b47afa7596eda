"""One operator, one entry: all that follows from the declaration of `toy` (toy.py), which stands in no other place."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import autograd_core as torch
from autograd_core.api.methods.table import IN_PLACE
from autograd_core.dispatch.schema.guard import names_in
from autograd_core.dispatch.schema.schema import DECLARED
from autograd_core.namespace.module_names import LAYERS
from autograd_core.nn.functional import aten
from gradreel.interpreter.torch_module.namespace import SURFACE

LOADED = """
import importlib, json, sys

class After:
    "Loads the toy before the last family of operators, as if it stood in the table."
    def find_spec(self, name, path, target=None):
        if name == "autograd_core.ops.view":
            sys.meta_path.remove(self)
            importlib.import_module("tests.autograd_core.toy")

sys.meta_path.insert(0, After())
import autograd_core as torch
from gradreel.interpreter import Limits, run
from gradreel.interpreter.library import vocabulary
from gradreel.material.operators import entry
from gradreel.trace.events import Printed
from autograd_core.dispatch.registry import TABLE

def said(call):
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def printed(source, effort=100):
    trace = run("import torch\\n" + source, limits=Limits(effort=effort))
    return trace.outcome.kind, "".join(event.text for event in trace.events if isinstance(event, Printed))

x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3, 4])
free = torch.tensor([1.0, 2.0])
"""

CASES = {
    # the function, the method, the variants in place, out=
    "torch.toy(x, y, alpha=2)": "tensor([ 6., 16.], grad_fn=<ToyBackward0>)",
    "x.toy(y)": "tensor([3., 8.], grad_fn=<ToyBackward0>)",
    "free.clone().toy_(y)": "tensor([3., 8.])",
    "torch.toy_(free.clone(), y, alpha=2)": "tensor([ 6., 16.])",
    "(x * 1).toy_(y)": "tensor([3., 8.], grad_fn=<ToyBackward0>)",
    "torch.toy(free, y, out=torch.zeros(2))": "tensor([3., 8.])",
    # what torch's argument parser says
    "torch.toy(x)": 'TypeError: toy() missing 1 required positional arguments: "other"',
    "torch.toy(x, 2)": "TypeError: toy(): argument 'other' (position 2) must be Tensor, not int",
    "x.toy(y, 2)": "TypeError: toy() takes 1 positional argument but 2 were given",
    "torch.toy(x, y, beta=2)": "TypeError: toy() got an unexpected keyword argument 'beta'",
    "torch.toy(x, y, alpha='a')": "TypeError: toy(): argument 'alpha' must be Number, not str",
    "torch.toy(x, y, out=torch.zeros(2))": "RuntimeError: toy(): functions with out=... arguments don't support "
    "automatic differentiation, but one of the arguments requires grad.",
    "x.toy_(y)": "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.",
    "y.clone().toy_(free)": "RuntimeError: result type Float can't be cast to the desired output type Long",
    # dtypes, gradients, the whole batch at once
    "torch.toy(y, torch.tensor(2)).dtype, torch.toy(y, free.double()).dtype": "(torch.int64, torch.float64)",
    "torch.autograd.grad(torch.toy(x, x, alpha=3).sum(), x)": "(tensor([ 6., 12.]),)",
    "torch.vmap(torch.toy, in_dims=(0, None))(torch.ones(3, 2), y).shape": "torch.Size([3, 2])",
    # what the interpreter offers and charges (seven for an element), what the editor proposes, the formula in words
    "printed('x = torch.ones(2, requires_grad=True); torch.toy(x, x).sum().backward(); print(x.grad)')": "('finished', "
    "'tensor([2., 2.])\\n')",
    "printed('x = torch.ones(14); x.toy_(x)')": "('finished', '')",
    "printed('x = torch.ones(15); x.toy_(x)')": "('stopped', '')",
    "'toy' in vocabulary()['torch'], 'toy_' in vocabulary()['Tensor']": "(True, True)",
    "entry(TABLE['toy'], '').ways[0].words": "'`grad` times `other` times `alpha`'",
}


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    """What each case shows in a process in which the toy is part of the table."""
    program = LOADED + f"print(json.dumps({{case: said(lambda: eval(case)) for case in {list(CASES)!r}}}))"
    root = Path(__file__).parents[2]
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=root)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, str] = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize("case", CASES)
def test_all_follows_from_one_entry(shown: dict[str, Any], case: str) -> None:
    assert shown[case] == CASES[case]


# ---- the public names of the package


def names_in_init(module: ModuleType = torch) -> tuple[set[str], set[str]]:
    """The public names that the file of `module` has from the start, and those that are loaded when asked for."""
    found: tuple[set[str], set[str]] = set(), set()
    for node in ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body:
        for part in ast.walk(node) if not isinstance(node, ast.FunctionDef) else ():
            if isinstance(part, ast.ImportFrom) and part.module != "__future__":
                found[isinstance(node, ast.If)].update(alias.asname or alias.name for alias in part.names)
            elif isinstance(part, ast.Assign):
                found[isinstance(node, ast.If)].update(t.id for t in part.targets if isinstance(t, ast.Name))
    return tuple({name for name in names if not name.startswith("_")} for names in found)  # type: ignore[return-value]


def line_for(name: str) -> str:
    function = DECLARED["torch"][name].function
    return f"from {function.__module__.removeprefix('autograd_core')} import {function.__name__} as {name}"


def test_each_declared_function_of_torch_has_a_line_in_init() -> None:
    missing = DECLARED["torch"].keys() - set().union(*names_in_init()) - IN_PLACE.keys()
    lines = "\n".join(line_for(name) for name in sorted(missing) if not name.startswith("_"))
    assert not lines, f"autograd_core/__init__.py has no line for what is declared:\n{lines}"


def test_each_line_in_init_is_declared_or_a_name_of_torch() -> None:
    assert set().union(*names_in_init()) - names_in("torch") - SURFACE["torch"] == {"events"}


def test_the_lines_for_editors_are_the_names_that_are_loaded_when_asked_for() -> None:
    assert names_in_init()[1] == set(aten.__all__)


def test_torch_nn_modules_has_a_line_for_each_layer_and_each_module_of_them() -> None:
    layers = {name for names in LAYERS.values() for name in names.split() if hasattr(torch.nn, name)}
    said = names_in_init(torch.nn.modules)[0] - {"LAYERS", "ModuleType", "Any"}
    assert said == layers | LAYERS.keys() | {"lazy", "utils"}
