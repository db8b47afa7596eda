"""A call of backward or grad while it is under way: the modes that it wants, and what is told of how it ended.

Note [Calls inside calls]. A function of a program's own may call backward in its backward, whose function calls it
again, and so on. Each call takes some of Python's frames, of which a thread has a thousand. So torch goes on in another
thread after 60 calls inside each other, and this engine does so too: it waits for that thread, which has all that the
waiting one had, and gives it back. One that is listened to stays in its thread.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from threading import Thread, get_ident
from typing import TYPE_CHECKING, Any

from .. import events
from ..graph import anomaly
from .state import forget, state, switch

if TYPE_CHECKING:
    from ..events.session import Session
    from .engine import Call


INSIDE = 61
"""Calls in one thread: one, and sixty inside it."""


def under_way(call: Call, work: Callable[[], object]) -> None:
    """Do `work`, which is that of `call`, with grad mode set as that wants it, and tell how it ended."""
    session = state.session
    fields, before = state.__dict__, state.grad_enabled
    switch(fields, call.create_graph)
    hooks = state.saved_hooks
    inside = len(state.calls)
    crowded = inside > 0 and inside % INSIDE == 0 and session is None
    state.calls.append(call)
    try:
        in_another_thread(work) if crowded else work()
        if call.afterwards:
            call.finish()
    except BaseException as error:
        if state.anomaly and call.running is not None:
            anomaly.warn_of_forward(call.running)
        if session is not None and state.session is session:
            tell_failure(session, call, error)
        raise
    finally:
        state.calls.pop()
        switch(fields, before)
        if state.saved_hooks is not hooks:
            state.saved_hooks = hooks  # what a hook did to the stack of hooks ends with the call
    if session is not None:
        session.emit((events.BackwardFinished, call.number))


def tell_failure(session: Session, call: Call, error: BaseException) -> None:
    """Tell that the call ended in `error`, and at which node."""
    node = call.running
    at = None if node is None else session.node(node)
    session.emit((events.BackwardFailed, call.number, at, type(error).__name__, str(error)))


def in_another_thread(work: Callable[[], object]) -> None:
    """Do `work` in a thread of its own, as if it was this one; see Note [Calls inside calls]."""
    fields, around = state.__dict__, contextvars.copy_context()
    failures: list[BaseException] = []

    def run() -> None:
        hand_over(fields, state.__dict__)
        try:
            work()
        except BaseException as error:
            failures.append(error)
        finally:
            hand_over(state.__dict__, fields)
            forget(get_ident())

    thread = Thread(target=around.run, args=(run,))
    thread.start()
    thread.join()
    state.look()
    for variable, value in around.items():
        if variable.get(None) is not value:
            variable.set(value)
    if failures:
        raise failures.pop()


def hand_over(giver: dict[str, Any], taker: dict[str, Any]) -> None:
    """Give the state of one thread to another."""
    taker.update((name, value) for name, value in giver.items() if name != "thread")
    state.look()
