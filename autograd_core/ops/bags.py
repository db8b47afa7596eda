"""Sums, means and maxima over bags of rows of a table, and the bilinear map. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

import string
from collections.abc import Sequence

import numpy as np

from ..op import helper, op
from ..tensor import Array
from .convolution import owned

SUM, MEAN, MAX = 0, 1, 2


def bag_numbers(offsets: Array, count: int) -> Array:
    """For each index the bag it is in, where the bags begin at `offsets`."""
    return np.searchsorted(offsets, np.arange(count), side="right") - 1


def counted(numbers: Array, indices: Array, bags: int, padding_idx: int) -> Array:
    """How many indices each bag holds."""
    return np.bincount(numbers[indices != padding_idx], minlength=bags)


@op(
    "_embedding_bag", forward_mode=False,
    node="EmbeddingBagBackward0",
    outputs=("result0", "result1", "result2", "result3"),
    differentiable=("result0",),
    weight=lambda grad, indices, offsets, weight_sym_argsize_0, scale_grad_by_freq, mode, sparse, per_sample_weights,
    padding_idx, result1, result2, result3: embedding_bag_backward(
        grad, indices, offsets, result1, result2, result3, weight_sym_argsize_0, scale_grad_by_freq, mode, sparse,
        per_sample_weights, padding_idx,
    ),
    per_sample_weights=lambda grad, weight, indices, offsets, mode, padding_idx, per_sample_weights, result1:
    bag_weights_backward(
        grad, weight, indices, offsets, result1, mode, padding_idx
    ),
)  # fmt: skip
def embedding_bag(
    weight: Array,
    indices: Array,
    offsets: Array,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Array | None,
    include_last_offset: bool,
    padding_idx: int,
) -> tuple[Array, Array, Array, Array]:
    """Also: the bag of each index, the sizes of the bags, and where the maxima came from."""
    offsets = offsets[:-1] if include_last_offset else offsets
    bags = len(offsets)
    numbers = bag_numbers(offsets, len(indices))
    kept = indices != padding_idx
    rows = weight[indices[kept]]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[kept, None]
    sizes = counted(numbers, indices, bags, padding_idx)
    out = np.zeros((bags, weight.shape[1]), weight.dtype)
    if mode != MAX:
        np.add.at(out, numbers[kept], rows)
        if mode == SUM:
            return out, numbers, np.zeros(bags, np.int64), np.zeros(bags, np.int64)
        return (out / np.maximum(sizes, 1)[:, None]).astype(weight.dtype), numbers, sizes, sizes.copy()
    best = np.zeros(out.shape, np.int64) if padding_idx < 0 else np.full(out.shape, -1)
    for bag in range(bags):
        mine = indices[kept][numbers[kept] == bag]
        if len(mine):
            best[bag] = mine[np.argmax(weight[mine], 0)]
            out[bag] = np.max(weight[mine], 0)
    return out, numbers, sizes, best


def frequencies(indices: Array, rows: int) -> Array:
    """What the gradient of each row is divided by: torch looks up how often the row is met that stands at the place
    of its number among all different rows in the row of *all* sorted indices, which is another one after repetitions.
    """
    met, out = np.unique(indices), np.ones(rows, np.int64)
    out[met] = np.bincount(indices, minlength=rows)[np.sort(indices)[: len(met)]]
    return out


def no_second(name: str) -> None:
    """Says that there is no derivative here.

    Raises:
        NotImplementedError: always, in torch's words.
    """
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


helper(no_second)


@op(
    "_embedding_bag_backward",
    node="EmbeddingBagBackwardBackward0",
    grad=lambda: no_second("_embedding_bag_backward"),
    per_sample_weights=lambda: no_second("_embedding_bag_backward"),
)
def embedding_bag_backward(
    grad: Array,
    indices: Array,
    offsets: Array,
    numbers: Array,
    sizes: Array,
    best: Array,
    rows: int,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Array | None,
    padding_idx: int,
) -> Array:
    out = np.zeros((rows, grad.shape[1]), grad.dtype)
    if mode == MAX:
        full = sizes > 0
        np.add.at(out, (best[full], np.arange(grad.shape[1])), grad[full])
        return out
    kept = indices != padding_idx
    each = grad[numbers[kept]]
    if mode == MEAN:
        each = each / sizes[numbers[kept], None]
    if per_sample_weights is not None:
        each = each * per_sample_weights[kept, None]
    if scale_grad_by_freq:
        each = each / frequencies(indices, rows)[indices[kept], None]
    np.add.at(out, indices[kept], each)
    return out


@op(
    "_embedding_bag_per_sample_weights_backward",
    node="NotImplemented",
    grad=lambda: not_derived("_embedding_bag_per_sample_weights_backward"),
    weight=lambda: not_derived("_embedding_bag_per_sample_weights_backward"),
)
def bag_weights_backward(
    grad: Array, weight: Array, indices: Array, offsets: Array, numbers: Array, mode: int, padding_idx: int
) -> Array:
    out = np.einsum("ij,ij->i", grad[numbers], weight[indices])
    return np.where(indices == padding_idx, out.dtype.type(0), out)


# ---- the bilinear map


def letters(ndim: int, expanded: Sequence[int]) -> str:
    return "".join(string.ascii_letters[d] for d in range(ndim) if d not in expanded)


@op(
    "_trilinear",
    node="TrilinearBackward0",
    sparing=True,
    i1=lambda grad, i2, i3, expand1, expand2, expand3, sumdim: trilinear(
        grad, i2, i3, sumdim, expand2, expand3, expand1
    ),
    i2=lambda grad, i1, i3, expand1, expand2, expand3, sumdim: trilinear(
        i1, grad, i3, expand1, sumdim, expand3, expand2
    ),
    i3=lambda grad, i1, i2, expand1, expand2, expand3, sumdim: trilinear(
        i1, i2, grad, expand1, expand2, sumdim, expand3
    ),
)
def trilinear(
    i1: Array,
    i2: Array,
    i3: Array,
    expand1: Sequence[int],
    expand2: Sequence[int],
    expand3: Sequence[int],
    sumdim: Sequence[int],
) -> Array:
    """The product of three tensors, each with new dimensions where `expand` says, summed over `sumdim`."""
    ndim = i1.ndim + len(expand1)
    terms = ",".join(letters(ndim, expanded) for expanded in (expand1, expand2, expand3))
    return owned(np.einsum(f"{terms}->{letters(ndim, sumdim)}", i1, i2, i3, optimize=True))
