"""Nothing of one run is ever in another: two people, and what the one writes is looked for by the other and by us."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradreel.host import split_reply
from gradreel.host.processes import Zygote, can_fork
from gradreel.host.settings import Settings

pytestmark = [
    pytest.mark.skipif(not can_fork(Settings()), reason="this platform cannot fork"),
    pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is a file on Linux only"),
]

RUNS = 200

WRITES = """\
import io, os, random, sys, torch, warnings
secret_MARK = "MARK" * 20
class MARKError(Exception): pass
def MARK_function(MARK_argument): return MARK_argument
held = [secret_MARK + str(i) for i in range(50)]
numbers = torch.tensor([ord(letter) for letter in secret_MARK], dtype=torch.uint8)
torch.manual_seed(4321); random.seed(4321)
open("MARK.txt", "w").write(secret_MARK)
torch.save(numbers, "MARK.pt")
x = torch.ones(3, requires_grad=True)
(x * MARK_function(2.0)).sum().backward()
print(secret_MARK, numbers.sum(), x.grad)
warnings.warn("MARK warns")
try: raise MARKError(secret_MARK)
except MARKError as error: print(error)
"""
ENDINGS = (
    "print('MARK')",
    "raise MARKError('MARK')",
    "(x * 2).sum().backward(); x.MARK",
    "open('MARK', 'r')",
    "import MARK",
    "MARK = = 1",
    "held * 10**9",
)

READS = """\
import gc, glob, os, pathlib, random, torch
import numpy as np
found = [sorted(globals()), dir(), sorted(vars()), os.listdir("."), list(os.walk("/")), glob.glob("*"),
    list(pathlib.Path(".").iterdir()), dir(torch), list(os.environ)]
for size in (1, 7, 60, 500, 2000):
    for make in (torch.empty, np.empty, torch.Tensor, np.ndarray):
        read = np.asarray(make(size)).view(np.uint8).reshape(-1)[:1000].tolist()
        found.append("".join(chr(n) for n in read if 31 < n < 127))
for name in ("secret_", "held", "numbers", "error", "x", "Error"):
    try: found.append(globals()[name])
    except KeyError: pass
for path in ("secret.txt", "numbers.pt", "../secret.txt", "/tmp/secret.txt", "/dev/shm/x"):
    try: found.append(open(path).read())
    except OSError as error: found.append(error)
print(found)
print("seed", torch.initial_seed() == 4321)
"""
TRIES = ("secret_", "held", "MARK_function", "raise Error", "torch.load('numbers.pt')", "import secret")


def programs() -> Iterator[tuple[str, str]]:
    """The mark of each run, and its program: the two take turns."""
    for number in range(RUNS):
        mark = f"zq{number:04d}qz"
        reads = number % 2
        ending = TRIES[number // 2 % len(TRIES)] if reads else ENDINGS[number // 2 % len(ENDINGS)]
        yield mark, ((READS if reads else WRITES) + f"# MARK\n{ending}\n").replace("MARK", mark)


MARKS = re.compile(rb"zq(\d{4})qz")


def memory(pid: int) -> Iterator[bytes]:
    """All that a process can read of its own memory, region by region."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            region, rights, *_, name = line.split(maxsplit=5) + [""]
            if not rights.startswith("r") or name.startswith(("[vvar", "[vsyscall")):
                continue
            first, last = (int(end, 16) for end in region.split("-"))
            file.seek(first)
            try:
                yield file.read(last - first)
            except OSError:
                continue


def test_nobody_reads_a_byte_of_another() -> None:
    zygote = Zygote(Settings())
    kinds, descriptors = set(), []
    try:
        for number, (mark, source) in enumerate(programs()):
            want = "trace" if number % 20 else "both"
            head, *parts = split_reply(zygote.run(json.dumps({"source": source, "want": want}).encode()))
            answer = b"".join([json.dumps(head).encode(), *(gzip.decompress(part) for part in parts if part)])
            assert {found[0].decode() for found in MARKS.finditer(answer)} <= {mark}
            assert b"seed True" not in answer
            kinds.add(head["outcome"]["kind"])
            assert zygote.process is not None
            descriptors.append(len(os.listdir(f"/proc/{zygote.process.pid}/fd")))
        assert kinds == {"finished", "raised", "refused", "stopped"}
        assert set(descriptors) == {descriptors[0]}
        regions = list(memory(zygote.process.pid))
    finally:
        zygote.stop()
    assert any(b"requires_grad=True" in region for region in regions)  # what it warmed up with is found, and here
    assert any(MARKS.search(region) for region in memory(os.getpid()))  # are the programs
    assert not {found[0] for region in regions for found in MARKS.finditer(region)}
