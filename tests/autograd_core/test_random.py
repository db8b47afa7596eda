"""The same seed draws the same numbers as in torch: stored cases over kinds, sizes, seeds and types."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import autograd_core as torch
from autograd_core.random import box_muller
from autograd_core.random import generator as streams
from tests.autograd_core.stored import array, load

CASES = load("random")
KINDS = sorted({case["kind"] for case in CASES})


def argument(stored: Any) -> Any:
    return array(stored) if isinstance(stored, dict) else stored


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_those_that_torch_draws(kind: str) -> None:
    cases = [case for case in CASES if case["kind"] == kind]
    for case in cases:
        streams.manual_seed(case["seed"])
        expected = array(case["drawn"])
        drawn = getattr(streams, kind)(*map(argument, case["arguments"]))
        told = (kind, case["seed"], case["arguments"])
        assert drawn.dtype == expected.dtype, told
        np.testing.assert_array_equal(drawn, expected, str(told))
        following = streams.uniform(2, np.float32)
        np.testing.assert_array_equal(following, array(case["next"]), f"{told}: what is drawn next")
    assert len(cases) >= 5


def test_the_first_numbers_of_seed_0() -> None:
    streams.manual_seed(0)
    assert streams.uniform(3, np.float32).round(4).tolist() == np.float32([0.4963, 0.7682, 0.0885]).tolist()
    assert streams.initial_seed() == 0


def test_negative_seeds_wrap() -> None:
    assert streams.Generator().manual_seed(-1).initial_seed() == 2**64 - 1
    with pytest.raises(ValueError, match="Overflow"):
        streams.Generator().manual_seed(2**64)


def test_a_state_brings_back_what_follows_it() -> None:
    generator = streams.Generator().manual_seed(5)
    streams.normal(3, np.float32, generator=generator)
    state = generator.get_state()
    first = streams.normal(4, np.float32, generator=generator)
    again = streams.normal(4, np.float32, generator=streams.Generator().set_state(state))
    np.testing.assert_array_equal(first, again)
    assert state.numel() == 5056


FIELDS = {"left": (8, 12), "seeded": (12, 16), "next": (16, 24)}
STATES = [
    ("left", 0, False), ("left", 1, True), ("left", 624, True), ("left", 625, False), ("left", -1, False),
    ("seeded", 0, False), ("seeded", 2, True), ("seeded", -1, True),
    ("next", 624, True), ("next", 625, False), ("next", 0x70000000, False), ("next", 2**32, True), ("next", -1, False),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value", "valid"), STATES)
def test_a_state_that_leads_outside_of_itself_is_none(field: str, value: int, valid: bool) -> None:
    generator = torch.Generator()
    state = generator.get_state()
    start, end = FIELDS[field]
    state[start:end] = torch.tensor(list(value.to_bytes(end - start, "little", signed=True)), dtype=torch.uint8)
    for put in (generator.set_state, torch.set_rng_state):
        with nullcontext() if valid else pytest.raises(RuntimeError, match="^Invalid mt19937 state$"):
            put(state)
    assert torch.randint(0, 9, (700,), generator=generator).max() < 9


WRONG = [
    (lambda s: s[:-1], RuntimeError, "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state "
     "size to be 5055"),
    (lambda s: s[:0], RuntimeError, "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state "
     "size to be 0"),
    (lambda s: s.float(), TypeError, "RNG state must be a torch.ByteTensor"),
    (lambda s: s.repeat(2)[::2], RuntimeError, "RNG state must be contiguous"),
    (lambda s: s.numpy(), TypeError, "expected a torch.ByteTensor, but got ndarray"),
    (lambda s: 5, TypeError, "expected a torch.ByteTensor, but got int"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "error", "text"), WRONG)
def test_what_is_no_state_is_refused(change: Any, error: type[Exception], text: str) -> None:
    generator = torch.Generator()
    for put in (generator.set_state, torch.set_rng_state):
        with pytest.raises(error, match=f"^{text}$"):
            put(change(generator.get_state()))


def test_a_fork_takes_nothing_from_the_stream() -> None:
    streams.manual_seed(3)
    with streams.fork():
        inside = streams.uniform(4, np.float32)
    np.testing.assert_array_equal(streams.uniform(4, np.float32), inside)


def test_threads_do_not_draw_from_one_stream() -> None:
    streams.manual_seed(0)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(streams.manual_seed, 7).result()
        pool.submit(streams.uniform, 100, np.float32).result()
    assert streams.initial_seed() == 0
    assert round(float(streams.uniform(1, np.float32)[0]), 4) == 0.4963


def test_normals_are_close_to_what_the_library_functions_give() -> None:
    x = np.linspace(0.001, 1, 1000, dtype=np.float32)
    np.testing.assert_allclose(box_muller.log(x), np.log(x), rtol=3e-7, atol=1e-7)
    sine, cosine = box_muller.sine_and_cosine(6 * x)
    np.testing.assert_allclose(sine, np.sin(6 * x.astype(np.float64)), atol=4e-7)
    np.testing.assert_allclose(cosine, np.cos(6 * x.astype(np.float64)), atol=4e-7)


def test_a_double_product_and_sum_are_rounded_once() -> None:
    a = 1 + 2.0**-30
    assert box_muller.multiply_add(a, a, -1 - 2.0**-29) == 2.0**-60
    assert a * a - (1 + 2.0**-29) == 0.0


REFUSED = [
    (lambda: streams.uniform(2, np.float32, 3.0, 1.0), "found from=3 > to=1"),
    (lambda: streams.normal(2, np.float32, 0.0, -1.0), "normal expects std >= 0.0, but found std -1"),
    (lambda: streams.integers(2, 5, 5), "from=5 >= to=5"),
    (lambda: streams.bernoulli(2, 1.5), "bernoulli_ expects p to be in .0, 1., but got p=1.5"),
    (lambda: streams.exponential(2, np.float32, 0.0), "lambda > 0.0, but found lambda=0"),
]


@pytest.mark.parametrize(("draw", "text"), REFUSED)
def test_what_cannot_be_drawn_is_refused(draw: Any, text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        draw()
