"""The collector of cycles comes seldom while tapes grow, and as often as before once it has come after them."""

import gc
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from autograd_core.events.recording import Tape
from autograd_core.events.session import SELDOM, listening

USUAL = (500, 7, 8)


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    gc.collect()
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.collect()
    gc.set_threshold(*before)


@pytest.mark.parametrize("tapes", [1, 2])
def test_it_comes_seldom_until_it_has_come(tapes: int) -> None:
    with ExitStack() as stack:
        for _ in range(tapes):
            stack.enter_context(listening(Tape()))
        gc.collect()
        assert gc.get_threshold() == (SELDOM, *USUAL[1:])
    assert gc.get_threshold() == (SELDOM, *USUAL[1:])
    gc.collect()
    assert gc.get_threshold() == USUAL


@pytest.mark.parametrize("threshold", [(0, 7, 8), (2 * SELDOM, 7, 8)])
def test_it_comes_as_seldom_as_it_did(threshold: tuple[int, int, int]) -> None:
    gc.set_threshold(*threshold)
    with listening(Tape()):
        assert gc.get_threshold() == threshold
    gc.collect()
    assert gc.get_threshold() == threshold


def test_a_threshold_that_the_program_sets_stays() -> None:
    with listening(Tape()):
        gc.set_threshold(1000, 5, 5)
    gc.collect()
    assert gc.get_threshold() == (1000, 5, 5)
