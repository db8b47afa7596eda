"""What the stage promises, over `stage_programs.txt`, the oracle and the course: `python -m benchmarks stage`.

At every size and in both themes: the smallest text, whether the acting node is seen by itself, whether every wire
reaches its leaf, whether anything leaves the stage, one text lies on another or on the rim of a card, how much of it is
spanned, how far what stays moves from one step of a backward call to the next, and whether every sum and every freeing
has a place, and is seen to move.
"""

from __future__ import annotations

import base64
import statistics
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gradreel.interpreter import run
from gradreel.material.lessons import lessons
from gradreel.player import bundle, linker
from gradreel.scene import payload
from tests.browser.reels import REELS
from tests.player.test_player_agrees import ORACLE

from .player import PAGE

SIZES = ((1440, 900), (1000, 700), (390, 844))
THEMES = ("light", "dark")
STEPS = 24
"""So many steps of a program are looked at, spread over it."""
LEAST_TEXT, SPAN, FAR, MOVES = 12, 0.6, 40, 24

ENTRY = """import styles from "./styles.js";
import { createPlayer } from "./player/player.js";
import { decodePayload } from "./scene/scene.js";
const root = document.querySelector("#player");
const CARDS = ["node", "lens", "card", "ladder", "leaf", "drawer"];
const bytes = (packed) => Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
window.show = async (packed, theme) => {
  root.player?.destroy();
  createPlayer(root, await decodePayload(bytes(packed)), { step: 0, theme });
  await new Promise(requestAnimationFrame);
  return Number(root.dataset.steps);
};
const overlaps = (a, b) => Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x) > 2
  && Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y) > 2;
/** How far, in pixels, a tile comes in a step from where tiles of its value are at first. */
const farthest = (player, step) => {
  const tilesAt = (share) => {
    player.pose(share);
    return player.look().tiles;
  };
  player.seek(step);
  const first = tilesAt(0.02);
  const awayOf = ({ value, x, y }) => {
    const same = first.filter((tile) => tile.value === value);
    return same.length ? Math.min(...same.map((tile) => Math.hypot(tile.x - x, tile.y - y))) : 0;
  };
  return Math.max(0, ...[0.2, 0.4, 0.6, 0.8].flatMap((share) => tilesAt(share).map(awayOf)));
};
window.judge = (step) => {
  const { player } = root;
  player.seek(step);
  player.pose(1);
  const { texts, targets, tiles, width, height, ...look } = player.look();
  const before = player.places();
  const outside = targets.filter(({ x, y, w, h }) => x < -1 || y < -1 || x + w > width + 1 || y + h > height + 1);
  const crossed = texts.filter((text, i) => texts.slice(0, i).some((other) => overlaps(text, other)));
  const cards = targets.filter(({ kind }) => CARDS.includes(kind))
    .map(({ x, y, w, h, funnel }) => ({ x, y: y + funnel, w, h: h - funnel }));
  const inside = (a, b) => a.x > b.x - 3 && a.y > b.y - 3 && a.x + a.w < b.x + b.w + 3 && a.y + a.h < b.y + b.h + 3;
  const cut = texts.filter((text) => cards.some((card) => overlaps(text, card) && !inside(text, card)));
  const acting = look.acts.some(({ type }) => type === "meet" || type === "free");
  const far = acting ? farthest(player, step) : null;
  player.seek(step + 1);
  player.pose(1);
  const after = player.places();
  const moved = Object.keys(before).filter((key) => after[key]).map((key) =>
    Math.hypot(after[key].x - before[key].x, after[key].y - before[key].y));
  return { ...look, outside: outside.length, crossed: crossed.length, cut: cut.length, moved, far };
};
export default null;
"""


@dataclass
class Found:
    """What was seen of a program, or of all of them, at one size."""

    least: list[float] = field(default_factory=list)
    spans: list[float] = field(default_factory=list)
    moved: list[float] = field(default_factory=list)
    acting: list[bool] = field(default_factory=list)
    wires: list[int] = field(default_factory=lambda: [0, 0])
    acts: list[bool] = field(default_factory=list)
    motion: list[bool] = field(default_factory=list)
    outside: int = 0
    crossed: int = 0
    cut: int = 0
    looks: int = 0

    def add(self, look: dict[str, Any], backward: bool) -> None:
        self.looks += 1
        self.least.append(look["least"])
        self.spans.append(look["span"])
        self.outside += look["outside"] > 0
        self.crossed += bool(look["crossed"])
        self.cut += bool(look["cut"])
        if look["acting"]:
            self.acting.append(look["acting"]["seen"])
        self.wires[0] += look["wires"]["reach"]
        self.wires[1] += look["wires"]["all"]
        self.acts += [act["seen"] for act in look["acts"]]
        if look["far"] is not None:
            self.motion.append(look["far"] > MOVES)
        if backward:
            self.moved += look["moved"]

    def moves(self) -> tuple[float, float]:
        """How far what stays moves in a step: the median, and the 90th percentile."""
        moved = sorted(self.moved) or [0.0]
        return moved[len(moved) // 2], moved[len(moved) * 9 // 10]

    def row(self) -> str:
        median, most = self.moves()
        figures = (
            f"{min(self.least, default=0):.1f}",
            f"{sum(self.acting)}/{len(self.acting)}",
            f"{self.wires[0]}/{self.wires[1]}",
            f"{sum(self.acts)}/{len(self.acts)}",
            f"{sum(self.motion)}/{len(self.motion)}",
            f"{self.outside}/{self.looks}",
            f"{self.crossed}/{self.looks}",
            f"{self.cut}/{self.looks}",
            f"{statistics.median(self.spans or [0]):.2f}",
            f"{median:.0f}/{most:.0f}",
        )
        return "".join(f"{figure:>14}" for figure in figures)

    def kept(self) -> bool:
        """Whether all promises are kept that are yes or no."""
        return (
            min(self.least, default=LEAST_TEXT) >= LEAST_TEXT - 0.01
            and all(self.acting)
            and all(self.acts)
            and all(self.motion)
            and self.wires[0] == self.wires[1]
            and not (self.outside or self.crossed or self.cut)
        )

    def keeps_measure(self) -> bool:
        """Whether the stage is spanned, and what stays lies still, as promised of all programs together."""
        median, most = self.moves()
        return statistics.median(self.spans or [0]) >= SPAN and round(median) == 0 and most <= FAR


def programs() -> dict[str, str]:
    parts = Path(__file__).with_name("stage_programs.txt").read_text(encoding="utf-8").split("=== ")[1:]
    own = dict(part.split("\n", 1) for part in parts)
    reels = {name: source for name, (source, _) in REELS.items()}
    return {**own, **reels, **ORACLE, **{each.slug: each.source for each in lessons()}}


def measure() -> bool:
    """Print a row for each size and theme over all programs; whether all that must be is so."""
    from tests.chromium import chromium

    heads = (
        "text px",
        "acting seen",
        "wires reach",
        "acts seen",
        "acts move",
        "rim crossed",
        "texts crossed",
        "on a rim",
        "span",
        "moved 50/90",
    )
    print(f"{'':26}" + "".join(f"{head:>14}" for head in heads))
    sent = {name: base64.b64encode(payload(run(source))).decode() for name, source in programs().items()}
    kept = True
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "stage.html")
        script = linker.link({**bundle.modules(), "bench.js": ENTRY}, "bench.js")
        file.write_text(PAGE.format(bundle.styles(), script), encoding="utf-8")
        for width, height in SIZES:
            for theme in THEMES:
                page = browser.new_page(viewport={"width": width, "height": height})
                page.goto(file.as_uri())
                page.wait_for_function("Boolean(window.judge)")
                whole = Found()
                for name, packed in sent.items():
                    found = look_at(page, packed, theme, whole)
                    if not found.kept():
                        print(f"  {name:24}{found.row()}", flush=True)
                print(f"{f'{width} x {height}, {theme}':26}{whole.row()}", flush=True)
                kept = kept and whole.kept() and whole.keeps_measure()
                page.close()
    return kept


def look_at(page: Any, packed: str, theme: str, whole: Found) -> Found:
    """What is seen of a program; it is added to what is seen of all."""
    last = page.evaluate("([packed, theme]) => show(packed, theme)", [packed, theme])
    calls = page.evaluate("document.querySelector('#player').player.calls()")
    found = Found()
    for step in range(0, last, max(1, last // STEPS)):
        look = page.evaluate("(step) => judge(step)", step)
        backward = any(call["from"] <= step and step + 1 <= (call["to"] or last) for call in calls)
        for each in (found, whole):
            each.add(look, backward)
    return found
