"""An operator that torch does not have, in one entry: the test of entries loads it as if it stood in the table."""

from __future__ import annotations

import numpy as np

from autograd_core.dispatch.op import op
from autograd_core.tensor.tensor import Array


@op(
    "toy(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    pointwise=True,
    cost=7,
    self=lambda grad, other, alpha: mul_scalar(grad * other, alpha),  # type: ignore[name-defined]  # noqa: F821
    other=lambda grad, self, alpha: mul_scalar(grad * self, alpha),  # type: ignore[name-defined]  # noqa: F821
)
def toy(self: Array, other: Array, alpha: float = 1) -> Array:
    """`alpha * self * other`."""
    return np.multiply(self, other) * np.asarray(alpha, np.result_type(self))
