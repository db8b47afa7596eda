"""Recurrent networks over packed sequences: at each step a batch as large as there are sequences that still go on.

Steps are slices of one tensor. Where the batch shrinks, the states of the sequences that end are put aside; in the
direction from the end, they join as the batch grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from ..ops import join
from ..ops.view import slice_
from ..tensor import Tensor
from .recurrent import State, Weights, grouped, long_short, long_short_cell, stacked
from .shaping import narrow


def rows(state: State, start: int, end: int) -> State:
    """The states of some of the sequences; of a cell first, as in torch."""
    if isinstance(state, tuple):
        cell = rows(state[1], start, end)
        return rows(state[0], start, end), cell
    return slice_(state, 0, start, end, 1)


def joined(states: Sequence[State]) -> State:
    """The states of several groups of sequences, one group below the other; those of cells first."""
    if isinstance(states[0], tuple):
        hidden, cells = zip(*states, strict=True)
        cell = joined(cells)
        return joined(hidden), cell
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
    return join.cat(outputs, 0), joined([state, *reversed(ended)])


def from_the_end(
    cell: Callable[..., State], inputs: Tensor, sizes: Sequence[int], initial: State, weights: Weights
) -> tuple[Tensor, State]:
    """One layer from the last step back: (all hidden states, the last state of each sequence)."""
    ready, end = weights.of_input(inputs), inputs.data_.shape[0]
    state = rows(initial, 0, sizes[-1])
    outputs = []
    for before, size in pairwise((sizes[-1], *reversed(sizes))):
        if size > before:
            state = joined([state, rows(initial, before, size)])
        step = narrow(ready, 0, end - size, size)
        end -= size
        state = cell(step, state, weights, True)
        outputs.append(output_of(state))
    return join.cat(outputs[::-1], 0), state


def layer_of(cell: Callable[..., State], sizes: Sequence[int]) -> Callable[..., Any]:
    def layer(inputs: Tensor, state: State, weights: Weights, reverse: bool) -> Any:
        return (from_the_end if reverse else onwards)(cell, inputs, sizes, state, weights)

    return layer


def simple_network(
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
    weights, states = grouped(params, has_biases), join.unbind(hx, 0)
    output, last = stacked(layer_of(cell, sizes), data, states, weights, 1 + bidirectional, dropout, -1)
    return output, join.stack(last, 0)


def lstm(
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
    weights = grouped(params, has_biases, projected)
    return long_short(layer_of(long_short_cell, sizes), data, hx, weights, 1 + bidirectional, dropout, -1)


def groups(sizes: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Steps one after the other with as many sequences: (the first step, the step after the last, how many)."""
    first = 0
    for at in range(1, len(sizes) + 1):
        if at == len(sizes) or sizes[at] != sizes[first]:
            yield first, at, sizes[first]
            first = at
