"""Optimizers and schedules take the steps that they take in torch, alone and in small training programs."""

import gc

import pytest

import autograd_core
import autograd_core.optim
from autograd_core.events import Written
from autograd_core.events.recording import Reader, Tape
from autograd_core.events.session import listening
from tests.autograd_core.programs import close, printed
from tests.autograd_core.stored import load

PROGRAMS = load("optim")


@pytest.mark.parametrize("program", PROGRAMS, ids=[program["name"] for program in PROGRAMS])
def test_programs_print_what_torch_prints(program: dict[str, str]) -> None:
    got = printed(program["code"])
    assert close(program["prints"], got), f"torch printed\n{program['prints']}\nhere\n{got}"


def test_each_write_of_a_step_is_told() -> None:
    tape, weight = Tape(), autograd_core.ones(2, requires_grad=True)
    weight.sum().backward()
    step = autograd_core.optim.AdamW([weight], lr=0.1)
    with listening(tape):
        step.step()
    assert [event[3] for event in Reader(tape).read() if event[0] is Written] == ["weight_decay", "adam_step"]


def test_many_steps_hold_memory_flat() -> None:
    weight = autograd_core.ones(3, requires_grad=True)
    sgd = autograd_core.optim.SGD([weight], lr=1e-4, momentum=0.9)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(2000):
        sgd.zero_grad()
        (weight * weight).sum().backward()
        sgd.step()
    gc.collect()
    assert len(gc.get_objects()) - before < 100


OF_ONE_KIND = "betas must be either both floats or both Tensors"
BETAS = [
    ("Adam", (0, 0.9), OF_ONE_KIND),
    ("Adam", (0, 0), OF_ONE_KIND),
    ("AdamW", (0.9, 0), OF_ONE_KIND),
    ("Adam", (0.9, autograd_core.tensor(0.99)), OF_ONE_KIND),
    ("Adam", (0, 2.0), "Invalid beta parameter at index 1: 2.0"),
    ("AdamW", (True, 0.9), "Invalid beta parameter at index 0: True"),
    ("NAdam", (0.9, 1), "Invalid beta parameter at index 1: 1"),
    ("Adamax", (0, 0.9), None),
    ("RAdam", (0, 0), None),
    ("NAdam", (0.9, autograd_core.tensor(0.99)), None),
    ("Adam", (autograd_core.tensor(0.9), autograd_core.tensor(0.99)), None),
    ("Adam", (0.9, 0.99, 1), None),
]


@pytest.mark.parametrize(("name", "betas", "refusal"), BETAS)
def test_betas_are_of_one_kind_where_torch_asks_for_that(
    name: str, betas: tuple[object, ...], refusal: str | None
) -> None:
    optimizer, weights = getattr(autograd_core.optim, name), [autograd_core.ones(1, requires_grad=True)]
    if refusal is None:
        optimizer(weights, betas=betas)
        return
    with pytest.raises(ValueError, match=refusal):
        optimizer(weights, betas=betas)


@pytest.mark.parametrize("together", ("differentiable", "foreach"))
def test_betas_are_looked_at_before_options_that_do_not_go_together(together: str) -> None:
    with pytest.raises(ValueError, match=OF_ONE_KIND):
        autograd_core.optim.Adam([autograd_core.ones(1)], betas=(0, 0.9), fused=True, **{together: True})
