"""Running a program: read, compiled, executed under its budgets, recorded as a Trace."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from gradreel.trace import Outcome, Recorder, Trace
from gradreel.trace.collecting import collector_paused
from gradreel.trace.events import Stopped
from gradreel.trace.texts import brief, cut

from .builtins.formatting import caught, written
from .builtins.formatting import text as shown
from .compiler import (
    classes,
    comprehensions,
    exceptions,
    expressions,
    functions,
    generators,
    imports,
    patterns,
    statements,
    with_statement,
)
from .compiler.compiler import Compiler, Step
from .compiler.exceptions import tell
from .engine.engine import listening, running
from .engine.telling import Telling
from .limits import Limits, Spent
from .machine import Machine, Place
from .pasting import Pasted, paste
from .reading import Reading, mode_of, read
from .refusal import Refusal
from .runtime.calls import call
from .runtime.errors import suggestion
from .runtime.values import Error, Frame, Silent, Value

SYNTAX = (
    classes,
    comprehensions,
    exceptions,
    expressions,
    functions,
    generators,
    imports,
    patterns,
    statements,
    with_statement,
)
"""The modules that fill the compiler's tables."""

ONCE = (
    "Using a non-full backward hook",
    "Using non-full backward hooks",
    "size_average and reduce args will be deprecated",
    "dropout option adds dropout after all but last",
    "To get the last learning rate",
    "optimizer contains a parameter group with duplicate",
    "reduction: 'mean' divides the total loss",
    "None of the inputs have requires_grad=True",
    "torch.utils.checkpoint: the use_reentrant parameter",
    "Input #",
    "`torch.nn.utils.weight_norm` is deprecated",
    "torch.set_default_tensor_type() is deprecated",
)
"""How warnings begin that PyTorch gives for lines of its own: Python shows each of them once, whoever calls."""

DEEPEST = 20_000
"""Python's own recursion limit while a program runs; the program's calls have their own."""


def run(
    source: str,
    *,
    mode: str | None = None,
    limits: Limits | None = None,
    place: Place | None = None,
    during: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Trace:
    """Runs `source` and gives the trace of all that happened. Never raises for a bad program: the outcome says it.

    `mode` is "script" (the first uncaught error ends it) or "transcript" (it goes on, statement by statement);
    None guesses by the prompts. `place[0]` is always the line reached last. While statements run, and only then, the
    context of `during` is entered: Spent may be raised in it at any moment, and ends the run.
    """
    limits = limits or Limits()
    pasted = paste(source)
    mode = mode or mode_of(pasted)
    recorder = Recorder()
    names: dict[str, Value] = {"__name__": "__main__", "__file__": "program.py", "__doc__": None}
    machine = Machine(limits, names, recorder, place)
    machine.call = call
    with prepared(machine):
        with listening(recorder.tape):
            outcome = perform(pasted, mode, machine, during)
        # What the program still holds at its end stays alive in the trace.
        machine.over = True
        names.clear()
        machine.modules.clear()
        machine.files.clear()
        machine.left_by = None
        trace = recorder.trace(pasted.text, mode, outcome, pasted.program)
        machine.stopped = None
        return trace


def perform(pasted: Pasted, mode: str, machine: Machine, during: Callable[[], AbstractContextManager[None]]) -> Outcome:
    try:
        reading = read(pasted, mode, machine.limits)
        telling = Telling(machine.emit, machine.meter.say)
        compiler, shown = Compiler(machine, telling, reading.tree, None), echo(machine)
        steps = []
        for node in reading.tree.body:
            compiler.echo = shown if reading.echoes(node) else None
            steps.append(compiler.statement(node))
    except Refusal as refusal:
        return Outcome("refused", refusal.kind, refusal.sentence, refusal.line)
    except Spent as stop:
        return Outcome("refused", "Unsupported", stop.sentence, None)
    except RecursionError:
        return Outcome("refused", "Unsupported", "The program is nested too deeply.", None)
    try:
        with during():
            return execute(machine, steps, reading)
    except Refusal as refusal:
        return Outcome("refused", refusal.kind, refusal.sentence, refusal.line or machine.line)
    except Spent as stop:
        machine.stopped = stop
        line = stop.line or machine.line or machine.place[0]  # a call that has just begun has no line yet
        machine.record((Stopped, stop.budget, int(stop.limit), line))
        return Outcome("stopped", stop.budget, stop.sentence, line)


def execute(machine: Machine, steps: list[Step], reading: Reading) -> Outcome:
    frame = machine.frame
    for step in steps:
        record = attempt(machine, step, frame, reading.mode == "script")
        if record is None:
            continue
        if record.kind.name == "SystemExit":
            break
        tell(machine, record, False)
        if reading.mode == "script":
            line = record.place[0] if record.place else frame.line
            text = shown(machine, record)
            hint = suggestion(record, text, machine.names)
            return Outcome("raised", brief(record.kind.title), cut(text) + hint, line)
    return Outcome("finished")


def attempt(machine: Machine, step: Step, frame: Frame, last: bool) -> Error | None:
    """Runs a statement of the program itself; the record of what it raised, if it did. An error may be the `last`."""
    try:
        step(frame)
    except Exception as raised:
        machine.left_by = raised.__traceback__.tb_next if last and raised.__traceback__ else None
        machine.frame, machine.frames, machine.loops, machine.depth = frame, (), (), 0
        machine.handling.clear()
        return caught(machine, raised, frame)
    return None


def echo(machine: Machine) -> Callable[[Value], None]:
    """What the prompt does with the value of a bare expression."""

    def show(value: Value) -> None:
        if value is not None and type(value) is not Silent:
            machine.write(written(machine, value) + "\n")
            machine.names["_"] = value

    return show


@contextmanager
def prepared(machine: Machine) -> Iterator[None]:
    """The engine as in a fresh process; warnings go to the trace; room for nested calls.

    The collector of cycles waits: when it would come depends on what ran before, and a trace must not.
    """
    depth = sys.getrecursionlimit()

    def show(message: Warning | str, category: type[Warning], *rest: Any) -> None:
        kinds = tuple(kind.__name__ for kind in category.__mro__)
        if machine.warn(kinds, str(message), once=str(message).startswith(ONCE)):
            raise category(str(message))

    with collector_paused(), running(machine.meter), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("always")
        warnings.showwarning = show  # type: ignore[assignment]
        sys.setrecursionlimit(max(depth, DEEPEST))
        try:
            yield
        finally:
            sys.setrecursionlimit(depth)
