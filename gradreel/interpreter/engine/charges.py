"""What is charged to the budgets before an operator makes something: which way of counting is for which operator."""

from __future__ import annotations

from collections.abc import Callable

from autograd_core.op import TABLE

from ..limits import FREE, Meter
from ..words import words
from .sizes import (
    Arguments,
    apart,
    asked,
    attending,
    bagged,
    binned,
    broadcast,
    by_classes,
    by_fraction,
    chosen,
    convolved,
    convolved_back,
    counted,
    crossed,
    ctc_size,
    drawn,
    factor_size,
    for_each,
    gated,
    grown,
    into_table,
    largest,
    looked_up,
    looked_up_in,
    lu_size,
    no_size,
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
    scored,
    selected,
    shapes,
    shown,
    solve_flops,
    split_size,
    squared,
    times_numbers,
    together,
    trilinear,
    unfold_size,
    unpooled,
    unrolled,
    whole,
    written,
)
from .weights import weight

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

ALONG = words(
    "index_add index_copy index_fill index_reduce nll_loss_forward nll_loss_backward multi_margin_loss "
    "multi_margin_loss_backward nll_loss2d_forward nll_loss2d_backward native_batch_norm native_batch_norm_backward "
    "native_group_norm put take masked_scatter masked_scatter_backward searchsorted"
)
"""Operators whose other arrays belong to one dimension of the first."""

SIZES: dict[str, Callable[[Arguments], int]] = {
    "addr": crossed,
    "repeat": repeated,
    "tile": repeated,
    "repeat_interleave": repeated,
    "index": picked,
    "index_select": selected,
    **dict.fromkeys(("index_put", "_index_put_impl_"), written),
    "embedding": looked_up_in,
    "embedding_dense_backward": into_table,
    **dict.fromkeys(ALONG, largest),
    "bincount": counted,
    "histc": binned,
    "cat": together,
    "stack": together,
    "concat": together,
    "block_diag": on_diagonal,
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
    **dict.fromkeys(words("linalg_lu lu_unpack"), lu_size),
    "linalg_qr": lambda args: factor_size(args) if args[1:] == ("complete",) else largest(args),
    "_linalg_svd": lambda args: factor_size(args) if True in args[1:2] else largest(args),
    "diag_embed": squared,
    "mvlgamma": lambda args: broadcast(args[:1]) * max(int(args[1]), 1),
    "_ctc_loss": ctc_size,
    "_euclidean_dist": scored,
    "_scaled_dot_product_flash_attention_for_cpu": scored,
    "_pdist_backward": lambda args: paired(args[1:]),
}
SOLVERS = frozenset(
    words(
        "linalg_cholesky_ex linalg_qr _linalg_svd _linalg_eigh _linalg_det _linalg_slogdet cholesky_solve cholesky "
        "cholesky_inverse linalg_inv_ex _linalg_solve_ex linalg_solve_triangular linalg_pinv linalg_matrix_exp geqrf "
        "linalg_householder_product linalg_lu_factor_ex linalg_lu linalg_lu_solve linalg_lstsq triangular_solve"
    )
)
"""Operators whose work grows with the cube of their size."""

APART = {"_cdist_forward": 0, "_cdist_backward": 1}
"""Where the rows stand whose distances from one another are taken, with the other rows after them."""

CONVOLUTIONS = frozenset(("convolution", "convolution_backward"))

VIEWS: dict[str, Callable[[Arguments], int]] = {
    **{name.partition(".")[0]: no_size for name, entry in TABLE.items() if entry.view},
    **dict.fromkeys(("unbind", "split", "split_with_sizes"), split_size),
    **dict.fromkeys(("expand", "broadcast_to"), asked),
    "as_strided": shown,
    "unfold": unfold_size,
}
"""Operators that show memory which is there: they take a step, and what they show may have no more elements than a
tensor. Several tensors take room by themselves."""

SIZED = frozenset(words("size input_sizes sizes shape normalized_shape self_shape output_size"))
"""How operators call the size of what they make."""

AT: dict[str, tuple[int, ...]] = {
    name: tuple(at for at, parameter in enumerate(entry.signature.parameters) if parameter in SIZED)
    for name, entry in TABLE.items()
}
"""Where among its arguments an operator finds that."""


def usual(name: str, args: Arguments) -> int:
    """What is made by an operator of which nothing else is said: as much as its operands are broadcast to, or as the
    largest of them has, or as it is asked for."""
    sizes = [args[at] for at in AT.get(name, ()) if at < len(args)]
    wanted = [whole(tuple(size)) for size in sizes if isinstance(size, (tuple, list))]
    return max(broadcast(args), largest(args), *wanted, 0)


MOMENT = 8
"""The windows of a convolution are laid out for a moment only, and so are the differences of rows that are compared:
they may be so many times what a tensor may have."""

PRODUCTS = frozenset(words("mm mv bmm dot matmul addmm addmv addbmm baddbmm outer ger linear einsum tensordot"))


def reserve(meter: Meter) -> Callable[[str, Arguments], None]:
    """The engine's question before each operator: may this be made?"""

    def ask(name: str, args: Arguments) -> None:
        op = name.partition(".")[0]
        if op in SOLVERS:
            meter.work(max(map(solve_flops, shapes(args)), default=0))
        if op in VIEWS:
            meter.fits(VIEWS[op](args))
            return
        if op in PRODUCTS:
            elements, flops = product(args)
            meter.work(flops)
        elif op in SIZES:
            elements = SIZES[op](args)
        else:
            elements = usual(name, args)
        if op in APART:
            meter.elements(apart(args[APART[op] :]) // MOMENT)
        meter.elements(elements // MOMENT if op in CONVOLUTIONS else elements, weight(op, args))
        if op in EACH_ELEMENT:
            meter.work(elements * EACH_ELEMENT[op](args))

    ask.free = min(meter.limits.elements, FREE)  # type: ignore[attr-defined]
    return ask


EACH_ELEMENT: dict[str, Callable[[Arguments], int]] = {
    "convolution": lambda args: max(args[1].shape[0], 1),
    "convolution_backward": lambda args: max(args[2].shape[0], 1),
    "mkldnn_rnn_layer": lambda args: args[1].shape[1] + args[2].shape[1],
    "_euclidean_dist": lambda args: args[0].shape[-1],
    "_scaled_dot_product_flash_attention_for_cpu": lambda args: args[0].shape[-1] + args[2].shape[-1],
}
"""Multiplications for each element of what is made: of a convolution one for each output channel."""
