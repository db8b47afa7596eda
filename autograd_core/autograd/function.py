"""torch.autograd.function: what programs import from there."""

from ..function import Function, FunctionCtx, once_differentiable

__all__ = ["Function", "FunctionCtx", "once_differentiable"]
