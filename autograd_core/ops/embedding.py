"""Rows of a table, looked up by their numbers: embedding, embedding_bag. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

import numpy as np

from .. import errors
from ..dispatch.op import both, helper, op
from ..tensor.tensor import Array

# ---- embedding


@op(
    "embedding",
    weight=lambda grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq, sparse: embedding_backward(
        grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq
    ),
)
def embedding(
    weight: Array, indices: Array, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Array:
    data = np.asarray(indices)
    if data.dtype.kind != "i":
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{errors.legacy_type(data.dtype)} instead (while checking arguments for embedding)"
        )
    if data.size and (data.max() >= weight.shape[0] or data.min() < 0):
        raise IndexError("index out of range in self")
    return weight[data]


@op(
    "embedding_dense_backward",
    grad_output=lambda grad, indices, padding_idx: embedding_double(grad, indices, padding_idx),
)
def embedding_backward(
    grad_output: Array, indices: Array, num_weights: int, padding_idx: int, scale_grad_by_freq: bool = False
) -> Array:
    out = np.zeros((num_weights, grad_output.shape[-1]), grad_output.dtype)
    at = np.asarray(indices)
    keep = at != padding_idx
    np.add.at(out, at[keep], grad_output[keep])
    if scale_grad_by_freq:
        out /= np.maximum(np.bincount(at[keep], minlength=num_weights), 1).astype(out.dtype)[:, None]
    return out


@both
def embedding_double(grad: Array, indices: Array, padding_idx: int) -> Array:
    rows = embedding(grad, indices, padding_idx)
    return rows if padding_idx < 0 else masked_fill(rows, unsqueeze(indices == padding_idx, -1), 0)


# ---- bags of rows


SUM, MEAN, MAX = 0, 1, 2


def bag_numbers(offsets: Array, count: int) -> Array:
    """For each index the bag it is in, where the bags begin at `offsets`."""
    return np.searchsorted(offsets, np.arange(count), side="right") - 1


def bag_sizes(numbers: Array, indices: Array, bags: int, padding_idx: int) -> Array:
    """How many indices each bag holds."""
    return np.bincount(numbers[indices != padding_idx], minlength=bags)


@op(
    "_embedding_bag", forward_mode=False,
    node="EmbeddingBagBackward0",
    outputs="result0 | result1 result2 result3",
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
    sizes = bag_sizes(numbers, indices, bags, padding_idx)
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
