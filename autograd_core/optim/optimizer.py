"""Optimizer: groups of parameters with options, a state for each parameter, and steps that write over them.

Steps compute on arrays, in torch's order of operations. Each write is counted on the parameter's version as torch
counts it, so a graph that kept a parameter notices the step.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from .. import tell
from ..boxmuller import multiply_add
from ..modes import enable_grad, no_grad
from ..nn.tree import clear_grad
from ..tensor import Array, Tensor, plain

Group = dict[str, Any]


def at_least_zero(words: str, value: float) -> None:
    """Whether an option is 0 or more.

    Raises:
        ValueError: it is not.
    """
    if not value >= 0.0:
        raise ValueError(f"Invalid {words}: {value}")


class Optimizer:
    """The base of all: subclasses write `update`, which moves one parameter."""

    def __init__(self, params: Any, defaults: Group) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + tensor_type(params)
            )
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        self.steps = 0
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(dict(group))

    def add_param_group(self, param_group: Group) -> None:
        """Takes on more parameters, with options of their own where they are given."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        params = [given] if isinstance(given, Tensor) else list(given)
        named = [param for param in params if isinstance(param, tuple)]
        if named and len(named) == len(params):
            param_group["param_names"] = [name for name, _ in params]
            params = [param for _, param in params]
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(param).__name__}")
            if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        param_group["params"] = params
        group = {**param_group, **{name: param_group.get(name, value) for name, value in self.defaults.items()}}
        if len({id(param) for param in params}) != len(params):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        held = {id(param) for other in self.param_groups for param in other["params"]}
        if any(id(param) in held for param in params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step; every algorithm writes its own."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        for group in self.param_groups:
            for param in group["params"]:
                clear_grad(param, set_to_none)

    # ---- state

    def state_dict(self) -> dict[str, Any]:
        """The options of the groups and the state of the parameters, which are numbered in order."""
        numbers: dict[int, int] = {}
        for param in chain.from_iterable(group["params"] for group in self.param_groups):
            numbers.setdefault(id(param), len(numbers))
        groups = [
            {**{k: v for k, v in group.items() if k != "params"}, "params": [numbers[id(p)] for p in group["params"]]}
            for group in self.param_groups
        ]
        return {"state": {numbers[id(p)]: held for p, held in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(saved, self.param_groups, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        ours = list(chain.from_iterable(group["params"] for group in self.param_groups))
        theirs = list(chain.from_iterable(group["params"] for group in saved))
        self.state.clear()
        for param, number in zip(ours, theirs, strict=True):
            if number in state_dict["state"]:
                self.state[param] = {name: copied(value) for name, value in state_dict["state"][number].items()}
        for group, other in zip(self.param_groups, saved, strict=True):
            group.update({name: value for name, value in other.items() if name != "params"})

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join([*lines, ")"])


class Algorithm(Optimizer):
    """An optimizer whose step moves each parameter for itself, by `update`."""

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Moves every parameter that has a gradient; `closure`, if given, computes the loss first."""
        loss = None
        self.steps += 1
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        grad = param.grad.data_
                        self.update(param, -grad if group["maximize"] else grad, group)
        return loss

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        """Moves one parameter against `grad`, an array of its shape."""
        raise NotImplementedError


def copied(value: Any) -> Any:
    return plain(np.array(value.data_)) if isinstance(value, Tensor) else value


def tensor_type(tensor: Tensor) -> str:
    names = {"float32": "Float", "float64": "Double", "float16": "Half", "int64": "Long"}
    kind: str = tensor.data_.dtype.name
    return f"torch.{names.get(kind, kind.title())}Tensor"


# ---- what steps are made of


def write(param: Tensor, value: Array, op: str) -> None:
    """Write over a parameter, counted."""
    param.put(value)
    param.bump()
    tell.written(param, op)


def zeros_like(param: Tensor) -> Tensor:
    return plain(np.zeros(param.data_.shape, param.data_.dtype))


def counter() -> Tensor:
    return plain(np.zeros((), np.float32))


def advance(state: dict[str, Any], name: str, value: Array) -> Array:
    """Replace an array of the state and give the new one."""
    state[name].put(value)
    held: Array = state[name].data_
    return held


def plus(start: Array, grad: Array, factor: float) -> Array:
    """`start + factor * grad`, rounded once as torch's fused multiply-add does."""
    total: Array = multiply_add(grad, grad.dtype.type(factor), start)
    return total


def lerp(start: Array, end: Array, weight: float) -> Array:
    """From `start` toward `end`, by the formula that is exact at the nearer end, as torch does."""
    way = end - start
    return plus(start, way, weight) if weight < 0.5 else plus(end, -way, 1 - weight)


def mixed_square(square: Array, grad: Array, keep: float) -> Array:
    """The running mean of the square of the gradient."""
    total: Array = multiply_add(grad.dtype.type(1 - keep) * grad, grad, square * keep)
    return total
