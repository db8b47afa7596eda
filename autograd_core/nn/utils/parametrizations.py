"""Parametrizations: orthogonal weights, weights by length and direction, weights divided by their largest stretch."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import linalg
from ...api.functions.creation import eye
from ...api.functions.pointwise import allclose
from ...api.functions.random import randn
from ...dispatch.inplace import in_place
from ...engine.grad_mode import no_grad
from ...graph.node import Handle
from ...namespace.absent import absent
from ...namespace.module_names import settle
from ...ops.binary import add
from ...ops.join import cat, clone
from ...ops.linalg_decomposition import geqrf, householder_product
from ...ops.linalg_solve import matrix_exp
from ...ops.matmul import mv, vdot
from ...ops.unary import copy, sgn
from ...ops.view import diagonal, expand, t, unsqueeze
from ...tensor.tensor import Tensor
from ..attributes import part_of
from ..conv import ConvTranspose1d, ConvTranspose2d
from ..functional.normalization import normalize
from ..module import Module
from .parametrize import register_parametrization
from .weight_norm import norm_except_dim, scaled_to

# ---- orthogonal


MAPS = ("matrix_exp", "cayley", "householder")


def is_orthogonal(Q: Any) -> bool:
    """Whether the columns are, but for rounding."""
    rows, columns = Q.shape[-2:]
    near = 10.0 * rows * float(np.finfo(Q.data_.dtype).eps)
    return allclose(Q.mT @ Q, expand(eye(columns, dtype=Q.dtype), [*Q.shape[:-2], columns, columns]), atol=near)


def made_orthogonal(A: Any) -> Any:
    """Q of A = Q @ R, so that the diagonal of R is positive."""
    X, tau = geqrf(A)
    signs = sgn(diagonal(X, 0, -2, -1))
    return householder_product(X, tau) * unsqueeze(signs, -2)


class _Orthogonal(Module):
    """An orthogonal matrix for each matrix: by its exponential, Cayley's map or reflections."""

    base: Any

    def __init__(self, weight: Any, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        self.trivial = use_trivialization
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        wide = X.shape[-2] < X.shape[-1]
        if wide:
            X = X.mT
        Q = self.from_householder(X) if self.orthogonal_map == "householder" else self.from_skew_symmetric(X)
        if self.trivial:
            Q = self.base @ Q
        return Q.mT if wide else Q

    def from_householder(self, X: Any) -> Any:
        A = X.tril(-1)
        tau = 2.0 / (1.0 + (A * A).sum(-2))
        Q = householder_product(A, tau)
        return Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    def from_skew_symmetric(self, X: Any) -> Any:
        rows, columns = X.shape[-2:]
        X = X.tril()
        if rows != columns:
            X = cat([X, X.new_zeros(rows, rows - columns).expand(*X.shape[:-2], -1, -1)], -1)
        A = X - X.mT
        if self.orthogonal_map == "matrix_exp":
            Q: Any = matrix_exp(A)
        else:
            one = eye(rows, dtype=A.dtype)
            Q = linalg.solve(add(one, A, -0.5), add(one, A, 0.5))
        return Q if rows == columns else Q[..., :columns]

    def right_inverse(self, value: Any) -> Any:
        """What becomes `value`.

        Raises:
            ValueError: it has another shape.
            NotImplementedError: the map cannot be undone.
        """
        if value.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {value.shape}."
            )
        with no_grad():
            wide = value.shape[-2] < value.shape[-1]
            Q = value.mT if wide else value
            if self.trivial:
                self.base = self.completed(Q)
                negative = value.new_zeros(*value.shape)
                negative.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
                return negative
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            A, tau = geqrf(Q)
            along: Any = diagonal(A, 0, -2, -1)
            along.copy_(along.sign() * (1 - 2 * (tau == 0.0).to(along.dtype)))
            return A.mT if wide else A

    def completed(self, Q: Any) -> Any:
        """`Q` made orthogonal, and square by columns drawn at random."""
        rows, columns = Q.shape[-2:]
        if rows == columns:
            return clone(Q) if is_orthogonal(Q) else made_orthogonal(Q)
        drawn = randn(*Q.shape[:-2], rows, rows - columns, dtype=Q.dtype)
        return made_orthogonal(cat([Q, drawn], -1))


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """Lets the columns of the tensor `name` (its rows, if there are fewer) be orthogonal.

    Raises:
        ValueError: there is no such tensor, or it is no matrix, or no such map.
    """
    weight = part_of(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    shape = weight.data_.shape
    if len(shape) < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {len(shape)} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if shape[-2] == shape[-1] else "householder"
    if orthogonal_map not in MAPS:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    register_parametrization(module, name, made, unsafe=True)
    return module


# ---- by length and direction, and by the largest stretch


class _WeightNorm(Module):
    """The second of two tensors in the lengths of the first."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return scaled_to(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Lets the parameter `name` be its direction (`original1`) in the length (`original0`) along `dim`.

    A state_dict of the older `nn.utils.weight_norm` can be loaded.
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def renamed(state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        older = [f"{prefix}{name}_{part}" for part in "gv"]
        if all(key in state_dict for key in older):
            for at, key in enumerate(older):
                state_dict[f"{prefix}parametrizations.{name}.original{at}"] = state_dict.pop(key)

    Handle(module._load_state_dict_pre_hooks, renamed)
    return module


class _SpectralNorm(Module):
    """A weight divided by its largest singular value, which each look in training finds better.

    Raises:
        IndexError: the weight has no such dimension.
        ValueError: there is nothing to be done to find it.
    """

    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        rank = weight.ndim
        if not -rank <= dim < rank:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{rank}, {rank - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps = dim % rank, eps
        if rank == 1:
            return
        self.n_power_iterations = n_power_iterations
        matrix = self.matrix(weight)
        drawn = [matrix.new_empty(size).normal_(0, 1) for size in matrix.shape]
        for name, vector in zip(("_u", "_v"), drawn, strict=True):
            self.register_buffer(name, normalize(vector, dim=0, eps=eps))
        self.look(matrix, 15)

    def matrix(self, weight: Any) -> Any:
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.ndim) if d != self.dim))
        return weight.flatten(1)

    def look(self, matrix: Tensor, times: int) -> None:
        """Turn the vectors further towards the directions of the largest stretch."""
        with no_grad():
            for _ in range(times):
                in_place(copy, self._u, normalize(mv(matrix, self._v), dim=0, eps=self.eps))
                in_place(copy, self._v, normalize(mv(t(matrix), self._u), dim=0, eps=self.eps))

    def forward(self, weight: Any) -> Any:
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = self.matrix(weight)
        if self.training:
            self.look(matrix, self.n_power_iterations)
        u, v = clone(self._u), clone(self._v)
        return weight / vdot(u, mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Lets the tensor `name` be divided by its largest singular value.

    Raises:
        ValueError: there is no such tensor.
    """
    weight = part_of(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = int(isinstance(module, ConvTranspose1d | ConvTranspose2d))
    register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module


settle(globals())

__getattr__ = absent("torch.nn.utils.parametrizations")
