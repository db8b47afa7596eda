"""The warm process: everything imported, one thread, one fork per run.

It is handed a descriptor for each run and forks a child, which locks itself down, reads its request from the
descriptor, does the work, and writes the reply to it. So no program and no reply is ever in this process, from which
all children are made: it knows descriptors, limits, and how a child ended. A child that is not done in time is killed,
as is one whose run is cancelled. The process ends when whoever started it does.
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
import socket
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

from gradreel.collecting import anything_frozen

from . import control
from .control import Ending, Order
from .frames import Gone, Late, read_frame, write_frame
from .jail import end_with, is_alone, lock_down
from .places import here, place_named, settle
from .watchdog import Place, Watch
from .work import BROKEN, refusal, reply_to_halted, work

HALT_SECONDS = 2.0
"""How long the reply for a run that was killed may take."""
REQUEST_SECONDS = 5.0
"""So soon a request has to be there, once its run has begun."""
LARGEST_REQUEST = 1_000_000
NO_MEMORY = 3
"""The exit status of a child that had not enough memory to answer."""

LANGUAGE, PROCESS = "checked language", "own process"

WARM_UP = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)\n"

Early = Callable[[bytes], None]
Hear = Callable[[dict[str, Any]], None]
"""Takes how far a run has come; see `interpreter.Progress`."""
Task = Callable[[bytes, Sequence[str], Place, Early, Hear], bytes]
"""What a child does: given a request, the layers that hold it, where to note the line, and where to write replies on
the way and how far it has come, it makes the reply."""
EARLY, FINAL, ON_THE_WAY = 0, 1, 2
"""What a child writes: a reply that would do, the last one, how far its run has come."""


def import_everything() -> None:
    """Import all modules of the engine and of the floors below: a locked-down child can open no file."""
    for package in ("autograd_core", "gradreel.trace", "gradreel.interpreter", "gradreel.explain", "gradreel.scene"):
        module = importlib.import_module(package)
        for found in pkgutil.walk_packages(module.__path__, package + "."):
            importlib.import_module(found.name)


def warm_up() -> None:
    """Have everything imported and used once, and keep the collector from looking at it ever again."""
    import_everything()
    work(json.dumps({"source": WARM_UP, "want": "both"}).encode())
    gc.collect()
    gc.freeze()
    anything_frozen()


def main() -> None:
    """Follow the orders that come through descriptor 0 until it is closed. The first argument says how to lock down."""
    channel = socket.socket(fileno=os.dup(0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    warden = Warden(channel, **locking(json.loads(sys.argv[1])))
    warm_up()
    control.send(channel, control.READY)
    with contextlib.suppress(Gone):
        while True:
            order, descriptors = control.receive(channel)
            if descriptors:  # else it cancels a run that had just ended
                warden.serve(Order(**order), descriptors[0])


def locking(ways: dict[str, Any]) -> dict[str, bool]:
    """How to lock down, once it is settled where this process is."""
    settle(place_named(ways.pop("place"), ways.pop("limits")))
    return ways


class Warden:
    """Forks a child for each run, and sees to its end."""

    def __init__(self, channel: socket.socket, rlimits: bool, seccomp: bool) -> None:
        self.channel = channel
        self.lock_down = partial(lock_down, rlimits=rlimits, seccomp=seccomp)

    def serve(self, order: Order, connection: int) -> None:
        """Have a child do what is ordered, and tell how it ended."""
        task, seconds = (perform, here().hard_seconds) if order.task == "run" else (partial(halt, order), HALT_SECONDS)
        control.send(self.channel, self.run(task, connection, seconds))

    def run(self, task: Task, connection: int, seconds: float) -> Ending:
        """How a child ends that does `task` for the request of `connection`, which is then closed here."""
        deadline = time.monotonic() + seconds
        with mmap.mmap(-1, mmap.PAGESIZE) as page, memoryview(page).cast("I") as place:  # what the child shares
            life, of_child = os.pipe()
            me = os.getpid()
            try:
                child = os.fork()
                if child == 0:
                    self.be_child(task, connection, of_child, place, me)
            except OSError:  # too many processes, or no memory
                os.close(life)
                return Ending()
            finally:
                os.close(of_child)
                os.close(connection)
            how = "none"
            try:
                how = self.watch(life, deadline)
            finally:
                os.close(life)
                status, peak = end(child)
            by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
            if how == "exit" and status:
                how = "signal" if by else "memory" if os.WEXITSTATUS(status) == NO_MEMORY else how
            return Ending(how, by, place[0], peak)

    def watch(self, life: int, deadline: float) -> str:
        """How the child is over, as far as it is known before it is: by "exit", "late" or "cancelled"."""
        poll = select.poll()
        for descriptor in (life, self.channel.fileno()):
            poll.register(descriptor, select.POLLIN)
        while True:
            left = deadline - time.monotonic()
            ready = [descriptor for descriptor, _ in poll.poll(max(left, 0) * 1000)]
            if self.channel.fileno() in ready:
                control.receive(self.channel)
                return "cancelled"
            if ready or left <= 0:
                return "exit" if ready else "late"

    def be_child(self, task: Task, connection: int, life: int, place: Place, parent: int) -> NoReturn:
        """The child: close what is not its own, lock down, read, work, answer, end."""
        status = 1
        try:
            low, high = sorted((connection, life))
            for first, last in ((3, low), (low + 1, high), (high + 1, 256)):
                os.closerange(first, last)
            end_with(parent)
            gc.disable()  # whatever it leaves is gone with it
            layers = layers_of_process(self.lock_down(), parent)
            request = read_frame(connection, REQUEST_SECONDS, LARGEST_REQUEST)
            early, said = partial(write_reply, connection, EARLY), partial(write_progress, connection)
            write_reply(connection, FINAL, task(request, layers, place, early, said))
            status = 0
        except MemoryError:
            status = NO_MEMORY
        finally:
            os._exit(status)


def layers_of_process(locked: Sequence[str], parent: int) -> list[str]:
    """The names of the layers that hold a run in this process, which `parent` made."""
    return [LANGUAGE, *([PROCESS] if is_alone(parent) else []), *locked]


def perform(request: bytes, layers: Sequence[str], place: Place, early: Early, hear: Hear | None = None) -> bytes:
    """Run the program of `request`.

    Raises:
        MemoryError: there was not enough to make a reply.
    """
    try:
        return work(request, layers, Watch(place, alarm=True, hear=hear), early)
    except MemoryError:
        raise
    except Exception:
        return refusal(BROKEN)


def halt(order: Order, request: bytes, layers: Sequence[str], place: Place, early: Early, hear: Hear) -> bytes:
    """Say that the run of `request` had to be ended."""
    return reply_to_halted(request, order.cause, order.line, layers)


def write_reply(connection: int, kind: int, answer: bytes) -> None:
    write_frame(connection, bytes([kind]) + answer)


def write_progress(connection: int, progress: dict[str, Any]) -> None:
    write_reply(connection, ON_THE_WAY, json.dumps(progress).encode())


def read_reply(connection: int, deadline: float, most: int, hear: Hear | None = None) -> bytes | None:
    """The last whole reply of at most `most` bytes that came until `connection` was closed; None if none did.

    `hear` is told how far the run has come.

    Raises:
        Late: the connection is still open at the deadline, and there is none.
    """
    answer = None
    try:
        while True:
            kind, *_ = frame = memoryview(read_frame(connection, deadline - time.monotonic(), most))
            if kind != ON_THE_WAY:
                answer = bytes(frame[1:])
            elif hear is not None:
                hear(json.loads(bytes(frame[1:])))
            if kind == FINAL:
                return answer
    except Late:
        if answer is None:
            raise
    except (Gone, ValueError):  # closed, or empty
        pass
    return answer


def end(child: int) -> tuple[int, int]:
    """Kill `child` if it still runs; how it ended, and the most memory it had in bytes."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    return status, used.ru_maxrss * 1024


if __name__ == "__main__":
    main()
