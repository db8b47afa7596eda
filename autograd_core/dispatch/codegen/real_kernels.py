"""Operators whose kernels torch has for real numbers alone, by what it says where they are given complex ones."""

from __future__ import annotations

from typing import Any, NoReturn

from ... import errors
from ...errors import Unsupported
from ...graph.node import outs_of

NOT_IMPLEMENTED = {
    "erf_vml_cpu": "erf",
    "erfc_vml_cpu": "erfc",
    "erfinv_vml_cpu": "erfinv",
    "i0_vml_cpu": "i0",
    "i1_cpu": "special_i1",
    "lgamma_vml_cpu": "lgamma",
    "digamma": "digamma",
    "trigamma": "polygamma",
    "lt_cpu": "lt.Tensor",
    "le_cpu": "le.Tensor",
    "gt_cpu": "gt.Tensor",
    "ge_cpu": "ge.Tensor",
    "bitwise_and_cpu": "bitwise_and.Tensor",
    "bitwise_or_cpu": "bitwise_or.Tensor",
    "bitwise_xor_cpu": "bitwise_xor.Tensor",
    "bitwise_not_cpu": "bitwise_not",
    "lshift_cpu": "__lshift__.Tensor",
    "rshift_cpu": "__rshift__.Tensor",
    "atan2_cpu": "atan2",
    "hypot_cpu": "hypot",
    "logaddexp2_cpu": "logaddexp2",
    "logit_cpu": "logit",
    "frac_cpu": "frac",
    "round_vml_cpu": "round",
    "round_cpu": "round.decimals",
    "remainder_cpu": "remainder.Scalar remainder.Tensor",
    "fmod_cpu": "fmod.Scalar fmod.Tensor",
    "maximum_cpu": "clamp_min clamp_min.Tensor",
    "minimum_cpu": "clamp_max clamp_max.Tensor",
    "xlogy_cpu": "xlogy.Scalar_Self xlogy.Scalar_Other xlogy.Tensor",
    "max_all": "max",
    "min_all": "min",
    "max_values_cpu": "amax",
    "min_values_cpu": "amin",
    "kthvalue_cpu": "kthvalue",
    "aminmax_cpu": "histc aminmax",
    "bincount_cpu": "bincount",
    "searchsorted_out_cpu": "searchsorted.Tensor",
    "median_cpu": "median median.dim nanmedian nanmedian.dim",
    "mode_cpu": "mode",
    "cummax_cpu": "cummax",
    "cummin_cpu": "cummin",
    "unique": "_unique2 unique_dim unique_consecutive",
    "poisson_cpu": "poisson",
    "bernoulli_tensor_cpu_self_": "bernoulli.each",
    "leaky_relu_cpu": "leaky_relu leaky_relu_ rrelu_with_noise",
    "threshold_cpu": "threshold threshold_",
    "softshrink_check": "softshrink",
    "hardshrink_cpu": "hardshrink",
    "hardswish_cpu": "hardswish",
    "hardsigmoid_cpu": "hardsigmoid",
    "elu_cpu": "elu elu_ celu celu_",
    "GeluKernelImpl": "gelu",
    "mish_cpu": "mish",
    "softplus_cpu": "softplus",
    "glu_cpu": "glu",
    "log_sigmoid_cpu": "log_sigmoid_forward binary_cross_entropy_with_logits",
    "mse_cpu": "mse_loss",
    "smooth_l1_cpu": "smooth_l1_loss",
    "huber_cpu": "huber_loss",
    "binary_cross_entropy": "binary_cross_entropy",
    "nll_loss_out_frame": "nll_loss_forward",
    "LayerNormKernelImpl": "native_layer_norm",
    "batch_norm": "native_batch_norm",
    "GroupNormKernelImpl": "native_group_norm",
    "avg_pool2d": "avg_pool2d",
    "max_pool2d": "max_pool2d_with_indices",
    "adaptive_max_pool2d": "adaptive_max_pool2d",
    "compute_indices_weights_nearest": "upsample_nearest1d upsample_nearest2d",
    "grid_sampler_2d_cpu_kernel_impl": "grid_sampler_2d",
}
"""The kernels that C++ names, with the operators that have them."""

OTHERS: dict[str, tuple[type[Exception], str]] = {
    "deg2rad is not supported for complex tensors.": (RuntimeError, "deg2rad"),
    "rad2deg is not supported for complex tensors.": (RuntimeError, "rad2deg"),
    "fmax not implemented for complex tensors.": (RuntimeError, "fmax"),
    "fmin not implemented for complex tensors.": (RuntimeError, "fmin"),
    "maximum not implemented for complex tensors.": (RuntimeError, "maximum"),
    "minimum not implemented for complex tensors.": (RuntimeError, "minimum"),
    "max(): does not support complex input": (RuntimeError, "max.dim"),
    "min(): does not support complex input": (RuntimeError, "min.dim"),
    "argmax(): does not support complex input": (RuntimeError, "argmax"),
    "argmin(): does not support complex input": (RuntimeError, "argmin"),
    "clamp is not supported for complex types": (NotImplementedError, "relu clamp clamp.Tensor hardtanh"),
    "floor is not supported for complex inputs": (NotImplementedError, "floor"),
    "ceil is not supported for complex inputs": (NotImplementedError, "ceil"),
    "trunc is not supported for complex inputs": (NotImplementedError, "trunc"),
    "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.": (
        NotImplementedError,
        "sign",
    ),
    " Sort does not support complex dtypes on CPU": (RuntimeError, "sort sort.stable"),
    " topk does not support complex dtypes on CPU": (RuntimeError, "topk"),
    "nansum on CPU does not support complex inputs": (RuntimeError, "nansum"),
    "Unsupported input type encountered for isin(): {}": (RuntimeError, "isin.Tensor_Tensor"),
}
"""What it says of others, `{}` for the type."""

REFUSALS: dict[str, tuple[type[Exception], str]] = {
    name: (NotImplementedError, f"\"{kernel}\" not implemented for '{{}}'")
    for kernel, names in NOT_IMPLEMENTED.items()
    for name in names.split()
}
REFUSALS |= {name: (error, text) for text, (error, names) in OTHERS.items() for name in names.split()}


WITHOUT_GRADIENT = frozenset("silu embedding nan_to_num _trilinear select_scatter slice_scatter".split())
"""Operators that compute with complex numbers, and for which torch has no gradient of those."""

UNSUPPORTED = frozenset({"linalg_householder_product"})
"""Those for which torch has one, and this engine has not."""


def real_outs(name: str) -> Any:
    """What makes `outs` for the operator `name`, whose gradients are of real numbers alone."""

    def outs(shape: tuple[int, ...], dtype: Any) -> Any:
        check_outs(name, ((shape, dtype),))
        return outs_of(shape, dtype)

    return outs


def check_outs(name: str, outs: Any) -> Any:
    """`outs` of a node, if none of them is complex.

    Raises:
        RuntimeError: one is, and torch has no gradient for it.
    """
    if any(dtype.kind == "c" for _, dtype in outs):
        if name in UNSUPPORTED:
            raise Unsupported(f"gradients of {name.lstrip('_')} for complex numbers are not supported by this engine")
        raise RuntimeError(f"{name} does not support automatic differentiation for outputs with complex dtype.")
    return outs


def refuse_complex(name: str, dtype: Any) -> NoReturn:
    """Refuse complex numbers of this dtype as an operand of the operator `name`."""
    error, text = REFUSALS[name]
    raise error(text.format(errors.type_name(dtype)))
