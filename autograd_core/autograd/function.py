"""torch.autograd.function: what programs import from there."""

from ..function import Function, InplaceFunction
from ..function_node import FunctionCtx
from ..once import once_differentiable

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
