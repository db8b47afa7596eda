"""Lines that trouble came about on say what they did, to who points at them and to who goes there with the keys."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from .driving import run

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


def test_lines_of_silent_trouble_say_what_they_did(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    note = lab.get_by_test_id("note").first
    run(lab, CUT)
    for number, marked in ((1, False), (2, False), (3, True), (4, True), (5, True), (6, True)):
        assert ("gr-line-odd" in (line(lab, number).get_attribute("class") or "")) == marked, number
    line(lab, 3).hover()
    expect(note).to_contain_text("took out of")
    line(lab, 2).hover()
    expect(note).to_be_hidden()
    line(lab, 6).click()
    expect(note).to_contain_text("x.grad is None where line 6 reads it")
    lab.mouse.move(700, 400)
    lab.keyboard.press("ArrowUp")
    expect(note).to_contain_text("never reaches x")
    lab.keyboard.press("Escape")
    expect(note).to_be_hidden()
    player.evaluate("(root) => root.player.seek(1)")
    assert lab.locator(".gr-line-odd").count() == 0, "before it is seen"
    player.evaluate("(root) => root.player.seek(1000)")
    lab.keyboard.type("#")
    assert lab.locator(".gr-line-odd").count() == 0, "the lines are others now"


def test_an_error_that_a_transcript_goes_on_after_is_an_error(lab: Page) -> None:
    run(lab, WENT_ON)
    assert "gr-line-bad" in (line(lab, 5).get_attribute("class") or "")
    assert lab.get_by_test_id("story").locator(".card.err h3").inner_text().startswith("✖ Backward needs")
