"""`gradreel.explain(trace)`: what went wrong in a run and which edits mend it, as plain data.

One entry for each trouble, none where nothing is wrong: {kind, message, title, lines, story, mends}, where each mend
is {title, cost, source, diff, fixes, lost, prints, printed} and `source` is the whole edited program. Every mend was
run. Where it does not fix the program, but only ends the error, `fixes` is false and `lost` says what is lost. `prints`
is what it prints from where that differs from what the program before `printed`.
"""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import Any

from .explain.fixes import EDIT_ROLES, SECONDS, TRIAL_SECONDS, Run, find_fixes, trial_events
from .interpreter import OWN, Limits
from .isolated import run as run_here
from .trace import Trace

BOLD = re.compile(r"(`[^`]*`)|\*\*")
ROLES = ("built", "saved", "changed", "freed_by", "cut", "shows", "raised", *EDIT_ROLES)


def explain(trace: Trace, run: Run | None = None, *, isolated: bool = False) -> list[dict[str, Any]]:
    """The diagnoses of `trace` with their mends.

    Edited programs run in this process, with `isolated` in locked-down ones (see `gradreel.run`), or as `run` does it.
    """
    if trace.outcome.kind == "refused":
        return []
    mode = trace.mode
    limits = trial_limits(trace)

    def again(source: str) -> Trace:
        return run_here(source, mode=mode, limits=limits, isolated=isolated)

    return [
        {
            "kind": found.kind,
            "message": found.message,
            "title": found.title,
            "lines": {role: found.lines[role] for role in ROLES if role in found.lines},
            "story": plain(" ".join(found.story)),
            "mends": [asdict(mend) for mend in mends],
        }
        for found, mends in find_fixes(trace, run or again, SECONDS)
    ]


def trial_limits(trace: Trace) -> Limits:
    """The budgets of an edited program; where they are more than the place has, that has the last word."""
    return replace(OWN, events=min(trial_events(trace), OWN.events), seconds=TRIAL_SECONDS)


def plain(text: str) -> str:
    """Without the marks for bold; backticks stay, they read well, and so does what is between them."""
    return BOLD.sub(r"\1", text)
