"""Silent trouble: what PyTorch says nothing about. Each module watches a run for one kind of it.

A watcher looks at the events that it asks for, with the World as it stands after each, and says at the end what it
found. It must be sure: what may well be meant is no trouble. Of turns that were left out of the recording it is told
that they were (TurnsSkipped), and nothing of what they left: what it has seen before them may hold no more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnosis import Diagnosis
from ..world.world import World
from .asked_in_vain import AskedInVain
from .born_nan import BornNan
from .broadcast import Broadcast
from .collected import Collected
from .constant_gradient import ConstantGradient
from .constant_term import ConstantTerm
from .cut_fractions import CutFractions
from .cut_steps import CutSteps
from .diverged import Diverged
from .drawn import Drawn
from .growing import Growing
from .hooked import Hooked
from .idle import Idle
from .ignored import Ignored
from .kept_elsewhere import KeptElsewhere
from .lost_write import LostWrite
from .missing import Missing
from .moving_views import MovingViews
from .nameless import Nameless
from .piled import Piled
from .second_order import SecondOrder
from .stale import Stale
from .thrown_away import ThrownAway
from .unreached import Unreached
from .unrecorded import Unrecorded
from .untouched import Untouched


class Watcher(Protocol):
    def __init__(self, world: World) -> None: ...

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        """What to call for which kind of event."""
        ...

    def found(self) -> list[Diagnosis]:
        """What was found, at the end of the run."""
        ...


WATCHERS: dict[type[Watcher], frozenset[type[Event]]] = {
    Missing: frozenset({e.GradMissing}),
    ConstantTerm: frozenset({e.NumbersTaken}),
    ConstantGradient: frozenset({e.GradCaptured}),
    Drawn: frozenset({e.BackwardStarted}),
    CutSteps: frozenset({e.BackwardStarted}),
    Nameless: frozenset({e.OptimizerStepped}),
    Stale: frozenset({e.Written}),
    Idle: frozenset({e.OptimizerStepped}),
    Untouched: frozenset({e.OptimizerStepped}),
    Broadcast: frozenset({e.NodeMade}),
    Piled: frozenset({e.GradStored}),
    SecondOrder: frozenset({e.GradStored}),
    Growing: frozenset({e.BackwardStarted}),
    Collected: frozenset({e.NodeMade, e.OptimizerStepped}),
    Hooked: frozenset({e.HookRan, e.Written}),
    BornNan: frozenset({e.NodeMade}),
    Diverged: frozenset({e.Written}),
    AskedInVain: frozenset({e.BackwardFinished}),
    Unreached: frozenset({e.OptimizerStepped}),
    Ignored: frozenset({e.NodeRan}),
    Unrecorded: frozenset({e.Written}),
    KeptElsewhere: frozenset({e.NodeMade}),
    CutFractions: frozenset({e.NodeMade}),
    MovingViews: frozenset({e.Written}),
    LostWrite: frozenset({e.Written}),
    ThrownAway: frozenset({e.NodeMade}),
}
"""Each with kinds of events: where one of them is missing, there is nothing to tell."""
