"""The warm process: everything imported, one thread, one fork per run.

It reads a request, forks a child that locks itself down and does the work, and passes the reply on. A child that is not
done in time is killed, as is one whose run is cancelled (an empty frame says so). The process ends when whoever started
it does.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import time
from typing import NoReturn

from .frames import Gone, Late, read_exactly, read_frame, write_frame
from .jail import end_with, lock_down
from .work import BROKEN, LARGEST_REPLY, refusal, work

HARD_SECONDS = 8.0
"""When a run is killed, by the wall clock."""

CANCEL = b""
WARM_UP = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)\n"
TIMED_OUT = f"The run was stopped after {HARD_SECONDS:g} seconds. Nothing of it is left to show."
CANCELLED = "The run was cancelled."
DIED = "The run ended before it could answer: it needed more memory than it may have here."
ENDED_BY = {
    "SIGKILL": "The run ended before it could answer: it was killed, or needed more time or memory than it may have.",
    "SIGSYS": "The run was ended: it asked the operating system for something that no program here may have.",
}
"""What is said of a run that a signal ended."""


def import_everything() -> None:
    """Import all modules of the engine and of the floors below: a locked-down child can open no file."""
    for package in ("autograd_core", "gradreel.trace", "gradreel.program", "gradreel.explain", "gradreel.scene"):
        module = importlib.import_module(package)
        for found in pkgutil.walk_packages(module.__path__, package + "."):
            importlib.import_module(found.name)


def main() -> None:
    """Serve requests from descriptor 0 on descriptor 1, until 0 is closed."""
    source, sink = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    import_everything()
    work(json.dumps({"source": WARM_UP, "want": "both"}).encode())
    gc.collect()
    gc.freeze()
    write_frame(sink, b"ready")
    while True:
        try:
            request = read_frame(source)
            if request != CANCEL:  # of a run that had just ended
                serve(request, source, sink)
        except Gone:
            return


def serve(request: bytes, source: int, sink: int) -> None:
    """Run one request in a child and pass its reply on."""
    ours, theirs = os.pipe()
    me = os.getpid()
    child = os.fork()
    if child == 0:
        run_child(request, theirs, {source, sink, ours}, me)
    os.close(theirs)
    try:
        answer = answer_of(ours, source)
    finally:
        os.close(ours)
        status = end(child)
    write_frame(sink, refusal(ending(status)) if answer is None else answer)


def answer_of(pipe: int, source: int) -> bytes | None:
    """What the child wrote, or the sentence that says why it did not; None if it ended without a word.

    Raises:
        Gone: nobody waits for the reply any more.
    """
    deadline = time.monotonic() + HARD_SECONDS
    while True:
        readable = select.select([pipe, source], [], [], max(deadline - time.monotonic(), 0))[0]
        if source in readable and read_frame(source) == CANCEL:
            return refusal(CANCELLED)
        if pipe in readable:
            break
        if not readable:
            return refusal(TIMED_OUT)
    try:
        return read_reply(pipe, deadline)
    except Late:
        return refusal(TIMED_OUT)
    except Gone:
        return None


def read_reply(pipe: int, deadline: float) -> bytes:
    size = int.from_bytes(read_exactly(pipe, 4, deadline), "big")
    if size > LARGEST_REPLY + 100_000:
        raise Gone
    return read_exactly(pipe, size, deadline)


def run_child(request: bytes, pipe: int, others: set[int], parent: int) -> NoReturn:
    """The child: close what is not its own, lock down, work, answer, end."""
    status = 1
    try:
        for fd in others:
            os.close(fd)
        end_with(parent)
        layers = lock_down()
        try:
            answer = work(request, layers)
        except MemoryError:
            answer = refusal(DIED)
        except Exception:
            answer = refusal(BROKEN)
        write_frame(pipe, answer)
        status = 0
    finally:
        os._exit(status)


def end(child: int) -> int:
    """Kill `child` if it still runs, and give how it ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def ending(status: int) -> str:
    """What is said of a child that ended in this way without an answer."""
    name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else None
    return ENDED_BY.get(name or "", DIED)


if __name__ == "__main__":
    main()
