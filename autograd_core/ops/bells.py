"""Functions of the normal curve and of entropy. Formulas: PyTorch's derivatives.yaml.

Sources of the numbers: DLMF 7.12.1 (erfc far out), 7.18 and Wichura's AS 241 (quantiles, as Python has it).
"""

from __future__ import annotations

import math
import statistics

import numpy as np

from ..op import both, op
from ..tensor import Array
from .kernels import refuse
from .special import elementwise

PAIR = ("self", "other")


@op(
    "special_entr",
    floating=True,
    self=lambda grad, self: grad * -add_scalar(log(self), 1),
)
def entr(self: Array) -> Array:
    """-x log x; 0 at 0, and below it nothing is likely."""
    inside = -self * np.log(np.where(self > 0, self, 1))
    return np.where(np.isnan(self) | (self > 0), inside, np.where(self == 0, 0, -np.inf)).astype(self.dtype)[()]


@op(
    "special_erfcx",
    floating=True,
    self=lambda grad, self, result: sub_scalar(mul_scalar(self, 2.0) * result, 1.1283791670955126) * grad,
)
def erfcx(self: Array) -> Array:
    refuse_half("erfcx_cpu", self)
    return elementwise(scaled_erfc, self)


def refuse_half(kernel: str, data: Array) -> None:
    """Refuse what torch has no code for: half precision."""
    if data.dtype == np.float16:
        refuse(kernel, "f", data)


def scaled_erfc(x: float) -> float:
    """erfc(x) * exp(x * x)."""
    if x < -26.6:
        return math.inf
    if x < 10:
        return math.exp(x * x) * math.erfc(x)
    total = term = 1.0
    for m in range(1, 20):
        term *= -(2 * m - 1) / (2 * x * x)
        total += term
    return total / (x * math.sqrt(math.pi))


@op(
    "special_log_ndtr",
    floating=True,
    self=lambda grad, self, result: (
        mul_scalar(grad, 0.3989422804014327) * exp(-(result + div_scalar(pow_scalar(self, 2), 2)))
    ),
)
def log_ndtr(self: Array) -> Array:
    refuse_half("log_ndtr_cpu", self)
    return elementwise(log_share_below, self)


def log_share_below(x: float) -> float:
    """The logarithm of the share of normal numbers below `x`."""
    if x < -1:
        return math.log(scaled_erfc(-x / math.sqrt(2)) / 2) - x * x / 2 if x > -1e150 else -math.inf
    return math.log1p(-math.erfc(x / math.sqrt(2)) / 2)


@op(
    "special_ndtri",
    floating=True,
    self=lambda grad, result: mul_scalar(grad, 2.5066282746310002) * exp(div_scalar(pow_scalar(result, 2), 2)),
)
def ndtri(self: Array) -> Array:
    refuse_half("ndtri_cpu", self)
    return elementwise(quantile_of_normal, self)


def quantile_of_normal(share: float) -> float:
    """The number below which this share of normal numbers lies."""
    if 0 < share < 1:
        return statistics.NormalDist().inv_cdf(share)
    return {0.0: -math.inf, 1.0: math.inf}.get(share, math.nan)


# ---- x log(1 + y)


@op(
    "special_xlog1py.self_scalar",
    node="SpecialXlog1PyBackward1",
    promote=("other",),
    floating=True,
    other=lambda grad, self, other: mul_scalar(grad, self) / add_scalar(other, 1),
)
def xlog1py_of_number(self: float, other: Array) -> Array:
    return times_log1p(other.dtype.type(self), other)


@op(
    "special_xlog1py.other_scalar",
    node="SpecialXlog1PyBackward2",
    floating=True,
    self=lambda grad, self, other: xlog1py_backward(grad, self, other),
)
def xlog1py_by_number(self: Array, other: float) -> Array:
    return times_log1p(self, self.dtype.type(other))


@both
def xlog1py_backward(grad: Array, self: Array, other: float) -> Array:
    found = xlog1py_by_number(grad, other)
    return found if other > -1 else masked_fill(found, self == 0, 0)


@op(
    "special_xlog1py",
    node="SpecialXlog1PyBackward0",
    promote=PAIR,
    floating=True,
    self=lambda grad, self, other: masked_fill(xlog1py(grad, other), (self == 0) & (other <= -1), 0),
    other=lambda grad, self, other: grad * self / add_scalar(other, 1),
)
def xlog1py(self: Array, other: Array) -> Array:
    return times_log1p(self, other)


def times_log1p(self: Array, other: Array) -> Array:
    logs = self * np.log1p(other)
    return np.where(np.isnan(other), other, np.where(self == 0, logs.dtype.type(0), logs))[()]
