"""torch.nn.utils.stateless: where `functional_call` was before torch.func."""

from __future__ import annotations

import warnings
from typing import Any

from .. import stateless
from ..module import Module

MOVED = (
    "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
    "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement."
)


def functional_call(
    module: Module,
    parameters_and_buffers: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """`module(*args, **kwargs)` with the given tensors for its own."""
    warnings.warn(MOVED, FutureWarning, stacklevel=2)
    return stateless.functional_call(
        module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict
    )
