"""The warm process: everything imported, one thread, one fork per run.

It reads a request, forks a child that locks itself down and does the work, tells the child's number, and passes the
reply on. A child that is not done in time is killed. The process ends when whoever started it does.
"""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
import select
import signal
import time

from .frames import Gone, Late, read_exactly, read_frame, write_frame
from .jail import lock_down
from .work import BROKEN, LARGEST_REPLY, refusal, work

HARD_SECONDS = 8.0
"""When a run is killed, by the wall clock."""

WARM_UP = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)\n"
TIMED_OUT = f"The run was stopped after {HARD_SECONDS:g} seconds. Nothing of it is left to show."
DIED = "The run ended before it could answer: it may have needed more memory than it may have here."


def import_everything() -> None:
    """Import all modules of the engine and of the floors below: a locked-down child can open no file."""
    for package in ("autograd_core", "gradreel.trace", "gradreel.program", "gradreel.explain", "gradreel.scene"):
        module = importlib.import_module(package)
        for found in pkgutil.walk_packages(module.__path__, package + "."):
            importlib.import_module(found.name)


def main() -> None:
    """Serve requests from descriptor 0 on descriptor 1, until 0 is closed."""
    source, sink = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)
    import_everything()
    work(b'{"source": %s}' % repr(WARM_UP).replace("'", '"').encode())
    gc.collect()
    gc.freeze()
    write_frame(sink, b"ready")
    while True:
        try:
            request = read_frame(source)
            serve(request, source, sink)
        except Gone:
            return


def serve(request: bytes, source: int, sink: int) -> None:
    """Run one request in a child and pass its reply on."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        run_child(request, theirs, {source, sink, ours})
    os.close(theirs)
    try:
        write_frame(sink, str(child).encode())
        answer = answer_of(child, ours, source)
    finally:
        os.close(ours)
        kill(child)
        os.waitpid(child, 0)
    write_frame(sink, answer)


def answer_of(child: int, pipe: int, source: int) -> bytes:
    """What the child wrote, or the sentence that says why it did not."""
    deadline = time.monotonic() + HARD_SECONDS
    while True:
        left = deadline - time.monotonic()
        readable = select.select([pipe, source], [], [], max(left, 0))[0]
        if not readable:
            return refusal(TIMED_OUT)
        if pipe in readable:
            break
        if source in readable:  # only its end can come now: nobody waits for the reply
            raise Gone
    try:
        return read_reply(pipe, deadline)
    except Late:
        return refusal(TIMED_OUT)
    except Gone:
        return refusal(DIED)


def read_reply(pipe: int, deadline: float) -> bytes:
    size = int.from_bytes(read_exactly(pipe, 4, deadline), "big")
    if size > LARGEST_REPLY + 100_000:
        raise Gone
    return read_exactly(pipe, size, deadline)


def run_child(request: bytes, pipe: int, others: set[int]) -> None:
    """The child: close what is not its own, lock down, work, answer, end."""
    status = 1
    try:
        for fd in others:
            os.close(fd)
        lock_down()
        try:
            answer = work(request)
        except MemoryError:
            answer = refusal(DIED)
        except Exception:
            answer = refusal(BROKEN)
        write_frame(pipe, answer)
        status = 0
    finally:
        os._exit(status)


def kill(child: int) -> None:
    try:
        os.kill(child, signal.SIGKILL)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    main()
