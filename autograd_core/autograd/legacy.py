"""The older name for a tensor, `Variable`, which programs call and ask isinstance of, and the engine behind it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..engine.state import state
from ..tensor.tensor import Tensor


class Kind(type):
    """The kind of `Variable`: every tensor is one."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Tensor)

    def __call__(cls, data: Tensor, requires_grad: bool = False, volatile: bool | None = None) -> Any:
        """The values of `data` as a leaf."""
        if volatile:
            text = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."
            warnings.warn(text, UserWarning, stacklevel=2)
        leaf = data.detach()
        return leaf.requires_grad_() if requires_grad else leaf


class _EngineBase:
    """The engine as programs see it."""

    __module__ = "torch._C"

    def queue_callback(self, callback: Callable[[], object]) -> None:
        """Call `callback` at the end of the innermost backward that is under way.

        Raises:
            RuntimeError: none is.
        """
        if not state.calls:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        state.calls[-1].afterwards.append(callback)

    def is_checkpoint_valid(self) -> bool:
        """Whether what is under way, if anything, is a backward that fills the `.grad` of all leaves."""
        return not state.calls or state.calls[-1].everything()


class Variable(metaclass=Kind):
    """What calls of it give is a tensor."""

    __module__ = "torch.autograd.variable"
    _execution_engine = _EngineBase()
