"""What is said of a run whose process ended without a reply: only what is known of it."""

from __future__ import annotations

import signal

from .control import Ending
from .places import here
from .work import refusal

CANCELLED = "The run was cancelled."
LOST = "The process of this run was lost. Nothing else was harmed; run it again."
DIED = "The process of this run ended before it could answer. Nothing else was harmed."
KILLED = "The process of this run was killed from outside. Nothing else was harmed; run it again."
FORBIDDEN = "The run was ended: it asked the operating system for something that no program here may have."

NEARLY = 0.9
"""Who had so much of the memory that a run may have met that limit, whatever the signal."""

OTHERS = {
    getattr(signal, "SIGKILL", 0): refusal(KILLED, again=True),
    getattr(signal, "SIGSYS", 0): refusal(FORBIDDEN),
}
"""What is said of a run that a signal ended for nothing that a budget is for."""


def cause(ending: Ending) -> str | None:
    """Why a process ended that gave no reply, as `halted` takes it; None where no budget and no fault of ours is it."""
    if ending.how == "late" or ending.signal == getattr(signal, "SIGXCPU", -1):
        return "seconds"
    if ending.how == "memory":
        return "memory"
    if ending.how != "signal" or ending.signal in OTHERS:
        return None
    return "memory" if ending.peak > NEARLY * here().memory else f"signal {ending.signal}"


def lost_reply(ending: Ending) -> bytes:
    """The reply where not even the program can be shown."""
    if ending.how == "cancelled":
        return refusal(CANCELLED)
    if ending.how == "none":
        return refusal(LOST, again=True)
    return OTHERS.get(ending.signal) or refusal(DIED)
