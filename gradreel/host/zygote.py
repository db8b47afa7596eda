"""The warm process: everything imported, one thread, one fork per run.

It reads a request, forks a child that locks itself down and does the work, and passes the reply on. It never looks
into a request or a reply itself. A child that is not done in time is killed, as is one whose run is cancelled (an empty
frame says so). The process ends when whoever started it does.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import mmap
import os
import pkgutil
import select
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import NoReturn

from .frames import Gone, Late, read_exactly, read_frame, write_frame
from .in_time import LARGEST_REPLY
from .jail import ADDRESS_SPACE, CPU_SECONDS, end_with, lock_down
from .watching import Watch
from .work import BROKEN, halted, refusal, work

HARD_SECONDS = 8.0
"""When a run is killed, by the wall clock."""
STUB_SECONDS = 2.0
"""How long the reply for a run that was killed may take."""

DEEPEST = 10_000
"""How deep values may be inside one another, about: the room on the stack decides."""

CANCEL = b""
WARM_UP = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)\n"
TIMED_OUT = f"The run was stopped after {HARD_SECONDS:g} seconds. Nothing of it is left to show."
CANCELLED = "The run was cancelled."
DIED = "The run ended before it could answer: it needed more memory than it may have here."
KILLED = "The process of this run was killed from outside. Nothing else was harmed; run it again."
FORBIDDEN = "The run was ended: it asked the operating system for something that no program here may have."

Task = Callable[[list[str], Callable[[bytes], None]], bytes]
"""What a child does: given the layers that hold it and where to write replies on the way, it makes the reply."""


def import_everything() -> None:
    """Import all modules of the engine and of the floors below: a locked-down child can open no file."""
    for package in ("autograd_core", "gradreel.trace", "gradreel.program", "gradreel.explain", "gradreel.scene"):
        module = importlib.import_module(package)
        for found in pkgutil.walk_packages(module.__path__, package + "."):
            importlib.import_module(found.name)


def warm_up() -> None:
    """Have everything imported and used once, and keep the collector from looking at it ever again."""
    import_everything()
    work(json.dumps({"source": WARM_UP, "want": "both"}).encode())
    gc.collect()
    gc.freeze()


def main() -> None:
    """Serve requests from descriptor 0 on descriptor 1, until 0 is closed. The first argument says how to lock down."""
    source, sink = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    warden = Warden(source, sink, **json.loads(sys.argv[1]))
    warm_up()
    write_frame(sink, b"ready")
    while True:
        try:
            request = read_frame(source)
            if request != CANCEL:  # of a run that had just ended
                warden.serve(request)
        except Gone:
            return


class Warden:
    """Forks a child for each run, and sees to its end."""

    def __init__(self, source: int, sink: int, rlimits: bool, seccomp: bool) -> None:
        self.source, self.sink = source, sink
        self.lock_down = partial(lock_down, rlimits=rlimits, seccomp=seccomp)
        self.page = mmap.mmap(-1, mmap.PAGESIZE)
        self.place = memoryview(self.page).cast("I")
        """The line that the run reached last: the one page that the child shares."""

    def serve(self, request: bytes) -> None:
        """Run one request in a child and pass its reply on."""
        self.place[0] = 0
        watch = Watch(self.place, alarm=True)
        answer, status = self.run(partial(performing, request, watch), HARD_SECONDS)
        if answer is None and status in LIMITS_MET:
            stub = partial(halting, request, *LIMITS_MET[status], self.place[0])
            answer = self.run(stub, STUB_SECONDS)[0]
        write_frame(self.sink, answer or refusal(*ENDINGS.get(status, (DIED, False))))

    def run(self, task: Task, seconds: float) -> tuple[bytes | None, int]:
        """The reply of a child that does `task`, and the signal that ended it; SIGALRM if it was killed for time.

        Raises:
            Gone: nobody waits for the reply any more.
        """
        ours, theirs = os.pipe()
        me = os.getpid()
        child = os.fork()
        if child == 0:
            self.be_child(task, theirs, me)
        os.close(theirs)
        answer, late = None, False
        try:
            answer, late = self.answer_of(ours, seconds)
        finally:
            os.close(ours)
            status = end(child)
        return answer, signal.SIGALRM if late else os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0

    def answer_of(self, pipe: int, seconds: float) -> tuple[bytes | None, bool]:
        """The last whole reply that came out of `pipe` until its end, and whether its time was over before."""
        deadline = time.monotonic() + seconds
        answer = None
        while True:
            left = max(deadline - time.monotonic(), 0)
            readable = select.select([pipe, self.source], [], [], left)[0]
            if self.source in readable and read_frame(self.source) == CANCEL:
                return refusal(CANCELLED), False
            if not readable:
                return answer, True
            if pipe in readable:
                try:
                    final, answer = read_reply(pipe, deadline)
                except Late:
                    return answer, True
                except Gone:
                    return answer, False
                if final:
                    return answer, False

    def be_child(self, task: Task, pipe: int, parent: int) -> NoReturn:
        """The child: close what is not its own, lock down, work, answer, end."""
        status = 1
        try:
            os.closerange(3, pipe)
            os.closerange(pipe + 1, 256)
            end_with(parent)
            gc.disable()  # whatever it leaves is gone with it
            layers = ["checked language", "own process", *self.lock_down()]
            write_reply(pipe, task(layers, partial(write_reply, pipe, final=False)))
            status = 0
        finally:
            os._exit(status)


LIMITS_MET: dict[int, tuple[str, float]] = {
    signal.SIGALRM: ("seconds", HARD_SECONDS),  # ours
    signal.SIGXCPU: ("seconds", CPU_SECONDS),  # the kernel's
    signal.SIGSEGV: ("nesting", DEEPEST),  # a stack is used up
    signal.SIGBUS: ("memory", ADDRESS_SPACE),
    signal.SIGABRT: ("memory", ADDRESS_SPACE),
}
"""The budget that a run has spent, and its limit, by the signal that ended it."""

ENDINGS: dict[int, tuple[str, bool]] = {
    signal.SIGALRM: (TIMED_OUT, False),
    signal.SIGKILL: (KILLED, True),
    signal.SIGSYS: (FORBIDDEN, False),
}
"""What is said of a run that a signal ended, and whether another try may go better."""


def performing(request: bytes, watch: Watch, layers: list[str], early: Callable[[bytes], None]) -> bytes:
    """Run the program of `request`."""
    try:
        return work(request, layers, watch, early)
    except MemoryError:
        pass
    except Exception:
        return refusal(BROKEN)
    return halted(request, "memory", ADDRESS_SPACE, watch.place[0], layers)


def halting(request: bytes, budget: str, limit: float, line: int, layers: list[str], early: object) -> bytes:
    """Say that the run of `request` had to be ended."""
    return halted(request, budget, limit, line, layers)


def write_reply(pipe: int, answer: bytes, final: bool = True) -> None:
    write_frame(pipe, bytes([final]) + answer)


def read_reply(pipe: int, deadline: float) -> tuple[bool, bytes]:
    """Whether it is the last, and the reply.

    Raises:
        Gone: there is none any more.
        Late: it was not there in time.
    """
    size = int.from_bytes(read_exactly(pipe, 4, deadline), "big")
    if not 0 < size <= LARGEST_REPLY + 100_000:
        raise Gone
    final, *_ = read_exactly(pipe, 1, deadline)
    return bool(final), read_exactly(pipe, size - 1, deadline)


def end(child: int) -> int:
    """Kill `child` if it still runs, and give how it ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


if __name__ == "__main__":
    main()
