"""The lists of attacks and limit cases (tests/data/hostile*.json.gz), and how a reply to one is judged.

An entry is `{id, category, program, why, must}`; `must` is "reject" (ends in a clean error, nothing of the host comes
out), "bounded" (any answer, in bounded time and memory), "ok" (runs to its end, printing `stdout` where given) or
"held" (any answer, but nothing that `ill` finds; `wrong` marks those that once were ill, and `why` says how).

    python -m tests.host.hostile            the complete lists and our own attacks: a table of what is not as labelled
    python -m tests.host.hostile WORD       those whose id, category or label has WORD in it; "wrong": those so marked
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import gzip
import json
import os
import re
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from queue import Queue
from random import Random
from typing import Any

from gradreel.host import Pool, split_reply
from gradreel.host.control import Ending
from gradreel.host.processes import Zygote
from gradreel.host.settings import Settings

from .attacks import attacks

DATA = Path(__file__).parents[1] / "data" / "hostile.json.gz"
HELD = DATA.with_name("hostile_held.json.gz")
LINKS = DATA.with_name("links.json")
"""The programs in those links that can be read; tests/js/hostile_links.test.js reads them all."""
SECRET = "a-secret-of-the-host"
OURS = (
    SECRET,
    "/etc/passwd",
    "root:x:0",
    "<frame object",
    "<code object",
    "<module 'os",
    "site-packages",
    "/gradreel/",
)
"""What must never be in a reply, unless the program itself says it."""

ESCAPED = "ESCAPED"
"""What entries of HELD print that got what they must not have."""
ADDRESS = re.compile(r"0x[0-9a-f]{6}|\d{12}")
"""What a name looks like that was made of where something of the host lies in memory."""
MOST_MEMORY = 600_000_000
LARGEST_TRACE = 40_000_000
"""Bytes of a trace before it is packed."""

UNCACHED = Settings(cache_bytes=0)
"""Every reply is that of a run, though the same was asked before."""

SLOWEST = 8.5
"""Seconds: the hard limit and a half more."""

FREE = {
    "dunder-15 dunder-35 format-05 format-10": "the class of a value is a record of its name, and no way on",
    "builtin-01 builtin-02 builtin-03": "getattr finds what `.` finds, a record of the class's name",
    "builtin-16 builtin-17 builtin-18 builtin-25": "SystemExit ends a program without an error, as in Python",
    "builtin-20": "id gives numbers that are counted here, no addresses",
    "builtin-42": "accepted and without effect",
    "cpu-21": "time.sleep moves a clock of the program's own",
    "class-02": "any callable may decorate; print prints and gives None",
    "dunder-26": "a parameter of any name is a parameter; nothing here is guarded by names",
    "link-20 link-22 link-23": "a link holds a program, not JSON: what looks like it is a dict",
    "parser-01 parser-15 parser-18 parser-34": "Python takes it, and it is within the limits here",
    "parser-06": "a line of nothing but ~ is a fence of Markdown, and goes with pasted text",
    "unicode-10 unicode-11 unicode-21 unicode-22": "what pages put between letters and lines goes with pasted text",
    "builtin-34": "torch.save keeps what it is given in the memory of the run; no file is written",
    "tensor-17 tensor-47 tensor-48": "PyTorch 2.13 takes it",
    "unicode-02 unicode-03": "Python reads these letters as `__class__`, which gives a record of the class's name",
    "builtin-05 builtin-07 builtin-08": "a copy of the program's own variables, or a list of the names it may say",
    "builtin-24 builtin-50 link-12": "an `os` whose files lie in memory, without processes or environment",
    "builtin-29 builtin-48": "the names of our own tables, and only those that the program uses",
    "class-06 class-07 class-08 class-11 class-30 class-31 class-32 class-35": "ordinary Python; its classes "
    "are records of ours, and their methods are called by the interpreter",
    "dunder-18 dunder-22 dunder-24 frame-18 frame-19 format-09": "attributes from explicit tables, as everywhere",
    "frame-08 frame-09 frame-10": "records of exceptions, names as text; no frame, traceback or object is to be had",
    "int-21 int-22": "complex numbers are numbers like others",
    "xss-09": "names like any other; the player keeps them apart from its own",
}
"""Entries labelled "reject" that may run here, and why."""

RAISING = {"tensor-32": "PyTorch 2.13 refuses to copy between parts of one storage that overlap"}
"""Entries labelled "ok" that end in an error, and why."""

MUST = {name: "bounded" for names in FREE for name in names.split()} | dict.fromkeys(RAISING, "reject")


def entries() -> list[dict[str, Any]]:
    """The programs of the list, those that came in a link included."""
    opened_links = json.loads(LINKS.read_text(encoding="utf-8"))
    listed = json.loads(gzip.decompress(DATA.read_bytes()))
    links = [{**entry, "program": opened_links[entry["id"]]} for entry in listed if entry["id"] in opened_links]
    return [entry for entry in listed if entry.get("kind") != "link"] + links


def held_entries() -> list[dict[str, Any]]:
    """The programs that were tried in a second round; everything holds for all of them."""
    listed: list[dict[str, Any]] = json.loads(gzip.decompress(HELD.read_bytes()))
    return listed


def asked(pool: Pool, source: str, **more: Any) -> tuple[bytes, float]:
    """The reply, and the seconds it took."""
    started = time.monotonic()
    answer = pool.ask(requested(source, **more)).result(60)
    return answer, time.monotonic() - started


def requested(source: str, **more: Any) -> bytes:
    return json.dumps({"source": source, "want": "trace", "expression": False, **more}).encode()


def ask(pool: Pool, source: str, **more: Any) -> tuple[dict[str, Any], dict[str, Any], float]:
    """Head, trace (empty if there is none) and seconds."""
    answer, seconds = asked(pool, source, **more)
    return *read(answer), seconds


def read(answer: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Head and trace of a reply."""
    head, _, record = split_reply(answer)
    return head, json.loads(gzip.decompress(record)) if record else {}


def verdict(entry: dict[str, Any], answer: bytes, ending: Ending) -> tuple[str | None, str]:
    """What is wrong with the reply to an entry, if anything is, and how its run ended."""
    head, trace = read(answer)
    fault = judge(entry, head, trace) or ill(ending, head, trace)
    return fault, head["outcome"]["kind"] if head["ok"] else head["message"]


def ill(ending: Ending, head: dict[str, Any], trace: dict[str, Any]) -> str | None:
    """What no run may do, whatever its label: be ended by a signal, say nothing, take too much, tell an address."""
    if ending.how not in ("exit", "late"):
        return f"ended by {ending.how} {ending.signal or ''}"
    if not head["ok"] or ending.how == "late" and "could not be saved" in str(head["outcome"]["message"]):
        return f"shows nothing: {head['message'] or head['outcome']['message']}"
    if ending.peak > MOST_MEMORY:
        return f"takes {ending.peak / 1e6:.0f} MB"
    if ESCAPED in told(trace):
        return f"prints {printed(trace)[-120:]!r}"
    if (size := len(json.dumps(trace))) > LARGEST_TRACE:
        return f"leaves a trace of {size / 1e6:.0f} MB"
    names = " ".join(event["name"] for event in trace.get("events", []) if event["kind"] == "name_bound")
    address = ADDRESS.search(names)
    return f"tells an address: {address[0]}" if address else None


def printed(trace: dict[str, Any]) -> str:
    return "".join(event["text"] for event in trace.get("events", []) if event["kind"] == "printed")


def told(trace: dict[str, Any]) -> str:
    """All that a program could have brought out: what it printed, its errors, its warnings."""
    events = [event for event in trace.get("events", []) if event["kind"] in ("printed", "raised", "warned")]
    return json.dumps([events, trace.get("outcome")], ensure_ascii=False)


def judge(entry: dict[str, Any], head: dict[str, Any], trace: dict[str, Any]) -> str | None:
    """What is not as the label says; None if all is."""
    leaks = [word for word in OURS if word in told(trace) + str(head["message"]) and word not in entry["program"]]
    if leaks:
        return f"leaks {leaks}"
    if head["message"] and "fault of Gradreel" in head["message"]:
        return "a fault of the interpreter"
    kind = head["outcome"]["kind"] if head["ok"] else "lost"
    must = MUST.get(entry["id"], entry["must"])
    if must in ("bounded", "held"):
        return None
    if must == "reject":
        uncaught = any(event["kind"] == "raised" and not event["caught"] for event in trace.get("events", []))
        clean = kind in ("refused", "raised", "stopped") or uncaught
        return None if clean else f"is {kind}, should be refused; printed {printed(trace)[:80]!r}"
    if kind != "finished":
        return f"is {kind}, should run: {head['message'] or head['outcome']['message']}"
    if "stdout" in entry and printed(trace) != entry["stdout"]:
        return f"printed {printed(trace)[:80]!r}, should {entry['stdout'][:80]!r}"
    return None


class Runners:
    """Warm processes, each lent to one at a time; unlike a pool's, they tell how a run ended."""

    def __init__(self, size: int) -> None:
        self.free: Queue[Zygote] = Queue()
        for _ in range(size):
            self.free.put(Zygote(UNCACHED))

    def run(self, source: str) -> tuple[bytes, Ending, float]:
        """Reply, ending and seconds."""
        runner = self.free.get()
        try:
            started = time.monotonic()
            return runner.run(requested(source)), runner.ending, time.monotonic() - started
        finally:
            self.free.put(runner)

    def stop(self) -> None:
        while not self.free.empty():
            self.free.get().stop()


def main() -> int:
    """Run the complete list and print what is not as labelled."""
    os.environ["GRADREEL_TEST_SECRET"] = SECRET
    size = os.cpu_count() or 1
    runners = Runners(size)
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    known = (*entries(), *attacks(), *held_entries())
    listed = [entry for entry in known if any(word in entry[field] for field in ("id", "category", "must"))]
    if word == "wrong":
        listed = [entry for entry in known if entry.get("wrong")]
    wrong: list[tuple[str, str, str]] = []
    slow: list[tuple[float, str]] = []
    peaks: list[tuple[float, str]] = []
    kinds: Counter[str] = Counter()

    def one(entry: dict[str, Any]) -> None:
        answer, ending, seconds = runners.run(entry["program"])
        fault, kind = judges.submit(verdict, entry, answer, ending).result()
        if seconds > SLOWEST:
            fault = f"took {seconds:.1f} s"
        after = judges.submit(verdict, AFTERWARDS, *runners.run(AFTERWARDS["program"])[:2]).result()
        if after[0]:
            fault = f"and then print(1) fails: {after[0]}"
        kinds[kind] += 1
        slow.append((seconds, entry["id"]))
        peaks.append((ending.peak / 1e6, entry["id"]))
        if fault:
            wrong.append((entry["id"], entry["must"], fault))

    # Judged elsewhere, so that what is measured here is what the server itself takes.
    with ProcessPoolExecutor(1, get_context("spawn")) as judges, ThreadPoolExecutor(size) as threads:
        list(threads.map(one, WARMING))
        wrong.clear()  # to start a process takes as long as it takes
        kinds.clear()
        slow.clear()
        peaks.clear()
        Random(0).shuffle(listed)  # kinds of programs spread over both halves
        middle = len(listed) // 2
        before = used()
        list(threads.map(one, listed[:middle]))
        halfway = used()
        list(threads.map(one, listed[middle:]))
        after = used()
    runners.stop()
    for row in sorted(wrong):
        print(*row, sep="\t")
    print(f"{len(listed) - len(wrong)} of {len(listed)} as labelled;", dict(kinds))
    faults = {row[0] for row in wrong}
    for must, count in Counter(entry["must"] for entry in listed).items():
        right = sum(entry["must"] == must and entry["id"] not in faults for entry in listed)
        print(f"  {must}: {right} of {count}")
    print("slowest:", ", ".join(f"{name} {seconds:.1f} s" for seconds, name in sorted(slow)[-12:]))
    print("most memory:", ", ".join(f"{name} {peak:.0f} MB" for peak, name in sorted(peaks)[-12:]))
    print("memory and descriptors of the server, before, halfway and after:", before, halfway, after)
    grown = after[0] - halfway[0] > ROOM or after[1] > before[1]
    return 1 if wrong or grown else 0


AFTERWARDS = {"id": "afterwards", "program": "print(1)", "must": "ok", "stdout": "1\n"}
"""What the same pool has to answer right after each of them."""
WARMING = [{"id": f"warm-{nr}", "program": f"warm = {nr}", "must": "ok"} for nr in range(20)]


ROOM = 24_000_000
"""Bytes that the server may take in addition for the second half of the list.

In the first half large replies break its memory up; what grows with every run would grow as much in the second.
"""


def used() -> tuple[int, int]:
    """Bytes of memory and number of descriptors that this process has; zeros where nobody tells."""
    status, files = Path("/proc/self/statm"), Path("/proc/self/fd")
    if not status.exists():
        return 0, 0
    gc.collect()  # what the judging took is given back
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"), len(list(files.iterdir()))


if __name__ == "__main__":
    sys.exit(main())
