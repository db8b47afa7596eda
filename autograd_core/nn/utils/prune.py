"""torch.nn.utils.prune: parameters of which the least important part is taken away."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...functions.random import rand, rand_like
from ...functions.reduction import topk
from ...methods.legacy import norm
from ...ops.view import reshape
from ...tensor import Tensor, plain
from ..attributes import part_of
from .pruning import BasePruningMethod, PruningContainer, check_amount, check_channels, count, ones_like


class Identity(BasePruningMethod):
    """Takes nothing."""

    PRUNING_TYPE = "unstructured"
    __module__ = "torch.nn.utils.prune"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask


class Unstructured(BasePruningMethod):
    """Takes single elements."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        check_amount(amount)
        self.amount = amount

    def taken(self, t: Tensor, k: int) -> Tensor:
        """The places of the `k` elements that go."""
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        k = count(self.amount, t.data_.size)
        mask = default_mask.data_.copy()
        if k:
            mask.reshape(-1)[self.taken(t.detach(), k).data_] = 0
        return plain(mask)


class RandomUnstructured(Unstructured):
    __module__ = "torch.nn.utils.prune"

    def taken(self, t: Tensor, k: int) -> Tensor:
        found: Tensor = topk(reshape(rand_like(t), [-1]), k).indices
        return found


class L1Unstructured(Unstructured):
    __module__ = "torch.nn.utils.prune"

    def taken(self, t: Tensor, k: int) -> Tensor:
        found: Tensor = topk(reshape(t.abs(), [-1]), k, largest=False).indices
        return found


class Structured(BasePruningMethod):
    """Takes whole channels along `dim`."""

    PRUNING_TYPE = "structured"
    amount: float
    dim: int

    def kept(self, t: Tensor, k: int) -> Tensor:
        """The places of the `k` channels that stay."""
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        check_channels(t, self.dim)
        size = t.data_.shape[self.dim]
        k = count(self.amount, size)
        if not k:
            return default_mask
        mask = np.zeros(t.data_.shape, t.data_.dtype)
        np.moveaxis(mask, self.dim, 0)[self.kept(t.detach(), size - k).data_] = 1
        return plain(mask * default_mask.data_)


class RandomStructured(Structured):
    __module__ = "torch.nn.utils.prune"

    def __init__(self, amount: float, dim: int = -1) -> None:
        check_amount(amount)
        self.amount, self.dim = amount, dim

    def kept(self, t: Tensor, k: int) -> Tensor:
        found: Tensor = topk(rand(t.data_.shape[self.dim]), k).indices
        return found


class LnStructured(Structured):
    __module__ = "torch.nn.utils.prune"

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        check_amount(amount)
        self.amount, self.n, self.dim = amount, n, dim

    def kept(self, t: Tensor, k: int) -> Tensor:
        others = [d for d in range(t.data_.ndim) if d != self.dim % t.data_.ndim]
        found: Tensor = topk(norm(t, self.n, others), k).indices
        return found


class CustomFromMask(BasePruningMethod):
    """Takes what a mask says."""

    PRUNING_TYPE = "global"
    __module__ = "torch.nn.utils.prune"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return plain(default_mask.data_ * self.mask.data_.astype(default_mask.data_.dtype))


# ---- what programs call


def identity(module: Any, name: str) -> Any:
    """Prunes nothing, in the form of what is pruned."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """Takes elements by chance."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: float, importance_scores: Tensor | None = None) -> Any:
    """Takes the elements of the least size."""
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """Takes channels by chance."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Any:
    """Takes the channels of the least norm."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Tensor) -> Any:
    """Takes what `mask` says."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: dict[Any, Tensor] | None = None, **kwargs: Any
) -> None:
    """Prunes pairs of a module and a name together, as if they were one parameter."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = list(parameters)
    held = [part_of(module, name) for module, name in pairs]
    important = [scores.get(pair, tensor).data_.reshape(-1) for pair, tensor in zip(pairs, held, strict=True)]
    before = [
        part_of(module, f"{name}_mask", ones_like(tensor)).data_.reshape(-1)
        for (module, name), tensor in zip(pairs, held, strict=True)
    ]
    container = PruningContainer()
    method = pruning_method(**kwargs)
    container._tensor_name = method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    mask = container.compute_mask(plain(np.concatenate(important)), plain(np.concatenate(before))).data_
    for (module, name), tensor in zip(pairs, held, strict=True):
        size = tensor.data_.size
        custom_from_mask(module, name, plain(mask[:size].reshape(tensor.data_.shape)))
        mask = mask[size:]


def remove(module: Any, name: str) -> Any:
    """Lets what is left of a parameter be the parameter."""
    hooks = module._forward_pre_hooks
    for key, hook in hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Any) -> bool:
    """Whether something in `module` is pruned."""
    below = (hook for part in module.modules() for hook in part._forward_pre_hooks.values())
    return any(isinstance(hook, BasePruningMethod) for hook in below)
