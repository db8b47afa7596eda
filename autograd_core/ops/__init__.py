"""The table of operators, in the manner of PyTorch's derivatives.yaml: one short entry each."""

from . import (
    activations,
    attention,
    elementwise,
    index,
    loss,
    losses,
    matmul,
    normalization,
    recurrent,
    reduce,
    sampling,
    shape,
)

__all__ = [
    "activations",
    "attention",
    "elementwise",
    "index",
    "loss",
    "losses",
    "matmul",
    "normalization",
    "recurrent",
    "reduce",
    "sampling",
    "shape",
]
