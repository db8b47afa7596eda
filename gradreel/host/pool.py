"""Runs for many people: a few warm processes behind the interface of concurrent.futures.

Every run has a process of its own that no other run ever sees. As many run at once as there are cores; a few more may
wait, and not for long; beyond that the answer is "busy". Losing a process loses the reply of its own run alone.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from concurrent.futures import Future, InvalidStateError
from functools import cache, partial
from typing import Self

from .cache import Cache
from .lost_runs import CANCELLED, LOST
from .processes import Process, Spawner, Zygote, can_fork
from .settings import Settings, place_for, settings
from .work import refusal
from .zygote import LARGEST_REQUEST, Hear

TOO_LONG = "The program is too long."
BUSY = "Many programs are running just now: {n} before you. Try again in a few seconds."


class Job:
    """A request, the promise of its reply, and the process it runs in once it does."""

    def __init__(self, request: bytes, hear: Hear | None = None) -> None:
        self.request, self.hear = request, hear
        self.future: Future[bytes] = Future()
        self.runner: Process | None = None
        self.patience: threading.Timer | None = None


class Pool:
    """Runs requests in processes of their own; `ask(request)` gives the future reply."""

    def __init__(self, size: int | None = None, waiting: int | None = None, using: Settings | None = None) -> None:
        self.settings = using or settings()
        self.jobs: queue.Queue[Job | None] = queue.Queue()
        self.waiting = self.settings.waiting if waiting is None else waiting
        self.size = size or self.settings.processes or os.cpu_count() or 1
        self.cache = Cache(self.settings.cache_bytes)
        self.lock = threading.Lock()
        self.pending: dict[Future[bytes], Job] = {}
        self.threads: list[threading.Thread] = []
        self.warm = False
        """Whether a run was answered yet; before, those who wait do so for a process to start."""

    def start(self) -> None:
        for _ in range(self.size):
            thread = threading.Thread(target=self.serve, name="gradreel-run", daemon=True)
            thread.start()
            self.threads.append(thread)

    def ask(self, request: bytes, hear: Hear | None = None) -> Future[bytes]:
        """The future reply to `request`: at once if it was given before, or if too many wait.

        `hear` is called in a thread of the pool with how far the run has come.
        """
        job = Job(request, hear)
        if (known := TOO_LARGE if len(request) > LARGEST_REQUEST else self.cache.get(request)) is not None:
            job.future.set_result(known)
            return job.future
        with self.lock:
            if not self.threads:
                self.start()
            before, idle = self.before(), self.idle()
            if before >= self.waiting + idle:
                job.future.set_result(busy(before))
                return job.future
            self.pending[job.future] = job
            if before >= idle and self.warm:
                job.patience = threading.Timer(self.settings.waiting_seconds, partial(self.drop, job.future))
                job.patience.daemon = True
                job.patience.start()
        self.jobs.put(job)
        return job.future

    def idle(self) -> int:
        """How many processes have nothing to do."""
        return self.size - sum(job.runner is not None for job in self.pending.values())

    def before(self, future: Future[bytes] | None = None) -> int:
        """How many wait, before `future` if it is one of them."""
        waiting = [each for each, job in self.pending.items() if job.runner is None]
        return waiting.index(future) if future in waiting else len(waiting)

    def cancel(self, future: Future[bytes]) -> None:
        """Stop the run of `future`, whether it waits or is on; its reply says that it was cancelled."""
        with self.lock:
            job = self.pending.get(future)
            if job is None:
                return
            if job.runner is not None:
                job.runner.cancel()
                return
        self.answer(job, refusal(CANCELLED))

    def drop(self, future: Future[bytes]) -> None:
        """Answer "busy" if `future` still waits: its time is over."""
        with self.lock:
            job = self.pending.get(future)
            if job is None or job.runner is not None:
                return
            before = self.before(future) + self.size - self.idle()
        self.answer(job, busy(before))

    def answer(self, job: Job, answer: bytes) -> None:
        """Keep the promise of `job`, whoever comes first."""
        with self.lock:
            if self.pending.pop(job.future, None) is None:
                return
            if job.patience is not None:
                job.patience.cancel()
        with contextlib.suppress(InvalidStateError):  # cancelled by its owner
            job.future.set_result(answer)

    def serve(self) -> None:
        """One thread: a process of its own, and one job after the other."""
        runner: Process = Zygote(self.settings) if can_fork(self.settings) else Spawner(self.settings)
        while (job := self.jobs.get()) is not None:
            with self.lock:
                if job.future not in self.pending:
                    continue
                if not job.future.set_running_or_notify_cancel():
                    del self.pending[job.future]
                    continue
                job.runner = runner
                if job.patience is not None:
                    job.patience.cancel()
            try:
                answer = runner.run(job.request, job.hear)
                self.warm = True
                self.cache.put(job.request, answer)
            except Exception:  # whatever it was, this thread has others to serve
                answer = refusal(LOST, again=True)
            self.answer(job, answer)
        runner.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()

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
                thread.join(place_for(self.settings).hard_seconds + 4)


TOO_LARGE = refusal(TOO_LONG)


def busy(before: int) -> bytes:
    return refusal(BUSY.format(n=before), again=True)


@cache
def own_pool() -> Pool:
    """The processes of this machine."""
    return Pool()
