"""torch._C._autograd: what nodes keep, hooks on it, and counts of writes."""

from __future__ import annotations

from ..autograd.graph import _unsafe_set_version_counter
from ..engine.state import state
from ..graph.saved_tensor import SavedTensor


def _saved_tensors_hooks_is_enabled() -> bool:
    """Whether saved_tensors_hooks are allowed here."""
    return state.saved_hooks_refused is None


def _get_current_graph_task_keep_graph() -> bool:
    """Whether the innermost call that is under way retains the graph; outside, torch says that it does."""
    return state.calls[-1].retain_graph if state.calls else True


__all__ = [
    "SavedTensor",
    "_get_current_graph_task_keep_graph",
    "_saved_tensors_hooks_is_enabled",
    "_unsafe_set_version_counter",
]
