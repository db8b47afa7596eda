"""What is charged to the budgets before an operator makes something: which way of counting is for which operator."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..limits import Meter
from ..words import words
from .sizes import (
    Arguments,
    asked,
    at_length,
    attending,
    bagged,
    binned,
    broadcast,
    by_classes,
    by_degree,
    by_fraction,
    chosen,
    convolved,
    convolved_back,
    counted,
    crossed,
    drawn,
    for_each,
    gated,
    grown,
    looked_up,
    on_diagonal,
    packed,
    paired,
    picked,
    pooled,
    product,
    repeated,
    resized,
    resized_back,
    rolled,
    selected,
    shapes,
    shown,
    squared,
    times_numbers,
    together,
    trilinear,
    unpooled,
    unrolled,
    whole,
)

ASKED: dict[str, Callable[[Arguments], int]] = {
    **dict.fromkeys(("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"), whole),
    **dict.fromkeys(("EmbeddingBag",), whole),
    **dict.fromkeys(("GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"), whole),
    **dict.fromkeys(("Linear", "Embedding", "Bilinear", "RNN", "LSTM", "GRU", "randperm", "normal"), whole),
    **dict.fromkeys(("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm", "RMSNorm", "PReLU"), whole),
    **dict.fromkeys(("RNNCell", "LSTMCell", "GRUCell"), whole),
    **dict.fromkeys(("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer"), attending),
    **dict.fromkeys(("diag", "diag_embed", "diagflat"), squared),
    **dict.fromkeys(("quantile", "nanquantile"), for_each),
    **dict.fromkeys(("one_hot", "multinomial"), times_numbers),
    **dict.fromkeys(("sample", "rsample"), drawn),
    **{f"{kind}_window": whole for kind in ("hann", "hamming", "blackman", "bartlett", "kaiser")},
    "empty_strided": whole,
    "new_empty_strided": whole,
    "as_strided_": shown,
    "vander": times_numbers,
    "combinations": chosen,
    "histogram": times_numbers,
}
"""Functions that make something large by themselves, before any operator asks: looked at when they are called."""


UPSAMPLING = words(
    "upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_linear1d upsample_bilinear2d "
    "upsample_trilinear3d upsample_bicubic2d _upsample_nearest_exact1d _upsample_nearest_exact2d "
    "_upsample_nearest_exact3d _upsample_bilinear2d_aa _upsample_bicubic2d_aa"
)

SERIES = words(
    "igamma igammac special_zeta special_i1 special_i0e special_i1e special_bessel_j0 special_bessel_j1 "
    "special_bessel_y0 special_bessel_y1 special_modified_bessel_i0 special_modified_bessel_i1 "
    "special_modified_bessel_k0 special_modified_bessel_k1 special_scaled_modified_bessel_k0 "
    "special_scaled_modified_bessel_k1"
)
CHEBYSHEV = [f"{shifted}chebyshev_polynomial_{kind}" for shifted in ("", "shifted_") for kind in "tuvw"]
POLYNOMIALS = [
    *CHEBYSHEV,
    *words("hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p"),
]

SIZES: dict[str, Callable[[Arguments], int]] = {
    "addr": crossed,
    "expand": asked,
    "broadcast_to": asked,
    "repeat": repeated,
    "tile": repeated,
    "repeat_interleave": repeated,
    "index": picked,
    "index_select": selected,
    "bincount": counted,
    "histc": binned,
    "cat": together,
    "stack": together,
    "concat": together,
    "block_diag": on_diagonal,
    "as_strided": shown,
    "convolution": convolved,
    "convolution_backward": convolved_back,
    "mkldnn_rnn_layer": gated,
    "im2col": unrolled,
    "col2im": rolled,
    "constant_pad_nd": grown,
    "_embedding_bag": bagged,
    "_pack_padded_sequence": packed,
    "_trilinear": trilinear,
    "affine_grid_generator": asked,
    **dict.fromkeys(("grid_sampler_2d", "grid_sampler_3d"), looked_up),
    **dict.fromkeys(("grid_sampler_2d_backward", "grid_sampler_3d_backward"), lambda args: looked_up(args[1:])),
    "_grid_sampler_double_backward": lambda args: looked_up(args[3:]),
    **dict.fromkeys(("max_pool2d_with_indices", "avg_pool2d", "max_pool3d_with_indices", "avg_pool3d"), pooled),
    **{f"{mode}_pad{n}d": grown for mode in ("replication", "reflection") for n in (1, 2, 3)},
    **dict.fromkeys(("max_unpool2d", "max_unpool3d"), unpooled),
    **dict.fromkeys(("fractional_max_pool2d", "fractional_max_pool3d"), by_fraction),
    "multilabel_margin_loss_forward": by_classes,
    "multilabel_margin_loss_backward": lambda args: by_classes(args[1:]),
    **dict.fromkeys(("_adaptive_avg_pool2d", "adaptive_max_pool2d"), resized),
    **dict.fromkeys(("_adaptive_avg_pool3d", "adaptive_max_pool3d"), resized),
    **dict.fromkeys(UPSAMPLING, resized),
    **{f"{name}_backward": resized_back for name in UPSAMPLING},
    "_pdist_forward": paired,
    **dict.fromkeys(SERIES, at_length),
    **{f"special_{name}": by_degree for name in POLYNOMIALS},
    "mvlgamma": times_numbers,
    "_pdist_backward": lambda args: paired(args[1:]),
}
SOLVERS = ("linalg", "inverse", "det", "slogdet", "logdet", "cholesky")
"""Operators whose work grows with the cube of their size."""

CONVOLUTIONS = {"convolution": 1, "convolution_backward": 2}
"""Where the weight stands whose every output channel costs a product."""

MOMENT = 8
"""The windows of a convolution are laid out for a moment only: they may be so many times what a tensor may have."""

FREE = 1024
"""Elements for which nothing is charged where an operator goes element by element: see Meter.elements."""

PRODUCTS = frozenset(words("mm mv bmm dot matmul addmm addmv addbmm baddbmm outer ger linear einsum tensordot"))


def reserve(meter: Meter) -> Callable[[str, Arguments], None]:
    """The engine's question before each operator: may this be made?"""

    def ask(name: str, args: Arguments) -> None:
        op = name.partition(".")[0]
        if op.lstrip("_").startswith(SOLVERS):
            meter.work(max((math.prod(shape) * shape[-1] for shape in shapes(args) if shape), default=0))
        if op in PRODUCTS:
            elements, flops = product(args)
            meter.work(flops)
        else:
            elements = SIZES.get(op, broadcast)(args)
        meter.elements(elements // MOMENT if op in CONVOLUTIONS else elements)
        if op in CONVOLUTIONS:
            meter.work(elements * max(args[CONVOLUTIONS[op]].shape[0], 1))
        elif op == "mkldnn_rnn_layer":
            meter.work(elements * (args[1].shape[1] + args[2].shape[1]))

    ask.free = min(meter.limits.elements, FREE)  # type: ignore[attr-defined]
    return ask
