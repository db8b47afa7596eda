"""Types promote, print and bound their numbers as torch's do."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from autograd_core import errors
from autograd_core.engine.state import isolated
from autograd_core.tensor import dtypes
from autograd_core.tensor.dtypes import NAMES, SUPPORTED, UNSUPPORTED, finfo, iinfo
from tests.autograd_core.stored import load

PROMOTION = load("promotion")


@dataclass
class Operand:
    dtype: Any
    ndim: int


def operand(stored: Any) -> Any:
    return Operand(NAMES[stored[0]], stored[1]) if isinstance(stored, list) else stored


@pytest.fixture(autouse=True)
def float32_afterwards() -> Iterator[None]:
    yield
    dtypes.set_default_dtype(dtypes.float32)


def test_operands_of_every_pair_of_types_and_ranks_promote() -> None:
    wrong = []
    for default, a, b, expected in PROMOTION["result_type"]:
        dtypes.set_default_dtype(NAMES[default])
        got = dtypes.result_type(operand(a), operand(b)).name
        if got != expected:
            wrong.append((default, a, b, expected, got))
    assert not wrong
    assert len(PROMOTION["result_type"]) > 1000


def test_casts_in_place_are_allowed_up_the_categories() -> None:
    for source, target, expected in PROMOTION["can_cast"]:
        assert dtypes.can_cast(NAMES[source], NAMES[target]) is expected, (source, target)


def test_promotion_takes_numpy_arrays_too() -> None:
    assert dtypes.result_type(np.zeros(2, np.int32), 2.5) is dtypes.float32
    assert dtypes.result_type(np.zeros(2, np.float32), np.zeros((), np.float64)) is dtypes.float32


@pytest.mark.parametrize("kind", SUPPORTED, ids=str)
def test_a_type_is_that_of_its_arrays(kind: dtypes.dtype) -> None:
    with isolated():
        array = np.zeros(3, dtypes.to_numpy(kind))
    assert dtypes.from_numpy(array.dtype) is kind
    assert array.itemsize == (4 if kind is dtypes.bfloat16 else kind.itemsize)
    assert repr(kind) == f"torch.{errors.kind_name(array.dtype)}"
    assert kind.is_floating_point is (array.dtype.kind == "f")


@pytest.mark.parametrize("kind", UNSUPPORTED, ids=str)
def test_types_that_are_missing_say_so(kind: dtypes.dtype) -> None:
    with pytest.raises(NotImplementedError, match=f"torch.{kind.name} is not supported"):
        dtypes.to_numpy(kind)


COMPLEX = [
    ((1j, (dtypes.float32, 1)), dtypes.complex64),
    ((1j, (dtypes.float64, 1)), dtypes.complex128),
    ((1j, (dtypes.int64, 0)), dtypes.complex64),
    (((dtypes.complex64, 1), (dtypes.float64, 0)), dtypes.complex64),
    (((dtypes.complex64, 1), (dtypes.float64, 1)), dtypes.complex128),
    (((dtypes.complex128, 0), (dtypes.float32, 1)), dtypes.complex64),
    (((dtypes.complex128, 0), (dtypes.bool_, 2)), dtypes.complex128),
    (((dtypes.complex64, 2), (dtypes.bfloat16, 2)), dtypes.complex64),
]


@pytest.mark.parametrize(("operands", "expected"), COMPLEX)
def test_complex_operands_are_promoted(operands: Any, expected: dtypes.dtype) -> None:
    given = [Operand(*operand) if isinstance(operand, tuple) else operand for operand in operands]
    assert dtypes.result_type(*given) is expected


def test_complex_numbers_beside_floats_have_parts_of_their_type() -> None:
    dtypes.set_default_dtype(dtypes.float64)
    try:
        assert dtypes.of_number(1j) is dtypes.complex128
        assert dtypes.result_type(1j, Operand(dtypes.float32, 1)) is dtypes.complex64
    finally:
        dtypes.set_default_dtype(dtypes.float32)


def test_aliases_are_the_same_type() -> None:
    assert NAMES["float"] is dtypes.float32
    assert NAMES["long"] is dtypes.int64
    assert NAMES["double"] is NAMES["float64"]


def test_only_floating_types_may_be_the_default() -> None:
    with pytest.raises(TypeError, match="only floating-point types are supported as the default type"):
        dtypes.set_default_dtype(dtypes.int64)
    dtypes.set_default_dtype(dtypes.float64)
    assert dtypes.get_default_dtype() is dtypes.of_number(1.5) is dtypes.float64
    assert dtypes.of_number(True) is dtypes.bool_
    assert dtypes.of_number(3) is dtypes.int64


LIMITS = {
    "float16": "finfo(resolution=0.001, min=-65504, max=65504, eps=0.000976562, smallest_normal=6.10352e-05, "
    "tiny=6.10352e-05, dtype=float16)",
    "float32": "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, "
    "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=float32)",
    "float64": "finfo(resolution=1e-15, min=-1.79769e+308, max=1.79769e+308, eps=2.22045e-16, "
    "smallest_normal=2.22507e-308, tiny=2.22507e-308, dtype=float64)",
    "bfloat16": "finfo(resolution=0.01, min=-3.38953e+38, max=3.38953e+38, eps=0.0078125, "
    "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=bfloat16)",
    "complex64": "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, "
    "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=float32)",
    "int8": "iinfo(min=-128, max=127, dtype=int8)",
    "int64": "iinfo(min=-9.22337e+18, max=9.22337e+18, dtype=int64)",
}


@pytest.mark.parametrize(("name", "text"), LIMITS.items())
def test_limits_print(name: str, text: str) -> None:
    kind = NAMES[name]
    assert repr((iinfo if text.startswith("iinfo") else finfo)(kind)) == text


def test_limits_of_the_wrong_kind_are_refused() -> None:
    with pytest.raises(TypeError, match="requires an integer input type"):
        iinfo(dtypes.float32)
    with pytest.raises(TypeError, match="requires a floating point input type"):
        finfo(dtypes.int64)
    assert finfo().bits == 32 and finfo(dtypes.float64).eps == 2.0**-52
