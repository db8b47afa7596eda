"""Lines that trouble came about on say what they did, to who points at them and to who goes there with the keys."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from .driving import open_lab, run

CUT = """import torch
x = torch.ones(3, requires_grad=True)
h = (x * 2).tolist()
y = torch.tensor(h, requires_grad=True)
y.sum().backward()
print(x.grad)"""

WENT_ON = """>>> import torch
>>> a = torch.ones(2, requires_grad=True)
>>> b = (a * a).sum()
>>> b.backward()
>>> b.backward()
>>> print(a.grad)"""


def line(page: Page, number: int) -> Locator:
    return page.locator("[data-testid=editor] .cm-line").nth(number - 1)


def test_lines_of_silent_trouble_say_what_they_did(page: Page, app_url: str) -> None:
    player = open_lab(page, app_url)
    note = page.get_by_test_id("note").first
    run(page, CUT)
    for number, marked in ((1, False), (2, False), (3, True), (4, True), (5, True), (6, True)):
        assert ("gr-line-odd" in (line(page, number).get_attribute("class") or "")) == marked, number
    line(page, 3).hover()
    expect(note).to_contain_text("took out of")
    line(page, 2).hover()
    expect(note).to_be_hidden()
    line(page, 6).click()
    expect(note).to_contain_text("x.grad is None where line 6 reads it")
    page.mouse.move(700, 400)
    page.keyboard.press("ArrowUp")
    expect(note).to_contain_text("never reaches x")
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    player.evaluate("(root) => root.player.seek(1)")
    assert page.locator(".gr-line-odd").count() == 0, "before it is seen"
    player.evaluate("(root) => root.player.seek(1000)")
    page.keyboard.type("#")
    assert page.locator(".gr-line-odd").count() == 0, "the lines are others now"


def test_an_error_that_a_transcript_goes_on_after_is_an_error(page: Page, app_url: str) -> None:
    open_lab(page, app_url)
    run(page, WENT_ON)
    assert "gr-line-bad" in (line(page, 5).get_attribute("class") or "")
    assert page.get_by_test_id("story").locator(".card.err h3").inner_text().startswith("✖ Backward reached")
