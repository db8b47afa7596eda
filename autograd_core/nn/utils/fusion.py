"""A layer and the batch norm behind it as one layer: in eval mode, both together are linear."""

from __future__ import annotations

import copy
from typing import Any

from ...api.functions.creation import ones_like, zeros_like
from ...ops.unary import rsqrt
from ...ops.view import reshape, unsqueeze
from ...tensor.tensor import Tensor
from ..parameter import Parameter

Pair = tuple[Parameter, Parameter]


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """`conv` with the batch norm `bn` taken into its weights; `transpose` if it spreads instead of gathering."""
    fused = ready(conv, bn)
    mean, var = see(bn)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, mean, var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """`linear` with the batch norm `bn` taken into its weights."""
    fused = ready(linear, bn)
    if bn.num_features not in (1, linear.out_features):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    mean, var = see(bn)
    fused.weight, fused.bias = fuse_linear_bn_weights(fused.weight, fused.bias, mean, var, bn.eps, bn.weight, bn.bias)
    return fused


def ready(layer: Any, bn: Any) -> Any:
    """A copy of `layer` to take in `bn`.

    Raises:
        AssertionError: one of them is still training.
    """
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    return copy.deepcopy(layer)


def see(bn: Any) -> tuple[Tensor, Tensor]:
    """The running mean and variance.

    Raises:
        AssertionError: it keeps none.
    """
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    return bn.running_mean, bn.running_var


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> Pair:
    """Weight and bias of both together."""
    bias: Any = zeros_like(bn_rm) if conv_b is None else conv_b
    gain: Any = ones_like(bn_rm) if bn_w is None else bn_w
    shift: Any = zeros_like(bn_rm) if bn_b is None else bn_b
    root: Any = rsqrt(bn_rv + bn_eps)
    around = [1] * (conv_w.dim() - 2)
    shape = [1, -1, *around] if transpose else [-1, 1, *around]
    weight: Any = conv_w * reshape(gain * root, shape)
    moved: Any = (bias - bn_rm) * root * gain + shift
    kind = conv_w.dtype if conv_b is None else conv_b.dtype
    return Parameter(weight.to(dtype=conv_w.dtype), conv_w.requires_grad), Parameter(
        moved.to(dtype=kind), bias.requires_grad
    )


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor,
    bn_b: Tensor,
) -> Pair:
    """Weight and bias of both together."""
    bias: Any = zeros_like(bn_rm) if linear_b is None else linear_b
    scale: Any = bn_w * rsqrt(bn_rv + bn_eps)
    weight: Any = linear_w * unsqueeze(scale, -1).to(dtype=linear_w.dtype)
    moved: Any = ((bias - bn_rm) * scale + bn_b).to(dtype=linear_w.dtype if linear_b is None else linear_b.dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(moved, bias.requires_grad)
