"""Warnings, which show the line that torch's show.

Most of torch's name the line of Python that called: a program's, or that of a layer that called a function for it. So
`warn` looks for the nearest frame that is not `inside`, whatever lies between. What torch says of a line of its own,
whoever called, is given with a plain `stacklevel=1`: Python's usual rule shows it once in a program.
"""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from .state import state

PACKAGE = __name__.partition(".")[0]
CALLERS = tuple(f"{PACKAGE}.{name}." for name in ("nn", "optim", "utils", "distributions"))
"""What calls the rest as a program does: a warning for one of its lines is as torch's."""
CALLED = (f"{PACKAGE}.nn.functional.", f"{PACKAGE}.nn.module.")
"""The exceptions."""


def inside(frame: FrameType) -> bool:
    """Whether `frame` belongs to what is called: the engine, and the code made for its operators."""
    if frame.f_code.co_filename.startswith("<operator "):
        return True
    module = frame.f_globals.get("__name__", "") + "."
    return module.startswith(f"{PACKAGE}.") and (module.startswith(CALLED) or not module.startswith(CALLERS))


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn for the line that called into the engine."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and inside(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def warn_once(about: str, text: str, of_caller: bool = True) -> None:
    """Warn of `about` the first time in a program, or always if torch was told so (`torch.set_warn_always`)."""
    if about in state.warned and not state.warn_always:
        return
    state.warned.add(about)
    if of_caller:
        warn(text)
    else:
        warnings.warn(text, stacklevel=1)


def set_warn_always(b: bool, /) -> None:
    """Whether warnings that come once in a process come each time."""
    state.warn_always = b


def is_warn_always_enabled() -> bool:
    return state.warn_always
