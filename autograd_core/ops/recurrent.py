"""What recurrent layers have of their own: the LSTM layer that PyTorch hands to oneDNN as one operator, for float32.

Its backward is one computation that gives all gradients; the formulas, one for each input, pick theirs, and the node
does it once for all. It runs through the steps again from the first, as PyTorch does under create_graph, so that it can
be differentiated in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..inplace import in_place
from ..op import GRAPH, RAW, both, helper, op
from ..tensor import Array
from .together import together


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
    from ..functions.shaping import contiguous
    from ..tensor import plain

    return plain(np.zeros(like.data_.shape, like.data_.dtype)) if grad is None else contiguous(grad)


def twin(grad: Any) -> Any:
    """The same gradient for another parameter: a tensor of its own, unless it is followed further."""
    return grad


helper(twin, lambda grad: grad.copy())
helper(given_or_zero, lambda grad, like: np.zeros_like(like) if grad is None else grad)


@op(
    "mkldnn_rnn_layer",
    outputs=("result0", "result1", "result2", "result3"),
    differentiable=("result0", "result1", "result2"),
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


@op(
    "transpose_",
    node="TransposeBackward1",
    self=lambda grad, dim0, dim1: transpose(grad, dim0, dim1),
)
def transpose_result(self: Array, dim0: int, dim1: int) -> Array:
    """A transposed result that is no view: what PyTorch makes where it transposes its own result in place."""
    return np.swapaxes(self, dim0, dim1)
