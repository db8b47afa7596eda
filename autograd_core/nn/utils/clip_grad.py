"""Clipping gradients: by their norm, or each number."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable

import numpy as np

from ...engine.grad_mode import no_grad
from ...events import session as tell
from ...ops.binary import add_scalar, mul_scalar
from ...ops.join import stack
from ...ops.reduction import vector_norm
from ...ops.unary import clamp, reciprocal
from ...tensor.tensor import Tensor, plain


def grads_of(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
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
    total = get_total_norm(grads_of(given), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(given, max_norm, total)
    return total


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The old name of `clip_grad_norm_`."""
    warnings.warn(OLD, FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


OLD = "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`."


def _get_total_norm(
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
        norms = stack([vector_norm(grad, norm_type, None) for grad in given])
        total: Tensor = vector_norm(norms, norm_type, None)
        if error_if_nonfinite and not math.isfinite(float(total.data_)):
            raise RuntimeError(
                f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
                "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
                "`error_if_nonfinite=False`"
            )
    return total


def _clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scales all gradients down together, whose common norm is `total_norm`, so that it is at most `max_norm`."""
    grads = grads_of(parameters)
    if not grads:
        return
    with no_grad():
        factor = clamp(mul_scalar(reciprocal(add_scalar(total_norm, 1e-6)), float(max_norm)), None, 1.0)
        for grad in grads:
            grad.overwrite(grad.data_ * factor.data_)
            grad.bump()
            tell.emit_write(grad, "mul_", (factor,))


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Cuts every number of every gradient off at plus and minus `clip_value`.

    Raises:
        RuntimeError: there are no gradients.
    """
    grads = grads_of(parameters)
    if not grads:
        raise RuntimeError(
            "Expected !nested_tensorlist[0].empty() to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)"
        )
    for grad in grads:
        for bound, limit in ((np.maximum, -clip_value), (np.minimum, clip_value)):
            grad.overwrite(bound(grad.data_, limit))
            grad.bump()
            tell.emit_write(grad, "clamp_")


clip_grads_with_norm_ = _clip_grads_with_norm_
get_total_norm = _get_total_norm  # torch names the two so where they are printed
