"""Products of vectors, matrices and batches: mm, mv, bmm, matmul; addmm and its kin; linear; trilinear.

Formulas: PyTorch's derivatives.yaml.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..dispatch.autocast import lowered
from ..dispatch.op import both, helper, op
from ..dispatch.registry import RAW
from ..dispatch.schema.schema import composite
from ..engine.state import special, state
from ..functorch.batch import is_hidden
from ..tensor import arithmetic
from ..tensor.tensor import Array, Tensor
from ._common import refuse, wrap
from .convolution import copy_rows
from .join import clone
from .view import expand, reshape, squeeze_dim, squeeze_result, t, transpose, unsafe_view, unsqueeze

# ---- the gradients of both sides, laid out in memory as those are


@both
def mm_left(grad: Array, mat2: Array, sizes: Sequence[int], strides: Sequence[int], alpha: Any) -> Array:
    """The gradient of the left matrix, laid out in memory as that is."""
    by_column = strides[0] == 1 and strides[1] == sizes[0]
    return scale_by(t(mm(mat2, t(grad))) if by_column else mm(grad, t(mat2)), alpha)


@both
def mm_right(grad: Array, mat1: Array, sizes: Sequence[int], strides: Sequence[int], alpha: Any) -> Array:
    """The gradient of the right matrix, laid out in memory as that is."""
    by_column = strides[0] == 1 and strides[1] == sizes[0]
    return scale_by(t(mm(t(grad), mat1)) if by_column else mm(t(mat1), grad), alpha)


def times(a: Array, b: Array) -> Array:
    """The product of two matrices; one without a sum keeps the sign of zeros."""
    return a.dot(b) if len(b) != 1 else without_sum(a, b)


def without_sum(a: Array, b: Array) -> Array:
    """The product of a column and a row, each element a single product.

    BLAS, which is quicker in large ones, adds it to zero, and so loses the sign of a zero.
    """
    if a.size * b.size >= arithmetic.LARGE and a.dtype is arithmetic.float32 and not (has_zero(a) or has_zero(b)):
        return a.dot(b)
    return a * b


def has_zero(data: Array) -> bool:
    return np.count_nonzero(data) < data.size


def mm_left_arrays(grad: Array, mat2: Array, sizes: Sequence[int], strides: Sequence[int], alpha: Any) -> Array:
    if strides[0] == 1 and strides[1] == sizes[0]:
        product = times(mat2, grad.T).T
    else:
        other = mat2.T
        product = grad.dot(other) if len(other) != 1 else without_sum(grad, other)
    return product if alpha == 1 else product * alpha


def mm_right_arrays(grad: Array, mat1: Array, sizes: Sequence[int], strides: Sequence[int], alpha: Any) -> Array:
    if strides[0] == 1 and strides[1] == sizes[0]:
        product = times(grad.T, mat1).T
    else:
        product = mat1.T.dot(grad) if len(grad) != 1 else without_sum(mat1.T, grad)
    return product if alpha == 1 else product * alpha


helper(mm_left, mm_left_arrays)
helper(mm_right, mm_right_arrays)


# ---- products


def same_dtype(a: Array, b: Array) -> None:
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {errors.c_name(a.dtype)} != {errors.c_name(b.dtype)}"
        )


def matrices(a: Array, b: Array) -> None:
    """Whether `a @ b` is a product of two matrices.

    Raises:
        RuntimeError: it is not, in torch's words.
    """
    if a.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if b.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(errors.not_multiplied(a.shape, b.shape))
    same_dtype(a, b)
    refuse("addmm_impl_cpu_", "b", a)


def product(self: Any, other: Any) -> Any:
    """`a @ b`, which knows no numbers."""
    if not (other.__class__ is Tensor or isinstance(other, Tensor)):
        return NotImplemented
    return mm(self, other) if self.data_.ndim == 2 == other.data_.ndim else matmul(self, other)


@op(
    """
    mm(Tensor self, Tensor mat2) -> Tensor: function method out
    mm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor: function out
    """,
    tensors_only=True,
    operator=product,
    fitting=True,
    self=lambda grad, mat2, self_sym_sizes, self_sym_strides: mm_left(
        grad, conj(mat2), self_sym_sizes, self_sym_strides, 1
    ),
    mat2=lambda grad, self, mat2_sym_sizes, mat2_sym_strides: mm_right(
        grad, conj(self), mat2_sym_sizes, mat2_sym_strides, 1
    ),
)
def mm(self: Array, mat2: Array) -> Array:
    if self.dtype is mat2.dtype is not arithmetic.boolean and self.ndim == 2 == mat2.ndim and len(mat2) != 1:
        return self.dot(mat2)
    matrices(self, mat2)
    return times(self, mat2)


@op(
    "mv(Tensor self, Tensor vec) -> Tensor: function method out",
    self=lambda grad, vec: outer(grad, conj(vec)),
    vec=lambda grad, self: mv(t(conj(self)), grad),
)
def mv(self: Array, vec: Array) -> Array:
    if self.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    matrix_and_vector(1, self.shape[0], self, vec, vec.dtype)
    return np.matmul(self, vec)


def matrix_and_vector(rank: int, length: int, mat: Array, vec: Array, kind: Any) -> None:
    """Whether `mat @ vec` can be added to a tensor with `rank` dimensions, `length` numbers and the dtype `kind`.

    Raises:
        RuntimeError: it cannot, in torch's words.
    """
    if mat.ndim != 2 or vec.ndim != 1 or rank > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {rank}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0] or length not in (1, mat.shape[0]):
        raise RuntimeError(
            f"size mismatch, got input ({length}), mat ({mat.shape[0]}x{mat.shape[1]}), vec ({vec.shape[0]})"
        )
    if not kind == mat.dtype == vec.dtype:
        names = [errors.type_name(dtype) for dtype in (kind, mat.dtype, vec.dtype)]
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {names[0]}, {names[1]}, and {names[2]}"
        )
    refuse("addmv_impl_cpu", "b", mat)


@both
def outer(a: Array, b: Array) -> Array:
    return reshape(a, [-1, 1]) * b


@op(
    "dot(Tensor self, Tensor tensor) -> Tensor: function method out",
    self=lambda grad, tensor: grad * conj(tensor),
    tensor=lambda grad, self: grad * conj(self),
)
def dot(self: Array, tensor: Array) -> Array:
    both_vectors(self, tensor)
    return np.dot(self, tensor)


def both_vectors(self: Array, tensor: Array) -> None:
    """Whether the product of two vectors can be taken.

    Raises:
        RuntimeError: it cannot, in torch's words.
    """
    if self.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    if self.dtype != tensor.dtype:
        a, b = errors.type_name(self.dtype), errors.type_name(tensor.dtype)
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {a} and {b}")
    if self.shape != tensor.shape:
        n, m = self.shape[0], tensor.shape[0]
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same number of elements, but "
            f"got {n} "
            f"and {m} elements respectively"
        )
    refuse("dot", "b", self)


@op(
    "vdot(Tensor self, Tensor other) -> Tensor: function method out",
    self=lambda grad, other: conj(grad) * other,
    other=lambda grad, self: grad * self,
)
def vdot(self: Array, other: Array) -> Array:
    both_vectors(self, other)
    return np.vdot(self, other)


@op(
    "linalg_cross",
    self=lambda grad, other, dim: linalg_cross(conj(other), grad, dim),
    other=lambda grad, self, dim: linalg_cross(grad, conj(self), dim),
)
def linalg_cross(self: Array, other: Array, dim: int = -1) -> Array:
    refuse("cross", "b", self)
    if self.dtype != other.dtype:
        names = errors.type_name(self.dtype), errors.type_name(other.dtype)
        raise RuntimeError(f"expected scalar type {names[0]} but found {names[1]}")
    return np.cross(self, other, axis=dim)


@op(
    """
    bmm(Tensor self, Tensor mat2) -> Tensor: function method out
    bmm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor: function out
    """,
    self=lambda grad, mat2: bmm(grad, conj(transpose(mat2, 1, 2))),
    mat2=lambda grad, self: bmm(conj(transpose(self, 1, 2)), grad),
)
def bmm(self: Array, mat2: Array) -> Array:
    batches(self, mat2)
    refuse("bmm", "b", self)
    if self.dtype != mat2.dtype:
        names = errors.type_name(self.dtype), errors.type_name(mat2.dtype)
        raise RuntimeError(f"expected scalar type {names[0]} but found {names[1]}")
    return np.matmul(self, mat2)


def batches(a: Array, b: Array) -> tuple[int, int, int]:
    """The shape of the product of two batches of matrices.

    Raises:
        RuntimeError: they are none that can be multiplied, in torch's words.
    """
    for number, x in ((1, a), (2, b)):
        if x.ndim != 3:
            raise RuntimeError(f"batch{number} must be a 3D tensor")
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[2]}] but got: "
            f"[{b.shape[0]}, {b.shape[1]}]."
        )
    return a.shape[0], a.shape[1], b.shape[2]


# ---- matmul: the same choice among the above as torch makes (aten/src/ATen/native/LinearAlgebra.cpp)


@composite("""
    matmul(Tensor self, Tensor other) -> Tensor: function method out
    linalg_matmul(Tensor self, Tensor other) -> Tensor: function out
    """)
def matmul(a: Any, b: Any) -> Any:
    """`a @ b` for tensors of any rank but 0."""
    if special and state.autocast is not None:
        a, b = lowered(a), lowered(b)
    m, n = a.data_.ndim, b.data_.ndim
    if m == n == 2:
        return mm(a, b)
    if m == 0 or n == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {m}D and {n}D")
    if (m, n) == (1, 1):
        return dot(a, b)
    if (m, n) == (2, 1):
        return mv(a, b)
    if (m, n) == (1, 2):
        product = squeeze_result(mm(unsqueeze(a, 0), b), 0)
        if not is_hidden(product):
            product.bump()  # torch squeezes it in place
        return product
    return fold(a, b) if should_fold(a, b) else batch_matmul(a, b)


def should_fold(a: Any, b: Any) -> bool:
    """Whether a large batch times one small matrix is done as one product of matrices."""
    larger = a.data_.ndim >= b.data_.ndim
    big, small = (a, b) if larger else (b, a)
    if big.data_.ndim < 3 or small.data_.ndim > 2:
        return False
    if small.requires_grad:
        return True
    if a.data_.ndim == 2:
        return False
    data = big.data_ if larger else np.swapaxes(big.data_, -1, -2)
    return all(data.strides[i] == data.strides[i + 1] * data.shape[i + 1] for i in range(data.ndim - 2))


def fold(a: Any, b: Any) -> Any:
    swap = b.data_.ndim > a.data_.ndim
    big = transpose(b, -2, -1) if swap else a
    small = b if not swap else t(a) if a.data_.ndim == 2 else a
    shape = list(big.data_.shape)
    flat = reshape(big, [int(np.prod(shape[:-1], dtype=object)), shape[-1]])
    if small.data_.ndim == 1:
        return unsafe_view(mv(flat, small), shape[:-1])
    out = unsafe_view(mm(flat, small), [*shape[:-1], small.data_.shape[1]])
    if not swap:
        return out
    turned = transpose(out, -2, -1)
    return turned if turned.data_.flags.c_contiguous else clone(turned, True)


def batch_matmul(a: Any, b: Any) -> Any:
    m, n = a.data_.ndim, b.data_.ndim
    if m == n == 3 and a.data_.shape[0] != b.data_.shape[0]:
        if a.data_.shape[0] == 1 and a.requires_grad:
            return matmul(squeeze_dim(a, 0), b)
        if b.data_.shape[0] == 1 and b.requires_grad:
            return matmul(a, squeeze_dim(b, 0))
    batch_a, batch_b = a.data_.shape[:-2], b.data_.shape[:-2]
    text = errors.broadcast([batch_a, batch_b]) if batch_a and batch_b else None
    if text is not None:
        raise RuntimeError(text)
    batch = list(np.broadcast_shapes(batch_a, batch_b))
    count = int(np.prod(batch, dtype=object)) if batch else 1
    rows = a.data_.shape[-2] if m > 1 else 1
    inner_a = a.data_.shape[-1]
    columns = b.data_.shape[-1] if n > 1 else 1
    inner_b = b.data_.shape[-2] if n > 1 else b.data_.shape[0]
    left = reshape(expand(a, [*batch, rows, inner_a]), [count, rows, inner_a])
    right = unsqueeze(b, 1) if n == 1 else b
    right = reshape(expand(right, [*batch, inner_b, columns]), [count, inner_b, columns])
    shape = [*batch, *([rows] if m > 1 else []), *([columns] if n > 1 else [])]
    product = bmm(left, right)
    return unsafe_view(squeeze_dim(product, -1) if n == 1 else product, shape)


# ---- a product with something added to it


def blend(self: Array, product: Array, beta: float, alpha: float) -> Array:
    return (self if beta == 1 else self * beta) + (product if alpha == 1 else product * alpha)


@op(
    "addmm",
    tensors_only=True,
    self=lambda grad, beta: scale_by(grad, conj(beta)),
    mat1=lambda grad, mat2, alpha, mat1_sym_sizes, mat1_sym_strides: mm_left(
        grad, conj(mat2), mat1_sym_sizes, mat1_sym_strides, conj(alpha)
    ),
    mat2=lambda grad, mat1, alpha, mat2_sym_sizes, mat2_sym_strides: mm_right(
        grad, conj(mat1), mat2_sym_sizes, mat2_sym_strides, conj(alpha)
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
    return blend(self, product, beta, alpha)


@op(
    "addmv",
    self=lambda grad, beta: scale_by(grad, conj(beta)),
    mat=lambda grad, vec, alpha: scale_by(outer(grad, conj(vec)), conj(alpha)),
    vec=lambda grad, mat, alpha: scale_by(mv(conj(t(mat)), grad), conj(alpha)),
)
def addmv(self: Array, mat: Array, vec: Array, beta: float = 1, alpha: float = 1) -> Array:
    matrix_and_vector(self.ndim, self.size, mat, vec, self.dtype)
    product = np.matmul(mat, vec)
    return blend(self, product, beta, alpha)


@op(
    "baddbmm",
    self=lambda grad, beta: scale_by(grad, conj(beta)),
    batch1=lambda grad, batch2, alpha: scale_by(bmm(grad, conj(transpose(batch2, 1, 2))), conj(alpha)),
    batch2=lambda grad, batch1, alpha: scale_by(bmm(conj(transpose(batch1, 1, 2)), grad), conj(alpha)),
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
        names = [errors.c_name(x.dtype) for x in (self, batch1, batch2)]
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {names[0]}, batch1: {names[1]}, batch2: {names[2]}"
        )
    refuse("bmm", "b", batch1)
    product = np.matmul(batch1, batch2)
    return blend(self, product, beta, alpha)


@op(
    """
    addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor: function method method_ \
        out
    """,
    self=lambda grad, beta: scale_by(grad, conj(beta)),
    vec1=lambda grad, vec2, alpha: scale_by(mv(grad, conj(vec2)), conj(alpha)),
    vec2=lambda grad, vec1, alpha: scale_by(mv(t(grad), conj(vec1)), conj(alpha)),
)
def addr(self: Array, vec1: Array, vec2: Array, beta: float = 1, alpha: float = 1) -> Array:
    for name, vec in (("vec1", vec1), ("vec2", vec2)):
        if vec.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {vec.ndim}-D")
    product = np.multiply.outer(vec1, vec2)
    if self.shape != product.shape:
        self = RAW["expand"](self, product.shape)
    return blend(self, product, beta, alpha)


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """`input @ weight.T + bias` over the last dimension, through addmm where torch goes through it."""
    if special and state.autocast is not None:
        input, weight, bias = lowered(input), lowered(weight), lowered(bias)
    if bias is None:
        return matmul(input, t(weight))
    shape = list(input.data_.shape)
    if len(shape) == 2:
        return addmm(bias, input, t(weight))
    alone = len(shape) == 1 and (is_hidden(input) or is_hidden(weight) or is_hidden(bias))
    if bias.data_.ndim == 1 and input.data_.flags.c_contiguous and not alone:
        rows = reshape(input, [int(np.prod(shape[:-1], dtype=object)), shape[-1]])
        return reshape(addmm(bias, rows, t(weight)), [*shape[:-1], weight.data_.shape[0]])
    product = matmul(input, t(weight)) + bias
    if not is_hidden(product):
        product.bump()  # torch adds in place
    return product


# ---- the bilinear map


def letters(ndim: int, expanded: Sequence[int]) -> str:
    return "".join(string.ascii_letters[d] for d in range(ndim) if d not in expanded)


@op(
    "_trilinear",
    node="TrilinearBackward0",
    sparing=True,
    i1=lambda grad, i2, i3, expand1, expand2, expand3, sumdim: trilinear(
        grad, i2, i3, sumdim, expand2, expand3, expand1
    ),
    i2=lambda grad, i1, i3, expand1, expand2, expand3, sumdim: trilinear(
        i1, grad, i3, expand1, sumdim, expand3, expand2
    ),
    i3=lambda grad, i1, i2, expand1, expand2, expand3, sumdim: trilinear(
        i1, i2, grad, expand1, expand2, sumdim, expand3
    ),
)
def trilinear(
    i1: Array,
    i2: Array,
    i3: Array,
    expand1: Sequence[int],
    expand2: Sequence[int],
    expand3: Sequence[int],
    sumdim: Sequence[int],
) -> Array:
    """The product of three tensors, each with new dimensions where `expand` says, summed over `sumdim`."""
    ndim = i1.ndim + len(expand1)
    terms = ",".join(letters(ndim, expanded) for expanded in (expand1, expand2, expand3))
    return copy_rows(np.einsum(f"{terms}->{letters(ndim, sumdim)}", i1, i2, i3, optimize=True))
