"""Time moves by keys, buttons, the slider and by itself; bookmarks bound it."""

from __future__ import annotations

from typing import Any

from .driving import into_the_graph, step


def test_keys_move_through_time(page: Any) -> None:
    into_the_graph(page)
    for key, expected in [
        ("ArrowRight", 1),
        ("Shift+ArrowRight", 2),
        ("ArrowLeft", 1),
        ("Control+ArrowRight", 15),
        ("Control+ArrowRight", 38),
        ("Control+ArrowLeft", 15),
        ("End", 46),
        ("Home", 0),
    ]:
        page.keyboard.press(key)
        assert step(page) == expected, key


def test_handled_keys_and_the_pages_own_shortcuts_stay_inside(page: Any) -> None:
    page.evaluate("window.heard = []; document.addEventListener('keydown', (event) => heard.push(event.key)); null")
    into_the_graph(page)
    for key in ["r", "c", " ", "ArrowRight", "End", "x"]:
        page.keyboard.press(key)
    assert page.evaluate("heard") == ["x"]


def test_buttons_and_slider_move_through_time(page: Any) -> None:
    for name, expected in [("next", 1), ("last", 46), ("prev", 45), ("first", 0)]:
        page.get_by_test_id(name).click()
        assert step(page) == expected
    page.get_by_test_id("scrub").fill("20")
    assert step(page) == 20
    assert "Step 20 of 46" in page.get_by_test_id("sentence").inner_text()


def test_it_plays_to_the_end_and_stops(page: Any) -> None:
    page.evaluate("player.seek(40)")
    page.get_by_test_id("speed").select_option("8")
    page.get_by_test_id("play").click()
    page.wait_for_function("player.state().step === 46")
    page.wait_for_function("document.querySelector('[data-testid=play]').getAttribute('aria-pressed') === 'false'")


def test_bookmarks_come_go_and_bound_what_loops(page: Any) -> None:
    into_the_graph(page)
    for number in (20, 22):
        page.evaluate(f"player.seek({number})")
        page.keyboard.press("b")
    assert page.evaluate("player.bookmarks()") == [20, 22]
    page.keyboard.press("[")
    assert step(page) == 20
    page.keyboard.press("]")
    assert step(page) == 22
    page.keyboard.press("l")
    assert page.get_by_test_id("loop").get_attribute("aria-pressed") == "true"
    page.get_by_test_id("speed").select_option("8")
    page.get_by_test_id("play").click()
    seen = [page.evaluate("new Promise((done) => setTimeout(() => done(player.state().step), 45))") for _ in range(30)]
    assert set(seen) == {20, 21, 22}
    page.get_by_test_id("play").click()
    page.keyboard.press("l")
    page.get_by_test_id("bookmark").click()
    assert page.get_by_test_id("loop").get_attribute("aria-pressed") == "false"
