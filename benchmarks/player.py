"""The player in Chromium: Run to first picture, and step to step, beside torchviz and dot on the same graphs.

All figures are milliseconds of CPU time. A picture costs what the server takes to run a program and make its scene, and
what all processes of the browser take to show it; the page is one in which somebody works, so it has shown programs
before. A step or a leap to anywhere costs what the page's main thread takes, which is what holds up a frame.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradreel.interpreter import run
from gradreel.player import bundle, linker
from gradreel.scene import build, payload

from .recording import NO_LIMITS
from .scenes import DETERMINANT, timed, verdict

BACKWARD = "root.backward()"
SMALL = """import torch
x = torch.tensor(2.0, requires_grad=True)
root = x * x
root.backward()
"""
FORTY = """import torch

torch.manual_seed(0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(3, 4)
        self.second = torch.nn.Linear(4, 1)

    def forward(self, x):
        hidden = torch.tanh(self.first(x))
        return self.second(hidden)


def penalty(model):
    total = 0.0
    for p in model.parameters():
        total = total + (p ** 2).sum()
    return total


x = torch.randn(8, 3)
target = x.sum(dim=1, keepdim=True)
model = Net()
rate = 0.05

for step in range(3):
    out = model(x)
    error = out - target
    loss = (error ** 2).mean() + 0.01 * penalty(model)
    for p in model.parameters():
        p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= rate * p.grad
    print(step, loss.item())

root = (model(x) - target).abs().mean()
root.backward()
"""
WIDE = """import torch
w = [torch.tensor(1.0 + i / 100, requires_grad=True) for i in range(20)]
root = torch.tensor(0.0)
for i in range({0}):
    a = w[i % 20] * w[(i * 7 + 3) % 20]
    b = a.sin()
    root = root + (a + b)
root.backward()
"""


@dataclass(frozen=True)
class Case:
    name: str
    source: str
    goal: float
    """Milliseconds from Run to the first picture."""


ROOT = "det(m, tuple(range(6)))"
CASES = (
    Case("40 lines", FORTY, 300),
    Case(
        "determinant 6x6",
        DETERMINANT.format(6).replace("det(m, tuple(range(6))).", "root = det(m, tuple(range(6)))\nroot."),
        800,
    ),
    Case("2,000 in a loop", WIDE.format(500), 800),
    Case("10,000 in a loop", WIDE.format(2500), 2500),
)
STEP = 16
ENTRY = """
import { createPlayer } from "./player/player.js";
import { decodePayload } from "./scene/scene.js";
import vis from "./vis.js";
const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
const seeds = (n, last) => Array.from({ length: n }, (_, i) => Math.floor(((i * 7919 + 13) % 1009) / 1009 * last));
window.picture = async (packed) => {
  const scene = await decodePayload(Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0)));
  const root = document.querySelector("#player");
  root.player ? root.player.update(scene) : createPlayer(root, scene, { vis });
  await frame();
};
window.walk = async (n) => {
  const { player, dataset } = document.querySelector("#player");
  const from = Math.floor(dataset.steps / 2);
  for (let i = 0; i < n; i++) { player.seek(from + i); await new Promise(requestAnimationFrame); }
};
window.leap = async (n) => {
  const { player, dataset } = document.querySelector("#player");
  for (const step of seeds(n, dataset.steps)) { player.seek(step); await new Promise(requestAnimationFrame); }
};
export default null;
"""
PAGE = "<style>{}body{{margin:0}}#player{{height:100vh}}</style><div id=player></div><script type=module>{}</script>"
FRAMES = 60


def measure(python: str = sys.executable) -> None:
    """Print a row for each case; `python` is an interpreter that has torch and torchviz."""
    from tests.chromium import chromium

    columns = ("nodes", "run", "scene", "page", "picture", "step", "seek", "payload", "dot")
    print(f"\n{'CPU ms':18}" + "".join(f"{name:>10}" for name in columns))
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "player.html")
        script = linker.link({**bundle.modules(), "bench.js": ENTRY}, "bench.js")
        file.write_text(PAGE.format(bundle.styles(), script), encoding="utf-8")
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(file.as_uri())
        page.wait_for_function("Boolean(window.picture)")
        for _ in range(5):
            show(page, SMALL)
            show(page, FORTY)
        for case in CASES:
            print(row(page, case, python), flush=True)


def show(page: Any, source: str) -> None:
    page.evaluate("packed => picture(packed)", base64.b64encode(payload(run(source))).decode())


def row(page: Any, case: Case, python: str) -> str:
    ran, trace = timed(lambda: run(case.source, limits=NO_LIMITS))
    made, sent = timed(lambda: payload(trace))
    packed = base64.b64encode(sent).decode()
    shown = statistics.median(drawn(page, packed) for _ in range(5))
    meter = main_thread(page)
    moves = []
    for move in ("walk", "leap"):
        before = meter()
        page.evaluate(f"{move}({FRAMES})")
        moves.append((meter() - before) / FRAMES)
    picture = (ran + made) * 1000 + shown
    peer = torchviz(case, python)
    figures = [
        f"{len(build(trace).boxes)}",
        *(f"{x:.0f}" for x in (ran * 1000, made * 1000, shown, picture)),
        *(f"{x:.1f}" for x in moves),
    ]
    figures += [f"{len(sent) / 1000:.0f} kB", "-" if peer is None else f"{peer.more}{peer.taken:.0f}"]
    ratio = "" if peer is None else f", dot {peer.told(picture)}"
    kept = f"  {case.goal:.0f} ms: {verdict(picture <= case.goal)}, {STEP} ms: {verdict(max(moves) < STEP)}{ratio}"
    return f"{case.name:18}" + "".join(f"{figure:>10}" for figure in figures) + kept


def drawn(page: Any, packed: str) -> float:
    show(page, SMALL)
    page.wait_for_timeout(100)
    return spent(lambda: page.evaluate("packed => picture(packed)", packed))


def spent(work: Callable[[], Any]) -> float:
    """Milliseconds of CPU time that the browser takes for something."""
    before = browser_ticks()
    work()
    return (browser_ticks() - before) / 1e6


def main_thread(page: Any) -> Callable[[], float]:
    """A meter of the milliseconds that the page's main thread has worked."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def meter() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    return meter


def browser_ticks() -> int:
    """Nanoseconds on the CPU of every thread of every process below this one."""
    return sum(on_cpu(pid) for pid in offspring(os.getpid()))


def offspring(ancestor: int) -> list[int]:
    """All processes below one."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [ancestor]
    while waiting:
        below = parents.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def on_cpu(pid: int) -> int:
    """What /proc says of its threads; one that ended meanwhile counts no more."""
    total = 0
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
    except OSError:
        return total
    return total


PEER = """
import json, resource, sys
import torch
from torchviz import make_dot
torch.set_num_threads(1)
names = {}
exec(sys.argv[1], names)
def cpu():
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)
before = cpu()
print(before, flush=True)
svg = make_dot(names["root"]).pipe(format="svg")
print(json.dumps([cpu() - before, len(svg)]))
"""
PATIENCE = 240
"""Seconds that torchviz and dot get for a picture."""


@dataclass(frozen=True)
class Peer:
    """The milliseconds of CPU that torchviz and dot took for a picture, or, if they did not end, took until then."""

    taken: float
    ended: bool = True

    @property
    def more(self) -> str:
        return "" if self.ended else ">"

    def told(self, ours: float) -> str:
        """How many times what `ours` takes."""
        times = self.taken / ours
        return f"{times:.1f} times" if self.ended else f"more than {times:.0f} times: no picture in {PATIENCE} s"


def torchviz(case: Case, python: str) -> Peer | None:
    """What torchviz and dot take for a picture of the same graph; None where they are not installed."""
    if shutil.which("dot") is None:
        return None
    command = [python, "-c", PEER, case.source.replace(BACKWARD, "")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as peer:
        try:
            told, trouble = peer.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            used = sum(map(on_cpu, [peer.pid, *offspring(peer.pid)])) / 1e9
            os.killpg(peer.pid, signal.SIGKILL)  # dot, too, which would go on by itself
            told, _ = peer.communicate()
            begun = float(told) if told else used
            return Peer((used - begun) * 1000, ended=False)
    if peer.returncode:
        print(f"torchviz: {trouble.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return Peer(float(json.loads(told.splitlines()[-1])[0]) * 1000)
