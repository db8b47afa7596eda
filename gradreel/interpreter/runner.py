"""Running a program: read, compiled, executed under its budgets, recorded as a Trace."""

from __future__ import annotations

import ast
import re
import sys
import threading
import time
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gradreel.collecting import collector_paused
from gradreel.trace import Outcome, Recorder, Trace
from gradreel.trace.events import Stopped
from gradreel.trace.texts import brief, cut

from .builtins.formatting import record_error, repr_of, show_error
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
from .compiler.exceptions import emit_raised
from .engine.bridge import to_engine
from .engine.engine import listening, running
from .engine.name_events import NameEvents
from .limits import Limits, Spent
from .machine import Machine, Place
from .pasting import Pasted, paste
from .pasting.parsing import Oversize, compile_bounded
from .pausing import Pauses, Plan
from .refusal import Refusal
from .runtime.calls import call
from .runtime.errors import suggestion
from .runtime.values import Error, Frame, Stub, Value, mask_host

if sys.platform != "win32":
    from resource import RLIMIT_STACK, getrlimit

# ---- reading a program: sizes and characters checked, parsed, its values echoed or not

HEADER = re.compile(r"^#\s*record:(.*)$", re.MULTILINE)
FUTURE = re.compile(r"^from __future__ import [\w, ]+$", re.MULTILINE)
"""May come at any prompt, where every statement is a program of its own."""
INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
ERRORS = ("traceback", "error")
"""What was pasted instead of a program that a gallery of errors can tell of."""


@dataclass(frozen=True)
class Reading:
    """A program ready to be checked: its lines keep their numbers. `echo`: bare expressions print their value.

    With `cells` (by first and last line) only the last expression of each does, and not if a semicolon ends it.
    """

    tree: ast.Module
    mode: str
    echo: bool
    cells: tuple[tuple[int, int], ...] = ()
    lines: tuple[str, ...] = ()

    def echoes(self, node: ast.stmt) -> bool:
        """Whether the value of this statement, if it is an expression, is shown."""
        if not self.echo or not self.cells:
            return self.echo
        if behind(self.lines, node).startswith(";"):
            return False
        end = next((end for start, end in self.cells if start <= node.lineno <= end), 0)
        return not any(node.lineno < other.lineno <= end for other in self.tree.body)


def behind(lines: tuple[str, ...], node: ast.stmt) -> str:
    """What stands behind a statement on its last line."""
    if node.end_lineno is None or node.end_col_offset is None or node.end_lineno > len(lines):
        return ""
    return lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode().strip()


def mode_of(pasted: Pasted) -> str:
    """A transcript has prompts or says so in a first comment."""
    header = " ".join(HEADER.findall(pasted.program))
    return "transcript" if pasted.transcript or "transcript" in header else "script"


def read(pasted: Pasted, mode: str, limits: Limits) -> Reading:
    """Raises Refusal for what cannot be a program here."""
    if pasted.answer is not None:
        kind = "ErrorMessage" if pasted.answer.kind in ERRORS else "SyntaxError" if pasted.answer.line else "NoProgram"
        raise Refusal(pasted.answer.sentence, pasted.answer.line, kind)
    if len(pasted.program) > limits.source or len(pasted.text) > 4 * limits.source:
        raise Refusal(f"The program is longer than {limits.source:,} characters: paste the part that matters.", None)
    header = " ".join(HEADER.findall(pasted.program))
    check_characters(pasted.program)
    tree = parse(FUTURE.sub("pass", pasted.program) if pasted.transcript else pasted.program)
    echo = mode == "transcript" and (pasted.transcript or "echo" in header)
    return Reading(tree, mode, echo, pasted.cells, tuple(pasted.program.split("\n")))


def check_characters(text: str) -> None:
    """Refuses characters that make a program look other than it is."""
    if text.isascii() and not any(ord(letter) < 32 and letter not in "\t\n" for letter in text):
        return
    for number, line in enumerate(text.split("\n"), 1):
        for letter in line:
            if unicodedata.category(letter) in INVISIBLE and letter != "\t":
                code = f"U+{ord(letter):04X}"
                raise Refusal(
                    f"There is an invisible character ({code}) in this line: delete it, or type the line anew.",
                    number,
                    "SyntaxError",
                )


def parse(text: str) -> ast.Module:
    try:
        return compile_bounded(text)
    except Oversize as error:
        raise Refusal(error.sentence, error.line) from None
    except SyntaxError as error:
        message = error.msg if error.msg != "too many statically nested blocks" else "too many nested blocks"
        raise Refusal(message, error.lineno, type(error).__name__) from None
    except (MemoryError, RecursionError):
        raise Refusal("The program is nested too deeply.", None, "SyntaxError") from None
    except ValueError as error:
        raise Refusal(str(error), None, "SyntaxError") from None


def point_at_error(source: str) -> list[str]:
    """The line of a program that is no Python, and carets under the place, as Python shows them."""
    try:
        compile_bounded(paste(source).program)
    except SyntaxError as error:
        return carets(error)
    except (Oversize, ValueError, MemoryError, RecursionError):
        return []
    return []


def carets(error: SyntaxError) -> list[str]:
    if not error.text or error.offset is None or error.offset < 1:
        return []
    line = error.text.rstrip("\n").expandtabs(1)
    margin = len(line) - len(line.lstrip())
    last = error.end_offset if error.end_lineno == error.lineno and (error.end_offset or 0) > error.offset else None
    width = (last or error.offset + 1) - error.offset
    return [f"    {line.strip()}", "    " + " " * max(error.offset - 1 - margin, 0) + "^" * max(width, 1)]


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

RECURSION_LIMIT = 20_000
"""Python's own recursion limit while a program runs, at most; the program's calls have their own."""
STACK = getrlimit(RLIMIT_STACK)[0] if sys.platform != "win32" else 0
"""Bytes of the stack as the process began, for later it may not ask; not above 0 if there is no limit."""
STACK_OF_CALL = 1_100
"""Bytes of the stack that a call of Python's takes which goes through C, as by `__call__`, `__init__` or a property."""


def recursion_limit() -> int:
    """As many calls as the stack of this thread bears: beyond, the process would end, not the program."""
    main = threading.current_thread() is threading.main_thread()
    room = STACK if main else threading.stack_size() or STACK
    return min(RECURSION_LIMIT, room // STACK_OF_CALL) if room > 0 else RECURSION_LIMIT


def run(
    source: str,
    *,
    mode: str | None = None,
    limits: Limits | None = None,
    place: Place | None = None,
    during: Callable[[], AbstractContextManager[None]] = nullcontext,
    hear: Callable[[dict[str, Any]], None] | None = None,
) -> Trace:
    """Runs `source` and gives the trace of all that happened. Never raises for a bad program: the outcome says it.

    `mode` is "script" (the first uncaught error ends it) or "transcript" (it goes on, statement by statement);
    None guesses by the prompts. `place[0]` is always the line reached last. While statements run, and only then, the
    context of `during` is entered: Spent may be raised in it at any moment, and ends the run. `hear` is told now and
    then how far it has come: the `line` of the outermost loop, its `turn`, of how many (`total`), `seconds`, and what
    was `printed` last.
    """
    limits = limits or Limits()
    pasted = paste(source)
    mode = mode or mode_of(pasted)
    plan, used = Plan(), 0.0
    for _ in range(MOST_RUNS):
        began = time.monotonic()
        trace, pauses = run_once(pasted, mode, limits, place, during, plan, used, hear)
        took = time.monotonic() - began
        used += took
        if not pauses.missed or used + took * LONGER > limits.seconds:
            break
        plan = pauses.learned
    return trace


def tell_progress(machine: Machine, hear: Callable[[dict[str, Any]], None], seconds: float) -> None:
    """Tell how far a run has come."""
    line, turn, total = machine.outermost or (machine.line, None, None)
    printed = machine.printed[-1].strip() if machine.printed else ""
    hear({"line": line, "turn": turn, "total": total, "seconds": round(seconds, 1), "printed": cut(printed)[:SAID]})


SAID = 80
"""Characters of what was printed last that are told with how far a run has come."""
MOST_RUNS = 3
"""So often a program is run: where the end of a loop came unforeseen, once more, to record the turns before it."""
LONGER = 1.5
"""So much longer a second run may take than the first."""


def run_once(
    pasted: Pasted,
    mode: str,
    limits: Limits,
    place: Place | None,
    during: Callable[[], AbstractContextManager[None]],
    plan: Plan,
    used: float,
    hear: Callable[[dict[str, Any]], None] | None,
) -> tuple[Trace, Pauses]:
    """The trace of one run of a program, and when it paused; `used` are the seconds that were taken before."""
    recorder = Recorder()
    names: dict[str, Value] = {"__name__": "__main__", "__file__": "program.py", "__doc__": None}
    machine = Machine(limits, names, recorder, place, plan, used)
    machine.call = call
    if hear is not None:
        machine.meter.beat = partial(tell_progress, machine, hear)
    machine.source = pasted.program.split("\n")
    with prepare_engine(machine):
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
        return trace, machine.pauses


def perform(pasted: Pasted, mode: str, machine: Machine, during: Callable[[], AbstractContextManager[None]]) -> Outcome:
    try:
        reading = read(pasted, mode, machine.limits)
        name_events = NameEvents(machine.emit, machine.meter.say)
        name_events.names = machine.names
        machine.pauses.names, machine.pauses.switch = name_events, machine.record_again
        compiler, shown = Compiler(machine, name_events, reading.tree, None), echo(machine)
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
        machine.stopped, stop.outermost = stop, machine.outermost
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
        emit_raised(machine, record, False)
        if reading.mode == "script":
            line = record.place[0] if record.place else frame.line
            text = show_error(machine, record)
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
        return record_error(machine, raised, frame)
    return None


def echo(machine: Machine) -> Callable[[Value], None]:
    """What the prompt does with the value of a bare expression."""

    def show(value: Value) -> None:
        if value is not None and type(value) is not Stub:
            machine.write(repr_of(machine, value) + "\n")
            machine.names["_"] = value

    return show


@contextmanager
def prepare_engine(machine: Machine) -> Iterator[None]:
    """The engine as in a fresh process; warnings go to the trace; room for nested calls.

    The collector of cycles waits: when it would come depends on what ran before, and a trace must not.
    """
    depth = sys.getrecursionlimit()

    def show(message: Warning | str, category: type[Warning], *rest: Any) -> None:
        kinds = tuple(kind.__name__ for kind in category.__mro__)
        said = mask_host(str(message))
        if machine.warn(kinds, said, once=said.startswith(ONCE)):
            raise category(said)

    with (
        collector_paused(),
        running(machine.meter, machine.stack, partial(to_engine, machine)),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("always")
        warnings.showwarning = show  # type: ignore[assignment]
        sys.setrecursionlimit(max(depth, recursion_limit()))
        try:
            yield
        finally:
            sys.setrecursionlimit(depth)
