"""torch.autograd.function: what programs import from there."""

from ..custom.function import Function, InplaceFunction
from ..custom.node import FunctionCtx, once_differentiable
from ..custom.node import FunctionNode as BackwardCFunction

FunctionMeta = type(Function)

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "FunctionMeta", "InplaceFunction", "once_differentiable"]
