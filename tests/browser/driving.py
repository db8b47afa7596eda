"""What a person does to the page, in few words."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page

SETTLED = """() => {
  const busy = (root) => root.querySelector("[data-busy]")
    || [...root.querySelectorAll("*")].some((each) => each.shadowRoot && busy(each.shadowRoot));
  return !busy(document);
}"""


PLAYER = "[data-testid=player][data-steps]"
SHOWN = {
    "Lab": f".gr-lab {PLAYER}",
    "Lessons": f".gr-page-lessons {PLAYER}",
    "Compare": f".gr-page-compare[data-moment] {PLAYER}",
    "Operators": f".gr-page-operators {PLAYER}",
    "Gallery": f".gr-page-gallery {PLAYER}",
    "About": "[data-testid=about] h2",
}
"""What shows that a page is there."""


def open_lab(page: Page, url: str) -> Locator:
    """The player of the freshly loaded Lab, at rest."""
    page.goto(url)
    page.wait_for_selector("[data-testid=player]", timeout=60_000)
    page.wait_for_function(SETTLED)
    return page.get_by_test_id("player")


def go(page: Page, name: str) -> None:
    """Follow the link to another page, which loads nothing anew."""
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name, exact=True).first.click()
    page.wait_for_selector(SHOWN[name], timeout=20_000)


def put(page: Page, source: str) -> None:
    """Paste `source` over whatever the editor holds."""
    page.locator("[data-testid=editor] .cm-content").first.click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(source)


def run(page: Page, source: str) -> None:
    """Paste `source` and run it."""
    put(page, source)
    page.keyboard.press("Control+Enter")
    page.wait_for_function(SETTLED, timeout=20_000)
    page.wait_for_timeout(50)


def state(player: Locator) -> dict[str, Any]:
    found: dict[str, Any] = player.evaluate("(root) => root.player.state()")
    return found


def sentence_of(page: Page) -> str:
    """What the page says went wrong: in the explanation, or as a message."""
    notice = page.locator(".gr-notice")
    said = notice.inner_text() if notice.is_visible() else ""
    return said or page.get_by_test_id("story").inner_text()
