"""Layers and losses that torch has under its own name, too: there a reduction is a number, and
without one nothing is reduced.

`torch.dropout(x, p, train)`, `torch.kl_div(input, target, 1)`; those that are the same in both places are imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...dispatch.schema.schema import composite
from ...errors import no_sparse
from ...graph.node import Dim
from ...ops import embedding as embedding_ops
from ...ops import padding
from ...ops.embedding import embedding as looked_up
from ...tensor.tensor import Tensor
from . import activation, loss, normalization
from .activation import celu, celu_, hardshrink, prelu, rrelu, rrelu_, selu, selu_
from .common import REDUCTIONS, reduce_loss
from .conv import conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d
from .dropout import alpha_dropout as _alpha_dropout
from .dropout import drop_elements
from .dropout import dropout as _dropout
from .dropout import feature_alpha_dropout as _feature_alpha_dropout
from .embedding import check_bags
from .linear import bilinear
from .loss import cosine_similarity, pairwise_distance
from .loss import ctc as ctc_loss
from .normalization import group_norm, layer_norm, rms_norm
from .pooling import adaptive_avg_pool1d, avg_pool1d, max_pool1d, max_pool1d_with_indices, max_pool2d, max_pool3d
from .pooling import adaptive_max_pool1d_with_indices as adaptive_max_pool1d
from .vision import grid_sampler, pixel_shuffle, pixel_unshuffle

NAMES = {number: name for name, number in REDUCTIONS.items()}
Maybe = Tensor | None


def name_reduction(reduction: int) -> str:
    """The name of the reduction with a number; any other number reduces nothing."""
    return NAMES.get(reduction, "none")


# ---- normalization


@composite("""
    batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, \
        float momentum, float eps, bool cudnn_enabled) -> Tensor: function
    """)
def batch_norm(
    input: Tensor,
    weight: Maybe,
    bias: Maybe,
    running_mean: Maybe,
    running_var: Maybe,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    return normalization.by_channel(input, running_mean, running_var, weight, bias, training, momentum, eps)


@composite("""
    instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool \
        use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor: function
    """)
def instance_norm(
    input: Tensor,
    weight: Maybe,
    bias: Maybe,
    running_mean: Maybe,
    running_var: Maybe,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    return normalization.by_sample(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


# ---- losses


@composite("kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor: function")
def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Tensor:
    return reduce_loss(loss.divergences(input, target, log_target), name_reduction(reduction))


@composite("""
    binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int \
        reduction=1) -> Tensor: function
    """)
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Maybe = None, pos_weight: Maybe = None, reduction: int = 0
) -> Tensor:
    return loss.binary_cross_entropy_with_logits(
        input, target, weight, reduction=name_reduction(reduction), pos_weight=pos_weight
    )


@composite("""
    cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=1) -> Tensor: \
        function
    """)
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    return loss.cosine_embedding_loss(input1, input2, target, margin, reduction=name_reduction(reduction))


@composite("hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=1) -> Tensor: function")
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0) -> Tensor:
    return loss.hinge_embedding_loss(input, target, margin, reduction=name_reduction(reduction))


@composite("""
    margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=1) -> Tensor: \
        function
    """)
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    return loss.margin_ranking_loss(input1, input2, target, margin, reduction=name_reduction(reduction))


@composite("""
    triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float \
        eps=1e-06, bool swap=False, int reduction=1) -> Tensor: function
    """)
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 0,
) -> Tensor:
    return loss.triplet_margin_loss(
        anchor, positive, negative, margin, p, eps, swap, reduction=name_reduction(reduction)
    )


@composite("""
    poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor: \
        function
    """)
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    return loss.poisson_nll_loss(input, target, log_input, full, None, eps, None, name_reduction(reduction))


# ---- dropout


def dropping(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """torch's function of this name; one that ends in `_` writes over its input."""
    inplace = name.endswith("_")

    @composite(f"{name}(Tensor input, float p, bool train) -> Tensor: function")
    def drop(input: Tensor, p: float, train: bool) -> Tensor:
        if not 0 <= p <= 1:
            raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
        return function(input, p, train, inplace)

    return drop


def of_features(input: Tensor, p: float, train: bool, inplace: bool) -> Tensor:
    return drop_elements(input, p, train, inplace, channels=True)


dropout, dropout_ = dropping("dropout", _dropout), dropping("dropout_", _dropout)
alpha_dropout, alpha_dropout_ = dropping("alpha_dropout", _alpha_dropout), dropping("alpha_dropout_", _alpha_dropout)
feature_dropout, feature_dropout_ = dropping("feature_dropout", of_features), dropping("feature_dropout_", of_features)
feature_alpha_dropout = dropping("feature_alpha_dropout", _feature_alpha_dropout)
feature_alpha_dropout_ = dropping("feature_alpha_dropout_", _feature_alpha_dropout)


# ---- others


@composite("threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor: function function_ out")
def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    return activation.threshold(input, threshold, value)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    return activation.threshold_(input, threshold, value)


@composite("constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor: function")
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: float = 0) -> Tensor:
    around = list(pad)
    if len(around) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(around)}")
    if len(around) > 2 * input.data_.ndim:
        raise RuntimeError(
            f"Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(around)}while the input has {input.data_.ndim}dimensions."
        )
    return padding.constant_pad_nd(input, around, value)


@composite("""
    embedding(Tensor weight, Tensor self, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> \
        Tensor: function
    """)
def embedding(
    weight: Tensor, input: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    if sparse:
        raise no_sparse("embedding")
    if weight.data_.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    return looked_up(weight, input, Dim(padding_idx), scale_grad_by_freq)


@composite("""
    embedding_bag(Tensor weight, Tensor self, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? \
        per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor): function
    embedding_bag(Tensor weight, Tensor self, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool \
        sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, \
        Tensor): function
    """)
def embedding_bag(
    weight: Tensor,
    input: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Maybe = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """The rows of the bags, and what their gradient needs: the bag of each index, sizes, and places of maxima."""
    if sparse:
        raise no_sparse("embedding_bag")
    check_bags(input, offsets, weight.data_.shape[0], weight.data_.dtype.itemsize == 4)
    kept = Dim(-1 if padding_idx is None else padding_idx % weight.data_.shape[0])
    given = (mode, sparse, per_sample_weights, include_last_offset, kept)
    return tuple(embedding_ops.embedding_bag(weight, input, offsets, scale_grad_by_freq, *given))


__all__ = [
    "adaptive_avg_pool1d", "adaptive_max_pool1d", "alpha_dropout", "alpha_dropout_", "avg_pool1d", "batch_norm",
    "bilinear", "binary_cross_entropy_with_logits", "celu", "celu_", "constant_pad_nd", "conv1d", "conv2d", "conv3d",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "cosine_embedding_loss", "cosine_similarity",
    "ctc_loss", "dropout", "dropout_", "embedding", "embedding_bag", "feature_alpha_dropout", "feature_alpha_dropout_",
    "feature_dropout", "feature_dropout_", "grid_sampler", "group_norm", "hardshrink", "hinge_embedding_loss",
    "instance_norm", "kl_div", "layer_norm", "margin_ranking_loss", "max_pool1d", "max_pool1d_with_indices",
    "max_pool2d", "max_pool3d", "pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "poisson_nll_loss", "prelu",
    "rms_norm", "rrelu", "rrelu_", "selu", "selu_", "threshold", "threshold_", "triplet_margin_loss",
]  # fmt: skip
