"""Source text -> checked program -> run: the safe interpreter, the torch face, budgets."""

from .limits import Limits
from .running import run

__all__ = ["Limits", "run"]
