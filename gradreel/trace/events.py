"""What the program does: events that the interpreter adds to those of the engine. In flight they are tuples too."""

from __future__ import annotations

from dataclasses import dataclass

from autograd_core.events import Event


@dataclass(frozen=True, slots=True)
class LineReached(Event):
    """The statement on `line` (to `end_line`) is about to run.

    `frames` are the calls it is in, outermost first, as (function, line of the call); `loops` the loops, as (line,
    iteration from 1, of how many if known).
    """

    line: int
    end_line: int
    frames: tuple[tuple[str, int], ...]
    loops: tuple[tuple[int, int, int | None], ...]


@dataclass(frozen=True, slots=True)
class NameBound(Event):
    """`name` now stands for `tensor`, or (None) for another value shown as `text`.

    `scope` is 0 for the program itself, else the number of the function call. A part that can be reached by a name
    has a path as its name: `net.0.weight`, `params[2]`, `state['h']`.
    """

    name: str
    scope: int
    tensor: int | None
    text: str


@dataclass(frozen=True, slots=True)
class NameUnbound(Event):
    """`name` is gone: del, the end of its function, or rebinding to something without that part."""

    name: str
    scope: int


@dataclass(frozen=True, slots=True)
class FunctionEntered(Event):
    """A call of the user's function `function`; its names carry `scope`."""

    function: str
    scope: int
    line: int


@dataclass(frozen=True, slots=True)
class FunctionLeft(Event):
    """The function call `scope` returned or raised."""

    scope: int


@dataclass(frozen=True, slots=True)
class OptimizerStepped(Event):
    """`optimizer.step()` began ("began") or ended ("ended"); writes between belong to it."""

    optimizer: str
    phase: str


@dataclass(frozen=True, slots=True)
class Printed(Event):
    """The program wrote `text` to its output."""

    text: str


@dataclass(frozen=True, slots=True)
class Warned(Event):
    """A warning was shown, for `line`."""

    category: str
    message: str
    line: int


@dataclass(frozen=True, slots=True)
class Raised(Event):
    """An exception came up at `line`; `caught` tells whether the program's own try took it.

    `frames` as in LineReached.
    """

    type: str
    message: str
    line: int
    caught: bool
    frames: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Stopped(Event):
    """A budget was spent: which, its limit, and the line that would have gone beyond."""

    budget: str
    limit: int
    line: int
