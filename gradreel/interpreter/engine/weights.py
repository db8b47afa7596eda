"""How long slow functions take: for one element, in steps of 100 nanoseconds. What is not named takes one or less.

Measured on one thread with the arguments that take longest, which for some depend on the numbers given. Who has a slow
derivative counts for that: a backward is not charged again.
"""

from __future__ import annotations

import math

import numpy as np

from ..words import words
from .sizes import Arguments, Counted, arrays

CHEBYSHEV = [f"{shifted}chebyshev_polynomial_{kind}" for shifted in ("", "shifted_") for kind in "tuvw"]
POLYNOMIALS = [
    *CHEBYSHEV,
    *words("hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p"),
]


def most(given: object) -> float:
    """The largest of what is given, 0 at least."""
    return float(np.nan_to_num(np.asarray(given, np.float64), posinf=1e9).max(initial=0))


def by_degree(args: Arguments) -> int:
    """A recurrence goes from degree to degree."""
    return int(1 + min(most(args[1]), 1e9))


def term_by_term(order: object, begin: Arguments) -> int:
    """A sum of powers begins at a number, as far below zero as that may be, and goes on to one above the order."""
    below = max((most(-np.asarray(part, np.float64)) for part in begin), default=0.0)
    return int(40 + 4 * (most(order) / 2 + min(below, 1e4)))


def near_the_middle(args: Arguments) -> int:
    """Where both are large and alike, a share of the gamma function takes as many terms as a root of them."""
    return int(300 + 8 * math.sqrt(min(most(args[0]), 1e4)))


def in_memory(args: Arguments) -> int:
    """Normal numbers are drawn all at once for what lies in a row, else one by one."""
    return 5 if all(part.flags.c_contiguous for part in arrays(args)) else 40


WEIGHTS: dict[str, int | Counted] = {
    **{f"special_{name}": by_degree for name in POLYNOMIALS},
    **dict.fromkeys(words("igamma igammac"), near_the_middle),
    "special_zeta": lambda args: term_by_term(args[0], args[1:]),
    "polygamma": lambda args: term_by_term(args[0], args[1:]),
    "mvlgamma": lambda args: 20 * max(int(args[1]), 1),
    "normal": in_memory,
    "poisson": 120,
    "binomial": 250,
    "_standard_gamma": 250,
    "_standard_gamma_grad": 120,
    "log_normal": 40,
    **dict.fromkeys(words("i0 special_i1"), 600),
    **dict.fromkeys(words("special_i0e special_i1e"), 140),
    **dict.fromkeys(words("special_bessel_y0 special_bessel_y1 special_log_ndtr special_erfcx"), 80),
    **dict.fromkeys(words("special_bessel_j0 special_bessel_j1"), 50),
    **dict.fromkeys(words("special_modified_bessel_i0 special_modified_bessel_i1"), 80),
    **dict.fromkeys(words("special_modified_bessel_k0 special_modified_bessel_k1"), 30),
    **dict.fromkeys(words("special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1"), 30),
    "erfinv": 30,
    **dict.fromkeys(words("kthvalue mode special_ndtri"), 12),
    "lgamma": 8,
    **dict.fromkeys(words("exponential cauchy geometric searchsorted unique_dim digamma randperm"), 5),
    **dict.fromkeys(words("gelu gelu_backward erf erfc nll_loss2d_forward nll_loss2d_backward"), 3),
    **dict.fromkeys(words("sort topk median nanmedian cummax cummin scatter_add"), 2),
}


def weight(op: str, args: Arguments) -> int:
    """How many steps one element of this call takes."""
    found = WEIGHTS.get(op, 1)
    return found if isinstance(found, int) else found(args)
