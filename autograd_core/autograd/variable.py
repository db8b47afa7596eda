"""torch.autograd.variable: tensors by their old name."""

from .legacy import Variable

__all__ = ["Variable"]
