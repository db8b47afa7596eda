"""`make shots`: pictures of the programs in `reels.py`, light and dark, to be looked at.

`python -m tests.browser.shots FOLDER [--only NAME] [--size 1440x900]`
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from gradreel.host.work import mender_of
from gradreel.interpreter import run
from gradreel.player.export import export_html
from gradreel.scene import build, encode
from gradreel.scene.model import Scene
from tests.chromium import chromium

from .reels import REELS

ACTS = {"folded": "player.pose(0.5)", "sum": "player.pose(0.5)"}
PLAYER = "document.querySelector('[data-testid=player]')"


def moment(scene: Scene, kind: str) -> int:
    """The step at which a picture is taken."""
    last = len(scene.steps) - 1
    if kind == "last":
        return last
    if kind == "sum":
        return next(n for n, step in enumerate(scene.steps) if step.kind == "grad_added" and "=" in step.sentence)
    if kind == "stored":
        return max(n for n, step in enumerate(scene.steps) if step.kind == "grad_stored")
    call = scene.calls[-1 if kind == "late" else len(scene.calls) // 2]
    return (call.from_ + call.to) // 2


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.browser.shots", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--size", default="1440x900")
    parser.add_argument("--theme", default="light dark")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    width, height = map(int, options.size.split("x"))
    with chromium() as browser, tempfile.TemporaryDirectory() as pages:
        for name, (source, kind) in REELS.items():
            if options.only not in name:
                continue
            trace = run(source)
            scene = build(trace, mender=mender_of(trace))
            page = Path(pages, f"{name}.html")
            page.write_text(export_html(encode(scene), step=moment(scene, kind)), encoding="utf-8")
            for theme in options.theme.split():
                size = {"width": width, "height": height}
                shoot(browser, page, size, theme, ACTS.get(kind), options.folder / f"{name}-{theme}.png")


def shoot(browser: Any, page: Path, size: dict[str, int], theme: str, act: str | None, to: Path) -> None:
    context = browser.new_context(viewport=size, color_scheme=theme, bypass_csp=True)
    tab = context.new_page()
    tab.on("console", lambda message: print(f"{to.stem}: {message.text}"))
    tab.on("pageerror", lambda error: print(f"{to.stem}: {error}"))
    tab.goto(page.as_uri())
    tab.wait_for_selector("[data-testid=player][data-step]", timeout=10_000)
    if act:
        tab.evaluate(f"const {{ player }} = {PLAYER}; {act}")
    tab.wait_for_timeout(500)
    tab.screenshot(path=to)
    context.close()
    print(to, flush=True)


if __name__ == "__main__":
    main()
