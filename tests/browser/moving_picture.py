"""`make shots`, too: the moving picture that README opens with, and the picture that links to the page show.

`python -m tests.browser.moving_picture FOLDER`; what is good goes to `.readme`, and `preview.png` to
`gradreel/player/web`.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

from gradreel.player import preview
from tests.chromium import chromium

from .driving import PLAYER, open_lab, run
from .reels import DIAMOND
from .serving import app

ENCODER = Path(__file__).parent.parent / "js" / "write_gif.mjs"
SIZE = {"width": 960, "height": 600}
FINE = 1.25
"""Pixels of one of the page's, so that its smallest letters are 12 high."""
FRAME = 80
"""Milliseconds of a frame."""
HASTE = 0.8
REST = 1600
"""Milliseconds for which the end is seen."""


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with app() as url, chromium() as browser, tempfile.TemporaryDirectory() as frames:
        shoot_preview(browser, url, folder / "preview.png")
        page = browser.new_context(viewport=SIZE, device_scale_factor=FINE, color_scheme="light").new_page()
        open_lab(page, url)
        run(page, DIAMOND.rstrip())
        page.locator(PLAYER).first.focus()  # no caret is to blink
        names = []
        for number, (picture, delay) in enumerate(film_backward(page)):
            name = Path(frames, f"{number}.rgba")
            name.write_bytes(picture.tobytes())
            names.append(f"{delay}:{name}")
        subprocess.run(
            ["node", ENCODER, folder / "gradreel.gif", str(picture.width), str(picture.height), *names], check=True
        )
    print(folder / "gradreel.gif")


def film_backward(page: Page) -> Iterator[tuple[Image.Image, int]]:
    """The backward pass, frame by frame; pictures that are the same are one, for longer."""
    player = page.locator(PLAYER).first
    last = player.evaluate("(root) => root.player.state().steps")
    durations = player.evaluate("(root) => root.player.durations()")
    [call] = player.evaluate("(root) => root.player.calls()")
    waiting: tuple[Image.Image, int] | None = None
    for step in range(call["from"], last + 1):
        player.evaluate("(root, step) => root.player.seek(step)", step)
        time = round(durations[step] * HASTE)
        for at in range(0, time, FRAME):
            player.evaluate("(root, progress) => root.player.pose(progress)", (at + FRAME) / time)
            picture = shot(page)
            if waiting and picture.tobytes() == waiting[0].tobytes():
                waiting = (picture, waiting[1] + FRAME)
                continue
            if waiting:
                yield waiting
            waiting = (picture, FRAME)
    assert waiting
    yield waiting[0], waiting[1] + REST


def shot(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot())).convert("RGBA")


def shoot_preview(browser: Browser, url: str, to: Path) -> None:
    """Code and stage as they are presented, where two gradients meet."""
    width, height = preview.SIZE
    page = browser.new_context(viewport={"width": width, "height": height}, color_scheme="light").new_page()
    open_lab(page, url)
    run(page, DIAMOND.rstrip())
    player = page.locator(PLAYER).first
    player.evaluate("(root) => root.player.seek(root.player.state().steps - 5)")
    player.press("f")
    page.wait_for_timeout(800)
    player.evaluate("(root) => root.player.pose(0.5)")
    page.get_by_test_id("leave-present").evaluate("(each) => each.remove()")
    page.screenshot(path=to)
    print(to)


if __name__ == "__main__":
    main()
