"""What functions of torch.nn.functional share: checks of arguments, and how a loss is reduced."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from ... import errors
from ...engine.state import state
from ...ops import reduction as reduction_ops
from ...tensor.tensor import Tensor

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


FLAGS = ("size_average", "reduce")
"""The older way to say how the losses of all elements become one; as arguments they come before `reduction`."""


OF_ELEMENTS = "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead."


def rename_reduction(reduction: Any) -> Any:
    """`reduction` as it is called since PyTorch 1.0."""
    if reduction != "elementwise_mean":
        return reduction
    warnings.warn(OF_ELEMENTS, stacklevel=1)
    return "mean"


def no_gradient_for(function: str, **inputs: Tensor | None) -> None:
    """Whether none of `inputs`, for which the function has no derivative, wants a gradient.

    Raises:
        RuntimeError: one does, while graphs are made.
    """
    for name, given in inputs.items():
        if given is not None and given.requires_grad and state.grad_enabled:
            raise RuntimeError(errors.no_gradient(function, name))


def reduction_nr(reduction: Any) -> int:
    """The number that C++ has for a reduction.

    Raises:
        ValueError: there is none of that name.
    """
    found = REDUCTIONS.get(rename_reduction(reduction)) if isinstance(reduction, str) else None
    if found is None:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return found


def reduction_of(size_average: Any, reduce: Any, reduction: str) -> str:
    """The reduction that the two old flags ask for, if one is given: anything may be, and counts as true or false."""
    if size_average is None and reduce is None:
        return reduction
    average = size_average is None or bool(size_average)
    found = "none" if reduce is not None and not reduce else "mean" if average else "sum"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.", stacklevel=1
    )
    return found


def with_old_flags(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The loss `function`, which also takes `size_average` and `reduce`: before its `reduction`, or by name."""
    signature = inspect.signature(function)
    own = list(signature.parameters.values())
    place = list(signature.parameters).index("reduction")
    flags = [inspect.Parameter(flag, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None) for flag in FLAGS]
    parameters = [*own[:place], *flags, *own[place:]]
    needed = sum(parameter.default is parameter.empty for parameter in parameters)
    late = [parameter.name for parameter in parameters[place:]]

    @functools.wraps(function)
    def loss(*args: Any, **options: Any) -> Tensor:
        if "reduction" in options:
            options["reduction"] = rename_reduction(options["reduction"])
        if len(args) <= place and not any(flag in options for flag in FLAGS):
            return function(*args, **options)
        if len(args) > len(parameters):
            bounds = f"from {needed} to {len(parameters)} positional arguments but {len(args)} were given"
            raise TypeError(f"{function.__name__}() takes {bounds}")
        given = dict(zip(late, args[place:], strict=False))
        twice = next((name for name in given if name in options), None)
        if twice is not None:
            raise TypeError(f"{function.__name__}() got multiple values for argument '{twice}'")
        options |= given
        average, reduce = (options.pop(flag, None) for flag in FLAGS)
        if average is not None or reduce is not None:
            options["reduction"] = reduction_of(average, reduce, options.get("reduction", "mean"))
        return function(*args[:place], **options)

    loss.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return loss


def reduce_loss(values: Tensor, reduction: str) -> Tensor:
    """The loss of all elements from that of each, for losses that torch composes."""
    nr = reduction_nr(reduction)
    return values if nr == 0 else reduction_ops.mean(values) if nr == 1 else reduction_ops.sum(values)


def need_tensor(function: str, name: str, position: int, value: Any) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be Tensor, not {type(value).__name__}"
        )
