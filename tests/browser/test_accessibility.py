"""Everybody can use the pages: axe finds nothing to complain of, and the keyboard reaches and works every control."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .driving import SETTLED, open_lab, run, state

ROOT = Path(__file__).parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
PAGES = ["", *(path.stem.split("_", 1)[1] for path in sorted((ROOT / "pages").glob("*.py")))]
FAILING = """\
import torch
w = torch.ones(2, requires_grad=True)
for i in range(2):
    y = w * 2
    s = y.sum()
    s.backward()
s.backward()
"""


def violations(page: Page) -> list[tuple[str, str]]:
    """What axe has against the page as it stands: the rule and the first place of each.

    Streamlit's own link, which skips to the content, stands outside of all regions.
    """
    page.evaluate(AXE.read_text(encoding="utf-8"))
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
    found: dict[str, Any] = page.evaluate(
        "rules => axe.run({exclude: ['[data-testid=stSkipToContent]']}, {runOnly: rules})",
        rules,
    )
    return [(each["id"], each["nodes"][0]["html"][:160]) for each in found["violations"]]


def lasting_violations(page: Page) -> list[tuple[str, str]]:
    """What axe has against the page for over a second: Streamlit's theme changes a moment after the system's."""
    for _ in range(3):
        if not violations(page):
            return []
        page.wait_for_timeout(500)
    return violations(page)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path or "Lab")
def test_axe_finds_no_violation(page: Page, app_url: str, path: str) -> None:
    """In light and in dark; and before any script of ours has come."""
    page.goto(f"{app_url}/{path}")
    page.locator("#gr-first").wait_for(state="detached", timeout=60_000)
    page.wait_for_selector("[data-testid=player], main", timeout=60_000)
    page.locator("[data-testid=stHeader]").wait_for(state="hidden", timeout=60_000)  # until our styles come
    page.wait_for_timeout(300)
    page.wait_for_function(SETTLED, timeout=30_000)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function("document.getAnimations().every(one => one.playState !== 'running')")
        assert lasting_violations(page) == [], scheme
    page.route("**/gradreel/code-*", lambda route: None)
    page.goto(f"{app_url}/{path}", wait_until="commit")
    page.wait_for_selector("#gr-first nav")
    assert violations(page) == [], "before any script"


@pytest.mark.parametrize("size", [(1000, 700), (360, 740)], ids=str)
def test_axe_finds_no_violation_in_the_lab_at_other_sizes(lab: Page, size: tuple[int, int]) -> None:
    lab.set_viewport_size({"width": size[0], "height": size[1]})
    run(lab, FAILING)
    assert violations(lab) == []
    over = lab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0, "the page can be scrolled sideways"


def test_axe_finds_no_violation_with_everything_open(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, FAILING)
    assert player.get_attribute("data-outcome") == "raised"
    lab.get_by_test_id("tool-table").click()
    assert violations(lab) == []
    lab.get_by_test_id("tool-table").click()
    lab.get_by_test_id("tool-help").click()
    assert violations(lab) == []
    lab.keyboard.press("Escape")
    lab.get_by_test_id("tool-share").click()
    assert violations(lab) == []
    lab.keyboard.press("Escape")
    lab.get_by_test_id("tool-present").click()
    assert violations(lab) == []
    lab.keyboard.press("Escape")
    lab.get_by_test_id("export").click()
    assert violations(lab) == []


def test_every_control_is_reached_and_worked_by_keyboard_alone(lab: Page) -> None:
    """Tab goes through all that can be pressed, in an order, and each answers to Enter or Space."""
    run(lab, FAILING)
    lab.keyboard.press("Escape")  # from the editor, where Tab indents
    reached: list[str] = []
    for _ in range(120):
        lab.keyboard.press("Tab")
        name = lab.evaluate(FOCUSED)
        if name in reached:
            break
        reached.append(name)
    wanted = {"first", "prev", "play", "next", "last", "speed", "scrub", "run", "export", "examples", "copy-link"}
    wanted |= {f"tool-{name}" for name in "find explore table present share less more help".split()}
    assert wanted <= set(reached), sorted(wanted - set(reached))


def test_who_tries_a_mend_by_key_stands_before_the_way_back(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, FAILING)
    lab.get_by_test_id("try-it").first.focus()
    lab.keyboard.press("Enter")
    lab.wait_for_function(SETTLED)
    expect(player).to_have_attribute("data-outcome", "finished")
    expect(lab.get_by_test_id("back")).to_be_focused()
    lab.keyboard.press("Enter")
    lab.wait_for_function(SETTLED)
    expect(player).to_have_attribute("data-outcome", "raised")


def test_no_ring_stands_around_the_whole_player(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, FAILING)
    lab.get_by_test_id("first").click()
    lab.keyboard.press("ArrowRight")
    expect(player).to_be_focused()
    assert player.evaluate("(each) => getComputedStyle(each).outlineStyle") == "none"


def test_who_passes_by_with_tab_changes_no_program_and_who_types_indents(page: Page, app_url: str) -> None:
    player = open_lab(page, app_url)
    before = player.evaluate("(root) => root.player.editor.getSource()")
    reached: list[str] = []
    while "play" not in reached and len(reached) < 60:
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
    assert "DIV Program" in reached and "play" in reached
    while reached[-1] != "DIV Program":
        page.keyboard.press("Shift+Tab")
        reached.append(page.evaluate(FOCUSED))
    editor = page.locator("[data-testid=editor] .cm-content")
    assert editor.inner_text().startswith(before[:12])
    expect(page.get_by_test_id("edited")).to_be_empty()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    assert editor.inner_text() != before
    expect(page.get_by_test_id("edited")).to_have_text("edited since it ran")


FOCUSED = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at?.dataset.testid ?? `${at?.tagName} ${at?.getAttribute("aria-label") ?? at?.textContent?.slice(0, 24)}`;
}"""


def test_time_is_moved_by_keys(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, FAILING)
    player.focus()
    last = int(player.get_attribute("data-steps") or 0)

    def press(key: str) -> int:
        lab.keyboard.press(key)
        return int(player.get_attribute("data-step") or -1)

    assert press("Home") == 0
    assert press("ArrowRight") == 1
    line = press("Shift+ArrowRight")
    call = press("Control+ArrowRight")
    assert 1 < line < call
    assert press("Control+ArrowLeft") < call
    assert press("End") == last
    assert press("ArrowLeft") == last - 1
    press("Home")
    lab.keyboard.press("Space")
    expect(player).not_to_have_attribute("data-step", "0")
    lab.keyboard.press("Space")
    plain = state(player)["sentence"].replace("`", "").replace("**", "")
    expect(lab.get_by_test_id("sentence")).to_contain_text(plain)
