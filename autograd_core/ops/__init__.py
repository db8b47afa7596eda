"""The table of operators, in the manner of PyTorch's derivatives.yaml: one short entry each."""

from . import elementwise, index, loss, matmul, reduce, shape

__all__ = ["elementwise", "index", "loss", "matmul", "reduce", "shape"]
