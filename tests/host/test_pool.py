"""Runs in processes of their own: whatever a program does, it is answered, and the next one is served."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from gradreel.host import Pool, opened, run_program
from gradreel.host.pool import Zygote, can_fork
from gradreel.host.zygote import HARD_SECONDS
from gradreel.trace import Trace

pytestmark = pytest.mark.skipif(not can_fork(), reason="this platform cannot fork")


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(2, waiting=3) as made:
        yield made


def request(source: str, **more: Any) -> bytes:
    return json.dumps({"source": source, **more}).encode()


def ask(pool: Pool, source: str, **more: Any) -> dict[str, Any]:
    return opened(pool.submit(run_program, request(source, **more)).result(HARD_SECONDS + 10))[0]


def answers(pool: Pool) -> bool:
    head = ask(pool, "print(1)")
    return bool(head["ok"] and head["outcome"]["kind"] == "finished")


CASES = [
    ("finished", "import torch\nprint(torch.ones(2))", "finished", None),
    ("an error", "x = 1\nprint(y)", "raised", 2),
    ("a syntax error", "x = (1\n", "refused", 1),
    ("a module of the host", "import os\nos.system('ls')", "refused", 1),
    ("more memory than allowed", "import torch\ntorch.zeros(10**12)", "stopped", 2),
    ("an empty program", "", "finished", None),
    ("no end", "while True:\n    pass", "stopped", None),
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


@pytest.mark.parametrize("letter", [b"", b"{", b"[]", b'{"source": 3}', b'{"source": "1", "want": "all"}', b"\xff\xfe"])
def test_a_request_that_is_none_is_told_so(pool: Pool, letter: bytes) -> None:
    head = opened(pool.submit(run_program, letter).result(20))[0]
    assert not head["ok"] and head["message"]


def test_the_reply_holds_the_trace_that_was_asked_for(pool: Pool) -> None:
    import gzip

    source = "import torch\nx = torch.ones(1, requires_grad=True)\n(x ** 7).backward()\nprint(x.grad)"
    head, scene, record = opened(pool.submit(run_program, request(source, want="both")).result(20))
    trace = Trace.from_json(gzip.decompress(record).decode())
    assert head["ok"] and trace.source == source
    assert json.loads(gzip.decompress(scene))["schema"] == "gradreel-scene/1"


def test_two_people_at_once_do_not_disturb_each_other(pool: Pool) -> None:
    slow = pool.submit(run_program, request("while True:\n    pass"))
    assert answers(pool)
    pool.cancel(slow)
    assert opened(slow.result(20))[0]["message"] == "The run was cancelled."
    assert answers(pool)


def test_runs_share_nothing(pool: Pool) -> None:
    assert ask(pool, "import torch\ntorch.manual_seed(7)\nsecret = 1")["ok"]
    head = ask(pool, "print(secret)")
    assert head["outcome"]["type"] == "NameError"


def test_losing_a_process_loses_its_own_reply_only() -> None:
    zygote = Zygote()
    replies: list[bytes] = []
    thread = threading.Thread(target=lambda: replies.append(zygote.run(request("while True:\n    pass"))))
    thread.start()
    while zygote.child is None:
        time.sleep(0.01)
    assert zygote.process is not None
    os.kill(zygote.process.pid, signal.SIGKILL)
    thread.join(20)
    head = opened(replies[0])[0]
    assert not head["ok"] and "lost" in head["message"]
    assert opened(zygote.run(request("print(1)")))[0]["ok"]
    zygote.stop()


def test_killing_the_child_is_told(pool: Pool) -> None:
    zygote = Zygote()
    replies: list[bytes] = []
    thread = threading.Thread(target=lambda: replies.append(zygote.run(request("while True:\n    pass"))))
    thread.start()
    while zygote.child is None:
        time.sleep(0.01)
    zygote.cancel()
    thread.join(20)
    assert not opened(replies[0])[0]["ok"]
    assert opened(zygote.run(request("print(1)")))[0]["ok"]
    zygote.stop()


def test_too_many_at_once_are_told_so() -> None:
    with Pool(1, waiting=1) as small:
        first = small.submit(run_program, request("while True:\n    pass"))
        time.sleep(0.5)
        waiting = small.submit(run_program, request("print(1)"))
        busy = small.submit(run_program, request("print(2)"))
        assert "before yours" in opened(busy.result(5))[0]["message"]
        small.cancel(first)
        assert opened(waiting.result(20))[0]["ok"]


def test_only_programs_run_in_the_pool(pool: Pool) -> None:
    with pytest.raises(ValueError, match="programs only"):
        pool.submit(print, "hello")
