"""Trace -> words: a sentence a step; a diagnosis with cause and mend an error."""

from . import rules
from .derivatives.lookup import formulas
from .derivatives.slopes import Slope, slope
from .diagnostics.diagnose import Doctor, diagnose
from .diagnostics.diagnosis import Diagnosis
from .narration.beats import Beat, beats
from .narration.graph import saved_label
from .narration.sentences import sentences, tell
from .narration.words import label
from .replay.states import Frame, Place, Turn
from .replay.world import World

__all__ = [
    "Beat",
    "Diagnosis",
    "Doctor",
    "Frame",
    "Place",
    "Turn",
    "World",
    "beats",
    "rules",
    "diagnose",
    "formulas",
    "saved_label",
    "label",
    "sentences",
    "Slope",
    "slope",
    "tell",
]
