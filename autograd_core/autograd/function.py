"""torch.autograd.function: what programs import from there."""

from ..function import Function, FunctionNode, once_differentiable

FunctionCtx = FunctionNode

__all__ = ["Function", "FunctionCtx", "once_differentiable"]
