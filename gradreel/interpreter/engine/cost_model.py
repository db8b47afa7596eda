"""The cost model: what an operator is charged before the engine runs it.

How large its result will be, from its arguments alone; how long slow functions take for one element; and which way of
counting is for which operator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograd_core.dispatch.registry import TABLE

from ..limits import FREE, Meter, extent

# ---- how large a result will be

Arguments = tuple[Any, ...]
Counted = Callable[[Arguments], int]


def shapes(args: Arguments) -> list[tuple[int, ...]]:
    return [arg.shape for arg in args if isinstance(arg, (np.ndarray, np.generic))]


def broadcast(args: Arguments) -> int:
    """Elements of the broadcast shape; what does not broadcast is left to the engine's own error.

    Without arrays it is a factory, and its numbers are the shape.
    """
    found = shapes(args)
    return broadcast_numel(found) if found else total_size(args)


def broadcast_numel(found: list[tuple[int, ...]]) -> int:
    """Elements of the shape that these are broadcast to."""
    if len(found) == 1:
        return extent(found[0])
    size = 1
    for axis in range(1, max(map(len, found), default=0) + 1):
        size *= max(shape[-axis] for shape in found if len(shape) >= axis) or 1
    return size


def numbers(args: Arguments) -> Iterator[int]:
    """Every whole number among the arguments, also those inside sequences."""
    for arg in args:
        if isinstance(arg, (tuple, list)):
            yield from numbers(tuple(arg))
        elif isinstance(arg, int) and not isinstance(arg, bool):
            yield arg


def total_size(args: Arguments) -> int:
    """The product of all sizes among the arguments."""
    return math.prod(size for size in numbers(args) if size > 0)


def requested_size(args: Arguments) -> int:
    """The product of the sizes asked for (expand, new_zeros, ...)."""
    return math.prod(size for size in numbers(args[1:]) if size > 0)


def repeat_size(args: Arguments) -> int:
    return extent(shapes(args)[0]) * requested_size(args)


def cat_size(args: Arguments) -> int:
    """All parts of a list one behind the other."""
    parts = args[0] if isinstance(args[0], (list, tuple)) else args
    return sum(map(extent, shapes(tuple(parts))))


def block_diag_size(args: Arguments) -> int:
    """All parts of a list one beside and below the other."""
    parts = [(1, 1, *getattr(part, "shape", ()))[-2:] for part in args[0]]
    return int(sum(rows for rows, _ in parts) * sum(columns for _, columns in parts))


class Shaped:
    """What stands for an array where only its shape matters."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


def product(args: Arguments) -> tuple[int, int]:
    """Elements and multiplications of a matrix product."""
    found = [tuple(arg.shape) for arg in args if hasattr(arg, "shape") and arg.shape]
    if len(found) < 2:
        return broadcast(args), 0
    left, right = found[-2], found[-1]
    inner = left[-1]
    rows = left[-2] if len(left) > 1 else 1
    columns = right[-1] if len(right) > 1 else 1
    batch = broadcast_numel([left[:-2], right[:-2]])
    return batch * rows * columns, batch * rows * columns * inner


def product_weight(args: Arguments) -> int:
    """How much longer one multiplication takes than in float32 and float64: for those alone there is BLAS."""
    given = [getattr(arg, "data_", arg) for arg in args]
    dtypes: list[Any] = [arg.dtype for arg in given if isinstance(arg, (np.ndarray, np.generic))]
    found = np.result_type(*dtypes) if dtypes else np.dtype(np.float64)
    if found.kind == "c":
        return 4
    if found.kind == "f":
        return 1 if found.itemsize > 2 else 24
    return 8


def signal_size(args: Arguments) -> int:
    """A transform back to real numbers: so many along the last dimension as are asked for."""
    shape, dims, length = args[0].shape, args[1], args[3]
    others = extent(shape) // max(shape[dims[-1]], 1)
    size: int = max(extent(shape), others * length)
    return size


SMALL = 1 << 12
"""Of so few elements it does not matter how many bytes each has."""
TO_COMPLEX = frozenset(("_fft_r2c", "complex", "polar"))


def in_pairs(op: str, args: Arguments) -> bool:
    """Whether complex numbers are made, which take the room of two."""
    arrays = (arg for arg in args if isinstance(arg, (np.ndarray, np.generic)))
    return op in TO_COMPLEX or any(array.dtype.kind == "c" for array in arrays)


def index_size(args: Arguments) -> int:
    """Indexing by arrays, which are broadcast with one another: so many places, and for each what no array names."""
    base, indices = args[0], args[1] if isinstance(args[1], (list, tuple)) else args[1:]
    taken: list[tuple[int, ...]] = []
    rest, at = 1, 0
    for part in indices:
        mask = part is not None and part.dtype == np.bool_
        if part is None:
            rest *= extent(base.shape[at : at + 1])
        else:
            taken.append((extent(part.shape),) if mask else part.shape)
        at += part.ndim if mask else 1
    return broadcast_numel(taken) * rest * extent(base.shape[at:])


def index_put_size(args: Arguments) -> int:
    """Writing at places: all that is there, and as many rows as the indices have elements."""
    return max(int(args[0].size), index_size(args[:2]))


def embedding_size(args: Arguments) -> int:
    """Rows of a table, one for each index."""
    return int(args[1].size * math.prod(args[0].shape[1:]))


def embedding_backward_size(args: Arguments) -> int:
    """A table of so many rows, and what is added into them."""
    grad, _, rows = args[:3]
    return int(max(grad.size, rows * (grad.shape[-1] if grad.ndim else 1)))


def largest_size(args: Arguments) -> int:
    """The elements of the largest: what belongs together by one dimension only, and not by the last."""
    return max(map(extent, shapes(args)), default=0)


def index_select_size(args: Arguments) -> int:
    """`index_select` and `gather`-like: the base with one dimension as long as the index."""
    base, *rest = args
    (index,) = arrays(tuple(rest))[:1] or (np.zeros(0),)
    return int(base.size // max(min(base.shape, default=1), 1) * index.size)


def arrays(args: Arguments) -> list[np.ndarray[Any, Any]]:
    """Every array among the arguments, also those inside sequences."""
    found: list[np.ndarray[Any, Any]] = []
    for arg in args:
        if isinstance(arg, (tuple, list)):
            found += arrays(tuple(arg))
        elif isinstance(arg, np.ndarray):
            found.append(arg)
    return found


def bincount_size(args: Arguments) -> int:
    """A place for each number up to the largest that is counted."""
    base, _, least = args
    return int(max(int(np.max(base, initial=0)) + 1 if base.dtype.kind in "iu" else 0, least))


def histogram_size(args: Arguments) -> int:
    return int(args[0].size + abs(args[1]))


def diag_size(args: Arguments) -> int:
    """A diagonal becomes a matrix."""
    base = args[0]
    side: int = base.shape[-1] if len(base.shape) == 1 else 1
    return int(math.prod(base.shape) * side)


def largest_multiple_size(args: Arguments) -> int:
    """The elements of the first argument (a number: 1) times the largest number asked for."""
    base = math.prod(getattr(args[0], "shape", ()))
    return base * max(numbers(args[1:]), default=1)


def spatial(base: Any, padding: Any) -> list[int]:
    """The last dimensions of `base` with padding on both sides."""
    sizes = base.shape[base.ndim - len(padding) :]
    return [n + 2 * abs(p) for n, p in zip(sizes, padding, strict=True)]


def window_size(base: Any, kernel: Any, stride: Any, padding: Any) -> int:
    """A window slid over `base`: the padded whole, or every window by itself, whichever is more."""
    outer = math.prod(base.shape[: base.ndim - len(padding)])
    room = spatial(base, padding)
    terms = zip(room, kernel, stride or kernel, strict=True)
    places = [max(n - k, 0) // max(step, 1) + 1 for n, k, step in terms]
    return int(outer * max(math.prod(room), math.prod(places) * math.prod(kernel)))


def convolution_size(args: Arguments) -> int:
    """A convolution, or its transpose, whose result is the longer side."""
    base, weight, _, stride, padding, dilation, transposed, more, _ = args
    kernel = weight.shape[2:]
    if not transposed:
        return window_size(base, kernel, stride, padding)
    terms = zip(base.shape[2:], stride, dilation, kernel, more, strict=True)
    lengths = [n * abs(s) + abs(d) * k + abs(extra) for n, s, d, k, extra in terms]
    windows = math.prod(base.shape[2:]) * math.prod(kernel)
    return int(base.shape[0] * weight.shape[1] * max(math.prod(lengths), windows))


def convolution_backward_size(args: Arguments) -> int:
    grad, base, weight, _, stride, padding, *_ = args
    windows = math.prod(grad.shape[2:]) * math.prod(weight.shape[2:])
    channels = max(base.shape[1], grad.shape[1])
    return int(max(window_size(base, weight.shape[2:], stride, padding), grad.shape[0] * channels * windows))


def rnn_size(args: Arguments) -> int:
    """The gates of a recurrent layer, for every step and example."""
    steps, examples = args[0].shape[:2]
    return int(steps * examples * args[1].shape[0])


def pooling_size(args: Arguments) -> int:
    return window_size(args[0], *args[1:4])


def unfold_image_size(args: Arguments) -> int:
    base, kernel, _, padding, stride = args
    return window_size(base, kernel, stride, padding)


def fold_size(args: Arguments) -> int:
    """Columns added up in an image of the size asked for, with its padding."""
    base, size, _, _, padding, _ = args
    room = math.prod(n + 2 * abs(p) for n, p in zip(size, padding, strict=True))
    return int(max(base.size, math.prod(base.shape[: base.ndim - 1]) * room))


def interpolation_size(args: Arguments) -> int:
    """Images in the size asked for, and the matrices that take lines of the one to lines of the other."""
    base, size = args[0], args[1]
    inner = base.shape[base.ndim - len(size) :]
    maps = sum(n * m for n, m in zip(inner, size, strict=True))
    return int(math.prod(base.shape[: base.ndim - len(size)]) * math.prod(size) + maps + base.size)


def interpolation_backward_size(args: Arguments) -> int:
    """Back to the size of the input, which is given whole."""
    base, size, whole_size = args[:3]
    maps = sum(n * m for n, m in zip(whole_size[2:], size, strict=True))
    return int(math.prod(whole_size) + maps + base.size)


def pad_size(args: Arguments) -> int:
    """Padding: numbers for both sides, from the last dimension on."""
    base, pad = args[0], list(args[1])
    sizes = list(base.shape)
    for i in range(0, len(pad) - 1, 2):
        at = len(sizes) - 1 - i // 2
        sizes[at] += max(pad[i], 0) + max(pad[i + 1], 0)
    return extent(sizes)


def embedding_bag_size(args: Arguments) -> int:
    """Rows of a table, one for each index and one for each bag."""
    weight, indices, offsets = args[:3]
    return int((indices.size + offsets.size) * math.prod(weight.shape[1:]))


def packed_sequence_size(args: Arguments) -> int:
    """At most all of a padded batch, and a number for each step of the longest sequence."""
    input, lengths = args[:2]
    return int(input.size + max(int(np.max(lengths, initial=0)), 0))


def outer_size(args: Arguments) -> int:
    """A place for each pair of elements of the last two."""
    return int(args[1].size * args[2].size)


def pairwise_size(args: Arguments) -> int:
    """The elements of the first, for each element of the second."""
    return math.prod(getattr(args[0], "shape", ())) * math.prod(getattr(args[1], "shape", ()) if args[1:] else ())


def combination_rows_size(args: Arguments) -> int:
    """A row for each pair of rows."""
    base = args[0]
    return int(base.shape[0] * max(base.shape[0] - 1, 0) // 2 * base.shape[1]) if base.ndim == 2 else int(base.size)


def cdist_size(args: Arguments) -> int:
    """A difference for each column of each pair of rows of two."""
    one, two = args[:2]
    return int(
        max(math.prod(one.shape[:-2]), math.prod(two.shape[:-2])) * one.shape[-2] * two.shape[-2] * one.shape[-1]
    )


def attention_size(args: Arguments) -> int:
    """Attention: a score for each pair of a query and a key."""
    query, key = args[:2]
    return int(math.prod(query.shape[:-1]) * key.shape[-2])


def unpool_size(args: Arguments) -> int:
    """Images in the size asked for."""
    base, size = args[0], args[2]
    return int(math.prod(base.shape[: base.ndim - len(size)]) * math.prod(size))


def margin_size(args: Arguments) -> int:
    """Each score beside each other of its row."""
    base = args[0]
    return int(base.size * (base.shape[-1] if base.ndim else 1))


def grid_sample_size(args: Arguments) -> int:
    """Up to four elements along each side for each place of a grid, in every channel of an image."""
    input, grid, mode = args[:3]
    touched = (2, 1, 4)[mode] ** (input.ndim - 2)
    return int(input.size + math.prod(input.shape[:2]) * math.prod(grid.shape[1:-1]) * touched)


def trilinear_size(args: Arguments) -> int:
    """Three tensors with new dimensions, multiplied out."""
    sizes = [1] * (args[0].ndim + len(args[3]))
    for base, expanded in zip(args[:3], args[3:6], strict=True):
        own = [d for d in range(len(sizes)) if d not in expanded]
        for d, n in zip(own, base.shape, strict=True):
            sizes[d] = max(sizes[d], n)
    return math.prod(sizes)


def as_strided_size(args: Arguments) -> int:
    """The elements of a window, also where it shows some twice."""
    return total_size(args[1:2])


def view_size(args: Arguments) -> int:
    """Nothing; of what is empty, what its shape extends to."""
    base = args[0]
    if getattr(base, "size", 1):
        return 0
    return max(
        (extent(base.shape), *(extent([*numbers((part,))]) for part in args[1:] if isinstance(part, (tuple, list))))
    )


PIECE = 3
"""A tensor, even an empty one, takes some room: to have a million of them at once is as much as to have a few large."""


def split_size(args: Arguments) -> int:
    """A view of each row, or of each part, of the first."""
    base, size = args[0], args[1] if len(args) > 1 else 0
    if isinstance(size, (tuple, list)):
        return PIECE * len(size)
    at = args[2] if len(args) > 2 else None
    if at is None:  # unbind takes the dimension alone
        return PIECE * (base.shape[size] if base.ndim and -base.ndim <= size < base.ndim else 0)
    length = base.shape[at] if base.ndim and -base.ndim <= at < base.ndim else 0
    return PIECE * -(-length // max(size, 1))


def unfold_size(args: Arguments) -> int:
    """A window of `size` at each `step` along a dimension."""
    base, dimension, size, step = args
    if not base.ndim or not -base.ndim <= dimension < base.ndim:
        return int(base.size)
    length = base.shape[dimension]
    places = max(length - size, 0) // max(step, 1) + 1
    return int(base.size // max(length, 1) * places * max(size, 1))


def factor_size(args: Arguments) -> int:
    """A factor of a matrix may be as wide as that is high, or the other way round."""
    shape = args[0].shape
    if len(shape) < 2:
        return math.prod(shape)
    return int(math.prod(shape[:-2]) * max(shape[-2:]) ** 2)


def ctc_size(args: Arguments) -> int:
    """A score for each step, example, and place of a target, with a blank between any two."""
    scores, targets, _, lengths = args[:4]
    longest = int(np.max(lengths, initial=0)) if len(lengths) else 0
    steps = scores.shape[0] * (scores.shape[1] if scores.ndim > 2 else 1)
    return int(max(steps * (2 * longest + 1), scores.size, np.size(targets)))


def combinations_size(args: Arguments) -> int:
    """A place for each choice of elements, taken or not."""
    length = math.prod(getattr(args[0], "shape", ()))
    times = next(numbers(args[1:]), 2)
    return int(times * length ** min(max(times, 0), 64))


def sample_size(args: Arguments) -> int:
    """Samples of a distribution: the shape asked for, of as many elements as it has itself."""
    source = args[0]
    own = math.prod((*getattr(source, "batch_shape", ()), *getattr(source, "event_shape", ())))
    return int(own * total_size(args[1:]))


def attention_layer_size(args: Arguments) -> int:
    """Layers of attention: three matrices from the width to itself."""
    width = next(numbers(args), 1)
    return 3 * width * width


EACH = 3_000
"""What a solver takes for a matrix however small, in multiplications."""


def solve_flops(shape: tuple[int, ...], weight: int = 1) -> int:
    """What a solver does for matrices of this shape: so many times the cube of the side, and something, for each."""
    if len(shape) < 2:
        return 0
    return math.prod(shape[:-2]) * (weight * shape[-2] * shape[-1] * max(shape[-2:]) + EACH)


def count_of(items: Any) -> int:
    """How many there are, even where a range has more than Python counts."""
    if isinstance(items, range):
        return max(0, -((items.start - items.stop) // items.step))
    return len(items)


# ---- how long slow functions take: for one element, in steps of 100 nanoseconds
#
# What is not named takes one or less, and what is so whatever the arguments are stands with the operator (`cost`).
# Measured on one thread with the arguments that take longest, which for some depend on the numbers given. Who has a
# slow derivative counts for that: a backward is not charged again.


def largest_number(given: object) -> float:
    """The largest of what is given, 0 at least."""
    return float(np.nan_to_num(np.asarray(given, np.float64), posinf=1e9).max(initial=0))


def term_by_term(order: object, begin: Arguments) -> int:
    """A sum of powers begins at a number, as far below zero as that may be, and goes on to one above the order."""
    below = max((largest_number(-np.asarray(part, np.float64)) for part in begin), default=0.0)
    return int(40 + 4 * (largest_number(order) / 2 + min(below, 1e4)))


def in_memory(args: Arguments) -> int:
    """Normal numbers are drawn all at once for what lies in a row, else one by one."""
    return 5 if all(part.flags.c_contiguous for part in arrays(args)) else 40


WEIGHTS: dict[str, int | Counted] = {
    "polygamma": lambda args: term_by_term(args[0], args[1:]),
    "normal": in_memory,
    "randperm": 5,
    **{name.partition(".")[0]: op.traits["cost"] for name, op in TABLE.items() if "cost" in op.traits},
}


def weight_of(op: str, args: Arguments) -> int:
    """How many steps one element of this call takes."""
    found = WEIGHTS.get(op, 1)
    return found if isinstance(found, int) else found(args)


# ---- which way of counting is for which operator

ASKED: dict[str, Callable[[Arguments], int]] = {
    **dict.fromkeys(
        ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"), total_size
    ),
    **dict.fromkeys(("EmbeddingBag",), total_size),
    **dict.fromkeys(("GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"), total_size),
    **dict.fromkeys(("Linear", "Embedding", "Bilinear", "RNN", "LSTM", "GRU", "randperm", "normal"), total_size),
    **dict.fromkeys(("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm", "RMSNorm", "PReLU"), total_size),
    **dict.fromkeys(("RNNCell", "LSTMCell", "GRUCell"), total_size),
    **dict.fromkeys(("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer"), attention_layer_size),
    **dict.fromkeys(("diag", "diag_embed", "diagflat"), diag_size),
    **dict.fromkeys(("quantile", "nanquantile"), pairwise_size),
    **dict.fromkeys(("one_hot", "multinomial"), largest_multiple_size),
    **dict.fromkeys(("sample", "rsample"), sample_size),
    "as_strided_": as_strided_size,
    "combinations": combinations_size,
}
"""Functions that make something large by themselves, before any operator asks: looked at when they are called."""


UPSAMPLING = ("upsample_nearest1d upsample_nearest2d upsample_linear1d upsample_bilinear2d upsample_bicubic2d").split()

ALONG = (
    "index_add index_copy index_fill nll_loss_forward nll_loss_backward multi_margin_loss "
    "multi_margin_loss_backward nll_loss2d_forward nll_loss2d_backward native_batch_norm native_batch_norm_backward "
    "native_group_norm put take masked_scatter_backward searchsorted"
).split()
"""Operators whose other arrays belong to one dimension of the first."""

SIZES: dict[str, Callable[[Arguments], int]] = {
    "addr": outer_size,
    "repeat": repeat_size,
    "tile": repeat_size,
    "repeat_interleave": repeat_size,
    "index": index_size,
    "index_select": index_select_size,
    **dict.fromkeys(("index_put", "_index_put_impl_"), index_put_size),
    "embedding": embedding_size,
    "embedding_dense_backward": embedding_backward_size,
    **dict.fromkeys(ALONG, largest_size),
    "masked_scatter": lambda args: max(broadcast(args[:2]), largest_size(args)),
    "bincount": bincount_size,
    "histc": histogram_size,
    "cat": cat_size,
    "stack": cat_size,
    "concat": cat_size,
    "block_diag": block_diag_size,
    "convolution": convolution_size,
    "convolution_backward": convolution_backward_size,
    "mkldnn_rnn_layer": rnn_size,
    "im2col": unfold_image_size,
    "col2im": fold_size,
    "constant_pad_nd": pad_size,
    "_embedding_bag": embedding_bag_size,
    "_pack_padded_sequence": packed_sequence_size,
    "_trilinear": trilinear_size,
    "affine_grid_generator": requested_size,
    "grid_sampler_2d": grid_sample_size,
    "grid_sampler_2d_backward": lambda args: grid_sample_size(args[1:]),
    "_grid_sampler_double_backward": lambda args: grid_sample_size(args[3:]),
    **dict.fromkeys(("max_pool2d_with_indices", "avg_pool2d", "max_pool3d_with_indices", "avg_pool3d"), pooling_size),
    **{f"{mode}_pad{n}d": pad_size for mode in ("replication", "reflection") for n in (1, 2)},
    "max_unpool2d": unpool_size,
    "multilabel_margin_loss_forward": margin_size,
    "multilabel_margin_loss_backward": lambda args: margin_size(args[1:]),
    **dict.fromkeys(("_adaptive_avg_pool2d", "adaptive_max_pool2d"), interpolation_size),
    "_adaptive_avg_pool3d": interpolation_size,
    **dict.fromkeys(UPSAMPLING, interpolation_size),
    **{f"{name}_backward": interpolation_backward_size for name in UPSAMPLING},
    "_pdist_forward": combination_rows_size,
    "linalg_qr": lambda args: factor_size(args) if args[1:] == ("complete",) else largest_size(args),
    "_linalg_svd": lambda args: factor_size(args) if True in args[1:2] else largest_size(args),
    "diag_embed": diag_size,
    "_ctc_loss": ctc_size,
    "_euclidean_dist": attention_size,
    "_scaled_dot_product_flash_attention_for_cpu": attention_size,
    "_pdist_backward": lambda args: combination_rows_size(args[1:]),
    "_fft_c2r": signal_size,
}
SVD, EIGH, EIG = 8, 4, 16
"""How much longer a decomposition takes than a product of matrices of its size."""
SOLVERS = {
    **dict.fromkeys(
        (
            "linalg_cholesky_ex linalg_qr _linalg_det _linalg_slogdet cholesky_solve cholesky cholesky_inverse "
            "linalg_inv_ex _linalg_solve_ex linalg_solve_triangular geqrf linalg_householder_product"
        ).split(),
        1,
    ),
    "_linalg_eigh": EIGH,
    "linalg_eig": EIG,
    **dict.fromkeys("_linalg_svd linalg_pinv linalg_matrix_exp linalg_lstsq".split(), SVD),
}
"""Operators whose work grows with the cube of their size: how much longer they take than a product of matrices."""

APART = {"_cdist_forward": 0, "_cdist_backward": 1}
"""Where the rows stand whose distances from one another are taken, with the other rows after them."""

CONVOLUTIONS = frozenset(("convolution", "convolution_backward"))

VIEWS: dict[str, Callable[[Arguments], int]] = {
    **{name.partition(".")[0]: view_size for name, entry in TABLE.items() if entry.view},
    **dict.fromkeys(("unbind", "split", "split_with_sizes", "unsafe_split", "unsafe_split_with_sizes"), split_size),
    **dict.fromkeys(("expand", "broadcast_to"), requested_size),
    "as_strided": as_strided_size,
    "unfold": unfold_size,
}
"""Operators that show memory which is there: they take a step, and what they show may have no more elements than a
tensor. Several tensors take room by themselves."""

SIZED = frozenset("size input_sizes sizes shape normalized_shape self_shape output_size".split())
"""How operators call the size of what they make."""

AT: dict[str, tuple[int, ...]] = {
    name: tuple(at for at, parameter in enumerate(entry.signature.parameters) if parameter in SIZED)
    for name, entry in TABLE.items()
}
"""Where among its arguments an operator finds that."""


def usual_size(name: str, args: Arguments) -> int:
    """What is made by an operator of which nothing else is said: as much as its operands are broadcast to, or as the
    largest of them has, or as it is asked for."""
    sizes = [args[at] for at in AT.get(name, ()) if at < len(args)]
    wanted = [total_size(tuple(size)) for size in sizes if isinstance(size, (tuple, list))]
    return max(broadcast(args), largest_size(args), *wanted, 0)


MOMENT = 8
"""The windows of a convolution are laid out for a moment only, and so are the differences of rows that are compared:
they may be so many times what a tensor may have."""

PRODUCTS = frozenset("mm mv bmm dot matmul addmm addmv baddbmm outer ger linear einsum tensordot".split())


def reserve(meter: Meter) -> Callable[[str, Arguments], None]:
    """The engine's question before each operator: may this be made?"""

    def ask(name: str, args: Arguments) -> None:
        op = name.partition(".")[0]
        if op in SOLVERS:
            flops = max((solve_flops(shape, SOLVERS[op]) for shape in shapes(args)), default=0)
            meter.work(flops * product_weight(args))
        if op in VIEWS:
            meter.fits(VIEWS[op](args))
            return
        if op in PRODUCTS:
            elements, flops = product(args)
            meter.work(flops * product_weight(args))
        elif op in SIZES:
            elements = SIZES[op](args)
        else:
            elements = usual_size(name, args)
        if elements > SMALL and in_pairs(op, args):
            elements *= 2
        if op in APART:
            meter.elements(cdist_size(args[APART[op] :]) // MOMENT)
        meter.elements(elements // MOMENT if op in CONVOLUTIONS else elements, weight_of(op, args))
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
