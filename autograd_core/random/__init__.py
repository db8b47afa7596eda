"""torch.random: the default generator, its seed and its state."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from ..tensor.tensor import Tensor
from . import generator as streams
from .generator import Generator, initial_seed

default_generator: Final = streams.ContextGenerator()


def manual_seed(seed: int) -> Generator:
    """Begins the default generator anew, and gives it back.

    Raises:
        RuntimeError: `seed` has more than 64 bits.
    """
    streams.manual_seed(seed)
    return default_generator


def seed() -> int:
    """The seed of the default generator: no other one is drawn, so that a run can be repeated."""
    return initial_seed()


def get_rng_state() -> Tensor:
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    default_generator.set_state(new_state)


def fork_rng(
    devices: Iterable[Any] | None = None, enabled: bool = True, device_type: str = "cuda"
) -> AbstractContextManager[None]:
    """What is drawn in the block is not missing after it. There is one device, so `devices` does not matter."""
    return streams.fork() if enabled else nullcontext()
