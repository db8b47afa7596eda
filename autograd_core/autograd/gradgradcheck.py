"""gradgradcheck: gradcheck of the function that gives the gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..random.generator import uniform
from ..tensor.tensor import Tensor, plain
from .differentiate import grad
from .gradcheck import gradcheck
from .jacobians import as_tuple, differentiable, requires


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the gradients of the gradients of `func` are what small differences say, `grad_outputs` included.

    Raises:
        GradcheckError: they are not, and `raise_exception`.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")
    values = as_tuple(inputs)
    if grad_outputs is None:
        outputs = differentiable(func(*values))
        starts: tuple[Any, ...] = tuple(random_start(out, gen_non_contig_grad_outputs) for out in outputs)
    else:
        starts = as_tuple(grad_outputs)
    wanted = [i for i, value in enumerate(values) if requires(value)]
    asked = [i for i, start in enumerate(starts) if start.requires_grad]

    def gradient(*given: Any) -> tuple[Tensor, ...]:
        at, by = list(given[: len(values)]), list(given[len(values) :])
        for tensors, flagged in ((at, wanted), (by, asked)):
            for i in flagged:
                tensors[i] = tensors[i].requires_grad_()
        outputs = differentiable(func(*at))
        came = grad(outputs, [at[i] for i in wanted], by, create_graph=True, allow_unused=True)
        return tuple(g for g in came if g is not None)

    return gradcheck(
        gradient,
        values + starts,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        masked=masked,
    )


def random_start(out: Tensor, gaps: bool) -> Tensor:
    """A gradient between -1 and 1 for `out`, to be differentiated; `gaps`: not dense in memory."""
    kind = out.data_.dtype if out.data_.dtype.kind == "f" else np.dtype(np.float64)
    shape = out.data_.shape
    if gaps and out.data_.size > 1:
        values = uniform(2 * out.data_.size, kind, -1, 1).reshape(*shape[:-1], -1)[..., 1::2]
    else:
        values = uniform(out.data_.size, kind, -1, 1).reshape(shape)
    return plain(values[()]).requires_grad_()
