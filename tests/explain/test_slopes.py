"""By what a gradient is multiplied on its way, in a few letters: a table of expressions, all built in one program."""

from pathlib import Path

import pytest

from gradreel.interpreter import run
from gradreel.scene import build

TABLE = Path(__file__).parent.parent / "data" / "slopes.txt"
HEAD = """import torch
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
x, a = torch.tensor(1.0, requires_grad=True), torch.tensor(3.0)
W, v, h = (torch.ones(*shape, requires_grad=True) for shape in ((2, 3), (4, 2), (4, 3)))
"""
ROWS = [line.split("|") for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
EXPRESSIONS = {text.strip(): slopes.strip() for text, slopes in ROWS}


@pytest.fixture(scope="module")
def slopes() -> dict[str, str]:
    """By expression the slopes of what its line built last."""
    scene = build(run(HEAD + "\n".join(f"y{at} = {text}" for at, text in enumerate(EXPRESSIONS))))
    line = {HEAD.count("\n") + 1 + at: text for at, text in enumerate(EXPRESSIONS)}
    last = {line[box.line]: box.id for box in scene.boxes if box.kind == "node" and box.line in line}
    return {
        text: "; ".join(wire.slope or "-" for wire in scene.wires if wire.from_ == node) for text, node in last.items()
    }


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_the_slope_of_each_way_is_said(slopes: dict[str, str], text: str) -> None:
    assert slopes[text] == EXPRESSIONS[text]
