"""A product with something added to it: addmm and its kin, and what layers make of them. Formulas: derivatives.yaml."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..op import RAW, op
from ..tensor import Array
from ..transforms.batch import hidden
from .dims import wrap
from .kernels import refuse
from .matmul import batches, bmm, matmul, matrices, matrix_and_vector, mv, outer
from .shape import expand, reshape, t, transpose, unsqueeze


def blended(self: Array, product: Array, beta: float, alpha: float) -> Array:
    return (self if beta == 1 else self * beta) + (product if alpha == 1 else product * alpha)


@op(
    "addmm",
    tensors_only=True,
    self=lambda grad, beta: scaled(grad, beta),
    mat1=lambda grad, mat2, alpha, mat1_sym_sizes, mat1_sym_strides: mm_left(
        grad, mat2, mat1_sym_sizes, mat1_sym_strides, alpha
    ),
    mat2=lambda grad, mat1, alpha, mat2_sym_sizes, mat2_sym_strides: mm_right(
        grad, mat1, mat2_sym_sizes, mat2_sym_strides, alpha
    ),
)
def addmm(self: Array, mat1: Array, mat2: Array, beta: float = 1, alpha: float = 1) -> Array:
    if not self.dtype == mat1.dtype == mat2.dtype:
        pair = ("self", self) if self.dtype != mat2.dtype else ("mat1", mat1)
        names = errors.type_name(pair[1].dtype), errors.type_name(mat2.dtype)
        raise RuntimeError(f"{pair[0]} and mat2 must have the same dtype, but got {names[0]} and {names[1]}")
    for name, mat in (("mat1", mat1), ("mat2", mat2)):
        if mat.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {mat.ndim}-D tensor")
    matrices(mat1, mat2)
    product = np.matmul(mat1, mat2)
    if self.shape not in (product.shape, product.shape[1:]):
        self = RAW["expand"](self, product.shape)
    if alpha == 1 == beta:
        return np.add(self, product, product)
    return blended(self, product, beta, alpha)


@op(
    "addmv",
    self=lambda grad, beta: scaled(grad, beta),
    mat=lambda grad, vec, alpha: scaled(outer(grad, vec), alpha),
    vec=lambda grad, mat, alpha: scaled(mv(t(mat), grad), alpha),
)
def addmv(self: Array, mat: Array, vec: Array, beta: float = 1, alpha: float = 1) -> Array:
    matrix_and_vector(self.ndim, self.size, mat, vec, self.dtype)
    product = np.matmul(mat, vec)
    return blended(self, product, beta, alpha)


@op(
    "baddbmm",
    self=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch2, alpha: scaled(bmm(grad, transpose(batch2, 1, 2)), alpha),
    batch2=lambda grad, batch1, alpha: scaled(bmm(transpose(batch1, 1, 2), grad), alpha),
)
def baddbmm(self: Array, batch1: Array, batch2: Array, beta: float = 1, alpha: float = 1) -> Array:
    for batch, dim in ((batch1, 0), (batch1, 1), (batch2, 2)):
        if not batch.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        wrap(dim, batch.ndim)
    shape = (*batch1.shape[:2], batch2.shape[2]) if batch1.ndim > 1 and batch2.ndim > 2 else None
    if shape is not None and self.shape != shape:
        self = RAW["expand"](self, shape)
    batches(batch1, batch2)
    if not self.dtype == batch1.dtype == batch2.dtype:
        names = [errors.C_NAMES[x.dtype.name] for x in (self, batch1, batch2)]
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {names[0]}, batch1: {names[1]}, batch2: {names[2]}"
        )
    refuse("bmm", "b", batch1)
    product = np.matmul(batch1, batch2)
    return blended(self, product, beta, alpha)


@op(
    "addr",
    self=lambda grad, beta: scaled(grad, beta),
    vec1=lambda grad, vec2, alpha: scaled(mv(grad, vec2), alpha),
    vec2=lambda grad, vec1, alpha: scaled(mv(t(grad), vec1), alpha),
)
def addr(self: Array, vec1: Array, vec2: Array, beta: float = 1, alpha: float = 1) -> Array:
    for name, vec in (("vec1", vec1), ("vec2", vec2)):
        if vec.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {vec.ndim}-D")
    product = np.multiply.outer(vec1, vec2)
    if self.shape != product.shape:
        self = RAW["expand"](self, product.shape)
    return blended(self, product, beta, alpha)


@op(
    "addbmm",
    self=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch2, alpha, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2: scaled(
        bmm(
            expand(unsqueeze(grad, 0), [batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2]),
            transpose(batch2, 1, 2),
        ),
        alpha,
    ),
    batch2=lambda grad, batch1, alpha, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2: scaled(
        bmm(
            transpose(batch1, 1, 2),
            expand(unsqueeze(grad, 0), [batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2]),
        ),
        alpha,
    ),
)
def addbmm(self: Array, batch1: Array, batch2: Array, beta: float = 1, alpha: float = 1) -> Array:
    shape = batches(batch1, batch2)[1:]
    if self.shape != shape:
        self = RAW["expand"](self, shape)
    product = np.matmul(batch1, batch2).sum(0)
    return blended(self, product, beta, alpha)


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """`input @ weight.T + bias` over the last dimension, through addmm where torch goes through it."""
    if bias is None:
        return matmul(input, t(weight))
    shape = list(input.data_.shape)
    if len(shape) == 2:
        return addmm(bias, input, t(weight))
    alone = len(shape) == 1 and (hidden(input) or hidden(weight) or hidden(bias))
    if bias.data_.ndim == 1 and input.data_.flags.c_contiguous and not alone:
        rows = reshape(input, [int(np.prod(shape[:-1], dtype=object)), shape[-1]])
        return reshape(addmm(bias, rows, t(weight)), [*shape[:-1], weight.data_.shape[0]])
    product = matmul(input, t(weight)) + bias
    if not hidden(product):
        product.bump()  # torch adds in place
    return product
