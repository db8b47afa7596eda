"""A call of backward or grad while it is under way: the modes that it wants, and what is told of how it ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import anomaly, events
from .state import state, switch

if TYPE_CHECKING:
    from .engine import Call


def under_way(call: Call, work: Callable[[], object]) -> None:
    """Do `work`, which is that of `call`, with grad mode set as that wants it, and tell how it ended."""
    session = state.session
    fields, before = state.__dict__, state.grad_enabled
    switch(fields, call.create_graph)
    hooks = state.saved_hooks
    state.calls.append(call)
    try:
        work()
    except BaseException as error:
        if state.anomaly and call.running is not None:
            anomaly.told(call.running)
        if session is not None and state.session is session:
            node = call.running
            at = None if node is None else session.node(node)
            session.emit((events.BackwardFailed, call.number, at, type(error).__name__, str(error)))
        raise
    finally:
        state.calls.pop()
        switch(fields, before)
        if state.saved_hooks is not hooks:
            state.saved_hooks = hooks  # what a hook did to the stack of hooks ends with the call
    if session is not None:
        session.emit((events.BackwardFinished, call.number))
