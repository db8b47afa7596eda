"""Trace -> words: a sentence a step; a diagnosis with cause and mend an error."""

from .diagnose import Doctor, diagnose
from .diagnosis import Diagnosis
from .operators.lookup import formulas
from .operators.slopes import Slope, slope
from .sentences.beats import Beat, beats
from .sentences.graph import saved_label
from .sentences.table import sentences, tell
from .words import label
from .world.states import Frame, Place, Turn
from .world.world import World

__all__ = [
    "Beat",
    "Diagnosis",
    "Doctor",
    "Frame",
    "Place",
    "Turn",
    "World",
    "beats",
    "diagnose",
    "formulas",
    "saved_label",
    "label",
    "sentences",
    "Slope",
    "slope",
    "tell",
]
