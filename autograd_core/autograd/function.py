"""torch.autograd.function: what programs import from there."""

from ..custom.function import Function, InplaceFunction
from ..custom.node import FunctionCtx
from ..custom.once import once_differentiable

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
