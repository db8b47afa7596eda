"""Helpers around parameters: clipping their gradients, and all of them as one vector."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ... import tell
from ...absent import absent
from ...modes import no_grad
from ...ops import elementwise as e
from ...ops import reduce as r
from ...ops import shape as s
from ...tensor import Tensor, plain
from ..weight_norms import remove_spectral_norm, remove_weight_norm, spectral_norm, weight_norm
from . import parametrizations, parametrize, rnn


def graded(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """The gradients that are there."""
    given = [parameters] if isinstance(parameters, Tensor) else parameters
    return [parameter.grad for parameter in given if parameter.grad is not None]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales all gradients down together, so that their common norm is at most `max_norm`; gives the norm before."""
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    total = get_total_norm(graded(given), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(given, max_norm, total)
    return total


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all numbers of some tensors together."""
    given = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not given:
        return plain(np.float32(0))
    norm_type = float(norm_type)
    with no_grad():
        norms = s.stack([r.vector_norm(grad, norm_type, None) for grad in given])
        total: Tensor = r.vector_norm(norms, norm_type, None)
        if error_if_nonfinite and not math.isfinite(float(total.data_)):
            raise RuntimeError(
                f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
                "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
                "`error_if_nonfinite=False`"
            )
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scales all gradients down together, whose common norm is `total_norm`, so that it is at most `max_norm`."""
    grads = graded(parameters)
    if not grads:
        return
    with no_grad():
        factor = e.clamp(e.mul_scalar(e.reciprocal(e.add_scalar(total_norm, 1e-6)), float(max_norm)), None, 1.0)
        for grad in grads:
            grad.overwrite(grad.data_ * factor.data_)
            grad.bump()
            tell.written(grad, "mul_", (factor,))


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Cuts every number of every gradient off at plus and minus `clip_value`.

    Raises:
        RuntimeError: there are no gradients.
    """
    grads = graded(parameters)
    if not grads:
        raise RuntimeError(
            "Expected !nested_tensorlist[0].empty() to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)"
        )
    for grad in grads:
        for bound, limit in ((np.maximum, -clip_value), (np.minimum, clip_value)):
            grad.overwrite(bound(grad.data_, limit))
            grad.bump()
            tell.written(grad, "clamp_")


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All numbers in one row."""
    row: Tensor = s.cat([s.reshape(parameter, [-1]) for parameter in parameters])
    return row


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Lets the parameters show the pieces of one row."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for parameter in parameters:
        size = parameter.data_.size
        piece = s.slice_(vec, 0, start, start + size)
        parameter.data = s.reshape(piece, list(parameter.data_.shape)).data
        start += size


__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "spectral_norm",
    "vector_to_parameters",
    "weight_norm",
]

__getattr__ = absent("torch.nn.utils")
