"""Runs for many people: a few warm processes behind the interface of concurrent.futures.

Every run has a process of its own that no other run ever sees. As many run at once as there are cores; a few more may
wait; beyond that the answer is "busy". Losing a process loses the reply of its own run alone.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from .frames import Gone, Late, read_frame, write_frame
from .work import opened, refusal
from .zygote import CANCEL, CANCELLED, HARD_SECONDS, TIMED_OUT

ROOT = str(Path(__file__).parents[2])
WAITING = 32
"""Runs that may wait for a process."""

LARGEST_REQUEST = 1_000_000
TOO_LONG = "The program is too long."
START_SECONDS = 60.0
LOST = "The process of this run was lost. Nothing else was harmed; run it again."
BUSY = "Many programs are running just now: {n} are before yours. Try again in a few seconds."
ENVIRONMENT = {
    name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONDONTWRITEBYTECODE")
}


def command(module: str) -> list[str]:
    """How to start `module` of the host, isolated from the environment and the folder it is started in."""
    start = f"import sys; sys.path.insert(0, {ROOT!r}); from gradreel.host.{module} import main; main()"
    return [sys.executable, "-I", "-c", start]


class Zygote:
    """A warm process, started when first needed and again after it was lost."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.lock = threading.Lock()
        self.running = False
        self.unwanted = False

    def start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command("zygote"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=ENVIRONMENT,
            close_fds=True,
            start_new_session=True,
            bufsize=0,
        )
        self.process = process
        if read_frame(output(process), START_SECONDS) != b"ready":
            raise Gone
        return process

    def run(self, request: bytes) -> bytes:
        """The reply to `request`; a sentence if the process is lost on the way."""
        try:
            process = self.process if self.process is not None and self.process.poll() is None else self.start()
            with self.lock:
                if self.unwanted:
                    return refusal(CANCELLED)
                write_frame(input_of(process), request)
                self.running = True
            return read_frame(output(process), HARD_SECONDS + 2)
        except Late:
            self.stop()
            return refusal(TIMED_OUT)
        except (Gone, OSError, ValueError):
            self.stop()
            return refusal(LOST)
        finally:
            with self.lock:
                self.running = self.unwanted = False

    def cancel(self) -> None:
        """End the run that is on, or about to be."""
        with self.lock:
            self.unwanted = True
            if self.running and self.process is not None:
                with contextlib.suppress(Gone, ValueError):
                    write_frame(input_of(self.process), CANCEL)

    def stop(self) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        process.kill()
        process.wait()


def input_of(process: subprocess.Popen[bytes]) -> int:
    assert process.stdin is not None
    return process.stdin.fileno()


def output(process: subprocess.Popen[bytes]) -> int:
    assert process.stdout is not None
    return process.stdout.fileno()


class Spawner:
    """Where there is no fork: a fresh process for every run, started for it."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def run(self, request: bytes) -> bytes:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        environment = {**ENVIRONMENT, **{k: v for k, v in os.environ.items() if k == "SYSTEMROOT"}}
        self.process = subprocess.Popen(command("once"), env=environment, close_fds=True, **pipes)
        try:
            answer, _ = self.process.communicate(request, timeout=HARD_SECONDS + 4)
        except subprocess.TimeoutExpired:
            self.cancel()
            return refusal(TIMED_OUT)
        return answer or refusal(LOST)

    def cancel(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def stop(self) -> None:
        self.cancel()


def can_fork() -> bool:
    return hasattr(os, "fork") and sys.platform != "darwin"


class Job:
    """A request, the promise of its reply, and the process it runs in once it does."""

    def __init__(self, request: bytes) -> None:
        self.request = request
        self.future: Future[bytes] = Future()
        self.runner: Zygote | Spawner | None = None


class Pool(Executor):
    """Runs requests in processes of their own; `submit(run_program, request)` gives the future reply."""

    def __init__(self, size: int | None = None, waiting: int = WAITING) -> None:
        self.jobs: queue.Queue[Job | None] = queue.Queue()
        self.waiting = waiting
        self.size = size or os.cpu_count() or 1
        self.lock = threading.Lock()
        self.pending: dict[Future[bytes], Job] = {}
        self.threads: list[threading.Thread] = []

    def start(self) -> None:
        for _ in range(self.size):
            thread = threading.Thread(target=self.serve, name="gradreel-run", daemon=True)
            thread.start()
            self.threads.append(thread)

    def ask(self, request: bytes) -> Future[bytes]:
        """The future reply to `request`; at once "busy" if too many wait."""
        job = Job(request)
        with self.lock:
            if not self.threads:
                self.start()
            before = sum(other.runner is None for other in self.pending.values())
            if len(request) > LARGEST_REQUEST or before >= self.waiting + self.idle():
                job.future.set_result(refusal(TOO_LONG if len(request) > LARGEST_REQUEST else BUSY.format(n=before)))
                return job.future
            self.pending[job.future] = job
        self.jobs.put(job)
        return job.future

    def idle(self) -> int:
        """How many processes have nothing to do."""
        return self.size - sum(job.runner is not None for job in self.pending.values())

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As Executor has it; `fn` must be `run_program`, since nothing else may run in these processes."""
        if fn is not run_program or kwargs or len(args) != 1:
            raise ValueError("this pool runs programs only: submit(run_program, request)")
        return self.ask(args[0])

    def cancel(self, future: Future[bytes]) -> None:
        """Stop the run of `future`, whether it waits or is on; its reply says that it was cancelled."""
        with self.lock:
            job = self.pending.get(future)
            if job is None:
                return
            if job.runner is not None:
                job.runner.cancel()
            elif future.set_running_or_notify_cancel():
                del self.pending[future]
                future.set_result(refusal(CANCELLED))

    def serve(self) -> None:
        """One thread: a process of its own, and one job after the other."""
        runner: Zygote | Spawner = Zygote() if can_fork() else Spawner()
        while (job := self.jobs.get()) is not None:
            with self.lock:
                if job.future not in self.pending:
                    continue
                if not job.future.set_running_or_notify_cancel():
                    del self.pending[job.future]
                    continue
                job.runner = runner
            try:
                answer = runner.run(job.request)
            except Exception:  # whatever it was, this thread has others to serve
                answer = refusal(LOST)
            with self.lock:
                del self.pending[job.future]
            job.future.set_result(answer)
        runner.stop()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self.lock:
            threads, self.threads = self.threads, []
            pending = list(self.pending)
        if cancel_futures:
            for future in pending:
                self.cancel(future)
        for _ in threads:
            self.jobs.put(None)
        if wait:
            for thread in threads:
                thread.join(HARD_SECONDS + 4)


_pool = Pool()


def run_program(request: bytes) -> bytes:
    """The reply to a request (see work.py), computed in a process of its own; takes a few seconds at most."""
    return _pool.ask(request).result()


def shared_pool() -> Pool:
    """The pool that `run_program` uses."""
    return _pool


def safety() -> list[str]:
    """The layers that hold a run on this machine, as a run found them."""
    head, _, _ = opened(run_program(b'{"source": ""}'))
    layers: list[str] = head["safety"]
    return layers
