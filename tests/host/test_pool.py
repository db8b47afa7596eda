"""Runs in processes of their own: whatever a program does, it is answered, and the next one is served."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import platform
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gradreel.host import Pool, active_layers, layers, split_reply
from gradreel.host.jail import ALLOWED
from gradreel.host.lost_runs import CANCELLED
from gradreel.host.places import PLACES
from gradreel.host.processes import ROOT, Zygote, can_fork
from gradreel.host.settings import Settings
from gradreel.host.truncation import SAMPLE, SHORT, TURNS, beginning, in_time, left_out
from gradreel.host.work import refusal
from gradreel.host.zygote import LARGEST_REQUEST
from gradreel.interpreter import Limits, run
from gradreel.trace import Trace
from gradreel.trace.events import Printed, Stopped, TurnsSkipped
from gradreel.trace.rules import validate

ENDLESS = "while True:\n    pass"

HARD_SECONDS = PLACES["public"].hard_seconds

pytestmark = pytest.mark.skipif(not can_fork(Settings()), reason="this platform cannot fork")


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(2, waiting=3) as made:
        warm(made)
        yield made


def warm(pool: Pool) -> None:
    """Have a process ready for each run that may be on."""
    sources = [request(f"warm = {n}") for n in range(pool.size)]
    for future in [pool.ask(source) for source in sources]:
        assert split_reply(future.result(90))[0]["ok"]


def request(source: str, **more: Any) -> bytes:
    return json.dumps({"source": source, **more}).encode()


def ask(pool: Pool, source: str, **more: Any) -> dict[str, Any]:
    return split_reply(pool.ask(request(source, **more)).result(HARD_SECONDS + 10))[0]


def answers(pool: Pool) -> bool:
    head = ask(pool, "print(1)")
    return bool(head["ok"] and head["outcome"]["kind"] == "finished")


CASES = [
    ("finished", "import torch\nprint(torch.ones(2))", "finished", None),
    ("an error", "x = 1\nprint(y)", "raised", 2),
    ("a syntax error", "x = (1\n", "refused", 1),
    ("a module of the host", "import os\nos.system('ls')", "refused", 2),
    ("more memory than allowed", "import torch\ntorch.zeros(10**12)", "stopped", 2),
    ("an empty program", "", "finished", None),
    ("no end", "while True:\n    x = 1", "stopped", None),
]


@pytest.mark.parametrize(("source", "kind", "line"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_every_program_gets_an_answer(pool: Pool, source: str, kind: str, line: int | None) -> None:
    started = time.monotonic()
    head = ask(pool, source)
    assert time.monotonic() - started < HARD_SECONDS + 3
    assert head["ok"] and head["outcome"]["kind"] == kind
    assert line is None or head["outcome"]["line"] == line
    assert kind == "finished" or head["outcome"]["message"]
    assert answers(pool)


@pytest.mark.parametrize(
    "letter",
    [b"", b"{", b"[]", b'{"source": 3}', b'{"source": "1", "want": "all"}', b"\xff\xfe", b" " * (LARGEST_REQUEST + 1)],
)
def test_a_request_that_is_none_is_told_so(pool: Pool, letter: bytes) -> None:
    head = split_reply(pool.ask(letter).result(20))[0]
    assert not head["ok"] and head["message"]


def test_what_a_run_may_use_is_for_the_place_to_say() -> None:
    source = "x = [0] * 1_000_000\nwhile x: pass"
    with Pool(1, using=Settings(place="own", limits="seconds=0.5")) as pool:
        warm(pool)
        head = ask(pool, source, limits={"seconds": 100, "memory": 1 << 50})
    assert (head["outcome"]["type"], head["outcome"]["line"]) == ("seconds", 2)
    assert "may use 0.5 seconds" in head["outcome"]["message"]


def test_the_reply_holds_the_trace_that_was_asked_for(pool: Pool) -> None:
    source = "import torch\nx = torch.ones(1, requires_grad=True)\n(x ** 7).backward()\nprint(x.grad)"
    head, scene, record = split_reply(pool.ask(request(source, want="both")).result(20))
    trace = Trace.from_json(gzip.decompress(record).decode())
    assert head["ok"] and trace.source == source
    assert json.loads(gzip.decompress(scene))["schema"] == "gradreel-scene/1"


def test_two_people_at_once_do_not_disturb_each_other(pool: Pool) -> None:
    slow = pool.ask(request(ENDLESS))
    assert answers(pool)
    pool.cancel(slow)
    assert split_reply(slow.result(20))[0]["message"] == CANCELLED
    assert answers(pool)


def test_runs_share_nothing(pool: Pool) -> None:
    assert ask(pool, "import torch\ntorch.manual_seed(7)\nsecret = 1")["ok"]
    head = ask(pool, "print(secret)")
    assert head["outcome"]["type"] == "NameError"


class Running:
    """An endless run in a zygote of its own, from the moment its child is there."""

    def __init__(self) -> None:
        self.zygote = Zygote(Settings())
        self.replies: list[bytes] = []
        self.zygote.run(request("print(0)"))
        self.thread = threading.Thread(target=lambda: self.replies.append(self.zygote.run(request(ENDLESS))))
        self.thread.start()
        assert self.zygote.process is not None
        self.pid = self.zygote.process.pid
        self.child = wait_for_child(self.pid)

    def reply(self) -> dict[str, Any]:
        self.thread.join(HARD_SECONDS + 10)
        return split_reply(self.replies[0])[0]

    def serves_the_next(self) -> bool:
        try:
            return bool(split_reply(self.zygote.run(request("print(1)")))[0]["ok"])
        finally:
            self.zygote.stop()


def children(pid: int) -> list[int]:
    """The processes that `pid` forked and that still are."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(status.parent.name))
    return found


def wait_for_child(pid: int) -> int:
    end = time.monotonic() + 20
    while not (found := children(pid)):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found[0]


linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes through /proc")


@linux
def test_losing_a_process_loses_its_own_reply_only() -> None:
    running = Running()
    os.kill(running.pid, signal.SIGKILL)
    head = running.reply()
    assert not head["ok"] and "lost" in head["message"]
    assert running.serves_the_next()


@linux
def test_a_run_ends_with_the_process_that_forked_it() -> None:
    running = Running()
    os.kill(running.pid, signal.SIGKILL)
    end = time.monotonic() + 5
    while Path(f"/proc/{running.child}").exists() and time.monotonic() < end:
        time.sleep(0.02)
    state = Path(f"/proc/{running.child}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"
    running.reply()
    running.zygote.stop()


@linux
def test_killing_a_run_is_told_and_its_process_serves_the_next() -> None:
    running = Running()
    os.kill(running.child, signal.SIGKILL)
    head = running.reply()
    assert not head["ok"] and "killed" in head["message"]
    assert running.serves_the_next()
    assert running.pid > 0 and not children(running.pid)


@linux
def test_a_cancelled_run_leaves_no_process() -> None:
    running = Running()
    started = time.monotonic()
    running.zygote.cancel()
    assert running.reply()["message"] == CANCELLED
    assert time.monotonic() - started < HARD_SECONDS / 2
    assert not children(running.pid)
    assert running.serves_the_next()


def test_a_waiting_run_can_be_cancelled_and_a_future_too() -> None:
    with Pool(1) as small:
        warm(small)
        first = small.ask(request(ENDLESS))
        time.sleep(0.3)
        second, third = (small.ask(request("print(1)")) for _ in range(2))
        last = small.ask(request("print(2)"))
        small.cancel(second)
        assert split_reply(second.result(1))[0]["message"] == CANCELLED
        assert third.cancel()
        small.cancel(first)
        assert split_reply(last.result(20))[0]["ok"]


def test_a_pool_that_is_shut_down_can_be_told_to_drop_what_waits() -> None:
    small = Pool(1)
    warm(small)
    runs = [small.ask(request(ENDLESS)) for _ in range(3)]
    time.sleep(0.3)
    started = time.monotonic()
    small.shutdown(cancel_futures=True)
    assert time.monotonic() - started < HARD_SECONDS / 2
    assert {split_reply(run.result(1))[0]["message"] for run in runs} == {CANCELLED}


@linux
def test_descriptors_do_not_pile_up(pool: Pool) -> None:
    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    assert all(answers(pool) for _ in range(3))
    before = open_files()
    assert all(answers(pool) for _ in range(30))
    assert open_files() <= before


LONG = "n = 0\nfor i in range(9000):\n    n = n + i\n    n = n - i\n"

NO_LOOP = "import torch\nx = torch.ones(2, requires_grad=True)\nrows = [x * i for i in range(4000)]\n"


IN_FULL = Limits(whole=10**6)
"""All turns of a loop are recorded."""


def slowly(trace: Trace) -> tuple[bytes, bytes]:
    time.sleep(len(trace.events) / 10_000 * 0.1)
    return b"", str(len(trace.events)).encode()


def test_of_a_long_recording_turns_are_left_out_if_it_cannot_be_made_in_time() -> None:
    trace = run(LONG, limits=IN_FULL)
    assert len(trace.events) > SHORT
    whole, parts = in_time(trace, slowly, time.perf_counter() + 20)
    assert whole == trace and parts[1] == str(len(trace.events)).encode()
    sent: list[Trace] = []
    short, parts = in_time(trace, slowly, time.perf_counter() + 0.35, lambda trace, parts: sent.append(trace))
    assert short.outcome == trace.outcome and parts[1] == str(len(short.events)).encode()
    (turns,) = [event for event in short.events if isinstance(event, TurnsSkipped)]
    assert (turns.line, turns.first, turns.last) == (2, TURNS + 1, 9000 - TURNS) and validate(short) == []
    assert [len(one.events) for one in sent] == [SAMPLE, len(short.events)]
    (sentence,) = left_out(short)
    assert sentence.startswith("Line 2: turns 11 to 8,990 of this loop are left out") and left_out(trace) == []


def test_a_long_recording_without_turns_to_leave_out_is_cut() -> None:
    trace = run(NO_LOOP)
    cut, parts = in_time(trace, slowly, time.perf_counter() + 0.2)
    assert SAMPLE <= len(cut.events) < len(trace.events) and parts[1] == str(len(cut.events)).encode()
    assert cut.outcome.kind == "stopped" and cut.outcome.message is not None and "The first" in cut.outcome.message
    assert cut.outcome.line == 3 and validate(cut) == []


@pytest.mark.parametrize("source", [LONG, NO_LOOP])
def test_of_a_recording_for_which_there_is_not_enough_memory_what_was_made_is_shown(source: str) -> None:
    trace = run(source, limits=IN_FULL)

    def narrow(trace: Trace) -> tuple[bytes, bytes]:
        if len(trace.events) > 2 * SAMPLE:
            raise MemoryError
        return b"", str(len(trace.events)).encode()

    shown, parts = in_time(trace, narrow, time.perf_counter() + 20)
    assert len(shown.events) <= 2 * SAMPLE and parts[1] == str(len(shown.events)).encode()
    assert validate(shown) == [] and shown.outcome.kind in ("stopped", trace.outcome.kind)
    with pytest.raises(MemoryError):
        in_time(trace, lambda trace: narrow(run(source, limits=IN_FULL)), time.perf_counter() + 20)


def test_the_output_is_whole_even_where_the_recording_is_cut() -> None:
    trace = run("for i in range(2000):\n    if i % 500 == 499:\n        print(i)\n")
    cut = beginning(trace, SAMPLE)
    assert "".join(event.text for event in cut.events if isinstance(event, Printed)) == "499\n999\n1499\n1999\n"
    assert len(cut.events) == SAMPLE + 1 and validate(cut) == []
    stopped = run("while True:\n    print(1)\n", limits=Limits(steps=4000))
    assert isinstance(beginning(stopped, SAMPLE).events[-1], Stopped) and beginning(trace, 10**6) is trace


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() not in ALLOWED, reason="no filter known here")
def test_all_layers_are_on() -> None:
    assert active_layers() == ["checked language", "own process", "limits of the kernel", "filter on system calls"]


def test_layers_are_those_that_a_run_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that gets out says that the language does not hold; where none can be made, nothing is claimed."""
    module = sys.modules["gradreel.host.layers"]  # the package has a function of that name
    monkeypatch.setattr(module, "_found", [])
    busy = refusal("busy", again=True)
    monkeypatch.setattr(module, "run_program", lambda request: busy)
    assert {layer.on for layer in layers()[:4]} == {None}
    safety = ["checked language", "own process"]
    got_out = json.dumps({"ok": True, "outcome": {"kind": "finished"}, "scene": 0, "trace": 0, "safety": safety})
    monkeypatch.setattr(module, "run_program", lambda request: got_out.encode())
    assert {layer.name: layer.on for layer in layers()[:3]} == {
        "checked language": False,
        "own process": True,
        "limits of the kernel": False,
    }


LOCKED_DOWN = """\
import _socket, os, sys
sys.path.insert(0, {root!r})
from gradreel.host.jail import lock_down
lock_down()
{action}
print("still here", flush=True)
"""
ACTIONS = [
    ("opens a file", "try:\n    open('/etc/hostname')\nexcept PermissionError:\n    pass", True),
    ("parses what is wrong", "try:\n    compile('x = = 1', 'p', 'exec')\nexcept SyntaxError:\n    pass", True),
    ("takes memory", "bytearray(80_000_000)", True),
    ("takes too much memory", "try:\n    bytearray(3 << 30)\nexcept MemoryError:\n    pass", True),
    ("opens a socket", "_socket.socket()", False),
    ("forks", "os.fork()", False),
    ("starts a program", "os.execv('/bin/true', ['true'])", False),
    ("kills another", "os.kill(os.getppid(), 0)", False),
    ("removes a file", "os.unlink('/nowhere')", False),
]


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() not in ALLOWED, reason="no filter known here")
@pytest.mark.parametrize(("action", "allowed"), [case[1:] for case in ACTIONS], ids=[case[0] for case in ACTIONS])
def test_a_locked_down_process(action: str, allowed: bool) -> None:
    """Even Python itself, without the checked language around it, can do nothing but compute."""
    text = LOCKED_DOWN.format(root=ROOT, action=action)
    done = subprocess.run([sys.executable, "-I", "-c", text], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    if allowed:
        assert (done.returncode, done.stdout) == (0, b"still here\n"), done.stderr
    else:
        assert (done.returncode, done.stdout) == (-signal.SIGSYS, b"")


def test_too_many_at_once_are_told_so() -> None:
    with Pool(1, waiting=1) as small:
        warm(small)
        first = small.ask(request(ENDLESS))
        time.sleep(0.5)
        waiting = small.ask(request("print(1)"))
        busy = small.ask(request("print(2)"))
        assert "before you" in split_reply(busy.result(5))[0]["message"]
        small.cancel(first)
        assert split_reply(waiting.result(20))[0]["ok"]
