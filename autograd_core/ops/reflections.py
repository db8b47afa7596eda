"""Products of reflections, as LAPACK keeps them: geqrf, and the matrix that its result stands for."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op import both, helper, op
from ..tensor import Array
from .factors import by_columns
from .joint import joint


@op("geqrf", outputs=("a", "tau"))
def geqrf(self: Array) -> tuple[Array, Array]:
    """R on and above the diagonal, below it the vectors of the reflections, and how far each goes."""
    rows, columns = self.shape[-2:]
    flat = self.reshape(-1, rows, columns)
    found = [np.linalg.qr(matrix, "raw") for matrix in flat]
    turned = np.array([h for h, _ in found]).reshape(*self.shape[:-2], columns, rows).astype(self.dtype)
    lengths = np.array([tau for _, tau in found]).reshape(*self.shape[:-2], min(rows, columns)).astype(self.dtype)
    return np.swapaxes(turned, -1, -2), lengths


@both
def reflection(input: Array, k: int) -> Array:
    """The vector of one reflection, as a column: zeros, a one, and what stands below the diagonal."""
    rows = input.shape[-2]
    below = slice_(slice_(input, -1, k, k + 1, 1), -2, k + 1, rows, 1)
    above = unit_column(input, k)
    return cat([above, below], -2) if k + 1 < rows else above


def unit_column(input: Any, k: int) -> Any:
    from ..tensor import plain

    return plain(raw_unit_column(input.data_, k))


def raw_unit_column(input: Array, k: int) -> Array:
    out = np.zeros((*input.shape[:-2], k + 1, 1), input.dtype)
    out[..., k, 0] = 1
    return out


helper(unit_column, raw_unit_column)


@both
def reflected(column: Array, length: Array, matrix: Array) -> Array:
    """The matrix, mirrored: `matrix - length * column @ column.T @ matrix`."""
    return matrix - length * matmul(column, matmul(adjoint(column), matrix))


@both
def householder_backward(grad: Array, input: Array, tau: Array, mask: Any) -> list[Any]:
    """Each product on the way is made again; the gradient is mirrored back through them."""
    count = tau.shape[-1]
    columns = [reflection(input, k) for k in range(count)]
    lengths = [unsqueeze(slice_(tau, -1, k, k + 1, 1), -1) for k in range(count)]
    parts = [eye_like(input)]
    for k in range(count - 1, 0, -1):
        parts.insert(0, reflected(columns[k], lengths[k], parts[0]))
    by_column: list[Any] = []
    by_length: list[Any] = []
    for column, length, part, k in zip(columns, lengths, parts, range(count), strict=True):
        ours, theirs = matmul(adjoint(column), grad), matmul(adjoint(column), part)
        by_length.append(-sum_dim(ours * theirs, [-1], False))
        moved = -(length * (matmul(grad, adjoint(theirs)) + matmul(part, adjoint(ours))))
        by_column.append(tril(moved, -(k + 1)))
        grad = reflected(column, length, grad)
    if input.shape[-1] > count:
        rest = slice_(input, -1, count, input.shape[-1], 1)
        by_column.append(zeros_as(rest))
    return [cat(by_column, -1) if mask[0] else None, cat(by_length, -1) if mask[1] else None]


@joint(
    "linalg_householder_product",
    node="LinalgHouseholderProductBackward0",
    of=("input", "tau"),
    formula=lambda grad, input, tau, result, mask: householder_backward(grad, input, tau, mask),
)
def householder_product(input: Array, tau: Array) -> Array:
    rows, columns = input.shape[-2:]
    out = np.broadcast_to(np.eye(rows, columns, dtype=input.dtype), input.shape).copy()
    for k in range(tau.shape[-1] - 1, -1, -1):
        column = np.concatenate([raw_unit_column(input, k), input[..., k + 1 :, k : k + 1]], -2)
        out = out - tau[..., k, None, None] * (column @ (np.swapaxes(column, -1, -2) @ out))
    return by_columns(out)
