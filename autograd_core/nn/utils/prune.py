"""torch.nn.utils.prune: parameters with elements left out.

A pruned parameter lives on as `NAME_orig`; `NAME_mask` is a buffer of zeros and ones, and `NAME` itself is their
product, made anew before each forward by the method, which is a hook.
"""

from __future__ import annotations

import abc
import numbers
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...api.functions.random import rand, rand_like
from ...api.functions.reduction import topk
from ...api.methods.legacy import norm
from ...ops.binary import mul
from ...ops.view import reshape
from ...tensor.tensor import Tensor, plain
from ..attributes import delete_part, has_part, part_of, set_part

# ---- what methods are made of: how much they take, what stands in the module, several in turn


def ones_like(tensor: Tensor) -> Tensor:
    return plain(np.ones(tensor.data_.shape, tensor.data_.dtype))


class BasePruningMethod(abc.ABC):
    """One way to choose what stays of a parameter; `PRUNING_TYPE` says what it is to be shown of it."""

    PRUNING_TYPE: str
    _tensor_name: str
    __module__ = "torch.nn.utils.prune"

    def __call__(self, module: Any, inputs: Any) -> None:
        set_part(module, self._tensor_name, self.apply_mask(module))

    @abc.abstractmethod
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
        hook = merge_methods(module, method)
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


def merge_methods(module: Any, method: BasePruningMethod) -> BasePruningMethod:
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


# ---- methods


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
