"""Recurrent networks: their cells, and whole sequences."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..api.functions import rnn
from ..engine.state import ask_room
from ..ops.view import squeeze_dim, unsqueeze
from ..tensor.tensor import Tensor, plain
from . import init
from .attributes import part_of
from .linear import blank, rank_of
from .module import Module
from .parameter import Parameter
from .utils.rnn import PackedSequence

# ---- cells: one step of a network


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
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
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

    def check_rank(self, what: str, value: Tensor) -> Tensor:
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
        self.check_rank("input", input)
        if hx is not None:
            self.check_rank("hidden", hx)
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
        cell = rnn.rnn_tanh_cell if self.nonlinearity == "tanh" else rnn.rnn_relu_cell
        return cell(input, hidden, *self.weights())


class GRUCell(SimpleCell):
    """A cell with a gate that resets and a gate that mixes."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def step(self, input: Tensor, hidden: Tensor) -> Tensor:
        return rnn.gru_cell(input, hidden, *self.weights())


class LSTMCell(RNNCellBase):
    """A cell with a memory beside its hidden state."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        self.check_rank("input", input)
        for i, held in enumerate(() if hx is None else hx):
            self.check_rank(f"hx[{i}]", held)
        alone = input.data_.ndim == 1
        if alone:
            input = unsqueeze(input, 0)
        if hx is None:
            zeros = self.zeros(input)
            hx = zeros, zeros
        elif alone:
            hx = unsqueeze(hx[0], 0), unsqueeze(hx[1], 0)
        hidden, cell = rnn.lstm_cell(input, hx, *self.weights())
        return (squeeze_dim(hidden, 0), squeeze_dim(cell, 0)) if alone else (hidden, cell)


# ---- sequences


class RNNBase(Recurrent):
    """Layers of cells, in one or both directions of time, over whole sequences."""

    GATES: ClassVar[dict[str, int]] = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout, self.bidirectional = bias, batch_first, float(dropout), bidirectional
        self.proj_size = proj_size
        self.check_options(dropout)
        rows = self.GATES[mode] * hidden_size
        out = proj_size or hidden_size
        self._all_weights: list[list[str]] = []
        ask_room(num_layers * 256)  # four parameters, each of which takes as much memory as 64 numbers
        for layer in range(num_layers):
            width = out * (1 + bidirectional) if layer else input_size
            shapes = {"weight_ih": (rows, width), "weight_hh": (rows, out)}
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {}  # type: ignore[dict-item]
            shapes |= {"weight_hr": (proj_size, hidden_size)} if proj_size else {}
            for suffix in ("", "_reverse")[: 1 + bidirectional]:
                names = [f"{name}_l{layer}{suffix}" for name in shapes]
                for name, shape in zip(names, shapes.values(), strict=True):
                    self.register_parameter(name, blank(shape, dtype, device))
                self._all_weights.append(names)
        self.reset_parameters()

    def check_options(self, dropout: Any) -> None:
        if isinstance(dropout, bool) or not isinstance(dropout, int | float) or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={self.num_layers}",
                stacklevel=1,
            )
        for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
            if kind is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")

    @property
    def all_weights(self) -> list[list[Parameter]]:
        return [[part_of(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Any]:
        """The weights in the order of calls; those that are made of others anew are as they are now."""
        return [part_of(self, name, None) for name in self._flat_weights_names]

    def flatten_parameters(self) -> None:
        """Nothing to do on the cpu."""

    def extra_repr(self) -> str:
        usual = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0}
        usual["bidirectional"] = False
        shown = [f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *shown])

    # ---- what calls have in common

    def batch_dim(self) -> int:
        return 0 if self.batch_first else 1

    def sequence(self, input: Tensor) -> Tensor:
        """The input as a batch.

        Raises:
            ValueError: it has not 2 or 3 dimensions.
        """
        rank = rank_of(input)
        if rank not in (2, 3):
            ending = " tensor instead" if self.mode.startswith("RNN") else " instead"
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {rank}D{ending}")
        return input if rank == 3 else unsqueeze(input, self.batch_dim())

    def state_shape(self, batch: int, size: int) -> tuple[int, int, int]:
        return self.num_layers * (1 + self.bidirectional), batch, size

    def zeros(self, input: Tensor, size: int, batch: int | None = None) -> Tensor:
        batch = input.data_.shape[self.batch_dim()] if batch is None else batch
        return plain(np.zeros(self.state_shape(batch, size), input.data_.dtype))

    def check_input(self, input: Tensor, rank: int = 3) -> None:
        kind = part_of(self, self._all_weights[0][0]).dtype
        if input.dtype != kind:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({kind}). Convert input: "
                f"input.to({kind}), or convert model: model.to({input.dtype})"
            )
        if input.data_.ndim != rank:
            raise RuntimeError(f"input must have {rank} dimensions, got {input.data_.ndim}")
        if input.data_.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.data_.shape[-1]}"
            )

    def check_hidden(self, what: str, held: Tensor, input: Tensor, size: int) -> None:
        self.check_state(what, held, self.state_shape(input.data_.shape[self.batch_dim()], size))

    def check_state(self, what: str, held: Tensor, expected: tuple[int, int, int]) -> None:
        if held.data_.shape != expected:
            raise RuntimeError(f"Expected {what} size {expected}, got {list(held.data_.shape)}")

    def packed_options(self) -> tuple[Any, ...]:
        return self._flat_weights, self.bias, self.dropout if self.training else 0.0, self.bidirectional

    def options(self) -> tuple[Any, ...]:
        return (
            self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
            self.batch_first,
        )  # fmt: skip


def reorder(state: Tensor, order: Tensor | None) -> Tensor:
    """The states of the sequences in another order."""
    return state if order is None else state.index_select(1, order)


class SimpleNetwork(RNNBase):
    """A network whose state is one tensor."""

    def network(self) -> Callable[..., tuple[Tensor, Tensor]]:
        raise NotImplementedError

    def cell(self) -> Callable[..., Tensor]:
        raise NotImplementedError

    def packed(self, input: PackedSequence, hx: Tensor | None) -> tuple[PackedSequence, Tensor]:
        data, batch_sizes, order, back = input
        sizes = batch_sizes.data_.tolist()
        hx = self.zeros(data, self.hidden_size, sizes[0]) if hx is None else reorder(hx, order)
        self.check_input(data, 2)
        self.check_state("hidden", hx, self.state_shape(sizes[0], self.hidden_size))
        output, hidden = rnn.packed_network(self.cell(), data, sizes, hx, *self.packed_options())
        return PackedSequence(output, batch_sizes, order, back), reorder(hidden, back)

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        if isinstance(input, PackedSequence):
            return self.packed(input, hx)
        inputs = self.sequence(input)
        alone = inputs is not input
        if hx is None:
            hx = self.zeros(inputs, self.hidden_size)
        else:
            rank = rank_of(hx)
            if alone and rank != 2:
                raise RuntimeError(f"For unbatched 2-D input, hx should also be 2-D but got {rank}-D tensor")
            if not alone and rank != 3:
                raise RuntimeError(f"For batched 3-D input, hx should also be 3-D but got {rank}-D tensor")
            hx = unsqueeze(hx, 1) if alone else hx
        self.check_input(inputs)
        self.check_hidden("hidden", hx, inputs, self.hidden_size)
        output, hidden = self.network()(inputs, hx, *self.options())
        if alone:
            output, hidden = squeeze_dim(output, self.batch_dim()), squeeze_dim(hidden, 1)
        return output, hidden


class RNN(SimpleNetwork):
    """Layers of `tanh(W_ih x + b_ih + W_hh h + b_hh)`, or with relu."""

    def __init__(self, *args: Any, **options: Any) -> None:
        if "proj_size" in options:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            nonlinearity, args = args[3], (*args[:3], *args[4:])
        else:
            nonlinearity = options.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **options)
        self.nonlinearity = nonlinearity

    def network(self) -> Callable[..., tuple[Tensor, Tensor]]:
        return rnn.rnn_tanh if self.mode == "RNN_TANH" else rnn.rnn_relu

    def cell(self) -> Callable[..., Tensor]:
        return rnn.tanh_cell if self.mode == "RNN_TANH" else rnn.relu_cell


class GRU(SimpleNetwork):
    """Layers of cells with a gate that resets and a gate that mixes."""

    def __init__(self, *args: Any, **options: Any) -> None:
        if "proj_size" in options:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **options)

    def network(self) -> Callable[..., tuple[Tensor, Tensor]]:
        return rnn.gru

    def cell(self) -> Callable[..., Tensor]:
        return rnn.gated_cell


class LSTM(RNNBase):
    """Layers of cells with a memory beside their hidden state."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__("LSTM", *args, **options)

    def packed(
        self, input: PackedSequence, hx: tuple[Tensor, Tensor] | None
    ) -> tuple[PackedSequence, tuple[Tensor, Tensor]]:
        data, batch_sizes, order, back = input
        sizes = batch_sizes.data_.tolist()
        if hx is None:
            out = self.proj_size or self.hidden_size
            hx = self.zeros(data, out, sizes[0]), self.zeros(data, self.hidden_size, sizes[0])
        else:
            hx = reorder(hx[0], order), reorder(hx[1], order)
        output, hidden, cell = rnn.packed_lstm(data, sizes, hx, *self.packed_options())
        return PackedSequence(output, batch_sizes, order, back), (reorder(hidden, back), reorder(cell, back))

    def forward(self, input: Any, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Any, tuple[Tensor, Tensor]]:
        if isinstance(input, PackedSequence):
            return self.packed(input, hx)
        inputs = self.sequence(input)
        alone = inputs is not input
        out = self.proj_size or self.hidden_size
        if hx is None:
            hx = self.zeros(inputs, out), self.zeros(inputs, self.hidden_size)
        else:
            ranks, words = (rank_of(hx[0]), rank_of(hx[1])), "unbatched 2-D" if alone else "batched 3-D"
            if ranks != ((2, 2) if alone else (3, 3)):
                raise RuntimeError(
                    f"For {words} input, hx and cx should also be {words[-3:]} but got ({ranks[0]}-D, {ranks[1]}-D) "
                    "tensors"
                )
            hx = (unsqueeze(hx[0], 1), unsqueeze(hx[1], 1)) if alone else (hx[0], hx[1])
        self.check_input(inputs)
        self.check_hidden("hidden[0]", hx[0], inputs, out)
        self.check_hidden("hidden[1]", hx[1], inputs, self.hidden_size)
        output, hidden, cell = rnn.lstm(inputs, hx, *self.options())
        if alone:
            output = squeeze_dim(output, self.batch_dim())
            hidden, cell = squeeze_dim(hidden, 1), squeeze_dim(cell, 1)
        return output, (hidden, cell)
