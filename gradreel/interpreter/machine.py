"""The machine: what one run has and shares: its meter, its listener, its output, where it is."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from itertools import count
from types import TracebackType
from typing import Any

import numpy as np

from autograd_core.errors import Unsupported
from autograd_core.events import NodeReleased, TensorMade, TensorReleased
from gradreel.trace import Recorder
from gradreel.trace.events import FunctionEntered, FunctionLeft, LineReached, Printed, Warned
from gradreel.trace.texts import brief, cut

from .limits import LONG_NAME, Limits, MemoryTracker, Meter, Spent
from .pausing import FEWEST, Loop, Pauses, Plan
from .refusal import Refusal, refusal
from .runtime.values import Error, Frame, Namespace, Value

# ---- which warnings a program wants to see: the filters of Python's `warnings`, the newest first
#
# A pattern is matched as far as it is letters with `.*` between them, which is how filters are written: Python's
# regular expressions could take for ever.

ACTIONS = ("default", "error", "ignore", "always", "all", "module", "once")
PLAIN = re.compile(r"(?:\\[^\w\s]|[^\\\[\](){}|+?*^$])*\Z")
"""A piece of a pattern that stands for itself."""


@dataclass(frozen=True)
class Filter:
    """What to do about warnings of `kind` that say `says`, from the module `home`."""

    action: str
    kind: str = "Warning"
    says: str = ""
    home: str = ""

    def takes(self, message: str, kinds: Collection[str], home: str) -> bool:
        return self.kind in kinds and begins(self.says.lower(), message.lower()) and begins(self.home, home)


def begins(pattern: str, text: str) -> bool:
    """Whether `text` begins as `pattern` says; not, where that is more than pieces in a row."""
    at = 0
    for number, piece in enumerate(pattern.removeprefix("^").split(".*")):
        if not PLAIN.match(piece):
            return False
        letters = re.sub(r"\\(.)", r"\1", piece)
        found = text.find(letters, at)
        if found < 0 or (number == 0 and found):
            return False
        at = found + len(letters)
    return True


class Filters:
    """The filters of a run, and what was shown under them."""

    def __init__(self) -> None:
        self.all: tuple[Filter, ...] = ()
        self.shown: set[tuple[str, str, int]] = set()
        self.shown_once: set[tuple[str, str]] = set()

    def put(self, all: tuple[Filter, ...]) -> None:
        """Have these filters instead. Python then forgets what it showed by line."""
        self.all = all
        self.shown.clear()

    def answer(self, message: str, kinds: tuple[str, ...], line: int) -> str:
        """What becomes of a warning for `line`, 0 where it is for a line of the library: show, error or ignore."""
        home = "__main__" if line else "torch"
        action = next((f.action for f in self.all if f.takes(message, kinds, home)), "default")
        if action in ("error", "ignore"):
            return action
        if action == "once":
            new = (kinds[0], message) not in self.shown_once
            self.shown_once.add((kinds[0], message))
        else:
            key = (kinds[0], message, 0 if action == "module" else line)
            new = key not in self.shown or action in ("always", "all")
            self.shown.add(key)
        return "show" if new else "ignore"


Flight = tuple[Any, ...]
RELEASES = (TensorReleased, NodeReleased)
MANY = 16
"""Events that one thing noted by the engine becomes, at most but for nodes with many edges."""
OFTEN = 256
"""After so many things the clock is looked at."""
Frames = tuple[tuple[str, int], ...]
Place = list[int] | memoryview
Loops = tuple[tuple[int, int, int | None], ...]

TURN, PROGRESS = 1, 2
"""Where in a Place that has room for it the turn of the outermost loop stands, and of how many, 0 if nobody knows."""


TIGHT = (12, 15, 16)
"""At so many sixteenths of its budgets a recording is made shorter; where that does not help, later once more."""


class Room:
    """How much a recording has left of its budgets. As it runs short, turns of long loops are left out."""

    def __init__(self, events: int, nodes: int) -> None:
        self.events, self.nodes = events, nodes
        self.tried = 0

    def is_tight(self, recorder: Recorder) -> bool:
        share = TIGHT[self.tried]
        return len(recorder) * 16 > self.events * share or recorder.nodes * 16 > self.nodes * share

    def make(self, recorder: Recorder) -> None:
        """Make room, between two statements."""
        if self.tried < len(TIGHT) - 1 and recorder.idle:
            shorter = recorder.shorten(self.events // 3) and recorder.nodes <= self.nodes // 2
            self.tried = 0 if shorter else self.tried + 1

    def check(self, recorder: Recorder) -> None:
        """
        Raises:
            Spent: a budget is spent, and what the turns of loops made is still there, or it is no loop.
        """
        if recorder.nodes > self.nodes:
            raise Spent("nodes", self.nodes)
        if len(recorder) > self.events:
            raise Spent("events", self.events)


class Machine:
    """State of one run.

    `frames` are the calls the program is in, as (function, line of the call); `loops` its loops, as in LineReached;
    `frame` the innermost call, so that a warning or a stop knows its line. `place` holds the line reached last, where
    somebody outside may look at it, should the run have to be ended from there.
    """

    def __deepcopy__(self, memo: Any) -> Machine:
        """Itself: what holds it may be copied, and there is one machine, and one meter, for a run."""
        return self

    def __init__(
        self,
        limits: Limits,
        names: dict[str, Value],
        recorder: Recorder,
        place: Place | None = None,
        plan: Plan | None = None,
        used: float = 0.0,
    ) -> None:
        self.limits = limits
        self.meter = Meter(limits, used=used)
        self.record = recorder.emit
        self.place: Place = [0] if place is None else place
        self.records = True
        """Whether what happens is recorded now; see `pauses`."""
        self.pauses = Pauses(recorder, limits, self.meter, plan or {})
        self.outermost: tuple[int, int, int | None] | None = None
        """The loop that the program is in, as in LineReached: the outermost of them."""
        self.progress = self.place if len(self.place) > PROGRESS else [0] * (PROGRESS + 1)
        self.emit = self.counting(recorder)
        self.names = names
        self.frames: Frames = ()
        self.loops: Loops = ()
        self.depth = 0
        self.links = 0
        """The iterators that are asking one another for an item."""
        self.scopes = 0
        self.frame = Frame(names, {}, 0, "<module>")
        self.random: Any = None
        self.chance: Any = None
        self.autocasts: list[Any] = []
        """What the blocks of torch.autocast under way found when they began."""
        self.handling: list[Error] = []
        """The exceptions that handlers are dealing with, innermost last."""
        self.modules: dict[str, Namespace] = {}
        """The library modules that were loaded for this run."""
        self.shown: dict[str, Any] = {}
        """How numpy's arrays are written, where the program has said so."""
        self.files: dict[str, Value] = {}
        """What was saved, by the name of the file that it would be in."""
        self.texts: dict[str, str] = {}
        """What was written as text, by the names of the files; names that end in `/` are folders."""
        self.streams: dict[str, Value] = {}
        """What the program put in the place of `sys.stdout` and `sys.stderr`."""
        self.over = False
        self.stopped: Spent | None = None
        """What stopped the run. It holds the frames of the calls under way: their names are shown as they stood."""
        self.left_by: TracebackType | None = None
        """The frames that an error left which ends the program: as in Python, what they hold lives as long as it."""
        self.clock = 0.0
        """Seconds that the program slept."""
        self.filters = Filters()
        self.recorded: Callable[[str, str], None] | None = None
        """Takes the warnings that the program wants to have for itself."""
        self.printed: list[str] = []
        """What was printed last, where somebody is told how far the run has come."""
        self.source: list[str] = []
        """The lines of the program."""
        self.remarks: set[str] = set()
        self.mirrored: list[Any] = []
        """Weak references to the tensors whose memory arrays show."""
        self.numbers: dict[int, tuple[int, Any]] = {}
        """What `id` gives for what lies at an address, and what says that it lies there no more."""
        self.next_number = count(140_000_000_000_000, 16).__next__
        self.has_placed_keys = False
        """Whether a set may have items that the host hashes by their addresses."""
        self.addresses: dict[int, int] = {}
        """The memory whose address the program asked for, in the order in which it did."""
        self.next_kept = count(1).__next__
        """A number for a value that waits in a generator while the rest of its expression is worked out."""
        self.next_place = count(1).__next__
        """A place for an object that is put into a set."""
        self.call: Callable[[Machine, Value, list[Value], dict[str, Value]], Value]

    def counting(self, recorder: Recorder) -> Callable[[Flight], None]:
        """Takes events as long as trace and graph may grow, and looks at the clock: the engine works long by itself.

        What the engine notes becomes events when it is read. That is done once what is not yet read might be too much,
        for one thing that is noted is seldom more than MANY events. A release comes out of a weak reference, where
        nothing can be raised; the next event stops the run.
        """
        append, items, limit, meter = recorder.emit, recorder.tape.items, self.limits.events, self.meter
        hold, place, most, pauses = MemoryTracker(self.limits.bytes), self.place, self.limits.nodes, self.pauses
        due = min(limit // MANY, most, self.limits.whole // 2)
        room = Room(limit, most)

        def emit(flight: Flight) -> None:
            nonlocal due
            kind = flight[0]
            if not self.records and kind not in RELEASES:
                pauses.hear(flight)
                return
            append(flight)
            if kind is LineReached:
                place[0] = flight[1]
            elif kind is TensorMade:
                hold(flight)
            if len(items) > due and kind not in RELEASES:
                tight = room.is_tight(recorder)
                if tight and kind is LineReached:
                    room.make(recorder)
                    tight = False
                if kind is LineReached and pauses.breaks_off():
                    return
                room.check(recorder)
                left = min((limit - len(recorder)) // MANY, most - recorder.nodes, OFTEN)
                due = len(items) + (0 if tight else left)
                meter.check()

        recorder.tape.emit, recorder.tape.weigh = emit, hold.weigh
        return emit

    @property
    def line(self) -> int:
        return self.frame.line

    def number(self, value: Value) -> int:
        """What `id` gives: a number that stays the same while the value lives, and from run to run.

        What lies at the same address later has another, as far as the end of a value can be seen. NaN is kept instead.
        """
        at = id(value)
        if at not in self.numbers:
            watch: Any = None
            if isinstance(value, (float, complex, np.number)):
                watch = value
            elif type(value).__weakrefoffset__:
                watch = weakref.ref(value, partial(self.numbers.pop, at))
            self.numbers[at] = self.next_number(), watch
        return self.numbers[at][0]

    def record_again(self, on: bool) -> None:
        """Whether what happens is recorded from now on."""
        self.records = self.pauses.names.on = on

    def begin_turn(self, run: Loop, turn: int) -> None:
        """A turn of a loop begins that is no statement."""
        if turn < FEWEST:
            return
        if self.records:
            self.pauses.begins(run, turn)
        elif self.pauses.owner is run:
            self.pauses.goes_on(run, turn)

    def end_turns(self, run: Loop, turn: int) -> None:
        """That loop is over."""
        if self.pauses.owner is run:
            self.pauses.ends(run, turn)

    # ---- calls

    def enter(self, function: str, frame: Frame) -> Frame:
        """`frame` becomes the innermost call; the one before is returned, for `leave`."""
        caller = self.frame
        self.depth += 1
        if self.depth > self.limits.depth:
            self.depth -= 1
            raise RecursionError("maximum recursion depth exceeded")
        self.meter.charge(2)
        if frame.quiet:
            return caller
        if len(function) > LONG_NAME:
            function = brief(function)
            self.meter.say(len(function) * (1 + len(self.frames)))
        self.frames = (*self.frames, (function, caller.line))
        self.frame = frame
        self.pauses.scopes.append(frame.scope)
        if self.records:
            self.emit((FunctionEntered, function, frame.scope, caller.line))
        return caller

    def leave(self, caller: Frame, frames: Frames, loops: Loops) -> None:
        """The innermost call ends, unless the run was stopped in it."""
        if self.stopped is not None:
            return
        self.depth -= 1
        if self.frame is caller:
            return
        self.pauses.scopes.pop()
        if self.records:
            self.emit((FunctionLeft, self.frame.scope))
        self.frame = caller
        self.frames = frames
        self.loops = loops

    def new_scope(self) -> int:
        self.scopes += 1
        return self.scopes

    # ---- exceptions

    def note(self, raised: BaseException, frame: Frame) -> None:
        """Remembers where `raised` came up, at the first frame that it passes; a library's frames do not count.

        Raises:
            Refusal: the engine does not do it: no error of the program, and no handler of it may see one.
        """
        if isinstance(raised, Unsupported):
            raise refusal(raised, None if frame.quiet else frame.line)
        if frame.quiet:
            return
        if isinstance(raised, (Spent, Refusal)):
            raised.line = raised.line or frame.line
            self.stopped = raised if isinstance(raised, Spent) else None
        elif getattr(raised, "place", None) is None:
            raised.place = (frame.line, self.frames)  # type: ignore[attr-defined]

    def stack(self) -> list[str]:
        """The calls under way as Python's tracebacks have them, the outermost first: lines of the program alone."""
        self.meter.charge(1 + len(self.frames))
        names = ["<module>", *(function for function, _ in self.frames)]
        lines = [*(line for _, line in self.frames), self.line]
        return [self.traceback_entry(name, line) for name, line in zip(names, lines, strict=True)]

    def traceback_entry(self, name: str, line: int) -> str:
        text = self.source[line - 1].strip() if 0 < line <= len(self.source) else ""
        return f'  File "program.py", line {line}, in {name}\n' + (f"    {text}\n" if text else "")

    # ---- output

    def write(self, written: str) -> None:
        self.meter.text(written)
        if self.meter.beat is not None and written.strip():
            self.printed = [written]
        self.emit((Printed, written))

    def say(self, *flight: Any) -> None:
        """Record an event with a name and a message, and charge for them."""
        self.meter.say(len(flight[1]) + len(flight[2]))
        self.emit(flight)

    def warn(self, kinds: tuple[str, ...], message: str, once: bool = False) -> bool:
        """Shows a warning once for each line, as Python does, or `once` in the run, if the program's filters let it.

        `kinds` are the names of its category and of those above. Whether it is to be raised instead is the answer.
        """
        answer = self.filters.answer(message, kinds, 0 if once else self.line)
        if answer == "show" and self.recorded is not None:
            self.recorded(kinds[0], message)
        elif answer == "show":
            self.say(Warned, kinds[0], cut(message), self.line)
        return answer == "error"

    def remark(self, message: str, line: int = 0) -> None:
        """Says, once a run, what is taken without effect here, or at `line` while the program is being compiled."""
        if message not in self.remarks:
            self.remarks.add(message)
            self.say(Warned, "Note", message, line or self.line)
