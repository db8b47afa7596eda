"""Fixes: edits of the program's own text, proposed by cause, run by whoever can run, offered only if they help."""

from .runner import EDIT_ROLES, SECONDS, TRIAL_SECONDS, Mend, Run, find_fixes, trial_events

__all__ = ["EDIT_ROLES", "SECONDS", "TRIAL_SECONDS", "Mend", "Run", "find_fixes", "trial_events"]
