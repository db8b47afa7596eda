"""Budgets: what a run may use, and the meter that charges it before the work is done."""

from __future__ import annotations

import math
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograd_core.engine.state import state
from autograd_core.tensor.tensor import Tensor

if sys.platform == "linux":
    from resource import RUSAGE_SELF, getrusage


@dataclass(frozen=True)
class Limits:
    """What one run may use. The defaults are meant for strangers' programs on a public page: PUBLIC; OWN is for one's
    own machine."""

    source: int = 20_000
    """Characters of the program."""
    steps: int = 2_000_000
    """Statements, calls and iterations; a large operation counts as many."""
    seconds: float = 5.0
    """Time by the wall clock, looked at every 256 steps; the process is killed later, from outside."""
    elements: int = 1024 * 1024
    """Elements of one tensor."""
    effort: int = 16 * 1024 * 1024
    """Elements of one operation, those of slow functions counted as often as they take 100 nanoseconds. While it is on,
    nobody can look at the clock."""
    bytes: int = 256_000_000
    """Memory that tensors hold at one time."""
    memory: int = 320_000_000
    """Memory that the run takes in all: its lists and texts, and the recording. Looked at with the clock."""
    flops: int = 4_000_000_000
    """Multiplications inside matrix products."""
    product: int = 1_000_000_000
    """Multiplications of one product: while it is on, nobody can look at the clock."""
    whole: int = 40_000
    """Events of a recording up to which loops are recorded whole; of longer ones the middle runs unrecorded."""
    free: bool = False
    """Whether the engine does not ask for room while nothing is recorded, and runs at its own speed."""
    events: int = 300_000
    """Length of the trace."""
    nodes: int = 100_000
    """Nodes of backward graphs."""
    output: int = 64_000
    """Characters printed."""
    text: int = 4_000_000
    """Characters of messages, and of names longer than LONG_NAME, in the recording."""
    depth: int = 200
    """Calls inside calls; beyond, the program gets the RecursionError that Python would raise."""
    bits: int = 4_096
    """Bits of one whole number."""
    length: int = 100_000
    """Items of one container, characters of one string."""


PUBLIC = Limits()
UNBOUNDED = 1 << 60
OWN = Limits(
    source=200_000,
    steps=UNBOUNDED,
    seconds=120.0,
    elements=1 << 30,
    effort=UNBOUNDED,
    bytes=4_000_000_000,
    memory=4_000_000_000,
    flops=UNBOUNDED,
    product=UNBOUNDED,
    free=True,
    output=2_000_000,
    text=16_000_000,
    depth=990,
    length=50_000_000,
)
"""Bounded by time and memory alone, but for what could not be shown."""


WORDS = {
    "steps": "{limit:,} steps",
    "seconds": "{limit:g} seconds",
    "elements": "{limit:,} elements in one tensor",
    "effort": "the time of {limit:,} additions in one operation",
    "bytes": "{limit:,} bytes held by tensors",
    "memory": "{limit:,} bytes of memory",
    "flops": "{limit:,} multiplications",
    "product": "{limit:,} multiplications in one product",
    "events": "{limit:,} events in the recording",
    "nodes": "{limit:,} nodes",
    "output": "{limit:,} printed characters",
    "text": "{limit:,} characters of messages and long names",
    "bits": "whole numbers of {limit:,} bits",
    "length": "{limit:,} items in a list or characters in a string",
    "source": "{limit:,} characters of source",
}


ENDLESS = " Perhaps a loop does not end?"
CAME = " It came to turn {turn:,}{of} of the loop on line {line}{fit}."
FIT = ": so about {turns:,} fit"
SMALLER = " Smaller batches, images or layers need fewer."
HELD = (
    " Turns of a long loop are left out where little of them stays, but what this program made is still held, or no "
    "loop made it."
)
"""Why the budgets of the recording were spent all the same."""
HINTS = {"events": HELD, "nodes": HELD}
HINTS |= dict.fromkeys(("elements", "effort", "flops", "product"), SMALLER)


GROWING = ("steps", "seconds", "flops")
"""The budgets that each turn of a loop spends."""


class Spent(BaseException):
    """A budget is spent. No handler of a program ever sees it."""

    def __init__(self, budget: str, limit: float) -> None:
        super().__init__(budget)
        self.budget = budget
        self.limit = limit
        self.line: int | None = None
        self.outermost: tuple[int, int, int | None] | None = None
        """The loop that the program was in, as in LineReached, the outermost if there are several."""

    @property
    def sentence(self) -> str:
        """Which budget it was, how far the program came, and what would fit."""
        allowed = WORDS[self.budget].format(limit=self.limit)
        hint = HINTS.get(self.budget, "")
        if self.outermost is not None:
            line, turn, total = self.outermost
            goes_on = self.budget in GROWING
            of, fit = f" of {total:,}" if total else "", FIT.format(turns=turn - 1) if goes_on and turn > 2 else ""
            hint = CAME.format(turn=turn, of=of, line=line, fit=fit if total else "") + hint
            hint += ENDLESS if goes_on and total is None else ""
        return f"The program was stopped: it may use {allowed}.{hint} What came before is shown."


CHECK_EVERY = 256
BEAT = 0.5
"""Seconds from one word on how far a run has come to the next."""
NEAR = 0.92
"""From this share of a budget on, its end is near."""
FEW, SLOWER, LEAST = 12, 10, 0.005
"""So many turns are to be recorded at the end; a recorded one takes so many times as long; this share of the time at
least is left for them."""
LONG_NAME = 40
"""Names of so many characters are not counted: the number of events bounds them."""
FREE = 1024
"""Elements for which nothing is charged, if they take a step each."""


def peak() -> int:
    """The most memory that this process ever held at one time, in bytes; 0 where nobody counts."""
    return getrusage(RUSAGE_SELF).ru_maxrss * 1024 if sys.platform == "linux" else 0


class Meter:
    """Counts what a run uses. Whoever raises `steps` calls `check` once it reaches `check_at`."""

    def __deepcopy__(self, memo: object) -> Meter:
        """Itself: there is one for a run."""
        return self

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic, used: float = 0.0) -> None:
        self.limits = limits
        self.clock = clock
        self.steps = 0
        self.check_at = min(CHECK_EVERY, limits.steps)
        self.deadline = clock() + limits.seconds - used
        self.most = peak() + limits.memory
        self.flops = 0
        self.output = 0
        self.said = 0
        self.beat: Callable[[float], None] | None = None
        """Told now and then for how many seconds the program runs."""
        self.next_beat = clock() + BEAT
        self.late = False
        """Whether so much is spent that the end is near: what comes now is recorded."""

    def check(self) -> None:
        """Stops the run if its steps or its time are spent, else says when to look again."""
        if self.steps > self.limits.steps:
            raise Spent("steps", self.limits.steps)
        now = self.clock()
        if now > self.deadline:
            raise Spent("seconds", self.limits.seconds)
        if self.beat is not None and now > self.next_beat:
            self.next_beat = now + BEAT
            self.beat(now - self.deadline + self.limits.seconds)
        if not self.late:
            near = self.steps > NEAR * self.limits.steps or self.flops > NEAR * self.limits.flops
            self.late = near or now > self.deadline - (1 - NEAR) * self.limits.seconds
        if peak() > self.most:
            raise Spent("memory", self.limits.memory)
        self.check_at = min(self.steps + CHECK_EVERY, self.limits.steps)

    def spent(self) -> tuple[float, ...]:
        """What is spent of the budgets that each turn of a loop spends: seconds, steps, multiplications."""
        return self.clock() - self.deadline + self.limits.seconds, self.steps, self.flops

    def fits_seldom(self, before: tuple[float, ...], turns: int) -> bool:
        """Whether only a few more turns fit, of a loop of which so many have passed since `before`."""
        now = self.spent()
        limits = self.limits.seconds, self.limits.steps, self.limits.flops
        each = [(spent - earlier) / turns for spent, earlier in zip(now, before, strict=True)]
        few = each[0] * SLOWER * FEW, each[1] * FEW, each[2] * FEW
        left = [limit - spent for limit, spent in zip(limits, now, strict=True)]
        return left[0] < LEAST * limits[0] or any(one < some for one, some in zip(left, few, strict=True))

    def charge(self, steps: int = 1) -> None:
        self.steps += steps
        if self.steps >= self.check_at:
            self.check()

    # ---- sizes, before something of that size is made

    def elements(self, count: int, weight: int = 1) -> None:
        """A tensor of `count` elements is about to be made or read through, which takes `weight` steps for each."""
        if count > self.limits.elements:
            raise Spent("elements", self.limits.elements)
        steps = count * weight
        if steps > self.limits.effort:
            raise Spent("effort", self.limits.effort)
        if steps > FREE:
            self.charge(steps // FREE)

    def fits(self, count: int) -> None:
        """A view of `count` elements is about to be made, which takes a step."""
        if count > self.limits.elements:
            raise Spent("elements", self.limits.elements)
        self.charge()

    def work(self, flops: int) -> None:
        """A matrix product of `flops` multiplications is about to be done."""
        if flops > self.limits.product:
            raise Spent("product", self.limits.product)
        self.flops += flops
        if self.flops > self.limits.flops:
            raise Spent("flops", self.limits.flops)
        if flops > 1 << 20:
            self.charge(flops >> 16)

    def longest(self, count: int) -> None:
        """What is being put together has `count` items so far."""
        if count > self.limits.length:
            raise Spent("length", self.limits.length)

    def length(self, count: int) -> None:
        """A container or string of `count` items is about to be made."""
        self.longest(count)
        if count > 64:
            self.charge(count >> 6)

    def bits(self, count: int) -> None:
        if count > self.limits.bits:
            raise Spent("bits", self.limits.bits)

    def say(self, characters: int) -> None:
        """A message of so many characters, or a name of as many, goes into the recording."""
        self.said += characters
        if self.said > self.limits.text:
            raise Spent("text", self.limits.text)

    def room(self, letters: int) -> None:
        """So much text is about to be put together to be printed."""
        if self.output + letters > self.limits.output:
            raise Spent("output", self.limits.output)

    def text(self, written: str) -> None:
        """`written` is about to be printed."""
        self.room(len(written))
        self.output += len(written)


def extent(shape: Sequence[int]) -> int:
    """The elements of this shape, or as many as it would have without its zeros: lists of its rows, and sums along what
    is empty, are as long."""
    return math.prod(int(size) or 1 for size in shape)


# ---- how much memory the tensors of a run hold: counted as they are made, looked at again when it may be too much

SMALL = 256
"""Tensors of so few elements are not counted: the number of events bounds them."""


class MemoryTracker:
    """Called with each TensorMade in flight; stops the run when what is alive takes more than `limit` bytes.

    `weigh` is called with tensors that the engine noted, and tells of later.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.sizes: dict[int, int] = {}
        self.noted: list[tuple[weakref.ref[Tensor], int]] = []
        self.made = 0

    def __call__(self, flight: tuple[Any, ...]) -> None:
        _, _, storage, _, _, shape, dtype, *_ = flight
        elements = math.prod(shape)
        if elements <= SMALL or storage in self.sizes:
            return
        self.sizes[storage] = elements * (
            4 if dtype == "bfloat16" else np.dtype(dtype).itemsize
        )  # that lies as float32
        self.made += self.sizes[storage]
        if self.made > self.limit:
            self.count()

    def weigh(self, tensor: Tensor) -> None:
        size = int(tensor.data_.nbytes)
        self.noted.append((weakref.ref(tensor), size))
        self.made += size
        if self.made > self.limit:
            self.count()

    def count(self) -> None:
        """Forgets the storages and tensors that are gone."""
        session = state.session
        alive = {watch.number for watch in session.storages.values()} if session is not None else set()
        self.sizes = {storage: size for storage, size in self.sizes.items() if storage in alive}
        self.noted = [(ref, size) for ref, size in self.noted if ref() is not None]
        self.made = sum(self.sizes.values()) + sum(size for _, size in self.noted)
        if self.made > self.limit:
            raise Spent("bytes", self.limit)
