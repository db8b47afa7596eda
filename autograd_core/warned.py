"""Warnings that torch gives once in a program, unless it was told to give them always (`torch.set_warn_always`)."""

from __future__ import annotations

import warnings

from .state import state


def warn_once(about: str, text: str, stacklevel: int = 2) -> None:
    """Warn of `about`, the first time; `stacklevel` is as in `warnings.warn`, seen from the caller."""
    if about in state.warned and not state.warn_always:
        return
    state.warned.add(about)
    warnings.warn(text, UserWarning, stacklevel=stacklevel + 1)
