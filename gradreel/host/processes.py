"""The processes that programs run in, seen from the server: a warm one that forks, or a fresh one for each run."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

from . import control
from .control import Ending, Order
from .frames import CAN_WAIT, LENGTH, Gone, Late, read_frame, write_frame
from .lost_runs import CANCELLED, LOST, cause, lost_reply
from .settings import Settings, place_for
from .truncation import LARGEST_REPLY
from .work import refusal
from .zygote import HALT_SECONDS, REQUEST_SECONDS, Hear, read_reply

ROOT = str(Path(__file__).parents[2])
START_SECONDS = 60.0
GRACE_SECONDS = 3.0
"""So much later than it should be killed a run is given up, and its warm process with it."""
TIMED_OUT = "The run was stopped after {:g} seconds. Nothing of it is left to show."
ENVIRONMENT = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
ENVIRONMENT["PYTHONHASHSEED"] = "0"
"""With one seed for all, a set of texts goes in one order in every run, and `hash` tells nothing of the process. Only a
program's own run is slow if its texts are chosen to have one hash, and that is under its budgets."""
FLAGS = ("-s", "-P")
"""As `-I`, but that the environment, which is ours alone, counts."""


class Process:
    """A process of the host: `module` is what it runs, in an environment and a folder that tell it nothing."""

    module: str

    def __init__(self, settings: Settings) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.lock = threading.Lock()
        self.place = place_for(settings)
        told = {"place": self.place.name, "limits": asdict(self.place.limits)}
        self.ways = json.dumps({"rlimits": settings.rlimits, "seccomp": settings.seccomp, **told})
        self.running = False
        self.unwanted = False

    def program(self) -> str:
        """What the process runs."""
        return f"import sys; sys.path.insert(0, {ROOT!r}); from gradreel.host.{self.module} import main; main()"

    def spawn(self, stdin: int, stdout: int) -> subprocess.Popen[bytes]:
        system = {name: value for name, value in os.environ.items() if name == "SYSTEMROOT"}  # Windows needs it
        process = subprocess.Popen(
            [sys.executable, *FLAGS, "-c", self.program(), self.ways],
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
            env=ENVIRONMENT | system,
            close_fds=True,
            start_new_session=True,
            bufsize=0,
        )
        self.process = process
        return process

    def ready(self) -> None:
        """Have the process started and warm.

        Raises:
            Gone: it is not what it should be, or did not start in time.
        """
        raise NotImplementedError

    def run(self, request: bytes, hear: Hear | None = None) -> bytes:
        """The reply to `request`; a sentence if the process is lost on the way. `hear` is told how far the run has
        come."""
        try:
            self.ready()
            return self.answer(request, hear)
        except Late:
            self.stop()
            return refusal(TIMED_OUT.format(self.place.hard_seconds))
        except (Gone, OSError, ValueError, TypeError):
            self.stop()
            return refusal(CANCELLED) if self.unwanted else refusal(LOST, again=True)
        finally:
            with self.lock:
                self.running = self.unwanted = False
            self.after()

    def answer(self, request: bytes, hear: Hear | None) -> bytes:
        """The reply of the process."""
        raise NotImplementedError

    def begin(self, write: Callable[[], None]) -> bool:
        """Begin a run by what `write` sends, unless nobody wants it any more."""
        with self.lock:
            if not self.unwanted:
                write()
                self.running = True
            return not self.unwanted

    def after(self) -> None:
        """What is done once the reply is there."""

    def cancel(self) -> None:
        """End the run that is on, or about to be."""
        with self.lock:
            self.unwanted = True
            if self.running and self.process is not None:
                self.interrupt(self.process)

    def interrupt(self, process: subprocess.Popen[bytes]) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


class Zygote(Process):
    """A warm process, started when first needed and again after it was lost.

    For every run there is a connection of its own, whose other end the warm process hands to the child that it forks.
    """

    module = "zygote"
    channel: socket.socket | None = None
    ending = Ending()
    """How the process of the last run ended."""

    def ready(self) -> None:
        if self.process is not None and self.process.poll() is None:
            return
        self.stop()
        self.channel, theirs = control.pair()
        with theirs:
            self.spawn(theirs.fileno(), subprocess.DEVNULL)
        try:
            greeting, _ = control.receive(self.channel, START_SECONDS)
        except Late:
            raise Gone from None
        if greeting != control.READY:
            raise Gone

    def answer(self, request: bytes, hear: Hear | None) -> bytes:
        answer = self.exchange(Order("run"), request, self.place.hard_seconds, hear)
        why = None if answer else cause(self.ending)
        if why is not None and not self.unwanted:
            ended = self.ending
            answer = self.exchange(Order("halt", why, ended.line), request, HALT_SECONDS)
            self.ending = replace(ended, how="cancelled") if self.ending.how == "cancelled" else ended
        return answer or lost_reply(self.ending)

    def exchange(self, order: Order, request: bytes, seconds: float, hear: Hear | None = None) -> bytes | None:
        """The last reply of a child that does what is ordered, if there is one; `ending` is then how it ended.

        Raises:
            Gone: the warm process is no more.
            Late: it does not do its part.
        """
        channel = self.channel
        assert channel is not None
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                if not self.begin(lambda: control.send(channel, order, [theirs.fileno()])):
                    self.ending = Ending("cancelled")
                    return None
            deadline = time.monotonic() + seconds + GRACE_SECONDS
            ours.settimeout(REQUEST_SECONDS)
            with contextlib.suppress(OSError):  # it did not live to read all: how it ended says why
                ours.sendall(LENGTH.pack(len(request)) + request)
            answer = read_reply(ours.fileno(), deadline, LARGEST_REPLY + 100_000, hear)
            ending, _ = control.receive(channel, max(deadline - time.monotonic(), GRACE_SECONDS))
        with self.lock:
            self.running = False
        self.ending = Ending(**ending)
        return None if self.ending.how == "cancelled" else answer

    def interrupt(self, process: subprocess.Popen[bytes]) -> None:
        if self.channel is not None:
            with contextlib.suppress(Gone):
                control.send(self.channel, Order("cancel"))

    def stop(self) -> None:
        super().stop()
        if self.channel is not None:
            self.channel.close()
            self.channel = None


class Spawner(Process):
    """Where there is no fork: a process for one run, and the next one started while nobody waits for it."""

    module = "single_run"

    def ready(self) -> None:
        if self.process is None or self.process.poll() is not None:
            self.stop()
            self.spawn(subprocess.PIPE, subprocess.PIPE)
        assert self.process is not None
        await_greeting(self.process)

    def answer(self, request: bytes, hear: Hear | None) -> bytes:
        process = self.process
        assert process is not None
        if not self.begin(lambda: write_frame(input_of(process), request)):
            return refusal(CANCELLED)
        with ended_in_time(process, self.place.hard_seconds):
            return read_frame(output_of(process), self.place.hard_seconds + GRACE_SECONDS)

    def after(self) -> None:
        self.stop()
        with contextlib.suppress(OSError):
            self.spawn(subprocess.PIPE, subprocess.PIPE)

    def interrupt(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()


@contextlib.contextmanager
def ended_in_time(process: subprocess.Popen[bytes], seconds: float) -> Iterator[None]:
    """Where a pipe cannot be waited for with a limit: the process ends when its time is over, and the pipe with it."""
    if CAN_WAIT:
        yield
        return
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def await_greeting(process: subprocess.Popen[bytes]) -> None:
    """Wait until it is warm.

    Raises:
        Gone: it is not what it should be, or did not start in time.
    """
    try:
        greeting = read_frame(output_of(process), START_SECONDS)
    except Late:
        raise Gone from None
    if greeting != b"ready":
        raise Gone


def input_of(process: subprocess.Popen[bytes]) -> int:
    assert process.stdin is not None
    return process.stdin.fileno()


def output_of(process: subprocess.Popen[bytes]) -> int:
    assert process.stdout is not None
    return process.stdout.fileno()


def can_fork(settings: Settings) -> bool:
    return settings.fork and hasattr(os, "fork") and sys.platform != "darwin"
