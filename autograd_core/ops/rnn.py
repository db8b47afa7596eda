"""What recurrent layers have of their own: the LSTM layer as one operator, and packed sequences.

Its backward is one computation that gives all gradients; the formulas, one for each input, pick theirs, and the node
does it once for all. It runs through the steps again from the first, as PyTorch does under create_graph, so that it can
be differentiated in turn.

Formula: PyTorch's derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dispatch.inplace import in_place
from ..dispatch.op import both, helper, op
from ..dispatch.registry import GRAPH, RAW
from ..tensor.tensor import Array, Tensor, plain
from . import view
from ._common import wrap
from .fused_backward import together

# ---- the LSTM layer


@both
def lstm_gates(x: Array, hidden: Array, weights: Sequence[Array], biases: Sequence[Array]) -> list[Array]:
    """The four gates of a step: what comes in, what is kept, the new value, what goes out."""
    inner, outer = biases
    if len(inner.shape) == 2:  # zeros in the shape of the weights stand for no biases
        inner, outer = select(inner, 1, 0), select(outer, 1, 0)
    fresh = addmm(inner, x, t(weights[0]))
    pulled = fresh + addmm(outer, hidden, t(weights[1]))
    parts = unsafe_split(pulled, pulled.shape[1] // 4, 1)
    return [bent_sigmoid(parts[0]), bent_sigmoid(parts[1]), bent_tanh(parts[2]), bent_sigmoid(parts[3])]


def bent_sigmoid(part: Any) -> Any:
    """sigmoid, which torch writes over the part; versions tell."""
    return in_place(GRAPH["sigmoid"], part)


def bent_tanh(part: Any) -> Any:
    return in_place(GRAPH["tanh"], part)


helper(bent_sigmoid, lambda part: RAW["sigmoid"](part))
helper(bent_tanh, lambda part: RAW["tanh"](part))


@both
def lstm_gradients(
    grads: Any, input: Array, w_ih: Array, w_hh: Array, b_ih: Array, b_hh: Array, hidden: Array, cell: Array,
    reverse: bool,
) -> list[Array]:  # fmt: skip
    """The gradients of every input of a layer, in their order; those of the two biases are one."""
    weights, biases = (w_ih, w_hh), (b_ih, b_hh)
    length = input.shape[0]
    out = None if grads[0] is None else given_or_zero(grads[0], input)
    by_hidden, by_cell = given_or_zero(grads[1], hidden), given_or_zero(grads[2], cell)
    order = list(range(length))
    if reverse:
        order.reverse()
    before, gates, cells = [], [], []
    for at in order:
        before.append((hidden, cell))
        gates.append(lstm_gates(select(input, 0, at), hidden, weights, biases))
        i, f, g, o = gates[-1]
        kept, new = f * cell, i * g
        cell = kept + new
        hidden = o * tanh(cell)
        cells.append(cell)
    by_step: list[Any] = [None] * length
    by_weight: Any = None
    for step in range(length - 1, -1, -1):
        at = order[step]
        if out is not None:
            by_hidden = select(out, 0, at) + by_hidden
        i, f, g, o = gates[step]
        hidden, cell = before[step]
        flat, steep = tanh(cells[step]), tanh(cells[step])
        slope = one_minus(steep * flat)
        by_cell = by_cell + by_hidden * o * slope
        new, come, passed, kept = by_cell * i, by_cell * g, by_cell * f, by_cell * cell
        gone = by_hidden * tanh(cells[step])
        shut = one_minus(o)
        gone = gone * o * shut
        new = new * one_minus(g * g)
        shut = one_minus(f)
        kept = kept * f * shut
        shut = one_minus(i)
        come = come * i * shut
        pulled = cat([come, kept, new, gone], 1)
        bias = sum_dim(pulled, [0])
        by_step[at] = unsqueeze(mm(pulled, weights[0]), 0)
        by_hidden = mm(pulled, weights[1])
        x = select(input, 0, at)
        mine = [mm(transpose(pulled, 0, 1), x), mm(transpose(pulled, 0, 1), hidden)]
        by_cell = passed
        if by_weight is None:
            by_weight = [bias, *mine]
        else:
            by_weight = [by_weight[0] + bias, by_weight[1] + mine[0], by_weight[2] + mine[1]]
    bias, *by_both = by_weight
    return [cat(by_step, 0), *by_both, bias, twin(bias), by_hidden, by_cell]


def given_or_zero(grad: Any, like: Any) -> Any:
    """`grad` in a row in memory, or zeros in the shape of `like` where none came."""
    from ..api.functions.shape import contiguous

    return plain(np.zeros(like.data_.shape, like.data_.dtype)) if grad is None else contiguous(grad)


def twin(grad: Any) -> Any:
    """The same gradient for another parameter: a tensor of its own, unless it is followed further."""
    return grad


helper(twin, lambda grad: grad.copy())
helper(given_or_zero, lambda grad, like: np.zeros_like(like) if grad is None else grad)


@op(
    "mkldnn_rnn_layer",
    outputs="result0 result1 result2 | result3",
    input=lambda grads, input, weight0, weight1, weight2, weight3, hx_, cx_, result0, result1, result2, reverse, mode,
    hidden_size, num_layers, has_biases, train, bidirectional, batch_sizes, batch_first, result3: lstm_gradients(
        grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse
    )[0],
    weight0=lambda grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse: lstm_gradients(
        grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse
    )[1],
    weight1=lambda grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse: lstm_gradients(
        grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse
    )[2],
    weight2=lambda grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse: lstm_gradients(
        grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse
    )[3],
    weight3=lambda grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse: lstm_gradients(
        grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse
    )[4],
    hx_=lambda grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse: lstm_gradients(
        grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse
    )[5],
    cx_=lambda grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse: lstm_gradients(
        grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse
    )[6],
)  # fmt: skip
def mkldnn_rnn_layer(
    input: Array,
    weight0: Array,
    weight1: Array,
    weight2: Array,
    weight3: Array,
    hx_: Array,
    cx_: Array,
    reverse: bool,
    batch_sizes: Sequence[int],
    mode: int,
    hidden_size: int,
    num_layers: int,
    has_biases: bool,
    bidirectional: bool,
    batch_first: bool,
    train: bool,
) -> tuple[Array, Array, Array, Array]:
    """One layer and direction: (all hidden states, the last hidden state, the last cell state, room for backward)."""
    n = hidden_size
    pulled = np.matmul(input, weight0.T) + (weight2 + weight3 if has_biases else 0)
    out = np.zeros((*input.shape[:2], n), input.dtype)
    hidden, cell = hx_, cx_
    for at in reversed(range(len(input))) if reverse else range(len(input)):
        gates = pulled[at] + np.matmul(hidden, weight1.T)
        i, f, o = (1 / (1 + np.exp(-gates[:, k * n : (k + 1) * n])) for k in (0, 1, 3))
        cell = f * cell + i * np.tanh(gates[:, 2 * n : 3 * n])
        hidden = out[at] = o * np.tanh(cell)
    return out, np.array(hidden), cell, np.zeros(0, np.uint8)


together(
    mkldnn_rnn_layer.op.node_class, "lstm_gradients", True,
    ("input", "weight0", "weight1", "weight2", "weight3", "hx_", "cx_", "reverse"),
)  # fmt: skip


@op("transpose_", node="TransposeBackward1", self=lambda grad, dim0, dim1: transpose(grad, dim0, dim1))
def transpose_result(self: Array, dim0: int, dim1: int) -> Array:
    """A transposed result that is no view: what PyTorch makes where it transposes its own result in place."""
    return np.swapaxes(self, dim0, dim1)


# ---- sequences of different lengths


UNSORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
    "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not "
    "need ONNX exportability."
)


@op(
    "_pack_padded_sequence",
    forward_mode=False,
    outputs="result0 | result1",
    tensors_only=True,
    input=lambda grad, input_sym_sizes, result1, batch_first: pack_backward(
        grad, input_sym_sizes, result1, batch_first
    ),
)
def pack_padded_sequence(input: Array, lengths: Array, batch_first: bool = False) -> tuple[Array, Array]:
    """The elements that are there, step by step, and how many there are at each step.

    Raises:
        RuntimeError: the lengths do not fit the input, are not sorted, or are not positive.
    """
    if not input.size:
        raise RuntimeError("Cannot pack empty tensors.")
    wrap(1, input.ndim)
    steps = np.swapaxes(input, 0, 1) if batch_first else input
    check_lengths(lengths, steps.shape[1])
    sizes = (np.arange(lengths[0])[:, None] < lengths).sum(1)
    return np.concatenate([step[:size] for step, size in zip(steps, sizes, strict=False)]), sizes


def check_lengths(lengths: Array, batch: int) -> None:
    """Whether `lengths` are those of a batch of so many sequences, the longest first."""
    if lengths.ndim != 1:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.ndim}D cpu Long tensor"
        )
    if len(lengths) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size={batch})"
        )
    if lengths[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if (np.diff(lengths) > 0).any():
        raise RuntimeError(UNSORTED)


def pack_backward(grad: Tensor, sizes: Sequence[int], counts: Tensor, batch_first: bool) -> Tensor:
    """What came for the packed elements, in their places among zeros: written step by step, as torch does."""
    shape = (sizes[1], sizes[0], *sizes[2:]) if batch_first else tuple(sizes)
    padded, start = plain(np.zeros(shape, grad.data_.dtype)), 0
    padded.bump()
    for at, count in enumerate(counts.data_.tolist()):
        place = view.slice_(view.select(padded, 0, at), 0, 0, count, 1)
        in_place(GRAPH["copy"], place, view.slice_(grad, 0, start, start + count, 1))
        start += count
    return view.transpose(padded, 0, 1) if batch_first else padded


def pack_backward_raw(grad: Array, sizes: Sequence[int], counts: Array, batch_first: bool) -> Array:
    padded, start = np.zeros(sizes, grad.dtype), 0
    steps = np.swapaxes(padded, 0, 1) if batch_first else padded
    for step, count in zip(steps, counts.tolist(), strict=False):
        step[:count] = grad[start : start + count]
        start += count
    return padded


helper(pack_backward, pack_backward_raw)
