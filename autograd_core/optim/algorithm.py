"""Algorithm: an optimizer that moves each parameter for itself, and what its steps are made of.

Steps compute on arrays, in torch's order of operations. Each write is counted on the parameter's version as torch
counts it, so a graph that kept a parameter notices the step.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from operator import le
from typing import Any, ClassVar

import numpy as np

from .. import errors, tell
from ..boxmuller import multiply_add
from ..modes import enable_grad, no_grad
from ..tensor import Array, Tensor, plain
from ..titles import binder
from .optimizer import Group, Optimizer

NOT_CAPTURED = "If capturable=True, {} must be on supported devices: {}."
ACCELERATORS = ("cuda", "xpu", "hpu", "privateuseone")


COUNTS = {"step", "mu_product", "eta", "mu"}
"""Parts of a state that are one number: a tensor today, once a number of Python's."""


def own_step(name: str) -> Callable[..., Any]:
    """`step` under the name of its algorithm."""

    def step(self: Algorithm, closure: Callable[[], Any] | None = None) -> Any:
        return self.steps(closure)

    step.__qualname__ = f"{name}.step"
    return step


def at_least_zero(words: str, value: float) -> None:
    """Whether an option is 0 or more.

    Raises:
        ValueError: it is not.
    """
    if not le(0.0, value):  # in this order Python names what is no number
        raise ValueError(f"Invalid {words}: {value}")


class Algorithm(Optimizer):
    """An optimizer whose step moves each parameter for itself, by `update`.

    `usual` has the options in the order in which torch prints them, `places` those that may be given by position, and
    `limits` those that may not be negative, with the words that say so.
    """

    usual: ClassVar[dict[str, Any]]
    bind: Callable[..., dict[str, Any]]
    places: ClassVar[tuple[str, ...]]
    limits: ClassVar[dict[str, str]]
    settled: ClassVar[tuple[str, ...]] = ()
    """Options that are shown, but cannot be given."""
    later: ClassVar[dict[str, Any]] = {
        "momentum": 0, "centered": False, "nesterov": False, "amsgrad": False, "maximize": False, "foreach": None,
        "capturable": False, "differentiable": False, "decoupled_weight_decay": False, "fused": None,
    }  # fmt: skip
    """Options that torch did not always have, as they are where a stored state lacks them."""
    on_tensors: ClassVar[staticmethod[Any, None]]
    """The same step made of operators, if it can be asked for (`differentiable`)."""
    captured: ClassVar[str] = "params and state_steps"
    at_least_zero = staticmethod(at_least_zero)
    accelerators: ClassVar[tuple[str, ...]] = ("xla",)
    """What has to lie on an accelerator to be captured there, and which one is not served by all algorithms."""

    def __init_subclass__(cls, **options: Any) -> None:
        if "step" not in cls.__dict__ and Algorithm in cls.__bases__:
            cls.step = own_step(cls.__name__)  # type: ignore[method-assign]
        super().__init_subclass__(**options)
        if "usual" in cls.__dict__:
            cls.__signature__ = cls.said()  # type: ignore[attr-defined]
            cls.bind = binder(f"{cls.__name__}.__init__", cls.__signature__)  # type: ignore[attr-defined]

    @classmethod
    def said(cls) -> inspect.Signature:
        """What `inspect` says of the class: its options by name, those that have a place first."""
        by_place, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        rest = [name for name in cls.usual if name not in cls.places and name not in cls.settled]
        placed = [inspect.Parameter(name, by_place, default=cls.usual[name]) for name in cls.places]
        named = [inspect.Parameter(name, by_name, default=cls.usual[name]) for name in rest]
        return inspect.Signature([inspect.Parameter("params", by_place), *placed, *named], return_annotation=None)

    def __init__(self, *args: Any, **options: Any) -> None:
        given = self.bind(*args, **options)
        params = given.pop("params")
        given = {**self.usual, **given}
        self.check(given)
        super().__init__(params, given)

    def check(self, given: Group) -> None:
        """Whether the options make sense.

        Raises:
            ValueError, RuntimeError: one does not, or not beside another.
        """
        if isinstance(given["lr"], Tensor) and given["lr"].data_.size != 1:
            raise ValueError("Tensor lr must be 1-element")
        for name, words in self.limits.items():
            self.at_least_zero(words, given[name])
        if given.get("fused") and given.get("differentiable"):
            raise RuntimeError("`fused` does not support `differentiable`")
        if given.get("fused") and given.get("foreach"):
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def complete(self) -> None:
        for group in self.param_groups:
            for name, value in self.later.items():
                if name in self.usual:
                    group.setdefault(name, value)
            group.update({name: self.usual[name] for name in self.settled})
        for held in self.state.values():
            for name in COUNTS & held.keys():
                if not isinstance(held[name], Tensor):
                    held[name] = plain(np.float32(held[name]))

    def steps(self, closure: Callable[[], Any] | None) -> Any:
        """Moves every parameter that has a gradient; `closure`, if given, computes the loss first."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with enable_grad() if self.defaults.get("differentiable") else no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self.move(param, param.grad, group)
        return loss

    def move(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One parameter, whose gradient is `grad`.

        Raises:
            AssertionError: the group asks for graphs of an accelerator, and there is none.
        """
        if not self.state.get(param):
            self.begin(param, group)
        if group.get("capturable"):
            raise AssertionError(NOT_CAPTURED.format(self.captured, [*ACCELERATORS, *self.accelerators]))
        if not group.get("differentiable"):
            self.update(param, -grad.data_ if group.get("maximize") else grad.data_, group)
        else:
            state = self.state.get(param, {})
            self.on_tensors(param, -grad if group.get("maximize") else grad, state, group)
            if state:
                self.state[param] = state

    def begin(self, param: Tensor, group: Group) -> None:
        """Fill the state of a parameter that was not moved before."""

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        """Moves one parameter against `grad`, an array of its shape."""
        raise NotImplementedError


# ---- what steps are made of


def write(param: Tensor, value: Array, op: str) -> None:
    """Write over a parameter, counted."""
    param.overwrite(value)
    param.bump()
    tell.written(param, op)


def zeros_like(param: Tensor) -> Tensor:
    return plain(np.zeros(param.data_.shape, param.data_.dtype))


def counter() -> Tensor:
    return plain(np.zeros((), np.float32))


def advance(state: dict[str, Any], name: str, value: Array, writes: int = 1) -> Array:
    """Replace an array of the state, which torch does by so many writes, and give the new one."""
    state[name].overwrite(value)
    for _ in range(writes):
        state[name].bump()
    held: Array = state[name].data_
    return held


def plus(start: Array, grad: Array, factor: float) -> Array:
    """`start + factor * grad`, rounded once as torch's fused multiply-add does."""
    total: Array = multiply_add(grad, grad.dtype.type(factor), start)
    return total


def lerp(start: Array, end: Array, weight: float) -> Array:
    """From `start` toward `end`, by the formula that is exact at the nearer end, as torch does.

    Raises:
        RuntimeError: they are of two dtypes, as after a model was brought to another one.
    """
    if start.dtype != end.dtype:
        kinds = errors.C_NAMES[start.dtype.name], errors.C_NAMES[end.dtype.name]
        raise RuntimeError(f"expected dtype {kinds[0]} for `end` but got dtype {kinds[1]}")
    way = end - start
    return plus(start, way, weight) if weight < 0.5 else plus(end, -way, 1 - weight)


def mixed_square(square: Array, grad: Array, keep: float) -> Array:
    """The running mean of the square of the gradient."""
    total: Array = multiply_add(grad.dtype.type(1 - keep) * grad, grad, square * keep)
    return total
