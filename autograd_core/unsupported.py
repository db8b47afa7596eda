"""What PyTorch does and this engine does not: one exception for all of it, no error of its caller."""

from __future__ import annotations


class Unsupported(NotImplementedError):
    """PyTorch would do it, this engine does not: the text says what, and what is near."""


def no_sparse(name: str) -> Unsupported:
    """`name` was asked for sparse gradients."""
    return Unsupported(f"{name} with sparse=True is not supported: without it the gradients are the same, but dense")
