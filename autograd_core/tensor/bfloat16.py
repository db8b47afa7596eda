"""bfloat16: float32 with seven bits behind the point, which numpy does not have.

Note [A carrier for bfloat16]. Its numbers lie in memory as float32, in the byte order that this machine does not have.
So numpy computes with them as with any float32, and gives float32 in the machine's own order; and it tells both dtypes
apart, which is all that the rest of the engine needs: no other tensor has that order. What is computed is rounded when
an operator ends, as torch's kernels on a CPU do it, which compute in float32, too.

From the first such tensor of a run on (`state.bfloat16`), operators take their general way and backward works on
tensors, so that each operator of a formula rounds as well. All other runs pay nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..dispatch.registry import callbacks
from ..errors import BRAIN
from .tensor import Array

SIXTEEN, ODD, HALF, KEPT = (np.uint32(number) for number in (16, 1, 0x7FFF, 0xFFFF0000))
FLOAT, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


def is_brain(dtype: np.dtype[Any]) -> bool:
    """Whether it is the dtype of bfloat16."""
    return not dtype.isnative and dtype == BRAIN


def is_short(dtype: np.dtype[Any]) -> bool:
    """Whether it is a float of two bytes: bfloat16 or float16."""
    return dtype == np.float16 or is_brain(dtype)


def rounded(data: Array) -> Array:
    """`data`, floats of any kind, as bfloat16: to the nearest, of two as near the even one; without dimensions, too."""
    exact = np.array(data, FLOAT, order="K")
    bits = exact.view(np.uint32)
    odd = bits >> SIXTEEN
    odd &= ODD
    odd += HALF
    bits += odd  # what is no number has its bits on the left, and stays none
    bits &= KEPT
    return exact.byteswap(inplace=True).view(BRAIN)


def shortened(value: Array, beside: Array) -> Array:
    """A step on the way, which torch keeps in the dtype of `beside`: rounded if that is bfloat16, and float32 again."""
    return value if beside.dtype.isnative else rounded(value).astype(FLOAT)


def dtypes_in(given: Sequence[Any]) -> Iterator[np.dtype[Any]]:
    """The dtypes of the arrays of floats; of a list of them the widest."""
    for one in given:
        if isinstance(one, list):
            yield from sorted(dtypes_in(one), key=is_brain)[:1]
        elif one is not None and one.dtype.kind == "f":
            yield one.dtype


LOW = "{}: Low precision dtypes not supported. Got BFloat16"
DOUBLE_ALONE = "This function doesn't handle types other than float and double"
REFUSED: dict[str, Exception] = {
    name: NotImplementedError(f"\"{kernel}\" not implemented for 'BFloat16'")
    for name, kernel in {
        "linalg_cholesky_ex": "cholesky_cpu", "cholesky": "cholesky_cpu", "linalg_qr": "geqrf_cpu",
        "_linalg_svd": "linalg_svd_cpu", "_linalg_eigh": "linalg_eigh_cpu", "_linalg_det": "lu_cpu",
        "_linalg_solve_ex": "lu_cpu", "linalg_solve_triangular": "triangular_solve_cpu",
    }.items()
} | {
    "linalg_inv_ex": RuntimeError(LOW.format("linalg.inv")),
    "_linalg_slogdet": RuntimeError(LOW.format("linalg.slogdet")),
    "linalg_lstsq": RuntimeError(DOUBLE_ALONE),
}  # fmt: skip
"""What torch raises of matrices of bfloat16, by the operator: LAPACK has no such numbers."""


def settled(name: str, given: Sequence[Any], results: Sequence[Any]) -> list[Any]:
    """The results of the operator `name` of the arrays `given`: rounded, where these are of bfloat16."""
    first = next(dtypes_in(given), None)
    of_brains = first is not None and is_brain(first) and not name.startswith("_to_copy")
    if of_brains and name in REFUSED:
        error = REFUSED[name]
        raise type(error)(*error.args)
    return [round_result(one, of_brains) for one in results]


def short_numbers(given: Sequence[Any], beside: Array) -> list[Any]:
    """The operands, with numbers beside an array of bfloat16 brought to that: they were left as exact as they are."""
    if not is_brain(beside.dtype):
        return list(given)
    return [one if getattr(one, "ndim", 0) or isinstance(one, int) else rounded(one) for one in given]


def round_result(result: Any, of_brains: bool) -> Any:
    dtype = getattr(result, "dtype", None)
    if dtype is None or dtype.kind != "f":
        return result
    return rounded(result) if is_brain(dtype) or (of_brains and dtype in (FLOAT, DOUBLE)) else result


callbacks.rounded = rounded
