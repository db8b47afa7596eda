"""`gradreel.run`: the Trace of a program's text, made in this process or, as on the page, in one locked down."""

from __future__ import annotations

import gzip
import json
from dataclasses import asdict

from .interpreter import OWN, Limits
from .interpreter import run as run_here
from .trace import Outcome, Trace


def run(source: str, *, mode: str | None = None, limits: Limits | None = None, isolated: bool = False) -> Trace:
    """Run `source` and give the trace of all that happened; a bad program never raises, the outcome says what it did.

    `mode` is "script" (the first uncaught error ends it) or "transcript" (it goes on, statement by statement); None
    guesses by the prompts.

    Without `isolated` the program runs in this process: the interpreter and its budgets alone stand between it and what
    this process may do. That is for programs that you would run yourself: unless `limits` says other, they are bounded
    by time and memory alone (`gradreel.interpreter.OWN`). With it, a stranger's program gets a process
    of its own, as on the page: without files or environment, limited by the kernel, behind a filter on system calls,
    and ended after 8 seconds. The first such run starts a warm process, which takes a few seconds; later ones take some
    hundredths of a second more than here. `limits` may then be lower than the usual ones but not higher, and of a run
    that is too long to be sent turns of loops are left out. Where the platform cannot fork, a process is started for
    each run; where it has no such limits or filter, which are Linux's, the rest holds: `gradreel.host.layers()` says
    what does.
    """
    return isolated_run(source, mode, limits) if isolated else run_here(source, mode=mode, limits=limits or OWN)


def isolated_run(source: str, mode: str | None = None, limits: Limits | None = None) -> Trace:
    """The trace of `source`, run as the page does; one that says why, if no process could be had for it."""
    from .host import run_program, split_reply

    request: dict[str, object] = {"source": source, "mode": mode, "want": "trace", "expression": False}
    if limits is not None:
        request["limits"] = asdict(limits)
    head, _, record = split_reply(run_program(json.dumps(request).encode()))
    if not head["ok"]:
        return Trace(source, mode or "script", Outcome("stopped", None, head["message"]), ())
    return Trace.from_json(gzip.decompress(record).decode())
