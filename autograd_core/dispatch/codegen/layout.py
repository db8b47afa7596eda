"""How the results of each operator lie in memory, as torch lets them; see Note [Layouts of results] in strides.py."""

from __future__ import annotations

from ...tensor.strides import Rule, alike, as_input, as_one, as_weight, elementwise_layout, rows

ITERATED = """
add.Tensor add.Scalar sub.Tensor sub.Scalar rsub.Tensor rsub.Scalar mul.Tensor mul.Scalar div.Tensor div.Scalar
div.Tensor_mode remainder.Scalar remainder.Tensor fmod.Scalar fmod.Tensor neg reciprocal addcmul addcdiv lerp.Scalar
lerp.Tensor pow.Tensor_Scalar pow.Tensor_Tensor
relu threshold_backward abs sgn sign floor ceil round round.decimals trunc frac clamp clamp.Tensor clamp_min clamp_max
clamp_min.Tensor clamp_max.Tensor maximum minimum where.self
eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor ge.Tensor logical_and logical_or logical_not logical_xor
bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor bitwise_not __lshift__.Tensor __rshift__.Tensor
isnan isinf isfinite
exp expm1 exp2 log log2 log10 log1p sqrt rsqrt sin cos tan sinh cosh asin acos atan atanh atan2 hypot tanh tanh_backward
sigmoid sigmoid_backward logit nan_to_num
erf erfc erfinv i0 special_i1 lgamma digamma polygamma asinh acosh sinc deg2rad rad2deg logaddexp logaddexp2
xlogy.Scalar_Self xlogy.Scalar_Other xlogy.Tensor fmax fmin
angle
elu celu elu_backward gelu gelu_backward silu mish softplus softplus_backward log_sigmoid_backward
leaky_relu leaky_relu_backward threshold hardtanh hardtanh_backward softshrink softshrink_backward hardswish
hardswish_backward hardshrink hardshrink_backward hardsigmoid hardsigmoid_backward _prelu_kernel
mse_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits soft_margin_loss
"""

ALIKE = """
zeros_like flip sort sort.stable index_fill.int_Scalar index_fill.int_Tensor index_put put bernoulli
"""

AS_INPUT = """
native_batch_norm native_group_norm max_pool2d_with_indices avg_pool2d _adaptive_avg_pool2d
adaptive_max_pool2d max_pool3d_with_indices roll pixel_unshuffle pixel_shuffle
upsample_nearest2d upsample_bilinear2d upsample_bicubic2d
replication_pad2d reflection_pad2d
"""

FREE = """
clone _to_copy _to_copy.whole copy zero fill.Scalar fill.Tensor unsafe_split.Tensor unsafe_split_with_sizes
_unsafe_view as_strided_ t_ unsqueeze_ squeeze_ squeeze_.dim squeeze_.dims transpose_ elu_ celu_ leaky_relu_
threshold_ rrelu_with_noise_ conj_physical_ _index_put_impl_ linalg_cholesky_ex cholesky linalg_qr _linalg_svd
_linalg_eigh linalg_eig _linalg_det _linalg_slogdet cholesky_solve cholesky_inverse linalg_inv_ex _linalg_solve_ex
linalg_solve_triangular linalg_pinv linalg_matrix_exp geqrf linalg_householder_product
linalg_lstsq select_scatter slice_scatter diagonal_scatter uniform normal exponential cauchy geometric
log_normal bernoulli.each random random.to random.from index.Tensor
rot90 convolution_backward native_batch_norm_backward constant_pad_nd
max_pool2d_with_indices_backward avg_pool2d_backward _adaptive_avg_pool2d_backward adaptive_max_pool2d_backward
max_pool3d_with_indices_backward reflection_pad2d_backward replication_pad2d_backward
upsample_nearest2d_backward upsample_bilinear2d_backward
_scaled_dot_product_flash_attention_for_cpu
"""
"""What is left as it is made: it sees to its layout itself, or is written over what was there."""

IN_ROWS = "mm mv dot vdot sum mean median nanmedian max min nll_loss_forward embedding"
"""What numpy, too, always gives in rows."""

RULES: dict[str, Rule] = {
    **dict.fromkeys(ITERATED.split(), elementwise_layout),
    **dict.fromkeys(ALIKE.split(), alike),
    **dict.fromkeys(AS_INPUT.split(), as_input),
    **dict.fromkeys([*FREE.split(), *IN_ROWS.split()], None),
    "cat": as_one,
    "convolution": as_weight,
}


def rule_of(name: str) -> Rule:
    """The rule of the operator `name`, None if its results are right as they are."""
    return RULES.get(name, rows)
