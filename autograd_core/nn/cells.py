"""Recurrent cells: one step of a network."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..functions.rnn import gru_cell, lstm_cell, rnn_relu_cell, rnn_tanh_cell
from ..ops.view import squeeze_dim, unsqueeze
from ..tensor import Tensor, plain
from . import init
from .layers import blank, rank_of
from .module import Module
from .parameter import Parameter


class Recurrent(Module):
    """What all have in common: the sizes, and parameters drawn evenly by the number of hidden units."""

    input_size: int
    hidden_size: int

    def reset_parameters(self) -> None:
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)


class RNNCellBase(Recurrent):
    """One step of a network, for a batch or a single input."""

    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        self.weight_ih = blank((rows, input_size), dtype, device)
        self.weight_hh = blank((rows, hidden_size), dtype, device)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, blank((rows,), dtype, device) if bias else None)
        self.reset_parameters()

    def extra_repr(self) -> str:
        shown = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            shown += f", bias={self.bias}"
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        return shown if nonlinearity == "tanh" else f"{shown}, nonlinearity={nonlinearity}"

    def weights(self) -> tuple[Any, ...]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def checked(self, what: str, value: Tensor) -> Tensor:
        rank = rank_of(value)
        if rank not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected {what} to be 1D or 2D, got {rank}D instead")
        return value

    def zeros(self, input: Tensor) -> Tensor:
        return plain(np.zeros((input.data_.shape[0], self.hidden_size), input.data_.dtype))


class SimpleCell(RNNCellBase):
    """A cell whose state is one tensor."""

    def step(self, input: Tensor, hidden: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        self.checked("input", input)
        if hx is not None:
            self.checked("hidden", hx)
        alone = input.data_.ndim == 1
        if alone:
            input = unsqueeze(input, 0)
        if hx is None:
            hx = self.zeros(input)
        elif alone:
            hx = unsqueeze(hx, 0)
        result = self.step(input, hx)
        return squeeze_dim(result, 0) if alone else result


class RNNCell(SimpleCell):
    """`tanh(W_ih x + b_ih + W_hh h + b_hh)`, or with relu."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def step(self, input: Tensor, hidden: Tensor) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        cell = rnn_tanh_cell if self.nonlinearity == "tanh" else rnn_relu_cell
        return cell(input, hidden, *self.weights())


class GRUCell(SimpleCell):
    """A cell with a gate that resets and a gate that mixes."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def step(self, input: Tensor, hidden: Tensor) -> Tensor:
        return gru_cell(input, hidden, *self.weights())


class LSTMCell(RNNCellBase):
    """A cell with a memory beside its hidden state."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        self.checked("input", input)
        for i, held in enumerate(() if hx is None else hx):
            self.checked(f"hx[{i}]", held)
        alone = input.data_.ndim == 1
        if alone:
            input = unsqueeze(input, 0)
        if hx is None:
            zeros = self.zeros(input)
            hx = zeros, zeros
        elif alone:
            hx = unsqueeze(hx[0], 0), unsqueeze(hx[1], 0)
        hidden, cell = lstm_cell(input, hx, *self.weights())
        return (squeeze_dim(hidden, 0), squeeze_dim(cell, 0)) if alone else (hidden, cell)
