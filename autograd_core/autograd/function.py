"""torch.autograd.function: what programs import from there."""

from ..function import Function, FunctionCtx, InplaceFunction, once_differentiable

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
