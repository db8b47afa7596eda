"""torch.lstm, torch.gru_cell and the like: recurrent networks, composed of the operators that PyTorch composes them of.

A cell takes the input of one step (`ready`: already multiplied by its weight) and the state before, and gives the state
after. A layer takes all inputs at once, multiplies them by the weight together, and walks through them; a stack has
layers on top of each other, each in one or two directions.

Steps are slices of one tensor. Where the batch shrinks, the states of the sequences that end are put aside; in the
direction from the end, they join as the batch grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...dispatch.inplace import in_place
from ...dispatch.schema.schema import composite
from ...engine.warnings import warn_once
from ...ops import binary, join
from ...ops import view as view_ops
from ...ops._common import existing
from ...ops.matmul import linear, matmul
from ...ops.rnn import mkldnn_rnn_layer, transpose_result
from ...ops.unary import relu, sigmoid, tanh
from ...ops.view import slice_
from ...tensor.tensor import Tensor, plain
from .shape import narrow, unsafe_chunk

# ---- padded sequences


State = Any
"""The state of a cell: a hidden state, or with LSTM the pair of hidden and cell state."""

LSTM_MODE = 2
"""oneDNN's number for an LSTM."""
OF_PROJECTIONS = "LSTM with projections is not supported with oneDNN. Using default implementation."


class Weights(NamedTuple):
    """The parameters of one layer in one direction."""

    ih: Tensor
    hh: Tensor
    b_ih: Tensor | None = None
    b_hh: Tensor | None = None
    hr: Tensor | None = None

    def of_input(self, input: Tensor) -> Tensor:
        return linear(input, self.ih, self.b_ih)

    def of_hidden(self, hidden: Tensor) -> Tensor:
        return linear(hidden, self.hh, self.b_hh)


# ---- cells


def simple_cell(nonlinearity: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    def cell(input: Tensor, hidden: Tensor, weights: Weights, ready: bool = False) -> Tensor:
        pulled = weights.of_hidden(hidden)
        return nonlinearity(in_place(binary.add, pulled, input if ready else weights.of_input(input)))

    return cell


def long_short_cell(input: Tensor, state: tuple[Tensor, Tensor], weights: Weights, ready: bool = False) -> State:
    hidden, cell = state
    pulled = weights.of_hidden(hidden)
    parts = chunks(in_place(binary.add, pulled, input if ready else weights.of_input(input)), 4)
    come, kept = in_place(sigmoid, parts[0]), in_place(sigmoid, parts[1])
    new, gone = in_place(tanh, parts[2]), in_place(sigmoid, parts[3])
    held = binary.mul(kept, cell)
    cell = in_place(binary.add, held, binary.mul(come, new))
    hidden = binary.mul(gone, tanh(cell))
    return (hidden if weights.hr is None else matmul(hidden, view_ops.t(weights.hr))), cell


def gated_cell(input: Tensor, hidden: Tensor, weights: Weights, ready: bool = False) -> Tensor:
    inner = chunks(input if ready else weights.of_input(input), 3)
    outer = chunks(weights.of_hidden(hidden), 3)
    reset = in_place(sigmoid, in_place(binary.add, outer[0], inner[0]))
    mix = in_place(sigmoid, in_place(binary.add, outer[1], inner[1]))
    new = in_place(tanh, binary.add(inner[2], in_place(binary.mul, outer[2], reset)))
    return in_place(binary.add, in_place(binary.mul, binary.sub(hidden, new), mix), new)


tanh_cell, relu_cell = simple_cell(tanh), simple_cell(relu)


def chunks(tensor: Tensor, count: int) -> tuple[Tensor, ...]:
    """`count` equal parts along the second dimension, which share memory but no versions."""
    return unsafe_chunk(tensor, count, 1)


def length(tensor: Tensor, dim: int) -> int:
    """The length of a dimension.

    Raises:
        IndexError: there is none.
    """
    found: int = tensor.data_.shape[existing(dim, tensor.data_.ndim)]
    return found


def check_cell(gates: int, input: Tensor, hidden: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor) -> None:
    """Whether sizes fit.

    Raises:
        RuntimeError: they do not, in torch's words.
    """
    size = length(w_hh, 1)
    for name, weight in (("weight_ih", w_ih), ("weight_hh", w_hh)):
        if length(weight, 0) != gates * size:
            raise RuntimeError(
                f"{name} first dim must be {gates} * hidden_size = {gates * size}, but got {length(weight, 0)}"
            )
    if length(input, 1) != length(w_ih, 1):
        raise RuntimeError(f"input has inconsistent input_size: got {length(input, 1)} expected {length(w_ih, 1)}")
    for i, held in enumerate(hidden):
        if length(input, 0) != length(held, 0):
            raise RuntimeError(
                f"Input batch size {length(input, 0)} doesn't match hidden{i} batch size {length(held, 0)}"
            )
        if length(held, 1) != size:
            raise RuntimeError(f"hidden{i} has inconsistent hidden_size: got {length(held, 1)}, expected {size}")


@composite("""
    rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor: \
        function
    """)
def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    check_cell(1, input, (hx,), w_ih, w_hh)
    return tanh_cell(input, hx, Weights(w_ih, w_hh, b_ih, b_hh))


@composite("""
    rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor: \
        function
    """)
def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    check_cell(1, input, (hx,), w_ih, w_hh)
    return relu_cell(input, hx, Weights(w_ih, w_hh, b_ih, b_hh))


@composite("""
    gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor: \
        function
    """)
def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    check_cell(3, input, (hx,), w_ih, w_hh)
    return gated_cell(input, hx, Weights(w_ih, w_hh, b_ih, b_hh))


@composite("""
    lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, \
        Tensor): function
    """)
def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    if isinstance(hx, Tensor):
        raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    check_cell(4, input, hx, w_ih, w_hh)
    return long_short_cell(input, (hx[0], hx[1]), Weights(w_ih, w_hh, b_ih, b_hh))


# ---- layers


def run_layer(cell: Callable[..., State], inputs: Tensor, state: State, weights: Weights, reverse: bool) -> Any:
    """One layer in one direction: (all hidden states, the last state)."""
    steps = join.unbind(weights.of_input(inputs), 0)
    if not steps:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    outputs = []
    for step in reversed(steps) if reverse else steps:
        state = cell(step, state, weights, True)
        outputs.append(state[0] if isinstance(state, tuple) else state)
    return join.stack(outputs[::-1] if reverse else outputs, 0), state


def layer_of(cell: Callable[..., State]) -> Callable[..., Any]:
    def layer(inputs: Tensor, state: State, weights: Weights, reverse: bool) -> Any:
        return run_layer(cell, inputs, state, weights, reverse)

    return layer


def run_layers(
    layer: Callable[..., Any],
    inputs: Tensor,
    states: Sequence[State],
    weights: Sequence[Weights],
    directions: int,
    dropout: float,
    along: int = 2,
) -> tuple[Tensor, list[State]]:
    """Layers on top of each other: (the outputs of the last, the last state of each layer and direction).

    The outputs of two directions are joined along the dimension `along`.
    """
    from ...nn.functional import dropout as dropped

    last: list[State] = []
    for first in range(0, len(weights), directions):
        outputs = []
        for at in range(first, first + directions):
            output, state = layer(inputs, states[at], weights[at], at > first)
            outputs.append(output)
            last.append(state)
        inputs = outputs[0] if directions == 1 else join.cat(outputs, along)
        if dropout and first + directions < len(weights):
            inputs = dropped(inputs, dropout)
    return inputs, last


def group_parameters(params: Sequence[Tensor], has_biases: bool, projected: bool = False) -> list[Weights]:
    """The flat list of parameters by layer and direction."""
    size = (4 if has_biases else 2) + projected
    if len(params) % size:
        raise RuntimeError("got an incorrect number of RNN parameters")
    found = []
    for at in range(0, len(params), size):
        own = list(params[at : at + size])
        hr = own.pop() if projected else None
        b_ih, b_hh = own[2:] if has_biases else (None, None)
        found.append(Weights(own[0], own[1], b_ih, b_hh, hr))
    return found


def simple_network(name: str, cell: Callable[..., State]) -> Callable[..., tuple[Tensor, Tensor]]:
    """torch.gru, torch.rnn_tanh and torch.rnn_relu: (outputs, last hidden states)."""

    @composite(f"""
        {name}.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, \
            float dropout, bool train, bool bidirectional) -> (Tensor, Tensor): function
        {name}.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, \
            bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor): function
        """)
    def network(
        input: Tensor,
        hx: Tensor,
        params: Sequence[Tensor],
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> tuple[Tensor, Tensor]:
        inputs = view_ops.transpose(input, 0, 1) if batch_first else input
        weights = group_parameters(params, has_biases)
        states = join.unbind(hx, 0)
        used = dropout if train else 0.0
        output, last = run_layers(layer_of(cell), inputs, states, weights, 1 + bidirectional, used)
        final = join.stack(last, 0)
        return swap_batch(output, batch_first), final

    return network


rnn_tanh, rnn_relu, gru = (
    simple_network(name, cell) for name, cell in (("rnn_tanh", tanh_cell), ("rnn_relu", relu_cell), ("gru", gated_cell))
)


def swap_batch(output: Tensor, batch_first: bool) -> Tensor:
    """The outputs with the batch first, which torch does in place."""
    if not batch_first:
        return output
    result = transpose_result(output, 0, 1)
    result.bump()
    return result


@composite("""
    lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float \
        dropout, bool train, bool bidirectional) -> (Tensor, Tensor, Tensor): function
    lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool \
        train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor): function
    """)
def lstm(
    input: Tensor,
    hx: Sequence[Tensor],
    params: Sequence[Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """(outputs, last hidden states, last cell states)."""
    projected = hx[0].data_.shape[2] != hx[1].data_.shape[2]
    weights = group_parameters(params, has_biases, projected)
    used = dropout if train else 0.0
    if input.data_.dtype == np.float32 and input.data_.size and not projected:
        return fused_lstm(input, hx, weights, has_biases, used, train, bidirectional, batch_first)
    if input.data_.dtype == np.float32 and input.data_.size:
        warn_once("lstm with projections", OF_PROJECTIONS)
    inputs = view_ops.transpose(input, 0, 1) if batch_first else input
    output, hidden, cell = long_short(layer_of(long_short_cell), inputs, hx, weights, 1 + bidirectional, used)
    return (view_ops.transpose(output, 0, 1) if batch_first else output), hidden, cell


def long_short(
    layer: Callable[..., Any], inputs: Tensor, hx: Sequence[Tensor], weights: Any, *options: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """(outputs, last hidden states, last cell states) of layers that carry both; `options` are those of `stacked`."""
    states = list(zip(join.unbind(hx[0], 0), join.unbind(hx[1], 0), strict=True))
    output, last = run_layers(layer, inputs, states, weights, *options)
    cell = join.stack([c for _, c in last], 0)
    return output, join.stack([h for h, _ in last], 0), cell


def fused_lstm(
    input: Tensor, hx: Sequence[Tensor], weights: Sequence[Weights], has_biases: bool, dropout: float, train: bool,
    bidirectional: bool, batch_first: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The way through oneDNN, which takes a layer at a time."""
    directions = 1 + bidirectional
    layers = len(weights) // directions
    inputs = input
    if batch_first:
        inputs = view_ops.transpose(input, 0, 1)
        inputs = inputs if inputs.data_.flags.c_contiguous else join.clone(inputs, True)
    order = iter(range(len(weights)))

    def layer(inputs: Tensor, state: None, own: Weights, reverse: bool) -> Any:
        at = next(order)
        hidden, cell = view_ops.select(hx[0], 0, at), view_ops.select(hx[1], 0, at)
        blank = plain(np.zeros(own.ih.data_.shape, np.float32))
        biases = (own.b_ih, own.b_hh) if has_biases else (blank, plain(np.zeros(own.hh.data_.shape, np.float32)))
        size = own.hh.data_.shape[1]
        facts: tuple[Any, ...] = ([], LSTM_MODE, size, layers, has_biases, bidirectional, batch_first, train)
        got = mkldnn_rnn_layer(inputs, own.ih, own.hh, *biases, hidden, cell, reverse, *facts)
        return got[0], (got[1], got[2])

    output, last = run_layers(layer, inputs, [None] * len(weights), weights, directions, dropout, -1)
    final = join.stack([h for h, _ in last], 0), join.stack([c for _, c in last], 0)
    return (view_ops.transpose(output, 0, 1) if batch_first else output), *final


# ---- packed sequences


def rows(state: State, start: int, end: int) -> State:
    """The states of some of the sequences; of a cell first, as in torch."""
    if isinstance(state, tuple):
        cell = rows(state[1], start, end)
        return rows(state[0], start, end), cell
    return slice_(state, 0, start, end, 1)


def cat_states(states: Sequence[State]) -> State:
    """The states of several groups of sequences, one group below the other; those of cells first."""
    if isinstance(states[0], tuple):
        hidden, cells = zip(*states, strict=True)
        cell = cat_states(cells)
        return cat_states(hidden), cell
    return join.cat(list(states), 0)


def output_of(state: State) -> Tensor:
    hidden: Tensor = state[0] if isinstance(state, tuple) else state
    return hidden


def onwards(
    cell: Callable[..., State], inputs: Tensor, sizes: Sequence[int], state: State, weights: Weights
) -> tuple[Tensor, State]:
    """One layer from the first step on: (all hidden states, the last state of each sequence)."""
    ready, start = weights.of_input(inputs), 0
    outputs, ended = [], []
    for before, size in pairwise((sizes[0], *sizes)):
        step = narrow(ready, 0, start, size)
        start += size
        if size < before:
            ended.append(rows(state, size, before))
            state = rows(state, 0, size)
        state = cell(step, state, weights, True)
        outputs.append(output_of(state))
    return join.cat(outputs, 0), cat_states([state, *reversed(ended)])


def from_the_end(
    cell: Callable[..., State], inputs: Tensor, sizes: Sequence[int], initial: State, weights: Weights
) -> tuple[Tensor, State]:
    """One layer from the last step back: (all hidden states, the last state of each sequence)."""
    ready, end = weights.of_input(inputs), inputs.data_.shape[0]
    state = rows(initial, 0, sizes[-1])
    outputs = []
    for before, size in pairwise((sizes[-1], *reversed(sizes))):
        if size > before:
            state = cat_states([state, rows(initial, before, size)])
        step = narrow(ready, 0, end - size, size)
        end -= size
        state = cell(step, state, weights, True)
        outputs.append(output_of(state))
    return join.cat(outputs[::-1], 0), state


def packed_layer_of(cell: Callable[..., State], sizes: Sequence[int]) -> Callable[..., Any]:
    def layer(inputs: Tensor, state: State, weights: Weights, reverse: bool) -> Any:
        return (from_the_end if reverse else onwards)(cell, inputs, sizes, state, weights)

    return layer


def packed_network(
    cell: Callable[..., State],
    data: Tensor,
    sizes: Sequence[int],
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: bool,
    dropout: float,
    bidirectional: bool,
) -> tuple[Tensor, Tensor]:
    """torch.rnn_tanh, torch.rnn_relu and torch.gru of packed data: (outputs, last hidden states)."""
    weights, states = group_parameters(params, has_biases), join.unbind(hx, 0)
    output, last = run_layers(packed_layer_of(cell, sizes), data, states, weights, 1 + bidirectional, dropout, -1)
    return output, join.stack(last, 0)


def packed_lstm(
    data: Tensor,
    sizes: Sequence[int],
    hx: Sequence[Tensor],
    params: Sequence[Tensor],
    has_biases: bool,
    dropout: float,
    bidirectional: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """torch.lstm of packed data: (outputs, last hidden states, last cell states)."""
    projected = hx[0].data_.shape[2] != hx[1].data_.shape[2]
    weights = group_parameters(params, has_biases, projected)
    return long_short(packed_layer_of(long_short_cell, sizes), data, hx, weights, 1 + bidirectional, dropout, -1)


def groups(sizes: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Steps one after the other with as many sequences: (the first step, the step after the last, how many)."""
    first = 0
    for at in range(1, len(sizes) + 1):
        if at == len(sizes) or sizes[at] != sizes[first]:
            yield first, at, sizes[first]
            first = at
