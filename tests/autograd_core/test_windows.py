"""Windows of memory: what lies outside of a tensor is never shown, and refused in torch's words.

tests/data/windows.txt has, line by line, an expression and what PyTorch 2.13 made of it: sizes and sum, or the error.
"""

from __future__ import annotations

import random
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import autograd_core as torch
from autograd_core.tensor.views import laid_out, window

ROOT = Path(__file__).parents[2]
F = torch.nn.functional
NAMES = {f"x{n}": torch.ones(1, 1, *[4] * n) for n in (1, 2, 3)} | {
    f"w{n}": torch.ones(1, 1, *[2] * n) for n in (1, 2, 3)
}
NAMES |= {"torch": torch, "F": F, "x": torch.ones(5, 5), "columns": torch.ones(1, 4, 9), "y": lambda: torch.ones(2, 3)}


def outcome(expression: str) -> str:
    try:
        found = eval(expression, dict(NAMES))
    except Exception as error:
        return f"{type(error).__name__} {error}".split("\n")[0]
    return f"{list(found.shape)} {found.float().sum().item():g}"


def test_sizes_steps_and_places_of_windows_are_refused_as_in_torch() -> None:
    lines = (ROOT / "tests/data/windows.txt").read_text().splitlines()
    cases = dict(line.split(" -> ", 1) for line in lines)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        different = {e: (outcome(e), wanted) for e, wanted in cases.items() if outcome(e) != wanted}
    assert len(cases) > 400
    assert different == {}


def test_no_window_reaches_outside_of_what_it_is_made_of() -> None:
    """As many as may be are tried of random sizes and steps: each is refused, or shows but numbers of its source."""
    draw = random.Random(0)
    made = 0
    around = np.arange(1000, dtype=np.int64)
    for _ in range(2000):
        source = around[400:600].reshape(10, 20)[draw.randrange(5) :, :: draw.choice((1, 2, -1, -3))]
        size = [draw.choice((0, 1, 2, 3, 9)) for _ in range(draw.randrange(4))]
        steps = [8 * draw.choice((0, 1, -1, 2, -3, 20, -20, 45)) for _ in size]
        places = [source.flat[0] + sum(s * i // 8 for s, i in zip(steps, at, strict=True)) for at in np.ndindex(*size)]
        if all(source.min() <= place <= source.max() for place in places):
            assert window(source, size, steps).ravel().tolist() == places
            made += 1
        else:
            with pytest.raises(RuntimeError, match="reaches outside"):
                window(source, size, steps)
    assert 300 < made < 1700
    with pytest.raises(RuntimeError, match="reaches outside"):
        window(around, (-1,), (8,))


def test_windows_are_made_in_one_place() -> None:
    used = re.compile(r"stride_tricks|sliding_window|\.strides = ")
    sources = [*ROOT.glob("autograd_core/**/*.py"), *ROOT.glob("gradreel/**/*.py")]
    found = [path.relative_to(ROOT).as_posix() for path in sources if used.search(path.read_text(encoding="utf-8"))]
    assert found == ["autograd_core/tensor/views.py"]


def test_memory_between_the_numbers_of_a_tensor_is_zero() -> None:
    memory = laid_out((2, 3), (1000, 10), np.dtype(np.float64)).base
    while isinstance(memory.base, np.ndarray):
        memory = memory.base
    assert memory.shape == (1021,) and not memory.any()


def test_new_memory_is_zeros_but_where_it_is_filled_at_once() -> None:
    allowed = {"ops/reduction", "ops/attention", "ops/join", "tensor/tensor", "tensor/strides"}
    allowed |= {"graph/accumulate_grad", "engine/input_buffer"}
    sources = (ROOT / "autograd_core").glob("**/*.py")
    found = {path for path in sources if re.search(r"np\.empty|np\.ndarray\(", path.read_text(encoding="utf-8"))}
    names = {path.relative_to(ROOT / "autograd_core").with_suffix("").as_posix() for path in found}
    assert names == allowed | {"ops/view", "tensor/views"}  # over memory that there is
