"""Runs on dask's workers: the same replies, cancelled as here, and none is lost with a worker."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest

from gradreel.host import split_reply
from gradreel.host.remote import Remote
from gradreel.host.zygote import LARGEST_REQUEST

distributed = pytest.importorskip("distributed", reason="dask is not installed: deploy/requirements-dask.txt")

SLOW = "n = 0\nwhile True:\n    n = n + 1\n    n = n * 1"


def request(source: str) -> bytes:
    return json.dumps({"source": source, "want": "trace"}).encode()


@pytest.fixture(scope="module")
def remote() -> Iterator[Remote]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster:
        made = Remote(cluster.scheduler_address)
        for future in [made.ask(request(f"warm = {n}")) for n in range(4)]:
            assert split_reply(future.result(90))[0]["ok"]
        yield made
        made.shutdown()


def head(remote: Remote, source: str) -> dict[str, Any]:
    return split_reply(remote.ask(request(source)).result(60))[0]


def test_a_program_is_run_as_here(remote: Remote) -> None:
    assert head(remote, "print(1)")["outcome"]["kind"] == "finished"
    assert head(remote, "import socket")["outcome"]["kind"] == "refused"
    assert head(remote, "import torch\ntorch.ones(10**9)")["outcome"]["type"] == "elements"
    assert "own process" in head(remote, "print(2)")["safety"]
    assert "too long" in split_reply(remote.ask(b" " * (LARGEST_REQUEST + 1)).result(1))[0]["message"]


def test_a_run_is_cancelled_where_it_is(remote: Remote) -> None:
    future = remote.ask(request(SLOW))
    time.sleep(1)
    started = time.monotonic()
    remote.cancel(future)
    assert "cancelled" in split_reply(future.result(20))[0]["message"]
    assert time.monotonic() - started < 4


def test_a_worker_that_is_killed_loses_nothing(remote: Remote) -> None:
    running = [remote.ask(request(f"{SLOW}\n# {n}")) for n in range(4)]
    time.sleep(1)
    os.kill(next(iter(remote.client.run(os.getpid).values())), signal.SIGKILL)
    assert [split_reply(each.result(90))[0]["outcome"]["kind"] for each in running] == ["stopped"] * 4
    assert head(remote, "print(3)")["outcome"]["kind"] == "finished"
