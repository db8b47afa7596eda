"""Weights by length and direction, and weights divided by their largest stretch, as parametrizations."""

from __future__ import annotations

from typing import Any

from ...absent import absent
from ...graph import Handle
from ...homes import settle
from ...inplace import in_place
from ...modes import no_grad
from ...ops.join import clone
from ...ops.matmul import mv, vdot
from ...ops.unary import copy
from ...ops.view import t
from ...tensor import Tensor
from ..attributes import part_of
from ..convolution import ConvTranspose1d, ConvTranspose2d
from ..functional.normalization import normalize
from ..module import Module
from ..weight_norms import norm_except_dim, scaled_to
from .orthogonal import _Orthogonal, orthogonal
from .parametrize import register_parametrization


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


__all__ = ["_Orthogonal", "orthogonal", "spectral_norm", "weight_norm"]

settle(globals())

__getattr__ = absent("torch.nn.utils.parametrizations")
