"""Weights made anew before each call from other parameters: by length and direction, or divided by their largest
stretch.

Each is a hook before `forward` that computes the weight from what stands beside it under names of its own.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...dispatch.inplace import in_place
from ...engine.grad_mode import no_grad
from ...ops.binary import div, mul
from ...ops.join import clone
from ...ops.matmul import dot, mv
from ...ops.reduction import vector_norm, weight_norm_interface
from ...ops.unary import clamp_min, copy
from ...ops.view import permute, reshape, t, transpose, view
from ...tensor.tensor import Tensor, plain
from ..attributes import delete_part, part_of, set_part
from ..conv import ConvTranspose1d, ConvTranspose2d
from ..module import Module
from ..parameter import Parameter, is_lazy


class Renewed:
    """A hook before `forward` that makes the parameter `name` anew."""

    what = ""
    name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        set_part(module, self.name, self.compute(module))

    def compute(self, module: Module) -> Tensor:
        raise NotImplementedError

    def remove(self, module: Module) -> None:
        raise NotImplementedError

    def held(self, module: Module) -> Any:
        """What is to be made anew."""
        return part_of(module, self.name)

    def join(self, module: Module) -> None:
        """Hang it onto `module`.

        Raises:
            RuntimeError: one of its kind is there for the same parameter.
            ValueError: the parameter has no size yet.
        """
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, Renewed) and type(hook) is type(self) and hook.name == self.name:
                raise RuntimeError(f"Cannot register two {self.what} hooks on the same parameter {self.name}")
        if is_lazy(self.held(module)):
            raise ValueError(
                f"The module passed to `{type(self).__name__}` can't have uninitialized parameters. Make sure to run "
                f"the dummy forward before applying {self.what.replace('_', ' ').replace('norm', 'normalization')}"
            )


def remove_hook(kind: type[Renewed], module: Any, name: str) -> Any:
    """`module` without the hook of that kind, its weight a parameter again.

    Raises:
        ValueError: it has none.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"{kind.what} of '{name}' not found in {module}")


# ---- length and direction


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm over all dimensions but `dim`, which stay as 1; over all for -1."""
    sizes = v.data_.shape
    if dim == -1:
        return length_of(v, pow, None)
    if dim not in (0, len(sizes) - 1):
        return transpose(norm_except_dim(transpose(v, 0, dim), pow, 0), 0, dim)
    kept = [n if d == dim else 1 for d, n in enumerate(sizes)]
    rows = view(v, [sizes[0], -1]) if dim == 0 else view(v, [-1, sizes[-1]])
    return view(length_of(rows, pow, [1] if dim == 0 else [0]), kept)


def length_of(x: Tensor, pow: float, dim: Any) -> Tensor:
    found: Tensor = vector_norm(x, pow, dim)
    return found


def scaled_to(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """`v` in the lengths `g`."""
    if dim in (0, v.data_.ndim - 1):
        weight: Tensor = weight_norm_interface(v, g, dim)[0]
        return weight
    return mul(v, div(g, norm_except_dim(v, 2, dim)))


class WeightNorm(Renewed):
    what = "weight_norm"

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute(self, module: Module) -> Tensor:
        return scaled_to(part_of(module, f"{self.name}_v"), part_of(module, f"{self.name}_g"), self.dim)

    def join(self, module: Module) -> None:
        super().join(module)
        weight = part_of(module, self.name)
        del module._parameters[self.name]
        with no_grad():
            length = norm_except_dim(weight, 2, self.dim)
        module.register_parameter(f"{self.name}_g", Parameter(length.data))
        module.register_parameter(f"{self.name}_v", Parameter(weight.data))
        set_part(module, self.name, self.compute(module))
        module.register_forward_pre_hook(self)

    def remove(self, module: Module) -> None:
        weight = self.compute(module)
        delete_part(module, self.name)
        for part in ("g", "v"):
            del module._parameters[f"{self.name}_{part}"]
        set_part(module, self.name, Parameter(weight.data))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Lets the parameter `name` be its direction times its length along `dim`, two parameters of their own."""
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=1,
    )
    WeightNorm(name, dim).join(module)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Takes that away again."""
    return remove_hook(WeightNorm, module, name)


# ---- the largest stretch


class SpectralNorm(Renewed):
    """The weight divided by its largest singular value, which each call in training finds better."""

    what = "spectral_norm"

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def __call__(self, module: Module, inputs: Any) -> None:
        set_part(module, self.name, self.compute(module, module.training))

    def held(self, module: Module) -> Any:
        """The parameter itself: what is there under its name, and no parameter, does not do."""
        return module._parameters[self.name]

    def matrix(self, weight: Tensor) -> Tensor:
        rank = weight.data_.ndim
        if self.dim != 0:
            weight = permute(weight, [self.dim, *(d for d in range(rank) if d != self.dim)])
        rows: Tensor = reshape(weight, [weight.data_.shape[0], -1])
        return rows

    def compute(self, module: Module, better: bool = False) -> Tensor:
        weight, u, v = (part_of(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        matrix = self.matrix(weight)
        if better:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    in_place(copy, v, unit(mv(t(matrix), u), self.eps))
                    in_place(copy, u, unit(mv(matrix, v), self.eps))
                u, v = clone(u), clone(v)
        sigma = dot(u, mv(matrix, v))
        return div(weight, sigma)

    def join(self, module: Module) -> None:
        super().join(module)
        weight = module._parameters[self.name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{self.name}` is None")
        with no_grad():
            rows, columns = self.matrix(weight).data_.shape
            kind = weight.data_.dtype
            u, v = (unit(draw(size, kind), self.eps) for size in (rows, columns))
        delete_part(module, self.name)
        module.register_parameter(f"{self.name}_orig", weight)
        set_part(module, self.name, weight.data)
        module.register_buffer(f"{self.name}_u", u)
        module.register_buffer(f"{self.name}_v", v)
        module.register_forward_pre_hook(self)

    def remove(self, module: Module) -> None:
        with no_grad():
            weight = self.compute(module)
        delete_part(module, self.name)
        for part in ("u", "v", "orig"):
            delete_part(module, f"{self.name}_{part}")
        module.register_parameter(self.name, Parameter(weight.detach()))


def draw(size: int, kind: np.dtype[Any]) -> Tensor:
    """Normal numbers."""
    numbers: Tensor = plain(np.zeros(size, kind)).normal_(0, 1)
    return numbers


def unit(vector: Tensor, eps: float) -> Tensor:
    """`vector` in length 1."""
    length = clamp_min(vector_norm(vector, 2, [0], True), eps)
    return div(vector, length)


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divides the parameter `name`, taken as a matrix with the rows `dim`, by its largest singular value."""
    if dim is None:
        dim = 1 if isinstance(module, ConvTranspose1d | ConvTranspose2d) else 0
    SpectralNorm(name, n_power_iterations, dim, eps).join(module)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Takes that away again."""
    return remove_hook(SpectralNorm, module, name)
