"""Silent trouble: what PyTorch says nothing about. Each module watches a run for one kind of it.

A watcher looks at the events that it asks for, with the World as it stands after each, and says at the end what it
found. It must be sure: what may well be meant is no trouble. Of turns that were left out of the recording it is told
that they were (TurnsSkipped), and nothing of what they left: what it has seen before them may hold no more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis
from ..replay.world import World
from .asked_in_vain import AskedInVain
from .born_infinite import BornInfinite
from .born_nan import BornNan
from .broadcast import Broadcast
from .clipped import ClippedEarly
from .collected import Collected
from .constant_gradient import ConstantGradient
from .constant_term import ConstantTerm
from .cut_fractions import CutFractions
from .cut_steps import CutSteps
from .diverged import Diverged
from .drawn import Drawn
from .dropping import Dropping
from .flat_draws import FlatDraws
from .growing import TURNS, Growing
from .hooked import Hooked
from .hooks_pile import HooksPile
from .idle import Idle
from .ignored import Ignored
from .in_vain import InVain
from .kept_elsewhere import KeptElsewhere
from .lost_write import LostWrite
from .made_anew import MadeAnew
from .misnamed import Misnamed
from .missing import Missing
from .moving_target import MovingTarget
from .moving_views import MovingViews
from .nameless import Nameless
from .never_stepped import NeverStepped
from .no_backward import NoBackward
from .no_curvature import NoCurvature
from .old_graph import OldGraph
from .only_named import OnlyNamed
from .piled import Piled
from .pure_calls import PureCalls
from .rebound import Rebound
from .reentrant import Reentrant
from .same_memory import SameMemory
from .same_model import SameModel
from .second_order import SecondOrder
from .squashed import Squashed
from .stale import Stale
from .thrown_away import ThrownAway
from .turned_round import TurnedRound
from .unreached import Unreached
from .unrecorded import Unrecorded
from .untouched import Untouched
from .withheld import Withheld
from .zero_derivative import ZeroDerivative


class Watcher(Protocol):
    def __init__(self, world: World) -> None: ...

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        """What to call for which kind of event."""
        ...

    def found(self) -> list[Diagnosis]:
        """What was found, at the end of the run."""
        ...


WATCHERS: dict[type[Watcher], Counter[type[Event]]] = {
    Missing: Counter((e.GradMissing,)),
    ConstantTerm: Counter((e.NumbersTaken,)),
    ConstantGradient: Counter((e.NodeMade, e.BackwardStarted)),
    Drawn: Counter((e.BackwardStarted,)),
    CutSteps: Counter((e.BackwardStarted,)),
    Nameless: Counter((e.GradStored,)),
    Stale: Counter((e.Written,)),
    ClippedEarly: Counter((e.OptimizerStepped, e.GradStored)),
    Idle: Counter((e.OptimizerStepped,)),
    NeverStepped: Counter({e.GradStored: 2}),
    NoBackward: Counter((e.OptimizerStepped, e.NodeMade)),
    Untouched: Counter((e.OptimizerStepped,)),
    Broadcast: Counter((e.NodeMade,)),
    OldGraph: Counter((e.BackwardStarted, e.Written)),
    Piled: Counter((e.GradStored,)),
    SecondOrder: Counter((e.GradStored,)),
    NoCurvature: Counter({e.GradCaptured: 2, e.OptimizerStepped: 1}),
    SameModel: Counter((e.OptimizerStepped, e.GradStored)),
    Growing: Counter({e.BackwardStarted: TURNS + 1}),
    Collected: Counter((e.NodeMade, e.OptimizerStepped)),
    Hooked: Counter((e.HookRan, e.Written)),
    HooksPile: Counter((e.HookRan, e.BackwardStarted)),
    BornInfinite: Counter((e.NodeRan,)),
    OnlyNamed: Counter((e.LineReached,)),
    InVain: Counter((e.OptimizerStepped, e.Written)),
    SameMemory: Counter((e.Written, e.NameBound)),
    MadeAnew: Counter({e.GradStored: 2}),
    Dropping: Counter((e.LineReached,)),
    Misnamed: Counter((e.LineReached,)),
    Rebound: Counter((e.LineReached, e.NameBound)),
    FlatDraws: Counter((e.NodeMade, e.BackwardStarted)),
    BornNan: Counter((e.NodeMade,)),
    Diverged: Counter((e.Written,)),
    AskedInVain: Counter((e.BackwardFinished,)),
    Unreached: Counter((e.OptimizerStepped,)),
    Ignored: Counter((e.NodeRan,)),
    Unrecorded: Counter((e.Written,)),
    KeptElsewhere: Counter((e.NodeMade,)),
    CutFractions: Counter((e.NodeMade,)),
    MovingTarget: Counter({e.BackwardStarted: 2}),
    MovingViews: Counter((e.Written,)),
    LostWrite: Counter((e.Written,)),
    ThrownAway: Counter((e.NodeMade,)),
    PureCalls: Counter((e.BackwardStarted,)),
    TurnedRound: Counter((e.NodeMade,)),
    Squashed: Counter((e.NodeMade,)),
    Withheld: Counter((e.NodeRan,)),
    ZeroDerivative: Counter((e.NodeRan,)),
    Reentrant: Counter((e.Warned, e.BackwardStarted)),
}
"""Each with the events that there must be at least: where one of them is missing, there is nothing to tell."""
