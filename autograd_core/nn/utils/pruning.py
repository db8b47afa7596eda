"""What methods of pruning are made of: how much they take, what stands in the module, and several of them in turn.

A pruned parameter lives on as `NAME_orig`; `NAME_mask` is a buffer of zeros and ones, and `NAME` itself is their
product, made anew before each forward by the method, which is a hook.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...ops.binary import mul
from ...tensor import Tensor, plain
from ..attributes import delete_part, has_part, part_of, set_part


def ones_like(tensor: Tensor) -> Tensor:
    return plain(np.ones(tensor.data_.shape, tensor.data_.dtype))


class BasePruningMethod(ABC):
    """One way to choose what stays of a parameter; `PRUNING_TYPE` says what it is to be shown of it."""

    PRUNING_TYPE: str
    _tensor_name: str
    __module__ = "torch.nn.utils.prune"

    def __call__(self, module: Any, inputs: Any) -> None:
        set_part(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask for a tensor of importances, of which `default_mask` was pruned before."""

    def apply_mask(self, module: Any) -> Tensor:
        """What is left of the parameter."""
        mask, orig = (part_of(module, f"{self._tensor_name}_{part}") for part in ("mask", "orig"))
        found: Tensor = mul(mask.to(dtype=orig.dtype), orig)
        return found

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Tensor | None = None, **options: Any
    ) -> BasePruningMethod:
        """Prune the parameter `name` of `module` by this method, after those that pruned it before."""
        held = part_of(module, name)
        method = cls(*args, **options)
        method._tensor_name = name
        hook = joined(module, method)
        if importance_scores is not None and importance_scores.shape != held.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got "
                f"{importance_scores.shape} vs {held.shape}"
            )
        scores = held if importance_scores is None else importance_scores
        again = isinstance(hook, PruningContainer)
        if again:
            before = part_of(module, f"{name}_mask").detach().clone()
        else:
            before = ones_like(held)
            module.register_parameter(f"{name}_orig", held)
            del module._parameters[name]
        try:
            module.register_buffer(f"{name}_mask", hook.compute_mask(scores, default_mask=before))
            set_part(module, name, hook.apply_mask(module))
            module.register_forward_pre_hook(hook)
        except Exception:
            if not again:
                module.register_parameter(name, module._parameters.pop(f"{name}_orig"))
            raise
        return hook

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """`t` times the mask of this method."""
        if importance_scores is not None and importance_scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {importance_scores.shape} vs {t.shape}"
            )
        before = ones_like(t) if default_mask is None else default_mask
        found: Tensor = mul(t, self.compute_mask(t if importance_scores is None else importance_scores, before))
        return found

    def remove(self, module: Any) -> None:
        """Let what is left of the parameter be the parameter."""
        name = self._tensor_name
        left = self.apply_mask(module)
        if has_part(module, name):
            delete_part(module, name)
        orig = module._parameters.pop(f"{name}_orig")
        orig.data = left.data
        del module._buffers[f"{name}_mask"]
        set_part(module, name, orig)


def joined(module: Any, method: BasePruningMethod) -> BasePruningMethod:
    """What stands for `method` and for those that pruned the same parameter before, which are hooks no more."""
    hooks = module._forward_pre_hooks
    found = [
        (key, hook)
        for key, hook in hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == method._tensor_name
    ]
    if not found:
        return method
    if len(found) > 1:
        raise AssertionError(
            f"Avoid adding multiple pruning hooks to the same tensor {method._tensor_name} of module {module}. Use a "
            "PruningContainer."
        )
    key, old = found[0]
    del hooks[key]
    container = old if isinstance(old, PruningContainer) else PruningContainer(old)
    container.add_pruning_method(method)
    return container


class PruningContainer(BasePruningMethod):
    """Methods one after the other: each is shown what those before it left."""

    __module__ = "torch.nn.utils.prune"

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                f"PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask so far, with what the last method takes of what it left."""
        method = self._pruning_methods[-1]
        mask = default_mask.data_.astype(t.data_.dtype)
        shown = self.shown_to(method, t, mask)
        part: Any = method.compute_mask(plain(t.data_[shown]), default_mask=plain(mask[shown]))
        mask[shown] = part.data_
        return plain(mask)

    @staticmethod
    def shown_to(method: Any, t: Tensor, mask: Any) -> Any:
        """The part of a tensor that `method` chooses from."""
        if method.PRUNING_TYPE == "unstructured":
            return mask == 1
        if method.PRUNING_TYPE == "global":
            return (slice(None),) * mask.ndim
        if method.PRUNING_TYPE != "structured":
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        if not hasattr(method, "dim"):
            raise AttributeError(
                'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
            )
        dim = method.dim + mask.ndim if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {mask.ndim}")
        left = mask.sum(axis=tuple(d for d in range(mask.ndim) if d != dim)) != 0
        return tuple(left if d == dim else slice(None) for d in range(mask.ndim))


# ---- how much


def check_amount(amount: Any) -> None:
    """Whether `amount` is a share or a number.

    Raises:
        TypeError, ValueError: it is neither.
    """
    whole = isinstance(amount, numbers.Integral)
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if float(amount) < 0 or (not whole and float(amount) > 1.0):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def count(amount: Any, size: int) -> int:
    """How many of `size` are to go.

    Raises:
        ValueError: more than there are.
    """
    wanted = int(amount if isinstance(amount, numbers.Integral) else round(amount * size))
    if wanted > size:
        raise ValueError(f"amount={wanted} should be smaller than the number of parameters to prune={size}")
    return wanted


def check_channels(t: Tensor, dim: int) -> None:
    """Whether `t` has channels along `dim`.

    Raises:
        ValueError, IndexError: it has none.
    """
    ndim = t.data_.ndim
    if ndim <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {ndim} dims"
        )
    if dim >= ndim:
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")
