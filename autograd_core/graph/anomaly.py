"""Anomaly mode: nodes remember the lines that made them, and say so when they fail or give NaN.

As in torch a node's `metadata` holds the lines under `traceback_`, and under `parent_` the node in whose backward it
was made.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dispatch.registry import callbacks
from ..engine.state import state
from ..tensor.tensor import Tensor
from .node import Node

ENABLED = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)
NO_FORWARD = (
    "Error detected in {}. No forward pass information available. Enable detect anomaly during forward pass for more "
    "information."
)
FORWARD = "Error detected in {}. Traceback of forward call that caused the error:\n{}"
BEFORE = (
    "\n\nPrevious calculation was induced by {}. Traceback of forward call that induced the previous calculation:\n{}"
)


def remember(node: Node) -> None:
    """Keep where `node` is made."""
    notes = node.own_metadata()
    if state.stack is not None:
        notes["traceback_"] = state.stack()
    else:
        notes["traceback_"] = [entry for entry in traceback.format_stack() if not of_the_engine(entry)]
    running = state.calls[-1].running if state.calls else None
    if running is not None:
        notes["parent_"] = running


callbacks.remember_forward = remember


def of_the_engine(entry: str) -> bool:
    """Whether a line of a traceback is the engine's own, or of the code made for its operators."""
    file = entry.split(",")[0]
    return "autograd_core" in file or '"<operator ' in file


def warn(text: str) -> None:
    """Warn; where warnings are errors, print: another error is on its way already."""
    try:
        warnings.warn(text, UserWarning, stacklevel=1)
    except UserWarning as warning:
        traceback.print_exception(warning)


def warn_of_forward(node: Node) -> None:
    """Warn of the lines that made `node`, which failed."""
    notes = node.own_metadata()
    if "traceback_" not in notes:
        warn(NO_FORWARD.format(node.name()))
        return
    warn(FORWARD.format(node.name(), "".join(notes["traceback_"])))
    parent = notes.get("parent_")
    while parent is not None:
        notes = parent.own_metadata()
        lines = "".join(notes.get("traceback_", ["No forward pass information available."]))
        warn(BEFORE.format(parent.name(), lines))
        parent = notes.get("parent_")


def check_nan(node: Node, results: Sequence[Any]) -> None:
    """Refuse NaN in what `node` gave.

    Raises:
        RuntimeError: there is one.
    """
    for i, result in enumerate(results):
        data = None if result is None else result.data_ if isinstance(result, Tensor) else result
        if data is not None and data.dtype.kind in "fc" and np.isnan(data).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


class set_detect_anomaly:
    """Look for NaN after every node, and name the operation that failed: from now on, or for a block."""

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, mode: bool = True, check_nan: bool = True) -> None:
        if not isinstance(mode, bool):
            kind = type(mode).__name__
            raise TypeError(f"set_anomaly_enabled(): argument 'enabled' (position 1) must be bool, not {kind}")
        self.before = state.anomaly, state.check_nan
        state.anomaly, state.check_nan = mode, check_nan

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        state.anomaly, state.check_nan = self.before


class detect_anomaly:
    """The same as a block, which warns that it is slow."""

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, check_nan: bool = True) -> None:
        self.before = state.anomaly, state.check_nan
        self.check_nan = check_nan
        warnings.warn(ENABLED, UserWarning, stacklevel=2)

    def __enter__(self) -> None:
        self.before = state.anomaly, state.check_nan
        state.anomaly, state.check_nan = True, self.check_nan

    def __exit__(self, *_: object) -> None:
        state.anomaly, state.check_nan = self.before
