"""Tensors print as torch prints them: stored cases over shapes, types, sizes of numbers and options."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from autograd_core.tensor.dtypes import NAMES, float32, float64, set_default_dtype
from autograd_core.tensor.printing import parameter_repr, printoptions, set_printoptions, tensor_repr
from tests.autograd_core.stored import array, load

CASES = load("printing")


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    yield
    set_printoptions(profile="default")


def test_every_stored_tensor_prints_as_torch_printed_it() -> None:
    wrong = []
    for case in CASES:
        set_printoptions(profile="default")
        set_printoptions(**case["options"])
        text = tensor_repr(
            array(case), dtype=NAMES[case["dtype"]], grad_fn=case["grad_fn"], requires_grad=case["requires_grad"]
        )
        if text != case["text"]:
            wrong.append((case["text"], text))
    assert not wrong
    assert len(CASES) >= 400


def plain(values: object, kind: str = "float32") -> str:
    return tensor_repr(np.array(values, kind), dtype=NAMES[kind], grad_fn=None, requires_grad=False)


TEXTS = [
    ([1.0, 2.0], "tensor([1., 2.])"),
    ([1.0, 2.5], "tensor([1.0000, 2.5000])"),
    ([1000.0, 1.0], "tensor([1000.,    1.])"),
    ([1001.0, 1.0], "tensor([1.0010e+03, 1.0000e+00])"),
    (1e-4, "tensor(1.0000e-04)"),
    (1e8, "tensor(100000000.)"),
    ([float("nan"), 1.0], "tensor([nan, 1.])"),
    ([], "tensor([])"),
    ([[]], "tensor([], size=(1, 0))"),
]


@pytest.mark.parametrize(("values", "text"), TEXTS)
def test_numbers_at_the_edges(values: object, text: str) -> None:
    assert plain(values) == text


def test_a_long_vector_shows_three_at_each_end() -> None:
    assert plain(range(1001)) == "tensor([   0.,    1.,    2.,  ...,  998.,  999., 1000.])"


def test_the_default_type_is_not_shown() -> None:
    assert plain([1.5], "float64") == "tensor([1.5000], dtype=torch.float64)"
    set_default_dtype(float64)
    try:
        assert plain([1.5], "float64") == "tensor([1.5000])"
        assert plain([1.5]) == "tensor([1.5000], dtype=torch.float32)"
    finally:
        set_default_dtype(float32)


def test_scalars_of_numpy_print_as_0d_tensors() -> None:
    assert tensor_repr(np.float32(3), dtype=float32, grad_fn="MulBackward0", requires_grad=True) == (
        "tensor(3., grad_fn=<MulBackward0>)"
    )


def test_parameters_say_that_they_are() -> None:
    assert parameter_repr("tensor(1., requires_grad=True)") == ("Parameter containing:\ntensor(1., requires_grad=True)")


@pytest.mark.parametrize(
    "change",
    [{"precision": 2}, {"threshold": 3}, {"threshold": 3, "edgeitems": 1}, {"linewidth": 20}, {"sci_mode": True}],
)
def test_options_last_as_long_as_their_block(change: dict[str, Any]) -> None:
    samples = [[1.23456], [float(n) for n in range(40)], [[0.5] * 12] * 12, [float(n) for n in range(2000)]]
    before = list(map(plain, samples))
    with printoptions(**change):
        assert list(map(plain, samples)) != before
    assert list(map(plain, samples)) == before


def test_a_precision_holds_within_its_block() -> None:
    with printoptions(precision=2):
        assert plain([1.23456]) == "tensor([1.23])"
    assert plain([1.23456]) == "tensor([1.2346])"
