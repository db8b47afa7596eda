"""Gradreel: watch autograd, frame by frame.

    from gradreel import run, show

    show(run("import torch; x = torch.ones(1, requires_grad=True); (x ** 7).backward()"))

`run` makes a Trace of a program's text, `record(function, ...)` one of a Python function of your own that uses
`autograd_core`, without the interpreter. `run`, `explain` and `show` run programs in this process; a stranger's program
belongs in one that is locked down: `isolated=True`. `build` makes a Scene of a trace, `encode` the bytes that
the player plays; `diagnose` says what went wrong, `explain` also which edits mend it. All but `record` are pure: the
same input gives the same output.
"""

from .collecting import collector_paused

with collector_paused():
    from .explain import diagnose
    from .explaining import explain
    from .interpreter import Limits, record
    from .isolated import run
    from .notebook import show
    from .scene import build, encode
    from .trace import Trace

__all__ = ["Limits", "Trace", "build", "diagnose", "encode", "explain", "record", "run", "show"]
