"""The compiled path against the Python that it stands before: the same results, nodes, gradients and traces."""

from __future__ import annotations

import copy
import gc
import hashlib
import inspect
import os
import pickle
import shutil
import subprocess
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_core as torch
from autograd_core import descent, native
from autograd_core.native import build, loading
from autograd_core.op import GRAPH, TABLE
from autograd_core.saved import SavedResult
from autograd_core.state import special

from .stored import load
from .test_quick import built, fresh, recipe, told

pytestmark = pytest.mark.skipif(native.compiled is None and not shutil.which("cc"), reason="there is no C compiler")

PATHS = {
    name: GRAPH[op.python_name]
    for name, op in TABLE.items()
    if native.compiled is not None and isinstance(GRAPH[op.python_name], type(torch.Tensor.__mul__))
}
"""The operators that have a native path."""

SHAPES = [(), (), (1,), (3,), (2, 3), (3, 3), (3, 2), (1, 3), (2, 1), (0, 3), (2, 3, 3)]

operand = st.tuples(
    st.integers(0, len(SHAPES) - 1),
    st.sampled_from(
        ["plain", "leaf", "result", "turned", "row", "double", "parameter", "written", "part", "number", "inference"]
    ),
    st.integers(0, 5),
)


def drawn(shape: tuple[int, ...], kind: str, seed: int) -> Any:
    """A tensor of this shape, or nearly, as programs come by them."""
    data = np.random.default_rng(seed).uniform(0.1, 0.9, shape).astype(np.float32)
    tensor = torch.tensor(data.tolist()).reshape(shape)
    match kind:
        case "leaf":
            return tensor.requires_grad_()
        case "result":
            return tensor.requires_grad_() * 1.0
        case "turned":
            return tensor.transpose(0, -1) if shape else tensor
        case "row":
            return (tensor.requires_grad_() * 1.0)[0] if shape and shape[0] else tensor
        case "double":
            return tensor.double()
        case "parameter":
            return torch.nn.Parameter(tensor)
        case "written":
            return tensor.add_(1)
        case "part":
            return tensor.detach()
        case "inference":
            with torch.inference_mode():
                return tensor * 1.0
        case "number":
            return 0.5 if seed else 2
    return tensor


def look(tensor: Any) -> Any:
    """All that was made of an operator: data, layout, node, edges, and what is kept."""
    data = tensor.data_
    node = tensor.node
    seen = [type(data), data.dtype, data.shape, getattr(data, "strides", None), np.asarray(data).tobytes()]
    if node is None:
        return seen
    kept: dict[str, Any] = {}
    for name in sorted({slot for kind in type(node).__mro__ for slot in getattr(kind, "__slots__", ())}):
        if name.startswith(("saved_", "version_")):
            value = getattr(node, name)
            if isinstance(value, SavedResult):
                value = "result", value.output_nr, value.data_ is data, value.storage_ is tensor.storage_
            if isinstance(value, torch.Tensor):  # a number may have been wrapped for this node alone
                value = value.item() if value.meta is not None and value.meta.wrapped else id(value)
            kept[name] = value
    edges = [None if below is None else (type(below), id(below)) for below in node.next]
    return [*seen, type(node), node.nrs, node.outs, node.hooks, node.freed, edges, kept, tensor._version]


def outcome(function: Any, operands: list[Any]) -> Any:
    try:
        made = function(*operands)
    except (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError) as error:
        return type(error), str(error)
    return NotImplemented if made is NotImplemented else look(made)


def test_the_path_is_made_where_it_can_be() -> None:
    assert native.compiled is not None, "run `python -m autograd_core.native.build`"
    assert {"add.Tensor", "mul.Tensor", "mm", "tanh", "sum", "relu", "neg", "div.Tensor"} <= set(PATHS)
    assert len(PATHS) > 140 and len(native.steps) > 300


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_an_operator_makes_what_its_python_makes(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(PATHS)))
    path, op = PATHS[name], TABLE[name]
    given_ = [
        drawn(SHAPES[shape], kind, seed) for shape, kind, seed in data.draw(st.tuples(*[operand] * len(op.tensors)))
    ]
    kept = [t * 1.0 for t in given_ if isinstance(t, torch.Tensor)]  # so that leaves keep their AccumulateGrad
    assert outcome(path, given_) == outcome(path.__wrapped__, given_), kept
    with torch.no_grad():
        assert outcome(path, given_) == outcome(path.__wrapped__, given_)


def test_an_unfinished_tensor_is_refused_and_not_read() -> None:
    unfinished = torch.Tensor.__new__(torch.Tensor)
    for operands in ((unfinished, torch.ones(2)), (torch.ones(2), unfinished)):
        with pytest.raises((AttributeError, TypeError)):
            torch.Tensor.__mul__(*operands)


def test_an_operator_is_copied_pickled_and_bound_as_a_function_is() -> None:
    path = torch.Tensor.__mul__
    assert copy.deepcopy([path])[0] is path is copy.copy(path)
    assert pickle.loads(pickle.dumps(PATHS["relu"])) is PATHS["relu"]
    assert torch.ones(2).__mul__(3).tolist() == [3, 3]
    assert str(inspect.signature(path)) == str(inspect.signature(path.__wrapped__))
    assert repr(path).startswith("<function mul at 0x")


# ---- how it is made


def test_without_a_compiler_python_goes_on_alone(monkeypatch: Any, capsys: Any, tmp_path: Path) -> None:
    monkeypatch.setattr(build, "file", lambda: tmp_path / "none.so")
    monkeypatch.setattr(build.shutil, "which", lambda name: None)
    build.build()
    assert "no C compiler was found: the engine runs in Python alone" in capsys.readouterr().err
    monkeypatch.setattr(loading, "file", lambda: tmp_path / "none.so")
    assert loading.loaded() is None


def test_what_does_not_compile_is_not_used(monkeypatch: Any, capsys: Any, tmp_path: Path) -> None:
    monkeypatch.setattr(build, "file", lambda: tmp_path / "none.so")
    monkeypatch.setattr(build, "CACHE", tmp_path)
    monkeypatch.setattr(build, "FLAGS", "-DPyInit_compiled= -shared")
    build.build()
    assert "the native path was not made" in capsys.readouterr().err
    assert not (tmp_path / "none.so").exists()


def test_it_compiles_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run([*build.command("cc", tmp_path / "made.so"), "-Werror"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_one_of_other_sources_is_not_loaded(tmp_path: Path, monkeypatch: Any) -> None:
    before = loading.file()
    other = tmp_path / "native.h"
    other.write_bytes(loading.SOURCES[-1].read_bytes() + b" ")
    monkeypatch.setattr(loading, "SOURCES", [*loading.SOURCES[:-1], other])
    assert loading.file() != before


# ---- backward


@contextmanager
def in_python() -> Iterator[None]:
    compiled, descent.descend = descent.descend, descent.in_python
    try:
        yield
    finally:
        descent.descend = compiled


@settings(max_examples=300, deadline=None)
@given(recipe, st.booleans())
def test_gradients_are_those_of_the_loop_in_python(drawn_recipe: Any, retain: bool) -> None:
    shapes, steps = drawn_recipe
    assert not special

    def gradients() -> list[Any]:
        leaves = fresh(shapes)
        roots = [t for t in built(leaves, steps) if t.requires_grad and t.dim() == 0 and t.grad_fn is not None]
        found = []
        for root in roots[-2:]:
            for _ in range(2):
                try:
                    root.backward(retain_graph=retain)
                except RuntimeError as error:
                    found.append(str(error))
        return [*found, *(told(leaf.grad) for leaf in leaves)]

    here = gradients()
    with in_python():
        assert gradients() == here


def test_what_fails_in_the_middle_leaves_the_same_behind() -> None:
    def left() -> Any:
        x, y = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
        middle = x * 2
        kept = middle * y
        result = (kept * 3).sum()
        middle += 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            result.backward()
        return told(x.grad), told(y.grad), kept.grad_fn.freed, result.grad_fn.freed

    here = left()
    with in_python():
        assert left() == here


# ---- nothing is held that should go


def test_what_is_made_goes_with_the_last_that_holds_it() -> None:
    gc.collect()
    gc.disable()
    try:
        x = torch.ones(3, requires_grad=True)
        y = torch.tanh(x * 2 + x)
        nodes = [weakref.ref(n) for n in (y.grad_fn, y.grad_fn.next_functions[0][0])]
        data = weakref.ref(y.data_)
        y.sum().backward()
        del y
        assert [ref() for ref in (*nodes, data)] == [None] * 3
    finally:
        gc.enable()


def test_a_long_loop_leaves_no_references_behind() -> None:
    x, w = torch.ones(4, 4), torch.ones(4, 4, requires_grad=True)
    constants = (torch.Tensor.__mul__.op, None, True, (0, 0))

    def turns() -> None:
        for _ in range(300):
            loss = (torch.tanh(x @ w * 0.5) + w).mean()
            loss.backward()
            w.grad = None

    turns()
    before = [sys.getrefcount(thing) for thing in constants]
    turns()
    after = [sys.getrefcount(thing) for thing in constants]
    assert all(abs(a - b) < 50 for a, b in zip(before, after, strict=True))


# ---- with nothing compiled at all

PROGRAMS = {program["name"]: program["source"] for program in load("runs")[::6]}

TRACES = """
from tests.autograd_core.test_compiled_path import traces
print(traces())
"""


def traces() -> str:
    """What is told of a sixth of the stored programs, summed up."""
    from gradreel import run

    return "\n".join(f"{n} {hashlib.md5(run(source).to_json().encode()).hexdigest()}" for n, source in PROGRAMS.items())


def test_python_alone_tells_the_same_of_a_program() -> None:
    alone = subprocess.run(
        [sys.executable, "-c", TRACES],
        env={**os.environ, "AUTOGRAD_CORE_NATIVE": "0"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    differ = [here for here, there in zip(traces().splitlines(), alone.splitlines(), strict=True) if here != there]
    assert not differ
