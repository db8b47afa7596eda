"""However a run ends, its reply says which limit it met and at which line, and holds what can still be had."""

from __future__ import annotations

import gzip
import json
import signal
import sys
import time
from typing import Any

import pytest

from gradreel.host import Pool, split_reply
from gradreel.host.cache import Cache, repeatable
from gradreel.host.places import Place
from gradreel.host.processes import ROOT, Zygote, can_fork
from gradreel.host.settings import Settings
from gradreel.host.watchdog import Watch, ring
from gradreel.host.work import refusal, reply_to_halted, work
from gradreel.interpreter import Spent
from gradreel.trace import Recorder

forks = pytest.mark.skipif(not can_fork(Settings()), reason="this platform cannot fork")

SOURCE = "x = 1\ny = 2\nz = 3\nprint(z)"
REQUEST = json.dumps({"source": SOURCE, "want": "both"}).encode()

ZYGOTE = """\
import sys
sys.path.insert(0, {root!r})
import os, signal, time
from gradreel.host import zygote
parent = os.getpid()
def stuck(request, layers, watch, early):
    watch.place[0] = 3
    {does}
zygote.warm_up, zygote.work = (lambda: None), stuck
type(zygote.here()).hard_seconds = property(lambda place: 0.4 if zygote.os.getpid() == parent else 8.0)
zygote.main()
"""


class Stuck(Zygote):
    """A warm process whose runs do something else instead of a program."""

    def __init__(self, does: str) -> None:
        super().__init__(Settings(seccomp=False))
        self.does = does

    def program(self) -> str:
        return ZYGOTE.format(root=ROOT, does=self.does)


ENDS = [
    ("in a place where nobody counts", "time.sleep(60)", "seconds", "8 seconds"),
    (
        "deaf to signals",
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n    while True: pass",
        "seconds",
        "8 seconds",
    ),
    ("at the kernel's limit of time", "os.kill(os.getpid(), signal.SIGXCPU)", "seconds", "8 seconds"),
    ("by a fault of memory", "os.kill(os.getpid(), signal.SIGSEGV)", "crash", "signal 11 (SIGSEGV)"),
    ("by a check of C's", "os.abort()", "crash", "signal 6 (SIGABRT)"),
    ("with its memory used up", "held = bytearray(440_000_000)\n    os.abort()", "memory", "bytes of memory"),
    ("at the kernel's limit of memory", "bytearray(1 << 40)", "memory", "bytes of memory"),
]


def served(does: str) -> dict[str, Any]:
    """The head of the reply for a run that `does` something else, instead of a program."""
    zygote = Stuck(does)
    try:
        head, scene, trace = split_reply(zygote.run(REQUEST))
    finally:
        zygote.stop()
    assert not scene or json.loads(gzip.decompress(scene))["source"] == SOURCE
    assert not trace or json.loads(gzip.decompress(trace))["events"][-1]["kind"] == "stopped"
    return head


@forks
@pytest.mark.parametrize(("does", "budget", "words"), [case[1:] for case in ENDS], ids=[case[0] for case in ENDS])
def test_a_run_that_is_ended_from_outside_says_where_it_was(does: str, budget: str, words: str) -> None:
    head = served(does)
    assert head["ok"] and head["scene"] and head["trace"]
    assert (head["outcome"]["kind"], head["outcome"]["type"], head["outcome"]["line"]) == ("stopped", budget, 3)
    assert "line 3" in head["outcome"]["message"] and words in head["outcome"]["message"]


@forks
def test_a_reply_on_the_way_counts_if_none_comes_after_it() -> None:
    early = refusal("this is on the way")
    assert served(f"early({early!r})\n    time.sleep(60)")["message"] == "this is on the way"
    assert served(f"early({early!r})\n    os.kill(os.getpid(), signal.SIGKILL)")["message"] == "this is on the way"


@forks
def test_a_run_that_is_killed_by_others_offers_another_try() -> None:
    head = served("os.kill(os.getpid(), signal.SIGKILL)")
    assert not head["ok"] and head["again"] and "run it again" in head["message"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarm here")
def test_the_alarm_stops_what_does_not_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Place, "alarm_seconds", 0.1)
    began = time.monotonic()
    with pytest.raises(Spent) as stop, Watch(alarm=True).during():
        while True:
            pass
    assert stop.value.budget == "seconds" and time.monotonic() - began < 5
    time.sleep(0.3)  # and it is silent afterwards


def test_the_alarm_waits_until_a_recording_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder, came = Recorder(), []

    def read() -> list[Any]:
        ring(0, sys._getframe())
        came.append(True)
        return []

    monkeypatch.setattr(recorder._reader, "read", read)
    assert len(recorder) == 0 and came
    with pytest.raises(Spent):
        ring(0, sys._getframe())


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarm here")
@pytest.mark.parametrize("place", ["perform", "payload", "remarks"])
def test_a_reply_that_takes_too_long_to_make_is_a_sentence(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def slowly(*given: Any, **more: Any) -> bytes:
        made.append(given)
        while len(made) == 1:
            pass
        return b""

    monkeypatch.setattr(Place, "last_seconds", 0.5)
    monkeypatch.setattr(f"gradreel.host.work.{place}", slowly)
    head, _, trace = split_reply(work(REQUEST, watch=Watch(alarm=True)))
    assert head["outcome"]["kind"] == "stopped" and "could not be made ready" in head["outcome"]["message"]
    assert json.loads(gzip.decompress(trace))["source"] == SOURCE
    time.sleep(0.3)  # and the alarm is silent afterwards


def test_what_is_halted_is_a_reply_for_any_request() -> None:
    head, _, _ = split_reply(reply_to_halted(b'{"source": "sin(x)", "want": "scene"}', "seconds", 0))
    assert head["outcome"]["line"] == 1
    assert not split_reply(reply_to_halted(b"{", "seconds", 1))[0]["ok"]


LOOP = "n = 0\nfor i in range(2000):\n    n = n + i\n    n = n - i\n"


def test_replies_on_the_way_are_whole_and_grow() -> None:
    seen: list[bytes] = []
    final = work(json.dumps({"source": LOOP, "want": "trace"}).encode(), early=seen.append)
    lengths = [len(json.loads(gzip.decompress(split_reply(each)[2]))["events"]) for each in (*seen, final)]
    assert len(lengths) > 1 and lengths == sorted(lengths)
    assert all(split_reply(each)[0]["outcome"]["kind"] == "stopped" for each in seen)
    assert split_reply(final)[0]["outcome"]["kind"] == "finished"


# ---- replies given before


def test_what_a_clock_cut_short_is_not_kept() -> None:
    finished = work(REQUEST)
    assert repeatable(finished)
    assert not repeatable(refusal("busy"))
    assert not repeatable(reply_to_halted(REQUEST, "seconds", 1))
    assert not repeatable(reply_to_halted(REQUEST, "memory", 1)) and not repeatable(
        reply_to_halted(REQUEST, "signal 11", 1)
    )


def test_replies_are_kept_as_long_as_they_fit() -> None:
    answer = work(REQUEST)
    cache = Cache(int(4.5 * len(answer)))
    for n in range(8):
        cache.put(b"%d" % n, answer)
        assert cache.get(b"0") == answer  # used again and again
    assert [n for n in range(8) if cache.get(b"%d" % n)] == [0, 5, 6, 7]
    assert cache.size == 4 * len(answer)
    Cache(0).put(b"x", answer)


def test_the_same_program_is_run_once() -> None:
    with Pool(1) as pool:
        first = pool.ask(REQUEST).result(30)
        assert pool.ask(REQUEST).result(0) == first
        other = pool.ask(json.dumps({"source": SOURCE + "\n", "want": "both"}).encode())
        assert not other.done() and split_reply(other.result(30))[0]["ok"]


# ---- where there is no fork


def test_without_fork_every_run_still_has_a_process_of_its_own() -> None:
    using = Settings(fork=False)
    with Pool(1, using=using) as pool:
        heads = [split_reply(pool.ask(source).result(60))[0] for source in (REQUEST, b'{"source": "print(z)"}')]
        assert heads[0]["outcome"]["kind"] == "finished" and heads[1]["outcome"]["type"] == "NameError"
        assert heads[0]["safety"][:2] == ["checked language", "own process"]
        endless = pool.ask(b'{"source": "while True:\\n    pass"}')
        time.sleep(1)
        pool.cancel(endless)
        assert "cancelled" in split_reply(endless.result(20))[0]["message"]
        assert split_reply(pool.ask(b'{"source": "print(2)"}').result(60))[0]["ok"]


@forks
@pytest.mark.parametrize(("rlimits", "seccomp"), [(False, True), (True, False), (False, False)])
def test_a_layer_that_is_off_is_said_to_be_off_and_the_others_hold(rlimits: bool, seccomp: bool) -> None:
    with Pool(1, using=Settings(rlimits=rlimits, seccomp=seccomp)) as pool:
        head = split_reply(pool.ask(REQUEST).result(60))[0]
        assert ("limits of the kernel" in head["safety"]) == (rlimits and sys.platform != "win32")
        assert ("filter on system calls" in head["safety"]) <= seccomp
        assert split_reply(pool.ask(b'{"source": "import socket"}').result(60))[0]["outcome"]["kind"] == "refused"
        bomb = split_reply(pool.ask(b'{"source": "import torch\\ntorch.ones(10**9)"}').result(60))[0]["outcome"]
        assert (bomb["kind"], bomb["line"]) == ("stopped", 2)
