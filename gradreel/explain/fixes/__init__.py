"""Fixes: edits of the program's own text, proposed by cause, run by whoever can run, offered only if they help."""

from .runner import EDIT_ROLES, SECONDS, TRIAL_SECONDS, Run, find_fixes, trial_events
from .runner import Fix as Fix

__all__ = ["EDIT_ROLES", "SECONDS", "TRIAL_SECONDS", "Fix", "Run", "find_fixes", "trial_events"]
