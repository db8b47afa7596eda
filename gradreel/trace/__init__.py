"""Events -> Trace: the single contract between running and showing."""

from .recorder import Recorder
from .trace import KINDS, SCHEMA, Outcome, Trace, Values, snake, values_in

__all__ = ["KINDS", "SCHEMA", "Outcome", "Recorder", "Trace", "Values", "snake", "values_in"]
