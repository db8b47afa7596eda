"""A player among others on a page: its dialog, its neighbours, and what it leaves behind."""

from __future__ import annotations

from typing import Any

from .driving import step


def test_the_sheet_of_keys_takes_the_focus_and_gives_it_back(page: Any) -> None:
    sheet = page.get_by_test_id("sheet")
    within = "document.querySelector('[data-testid=sheet]').contains(document.activeElement)"
    page.get_by_test_id("next").focus()
    page.keyboard.press("?")
    assert sheet.is_visible() and page.evaluate(within)
    for key in ["Tab", "Tab", "Shift+Tab"]:
        page.keyboard.press(key)
        assert page.evaluate(f"{within} || document.activeElement === document.body"), "it is a dialog of the page's"
    page.keyboard.press("ArrowRight")
    assert step(page) == 0, "what lies under it stands still"
    page.keyboard.press("Escape")
    assert not sheet.is_visible()
    assert page.evaluate("document.activeElement.dataset.testid") == "next"
    page.keyboard.press("?")
    sheet.get_by_label("close").click()
    page.get_by_test_id("tool-help").click()
    page.mouse.click(5, 5)
    assert not sheet.is_visible(), "a tap beside it closes it"


def test_two_players_do_not_disturb_each_other(page: Any) -> None:
    page.evaluate("""() => {
      const two = document.createElement("div");
      two.style.height = "600px";
      document.body.append(two);
      window.other = make(two, { step: 10, theme: "dark" });
    }""")
    page.evaluate("player.seek(5)")
    assert page.evaluate("[player.state().step, other.state().step]") == [5, 10]
    page.evaluate("other.seek(30)")
    assert page.evaluate("[player.state().step, other.state().step]") == [5, 30]
    page.evaluate("other.destroy()")
    assert page.evaluate("document.querySelectorAll('[data-testid=stage] canvas').length") == 1
    page.get_by_test_id("next").click()
    assert step(page) == 6


def test_destroying_leaves_nothing(page: Any) -> None:
    page.evaluate("player.play(); player.destroy()")
    page.wait_for_timeout(600)
    assert page.locator("#one").inner_html() == ""
    assert page.evaluate("document.getElementById('one').player === undefined")
