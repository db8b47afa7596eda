"""Recording native Python: a function that uses autograd_core, run as it is, without the interpreter.

Note [Watching frames]. Python tells a tracing function when a line is about to run and when a call begins and ends. A
line that was told of has run when the next one comes; only then do the names of its frame show what it bound. So at
each line the names are looked at first and the line is told after them. Frames of other files are let be: what the
engine does there, it tells itself. Nothing here is locked in: it is for code of one's own.
"""

from __future__ import annotations

import ast
import inspect
import io
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TextIO

from gradreel.collecting import collector_paused
from gradreel.trace import Outcome, Recorder, Trace
from gradreel.trace.events import (
    FunctionEntered,
    FunctionLeft,
    LineReached,
    OptimizerStepped,
    Printed,
    Raised,
    Warned,
)

from .engine.bridge import FUNCTIONS
from .engine.engine import isolated, listening, torch
from .engine.name_events import NameEvents

# ---- where statements stand in a source text: their first and last lines, and the loops by the line of their header


@dataclass(frozen=True)
class Loop:
    """A `for` or `while`: the line of its header, and the lines from the first to the last of its body."""

    line: int
    first: int
    last: int

    @property
    def on_one_line(self) -> bool:
        return self.first == self.line

    def holds(self, line: int) -> bool:
        """Whether `line` is of the body."""
        return self.first <= line <= self.last

    def covers(self, line: int) -> bool:
        """Whether `line` is of the header or the body."""
        return self.line <= line <= self.last


class Places:
    """The lines of `source`.

    Raises:
        SyntaxError: `source` is no Python.
    """

    def __init__(self, source: str) -> None:
        tree = ast.parse(source)
        self.loops: dict[int, Loop] = {}
        self.ends: dict[int, int] = {}
        self.starts: dict[int, int] = {}
        for node in ast.walk(tree):
            if isinstance(node, (ast.For, ast.While)):
                self.loops[node.lineno] = Loop(
                    node.lineno, node.body[0].lineno, node.body[-1].end_lineno or node.lineno
                )
            if isinstance(node, ast.stmt):
                body = getattr(node, "body", None)
                end = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno
                last = max(node.lineno, end or node.lineno)
                self.ends.setdefault(node.lineno, last)
                self.starts.update({line: node.lineno for line in range(node.lineno, last + 1)})

    def end_of(self, line: int) -> int:
        """The last line of the statement that begins on `line`; of a compound one, of its header."""
        return self.ends.get(line, line)

    def start_of(self, line: int) -> int:
        """The first line of the statement that `line` belongs to."""
        return self.starts.get(line, line)


Tracer = Callable[[types.FrameType, str, Any], Any]

UNTOLD = (*FUNCTIONS, types.BuiltinFunctionType, types.MethodType, types.ModuleType, type)
"""What names stand for that no one asks about."""


@dataclass
class Watched:
    """A frame being watched: its scope, and the loops it is in as [loop, turn]."""

    scope: int
    line: int
    last_line: int = 0
    """The line of the statement last told of; Python comes back to it from its later lines."""
    names: set[str] = field(default_factory=set)
    loops: list[list[Any]] = field(default_factory=list)
    pending: tuple[int, Loop] | None = None
    """A loop's header that was reached: told once it is plain that another turn begins."""


class Watcher:
    """Follows the frames of one file and tells lines, names, calls and optimizer steps."""

    def __init__(self, filename: str, places: Places, emit: Callable[[tuple[Any, ...]], None]) -> None:
        self.filename = filename
        self.places = places
        self.emit = emit
        self.name_events = NameEvents(emit)
        self.calls: list[tuple[str, int]] = []
        self.around: list[Watched] = []
        self.scopes = 0
        self.kept: dict[str, Any] = {}
        """What the outermost function's names stood for at its end: as those of a script, they outlive the run."""

    # ---- what Python tells

    def trace(self, frame: types.FrameType, event: str, arg: Any) -> Tracer | None:
        """A call begins."""
        code = frame.f_code
        if code.co_filename != self.filename:
            return self.optimizer(frame) if code.co_name == "step" else None
        if not code.co_flags & inspect.CO_OPTIMIZED or (code.co_name.startswith("<") and code.co_name != "<lambda>"):
            return None
        if self.around:
            self.scopes += 1
            self.calls.append((code.co_name, self.around[-1].line))
            self.emit((FunctionEntered, code.co_name, self.scopes, self.around[-1].line))
        here = Watched(self.scopes if self.around else 0, code.co_firstlineno)
        self.around.append(here)
        self.look(frame, here)
        return partial(self.inside, here)

    def inside(self, here: Watched, frame: types.FrameType, event: str, arg: Any) -> Tracer:
        """A line of a watched frame is about to run, or its call ends."""
        if event == "line":
            self.line(frame, here)
        elif event == "return":
            self.leave_frame(frame, here)
        return partial(self.inside, here)

    def optimizer(self, frame: types.FrameType) -> Tracer | None:
        """`step` of an optimizer: the writes until it returns belong to it."""
        owner = frame.f_locals.get("self")
        if not isinstance(owner, torch.optim.Optimizer):
            return None
        self.emit((OptimizerStepped, type(owner).__name__, "began"))

        def until(frame: types.FrameType, event: str, arg: Any) -> Tracer:
            if event == "return":
                self.emit((OptimizerStepped, type(owner).__name__, "ended"))
            return until

        return until

    # ---- lines and names

    def line(self, frame: types.FrameType, here: Watched) -> None:
        at = self.places.start_of(frame.f_lineno)
        if at == here.last_line and here.pending is None:
            return
        self.look(frame, here)
        if here.pending is not None:
            line, loop = here.pending
            here.pending = None
            if loop.holds(at):
                self.turn(here, loop, line)
            elif here.loops and here.loops[-1][0] is loop:
                here.loops.pop()
        while here.loops and not here.loops[-1][0].covers(at):
            here.loops.pop()
        here.line = at
        here.last_line = 0
        header = self.places.loops.get(at)
        if header is None or header.on_one_line:
            self.tell(here, at)
            return
        here.pending = (at, header)
        if not here.loops or here.loops[-1][0] is not header:
            self.tell(here, at)

    def turn(self, here: Watched, loop: Loop, line: int) -> None:
        """Another turn of a loop begins."""
        if not here.loops or here.loops[-1][0] is not loop:
            here.loops.append([loop, 0])
        here.loops[-1][1] += 1
        self.tell(here, line)

    def tell(self, here: Watched, line: int) -> None:
        here.last_line = line
        loops = tuple((loop.line, turn, None) for watched in self.around for loop, turn in watched.loops)
        self.emit((LineReached, line, self.places.end_of(line), tuple(self.calls), loops))

    def look(self, frame: types.FrameType, here: Watched) -> None:
        """Tell which names are new, stand for something else, or are gone."""
        found = {name: value for name, value in frame.f_locals.items() if not isinstance(value, UNTOLD)}
        for name in sorted(here.names - found.keys()):
            self.name_events.unbind_name(here.scope, name)
        for name, value in found.items():
            self.name_events.bind_name(here.scope, name, value)
        here.names = set(found)

    def leave_frame(self, frame: types.FrameType, here: Watched) -> None:
        self.look(frame, here)
        self.around.pop()
        if not self.around:
            self.kept = dict(frame.f_locals)
            return
        self.name_events.leave_scope(here.scope)
        self.calls.pop()
        self.emit((FunctionLeft, here.scope))


class Tee(io.TextIOBase):
    """Standard output that is told of as well as shown: line by line, for `print` writes a line in pieces."""

    def __init__(self, shown: TextIO, emit: Callable[[tuple[Any, ...]], None]) -> None:
        self.shown, self.emit, self.untold = shown, emit, ""

    def write(self, text: str, /) -> int:
        self.untold += text
        if text.endswith("\n"):
            self.pass_on()
        return self.shown.write(text)

    def pass_on(self) -> None:
        if self.untold:
            self.emit((Printed, self.untold))
            self.untold = ""

    def flush(self) -> None:
        self.shown.flush()


def record(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Trace:
    """Run `function(*args, **kwargs)`, a Python function that uses `autograd_core`, and give the trace of it.

    The program of the trace is the file (or notebook cell) that the function stands in. An exception ends the run and
    is the trace's outcome. What the function returns is let go; its names are there at the end, as a script's are.

    Raises:
        TypeError: `function` is no Python function, or its source is not to be had.
    """
    plain = inspect.unwrap(function)
    plain = getattr(plain, "__func__", plain)
    if not isinstance(plain, types.FunctionType):
        raise TypeError(f"record() takes a Python function, not {type(function).__name__}")
    try:
        lines, _ = inspect.findsource(plain)
    except OSError:
        raise TypeError(f"the source of {plain.__name__}() is not to be had; write it in a file or a cell") from None
    source = "".join(lines)
    recorder = Recorder()
    watcher = Watcher(plain.__code__.co_filename, Places(source), recorder.emit)
    with isolated(), listening(recorder.tape), record_output(watcher, recorder.emit):
        outcome = perform(partial(function, *args, **kwargs), watcher, recorder.emit)
    return recorder.trace(source, "script", outcome)


def perform(call: Callable[[], Any], watcher: Watcher, emit: Callable[[tuple[Any, ...]], None]) -> Outcome:
    before = sys.gettrace()
    sys.settrace(watcher.trace)
    try:
        call()
    except Exception as error:
        sys.settrace(before)
        kind, text = type(error).__name__, str(error)
        places = [
            (frame.f_code.co_name, line)
            for frame, line in _walk(error.__traceback__)
            if frame.f_code.co_filename == watcher.filename
        ]
        line = places[-1][1] if places else None
        frames = tuple((name, places[nr][1]) for nr, (name, _) in enumerate(places[1:]))
        emit((Raised, kind, text, line or 1, False, frames))
        return Outcome("raised", kind, text, line)
    finally:
        sys.settrace(before)
    return Outcome("finished")


def _walk(traceback: types.TracebackType | None) -> Iterator[tuple[types.FrameType, int]]:
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next


@contextmanager
def record_output(watcher: Watcher, emit: Callable[[tuple[Any, ...]], None]) -> Iterator[None]:
    """What is printed and warned of is told; the collector of cycles waits, as for other runs."""

    def warn(message: Warning | str, category: type[Warning], *rest: Any) -> None:
        emit((Warned, category.__name__, str(message), watcher.around[-1].line if watcher.around else 1))

    output = Tee(sys.stdout, emit)
    with collector_paused():
        with redirect_stdout(output), warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = warn  # type: ignore[assignment]
            yield
        output.pass_on()
