"""The processes that programs run in, seen from the server: a warm one that forks, or a fresh one for each run."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from .frames import CAN_WAIT, Gone, Late, read_frame, write_frame
from .settings import Settings
from .work import refusal
from .zygote import CANCEL, CANCELLED, HARD_SECONDS, STUB_SECONDS, TIMED_OUT

ROOT = str(Path(__file__).parents[2])
START_SECONDS = 60.0
PATIENCE = HARD_SECONDS + STUB_SECONDS + 1
"""How long a reply is waited for; by then the run was killed long ago, if all is well."""

LOST = "The process of this run was lost. Nothing else was harmed; run it again."
ENVIRONMENT = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}


class Process:
    """A process of the host: `module` is what it runs, in an environment and a folder that tell it nothing."""

    module: str

    def __init__(self, settings: Settings) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.lock = threading.Lock()
        self.ways = json.dumps({"rlimits": settings.rlimits, "seccomp": settings.seccomp})
        self.running = False
        self.unwanted = False

    def start(self) -> subprocess.Popen[bytes]:
        start = f"import sys; sys.path.insert(0, {ROOT!r}); from gradreel.host.{self.module} import main; main()"
        system = {name: value for name, value in os.environ.items() if name == "SYSTEMROOT"}  # Windows needs it
        process = subprocess.Popen(
            [sys.executable, "-I", "-c", start, self.ways],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
            env=ENVIRONMENT | system,
            close_fds=True,
            start_new_session=True,
            bufsize=0,
        )
        self.process = process
        return process

    def ready(self) -> subprocess.Popen[bytes]:
        """The process, started if there is none, once it is warm."""
        raise NotImplementedError

    def run(self, request: bytes) -> bytes:
        """The reply to `request`; a sentence if the process is lost on the way."""
        try:
            process = self.ready()
            with self.lock:
                if self.unwanted:
                    return refusal(CANCELLED)
                write_frame(input_of(process), request)
                self.running = True
            with ended_in_time(process):
                return read_frame(output_of(process), PATIENCE)
        except Late:
            self.stop()
            return refusal(TIMED_OUT)
        except (Gone, OSError, ValueError):
            self.stop()
            return refusal(CANCELLED) if self.unwanted else refusal(LOST, again=True)
        finally:
            with self.lock:
                self.running = self.unwanted = False
            self.after()

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
    """A warm process, started when first needed and again after it was lost."""

    module = "zygote"

    def ready(self) -> subprocess.Popen[bytes]:
        if self.process is not None and self.process.poll() is None:
            return self.process
        self.stop()
        process = self.start()
        greeted(process)
        return process

    def interrupt(self, process: subprocess.Popen[bytes]) -> None:
        with contextlib.suppress(Gone, ValueError):
            write_frame(input_of(process), CANCEL)


class Spawner(Process):
    """Where there is no fork: a process for one run, and the next one started while nobody waits for it."""

    module = "once"

    def ready(self) -> subprocess.Popen[bytes]:
        process = self.process if self.process is not None and self.process.poll() is None else self.start()
        greeted(process)
        return process

    def after(self) -> None:
        self.stop()
        with contextlib.suppress(OSError):
            self.start()

    def interrupt(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()


@contextlib.contextmanager
def ended_in_time(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Where a pipe cannot be waited for with a limit: the process ends when its time is over, and the pipe with it."""
    if CAN_WAIT:
        yield
        return
    timer = threading.Timer(HARD_SECONDS, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def greeted(process: subprocess.Popen[bytes]) -> None:
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
