"""Matrices that cannot be taken apart: one that is singular, one that is not positive-definite, one that is not square.
A table."""

from __future__ import annotations

import re

from ..diagnostics.message_rules import MessageRule, message_rules
from ..replay.states import TensorState


def square(tensor: TensorState) -> bool:
    return len(tensor.shape) > 1 and tensor.shape[-1] == tensor.shape[-2]


def oblong(tensor: TensorState) -> bool:
    return len(tensor.shape) > 1 and not square(tensor)


message_rules(
    "matrix_refused",
    MessageRule(
        re.compile(r"(?:inversion could not be completed|solver failed) because the input matrix is singular"),
        cause="singular",
        title="A matrix without an inverse",
        fits=square,
        story=(
            "{code} {line}{turn} needs the inverse of {name}{made}: that matrix is singular, and has none.",
            "Its rows depend on one another: one of them is a multiple of another, or a sum of multiples of others. So "
            "it is where a column of the data says what others say, or there are fewer rows than columns.",
            "A small number added to its diagonal keeps the rows apart; `pinv` and `lstsq` take the best there is.",
        ),
    ),
    MessageRule(
        re.compile(r"factorization could not be completed because the input is not positive-definite"),
        cause="not_definite",
        title="A matrix that is not positive-definite",
        fits=square,
        story=(
            "{code} {line}{turn} takes the root of {name}{made}: that matrix is not positive-definite, and has none.",
            "A covariance is positive-definite if it is symmetric and no direction in it has a variance of 0 or less.",
            "Rounding alone may bring a variance below 0: a small number added to the diagonal is the usual help.",
        ),
    ),
    MessageRule(
        re.compile(
            r"(?:linalg\.(?P<what>\w+)|(?P<what2>logdet|cholesky)): A must be batches of square matrices, "
            r"but they are (?P<high>\d+) by (?P<wide>\d+)"
        ),
        cause="not_square",
        title="A matrix that is not square",
        fits=oblong,
        story=(
            "{code} {line}{turn} is given {name}{made}: {high} rows and {wide} columns.",
            "Only a matrix with as many rows as columns has an inverse, a determinant or eigenvalues.",
            "`pinv` and `lstsq` do for any matrix what an inverse does for a square one.",
        ),
        kind="shape",
    ),
)
