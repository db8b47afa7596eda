"""What the program does: events that the interpreter adds to those of the engine. In flight they are tuples too.

The engine's events are named here as well, so that the floors above find every kind in one place.
"""

from __future__ import annotations

from dataclasses import dataclass

from autograd_core.events import AliasChanged as AliasChanged
from autograd_core.events import BackwardFailed as BackwardFailed
from autograd_core.events import BackwardFinished as BackwardFinished
from autograd_core.events import BackwardStarted as BackwardStarted
from autograd_core.events import Edges as Edges
from autograd_core.events import Event as Event
from autograd_core.events import FlagChanged as FlagChanged
from autograd_core.events import GradAdded as GradAdded
from autograd_core.events import GradCaptured as GradCaptured
from autograd_core.events import GradStored as GradStored
from autograd_core.events import HistoryRebased as HistoryRebased
from autograd_core.events import HookRan as HookRan
from autograd_core.events import NodeMade as NodeMade
from autograd_core.events import NodeRan as NodeRan
from autograd_core.events import NodeReady as NodeReady
from autograd_core.events import NodeReleased as NodeReleased
from autograd_core.events import NodeStarted as NodeStarted
from autograd_core.events import Recomputed as Recomputed
from autograd_core.events import SavedPacked as SavedPacked
from autograd_core.events import SavedUnpacked as SavedUnpacked
from autograd_core.events import SlotFreed as SlotFreed
from autograd_core.events import SlotRead as SlotRead
from autograd_core.events import SlotRetained as SlotRetained
from autograd_core.events import TensorMade as TensorMade
from autograd_core.events import TensorReleased as TensorReleased
from autograd_core.events import TensorSaved as TensorSaved
from autograd_core.events import Value as Value
from autograd_core.events import ValueSaved as ValueSaved
from autograd_core.events import Written as Written
from autograd_core.events.snapshot import grid as grid

Frames = tuple[tuple[str, int], ...]
"""Calls inside calls, outermost first, as (function, line of the call)."""
Loops = tuple[tuple[int, int, int | None], ...]
"""Loops inside loops, outermost first, as (line, iteration from 1, of how many if known)."""


@dataclass(frozen=True, slots=True)
class LineReached(Event):
    """The statement on `line` (to `end_line`) is about to run.

    `frames` are the calls it is in, outermost first, as (function, line of the call); `loops` the loops, as (line,
    iteration from 1, of how many if known).
    """

    line: int
    end_line: int
    frames: Frames
    loops: Loops


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
    """`name` is gone: del, or rebinding to something without that part."""

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
    """The function call `scope` returned or raised, and its names are gone.

    Of the error that ends a script it is not told: the traceback holds the functions as they stood.
    """

    scope: int


@dataclass(frozen=True, slots=True)
class OptimizerStepped(Event):
    """`optimizer.step()` began ("began") or ended ("ended"); writes between belong to it."""

    optimizer: str
    phase: str


@dataclass(frozen=True, slots=True)
class GradMissing(Event):
    """The program read `tensor.grad`, and it was None."""

    tensor: int


@dataclass(frozen=True, slots=True)
class NumbersTaken(Event):
    """The program took plain numbers out of `tensor`, which know of no graph; `how` is item, float, tolist or numpy."""

    tensor: int
    how: str


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
    frames: Frames


@dataclass(frozen=True, slots=True)
class Stopped(Event):
    """A budget was spent: which, its limit, and the line that would have gone beyond."""

    budget: str
    limit: int
    line: int


@dataclass(frozen=True, slots=True)
class TurnsSkipped(Event):
    """Turns `first` to `last` of the loop on `line` are left out; of their `events` only what outlives them is told.
    Those that were never recorded have none.

    That are the next `left` events, the last of which is the beginning of the last of those turns.
    """

    line: int
    first: int
    last: int
    events: int
    left: int
