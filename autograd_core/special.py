"""torch.special: functions that have their home, or another name, in torch itself."""

from __future__ import annotations

from typing import Any

import autograd_core as torch

from .dispatch.registry import GRAPH
from .dispatch.schema.guard import guarded_all
from .namespace.absent import absent
from .ops import bessel, special
from .ops.binary import add_scalar, mul_scalar
from .tensor.tensor import Tensor, wrapped_number

digamma = psi = torch.digamma
erf, erfc, erfinv = torch.erf, torch.erfc, torch.erfinv
exp2, expm1, log1p = torch.exp2, torch.expm1, torch.log1p
expit, logit = torch.sigmoid, torch.logit
gammaln = torch.lgamma
i0, sinc, round, xlogy = torch.i0, torch.sinc, torch.round, torch.xlogy
multigammaln, polygamma = torch.mvlgamma, torch.polygamma
log_softmax, logsumexp, softmax = torch.log_softmax, torch.logsumexp, torch.softmax

entr, erfcx, log_ndtr, ndtri = special.entr, special.erfcx, special.log_ndtr, special.ndtri
i1, i0e, i1e = special.i1, bessel.i0e, bessel.i1e
gammainc, gammaincc = special.igamma, special.igammac
modified_bessel_i0, modified_bessel_i1 = bessel.modified_bessel_i0, bessel.modified_bessel_i1
modified_bessel_k0, modified_bessel_k1 = bessel.modified_bessel_k0, bessel.modified_bessel_k1
scaled_modified_bessel_k0, scaled_modified_bessel_k1 = (
    bessel.scaled_modified_bessel_k0,
    bessel.scaled_modified_bessel_k1,
)
bessel_j0, bessel_j1 = bessel.bessel_j0, bessel.bessel_j1
bessel_y0, bessel_y1 = bessel.bessel_y0, bessel.bessel_y1
spherical_bessel_j0 = bessel.spherical_bessel_j0


def ndtr(input: Tensor) -> Tensor:
    """The share of normal numbers below `input`."""
    input = input if input.is_floating_point() else input.to(torch.get_default_dtype())
    side = special.erf(mul_scalar(input, 0.7071067811865476))
    return mul_scalar(add_scalar(side, 1), 0.5)


def xlog1py(input: Any, other: Any) -> Tensor:
    if not isinstance(input, Tensor):
        return special.xlog1py_of_number(input, other)
    return special.xlog1py(input, other) if isinstance(other, Tensor) else special.xlog1py_by_number(input, other)


def zeta(input: Any, other: Any) -> Tensor:
    if not isinstance(input, Tensor):
        return special.zeta_of_number(input, other)
    return special.zeta(input, other) if isinstance(other, Tensor) else special.zeta_by_number(input, other)


def of_degree(name: str) -> Any:
    """The polynomial of that name, of numbers or tensors."""
    operator = GRAPH[name]

    def function(x: Any, n: Any) -> Any:
        return operator(*(value if isinstance(value, Tensor) else wrapped_number(value) for value in (x, n)))

    function.__name__ = function.__qualname__ = name
    return function


POLYNOMIALS = (
    "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w "
    "shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v "
    "shifted_chebyshev_polynomial_w hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l "
    "legendre_polynomial_p"
)
globals().update({name: of_degree(name) for name in POLYNOMIALS.split()})
globals().update(guarded_all("torch.special", globals()))

__getattr__ = absent("torch.special")
