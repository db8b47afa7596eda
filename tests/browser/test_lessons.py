"""The course as a person takes it: read, predict, pick, look."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from gradreel.material.lessons import lessons

from .driving import SETTLED, state

WHOLE = """(root) => {
  const cards = Object.values(root.player.places());
  const { width, height, least } = root.player.look();
  return least >= 11.99 && cards.every((card) => card.x >= -1 && card.y >= -1
    && card.x + card.width <= width + 1 && card.y + card.height <= height + 1);
}"""
"""Whether all that is on the stage is in view and can be read."""


TOLD = """(root) => [
  getComputedStyle(root.querySelector(".words")).clipPath.split("(")[0],
  root.querySelectorAll(".ahead, .card:is(.err, .warn)").length,
  root.querySelectorAll(".row.call").length,
]"""
"""How the words of the timeline are cut off, and how much is told of what goes wrong and of the backward calls."""


def open_lesson(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_selector("[data-testid=choice]", timeout=60_000)
    page.wait_for_selector("[data-testid=player]")
    wait_for_program(page)


def wait_for_program(page: Page) -> None:
    """Wait until the player plays the program of the lesson that is open."""
    page.wait_for_function(SETTLED)
    [lesson] = [lesson for lesson in lessons() if lesson.title == page.locator("h1").inner_text()]
    page.wait_for_function(
        "([host, source]) => host.player?.editor.getSource().trim() === source",
        arg=[page.get_by_test_id("player").element_handle(), lesson.source.strip()],
    )


def test_a_question_is_answered_by_the_player(page: Page, app_url: str) -> None:
    open_lesson(page, f"{app_url}/Lessons#the_second_backward")
    player = page.get_by_test_id("player")
    expect(player).to_have_attribute("data-step", "7")
    assert player.evaluate(TOLD) == ["inset", 0, 1], "nothing of what is ahead is told"
    box = page.get_by_test_id("scrub").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 9)
    expect(page.locator(".tip")).to_have_text("13 · not played yet")
    page.get_by_test_id("choice").nth(0).click()
    assert player.evaluate(TOLD)[0] == "none"
    expect(page.get_by_test_id("verdict")).to_contain_text("Not so")
    expect(player).to_have_attribute("data-step", player.get_attribute("data-steps") or "")
    assert page.locator("[data-state=wrong]").count() >= 1 and "freed" in state(player)["sentence"]
    page.get_by_test_id("choice").nth(2).click()
    expect(page.get_by_test_id("verdict")).to_contain_text("Right")
    page.reload()
    expect(page.get_by_test_id("verdict")).to_contain_text("Right", timeout=20_000)


def test_every_lesson_opens_by_its_link_and_shows_its_answer(page: Page, app_url: str) -> None:
    """One after the other, by the button that leads on; each shows the step that its answer names."""
    open_lesson(page, f"{app_url}/Lessons")
    player = page.get_by_test_id("player")
    for number, lesson in enumerate(lessons()):
        expect(page.locator("h1")).to_have_text(lesson.title)
        wait_for_program(page)
        assert state(player)["line"] == lesson.opens.line and player.evaluate(TOLD)[:2] == ["inset", 0], lesson.slug
        right = next(i for i, choice in enumerate(lesson.choices) if choice.right)
        page.get_by_test_id("choice").nth(right).click()
        expect(page.get_by_test_id("verdict")).to_contain_text("Right")
        assert state(player)["line"] == lesson.shown.line, lesson.slug
        assert player.evaluate(WHOLE), f"{lesson.slug}: a part of the graph is out of sight"
        if number + 1 < len(lessons()):
            page.get_by_test_id("after").click()
            page.wait_for_url(re.compile(f"#{lessons()[number + 1].slug}$"))


def test_the_contents_lead_to_a_lesson_and_back_leads_back(page: Page, app_url: str) -> None:
    open_lesson(page, f"{app_url}/Lessons?step=views")
    expect(page.locator("h1")).to_have_text("Views share memory and version")
    page.get_by_test_id("toc").click()
    page.get_by_test_id("contents").get_by_text("Hooks:").click()
    expect(page.locator("h1")).to_contain_text("Hooks")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Views share memory and version")


def test_the_pages_can_be_reached_at_every_width(page: Page, app_url: str) -> None:
    for width in (1440, 1000, 360):
        page.set_viewport_size({"width": width, "height": 720})
        open_lesson(page, f"{app_url}/Lessons")
        if width < 1100:
            page.get_by_test_id("pages").click()
            page.get_by_role("menuitem", name="Lab").click()
        else:
            page.get_by_role("navigation", name="Pages").get_by_role("link", name="Lab").click()
        page.wait_for_selector("[data-testid=editor]", timeout=20_000)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
