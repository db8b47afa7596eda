"""The operators by name, for modules that stand below those that declare them: what is entered here, `op` enters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .op import Op

TABLE: dict[str, Op] = {}
"""The operators by their full names, as `add.Tensor`, in the order of their declaration."""
RAW: dict[str, Any] = {}
"""What formulas over arrays name: the forwards, and helpers."""
GRAPH: dict[str, Any] = {}
"""What formulas over tensors name: the operators, and helpers."""


def call(name: str, *args: Any) -> Any:
    """What the operator (or helper of formulas) of this name in Python gives for tensors."""
    return GRAPH[name](*args)
