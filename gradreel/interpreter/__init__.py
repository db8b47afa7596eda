"""Source text -> checked program -> run: the safe interpreter, the torch face, budgets."""

from .expression import Expression, Leaf, propose_expression
from .limits import Limits, Spent
from .pasting import compare, paste
from .record_native import record
from .runner import point_at_error, run

__all__ = [
    "Expression",
    "Leaf",
    "Limits",
    "Spent",
    "compare",
    "paste",
    "point_at_error",
    "propose_expression",
    "record",
    "run",
]
