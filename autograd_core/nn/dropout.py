"""Dropout as modules: a table of names and functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..tensor.tensor import Tensor
from . import functional as F
from .module import Module


class AnyDropout(Module):
    """Zeroes elements or channels at random while training."""

    function: ClassVar[Callable[..., Tensor]]

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return type(self).function(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


def dropout(name: str, function: Callable[..., Tensor]) -> Any:
    return type(name, (AnyDropout,), {"function": staticmethod(function), "__module__": __name__})


Dropout = dropout("Dropout", F.dropout)
Dropout1d = dropout("Dropout1d", F.dropout1d)
Dropout2d = dropout("Dropout2d", F.dropout2d)
Dropout3d = dropout("Dropout3d", F.dropout3d)
AlphaDropout = dropout("AlphaDropout", F.alpha_dropout)
FeatureAlphaDropout = dropout("FeatureAlphaDropout", F.feature_alpha_dropout)
