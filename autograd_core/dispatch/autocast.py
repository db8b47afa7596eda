"""autocast on a CPU: which operators compute in fewer bits, which in float32, which in the widest of what they get.

The lists are PyTorch's (autocast_mode.cpp). A copy of a leaf in fewer bits is kept until the outermost block ends, so
that a weight that is used twice is copied once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine.state import state
from ..functorch.batch import is_hidden
from ..tensor.tensor import Tensor
from .registry import call

FLOAT, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
LOWER = frozenset("mm bmm mv addmm baddbmm convolution linalg_vecdot".split())
SINGLE = frozenset(
    """
    mse_loss binary_cross_entropy binary_cross_entropy_with_logits nll_loss_forward nll_loss2d_forward huber_loss
    smooth_l1_loss soft_margin_loss multi_margin_loss multilabel_margin_loss_forward _ctc_loss _cdist_forward
    _euclidean_dist prod trace grid_sampler_2d avg_pool3d _adaptive_avg_pool3d max_pool3d_with_indices max_unpool2d
    cummax cummin reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d _linalg_det _linalg_eigh
    _linalg_slogdet _linalg_solve_ex _linalg_svd linalg_cholesky_ex cholesky linalg_householder_product linalg_inv_ex
    linalg_lstsq linalg_pinv linalg_qr linalg_solve_triangular
    """.split()
)
WIDEST = frozenset("cat stack index_copy".split())
"""Operators of the table, by the names before the dot."""
LOWER_FUNCTIONS = frozenset(("scaled_dot_product_attention",))
SINGLE_FUNCTIONS = frozenset(
    """
    cross_entropy l1_loss kl_div cosine_embedding_loss triplet_margin_loss hinge_embedding_loss poisson_nll_loss
    margin_ranking_loss quantile nanquantile binary_cross_entropy grid_sample
    """.split()
)
"""Functions that are made of several: what they are given is cast before all else."""


class Autocast:
    """A block under way: the dtype of fewer bits, and the copies made so far (None: they are not kept)."""

    __slots__ = ("dtype", "copies")

    def __init__(self, dtype: np.dtype[Any], copies: dict[int, tuple[Tensor, Tensor]] | None) -> None:
        self.dtype, self.copies = dtype, copies


def eligible(value: Any) -> bool:
    """Whether it is a tensor of floats that autocast may bring to another dtype: doubles stay what they are."""
    if not isinstance(value, Tensor) or (value.meta is not None and value.meta.wrapped):
        return False
    dtype = value.data_.dtype
    return bool(dtype.kind == "f" and dtype != DOUBLE)


def lowered(value: Any) -> Any:
    """`value` in fewer bits, if it may be."""
    within = state.autocast
    if within is None or not eligible(value) or value.data_.dtype == within.dtype:
        return value
    leaf = value.data_.dtype == FLOAT and value.requires_grad and value.node is None and not value._is_view()
    if within.copies is None or not leaf or not state.grad_enabled or is_hidden(value):
        return call("to_copy", value, within.dtype)
    if id(value) not in within.copies:
        within.copies[id(value)] = value, call("to_copy", value, within.dtype)
    return within.copies[id(value)][1]


def exact(value: Any) -> Any:
    """`value` in float32, if it is of fewer bits."""
    return call("to_copy", value, FLOAT) if eligible(value) and value.data_.dtype != FLOAT else value


def widest(values: Sequence[Any]) -> list[Any]:
    """All of them in float32, if one of them is."""
    return [*map(exact, values)] if any(eligible(one) and one.data_.dtype == FLOAT for one in values) else list(values)


def way_of(name: str) -> Callable[[Sequence[Any]], list[Any]] | None:
    """What is done with the tensors that the operator `name` is given; None: nothing."""
    base = name.partition(".")[0]
    if base in LOWER:
        return lambda values: [*map(lowered, values)]
    if base in SINGLE:
        return lambda values: [*map(exact, values)]
    return widest if base in WIDEST else None


def cast_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, which gets what it is given in the dtype that its name stands for in the lists; most are not there.

    No schema of torch changes by that.
    """
    name = function.__name__
    if name not in LOWER_FUNCTIONS | SINGLE_FUNCTIONS:
        return function
    cast = lowered if name in LOWER_FUNCTIONS else exact

    @functools.wraps(function)
    def run(*args: Any, **options: Any) -> Any:
        if state.autocast is not None:
            args, options = tuple(map(cast, args)), {key: cast(value) for key, value in options.items()}
        return function(*args, **options)

    return run
