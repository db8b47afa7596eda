"""What is made to be shown to others: the card of a moment, as a picture and as loops."""

from __future__ import annotations

import re
from pathlib import Path

from PIL import Image, ImageChops
from playwright.sync_api import Page, expect

from .driving import SHOWN, run
from .reels import DIAMOND, SHARED

SIDE = 600
"""Pixels to a side of a loop; a picture is twice as fine."""
PARTS = "editor stage film names leaves printed story inspector sentence scrub tool-share".split()
"""What may be seen of a player."""
LEAST = """(root) => {
  const { least, width } = root.player.look();
  return (least * root.querySelector("[data-testid=stage]").clientWidth) / width;
}"""
"""The smallest text of the stage, in pixels of the screen."""
MOMENTS = """() => {
  window.shown = [];
  const see = (changes) => changes.forEach(({ target }) => target.dataset.moments && shown.push(target.dataset.moment));
  const watch = (root) => new MutationObserver(see).observe(root, { subtree: true, attributeFilter: ["data-moment"] });
  for (const { shadowRoot } of [{ shadowRoot: document }, ...document.querySelectorAll("*")])
    if (shadowRoot) watch(shadowRoot);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, options);
    watch(root);
    return root;
  };
}"""
"""Note each moment that the next page shows of two programs."""
MANY = 1 << 16
"""Colours that a picture has at the most."""
SHORT = "import torch\nx = torch.ones(2)\n"


def save(page: Page, kind: str, folder: Path) -> Path:
    """Have the dialog make a file, and keep it."""
    with page.expect_download(timeout=30_000) as waiting:
        page.get_by_test_id(f"share-{kind}").click()
    to = folder / waiting.value.suggested_filename
    waiting.value.save_as(to)
    expect(page.get_by_test_id("share-said")).to_contain_text("Saved")
    return to


def test_a_moment_is_shared_as_a_picture_and_as_a_loop(lab: Page, tmp_path: Path) -> None:
    player = lab.get_by_test_id("player")
    run(lab, DIAMOND)
    step = player.evaluate("(root) => root.player.state().steps - 5")  # two gradients meet
    player.evaluate("(root, step) => root.player.seek(step)", step)
    lab.get_by_test_id("tool-share").click()
    with Image.open(save(lab, "png", tmp_path)) as picture:
        assert (picture.format, picture.size) == ("PNG", (2 * SIDE, 2 * SIDE))
        colours = sorted(picture.convert("RGB").getcolors(MANY) or [])
    assert len(colours) > 100

    frames, lasted = [], 0
    with Image.open(save(lab, "gif", tmp_path)) as loop:
        assert (loop.format, loop.size, loop.info["loop"]) == ("GIF", (SIDE, SIDE), 0)
        for number in range(loop.n_frames):
            loop.seek(number)
            lasted += loop.info["duration"]
            frames.append(loop.convert("RGB"))
    assert len(frames) > 40 and 4500 < lasted <= 6000
    assert all(ImageChops.difference(*pair).getbbox() for pair in zip(frames, frames[1:], strict=False))
    assert min(len(frame.getcolors(MANY) or []) for frame in frames) > 50
    surfaces = {colour for _, colour in colours[-4:]}
    assert surfaces <= {colour for _, colour in frames[0].getcolors(MANY) or []}, "they look as on the page"

    lab.get_by_test_id("share-link").click()
    expect(lab.get_by_test_id("share-said")).to_contain_text(re.compile(rf"^Link copied|/#g1[.]{step}[.]"))
    lab.get_by_test_id("share-gif").click()
    lab.get_by_test_id("share-cancel").click()
    expect(lab.get_by_test_id("share-said")).to_contain_text("Cancelled")
    lab.keyboard.press("Escape")
    expect(lab.get_by_test_id("share")).to_be_hidden()


def test_a_moment_is_shared_as_a_video(lab: Page, tmp_path: Path) -> None:
    run(lab, SHORT)
    lab.keyboard.press("Escape")
    lab.get_by_test_id("tool-share").click()
    film = save(lab, "video", tmp_path)
    assert film.suffix == ".webm" and film.read_bytes().startswith(b"\x1aE\xdf\xa3")
    size = film.stat().st_size
    assert size > 10_000, size
    lab.keyboard.press("Escape")


def test_code_and_stage_are_presented_alone_and_large(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    lab.set_viewport_size({"width": 1920, "height": 1080})
    run(lab, DIAMOND)
    lab.get_by_test_id("tool-table").click()
    lab.get_by_test_id("tool-present").click()
    expect(lab.get_by_test_id("table")).to_be_hidden()
    expect(player).to_have_attribute("data-present", "")
    lab.wait_for_function("document.fullscreenElement && innerHeight === 1080")
    assert [name for name in PARTS if lab.get_by_test_id(name).first.is_visible()] == ["editor", "stage"]
    assert player.evaluate(LEAST) > 20
    step = int(player.get_attribute("data-step") or 0)
    for key, to in [("ArrowLeft", step - 1), ("PageUp", step - 2), ("PageDown", step - 1), ("ArrowRight", step)]:
        lab.keyboard.press(key)
        expect(player).to_have_attribute("data-step", str(to))
    first, place = player.evaluate("(root) => Object.entries(root.player.places())[0]")
    stage = lab.get_by_test_id("stage").bounding_box()
    assert stage
    lab.mouse.click(stage["x"] + place["x"] + place["width"] / 2, stage["y"] + place["y"] + place["height"] / 4)
    assert player.evaluate("(root) => root.player.state().selected") == first, (
        "what is large is pressed where it stands"
    )
    lab.keyboard.press("Escape")
    expect(player).not_to_have_attribute("data-present", "")
    lab.wait_for_function("!document.fullscreenElement")
    expect(lab.get_by_test_id("scrub")).to_be_visible()


def test_a_fix_is_seen_beside_what_it_mends_on_one_clock(lab: Page) -> None:
    run(lab, SHARED)
    lab.evaluate(MOMENTS)
    lab.get_by_test_id("before-after").first.click()
    lab.wait_for_selector(SHOWN["Compare"])
    before, after = lab.get_by_test_id("player").all()
    expect(before).to_have_attribute("data-outcome", "raised")
    expect(after).to_have_attribute("data-outcome", "finished")
    expect(lab.locator(".gr-side-title")).to_have_text(["before", "after"])  # and nothing of an edit
    lab.wait_for_function("document.title === 'Before and after · Gradreel'")
    together = lab.get_by_test_id("together")
    play = lab.locator(".gr-together").get_by_test_id("play")
    lab.wait_for_function("shown.includes('2')")
    assert lab.evaluate("shown.slice(shown.indexOf('0')).slice(0, 3)") == ["0", "1", "2"], (
        "it plays by itself, from the start"
    )
    together.focus()
    lab.keyboard.press("Home")
    lab.keyboard.press("ArrowRight")
    expect(play).to_have_attribute("aria-pressed", "false")
    for player in (before, after):
        expect(player).to_have_attribute("data-step", "1")
        host = player.get_by_test_id("stage").bounding_box()
        assert host and host["width"] > 350 and host["height"] > 300
    lab.get_by_test_id("copy-link").click()
    lab.wait_for_url(re.compile("Compare#g1[.]1[.].*~g1[.]1[.].*~fix$"))
    lab.go_back()
    expect(lab.locator(".gr-lab [data-testid=player]")).to_have_attribute("data-outcome", "raised")
