"""What PyTorch shows, statement by statement: every transcript in transcripts/ is played again."""

from contextlib import nullcontext
from pathlib import Path

import pytest

import autograd_core as torch
import autograd_core.nn.functional
import autograd_core.optim
import autograd_core.utils.checkpoint
from autograd_core.engine.state import isolated
from autograd_core.events.recording import Tape
from autograd_core.events.session import listening

from .transcript import Block, blocks, play

FOLDER = Path(__file__).parent / "transcripts"
BLOCKS = {f"{path.stem}: {b.title}": b for path in sorted(FOLDER.glob("*.txt")) for b in blocks(path.read_text())}

HEARD = "captured: "
"""Blocks to be played while somebody listens: what has no graph does not tell else that it was made outside."""


@pytest.mark.parametrize(("name", "block"), BLOCKS.items(), ids=BLOCKS)
def test_every_statement_shows_what_it_shows_in_torch(name: str, block: Block) -> None:
    with isolated(), listening(Tape()) if name.startswith(HEARD) else nullcontext():
        shown = play(block, torch)
    for statement, got in zip(block.statements, shown, strict=True):
        assert f">>> {statement.code}\n{got.strip()}" == f">>> {statement.code}\n{statement.shown.strip()}"
