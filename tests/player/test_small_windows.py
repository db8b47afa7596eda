"""A small window and a phone: nothing is cut off, and fingers do what a mouse does."""

from __future__ import annotations

from typing import Any


def test_nothing_is_cut_off_in_a_small_window(page: Any) -> None:
    for number in [0, 22, 46]:
        page.evaluate(f"player.seek({number})")
        assert page.evaluate("document.documentElement.scrollWidth") <= 1000
        assert page.evaluate("document.documentElement.scrollHeight") <= 700
        for name in ["first", "play", "last", "speed", "tool-find", "sentence"]:
            box = page.get_by_test_id(name).bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= 1000 and box["y"] + box["height"] <= 700, name


def test_on_a_phone_nothing_is_cut_off_or_covered(phone: Any) -> None:
    tools = [f"tool-{name}" for name in ("find", "explore", "table", "less", "more", "help")]
    for name in ["first", "prev", "play", "next", "last", "speed", "loop", "bookmark", "scrub", *tools]:
        place = phone.get_by_test_id(name).bounding_box()
        assert place["x"] >= 0 and place["x"] + place["width"] <= 360, name
        if name in tools:
            phone.get_by_test_id("tool-table").tap()
            assert phone.get_by_test_id("tool-table").get_attribute("aria-pressed") == "true"
            assert phone.get_by_test_id("table").bounding_box()["height"] + 30 > 300
            phone.get_by_test_id(name).tap(trial=True)  # the table covers none of them
            phone.get_by_test_id("tool-table").tap()
    phone.get_by_test_id("tool-help").tap()
    assert phone.get_by_role("dialog", name="keys").bounding_box()["width"] < 360


def test_a_finger_selects_what_it_taps(phone: Any) -> None:
    place = phone.get_by_test_id("stage").bounding_box()
    assert place["y"] > 100  # the code's line is below; a step does not scroll the page to it
    card = phone.evaluate("player.places().n4")
    phone.touchscreen.tap(place["x"] + card["x"] + card["width"] / 2, place["y"] + card["y"] + card["height"] / 2)
    assert phone.evaluate("player.state().selected") == "n4"
    assert phone.evaluate("player.look().least") >= 11.99


def test_the_mark_of_what_unfolds_stands_beside_its_words(page: Any) -> None:
    page.evaluate("player.seek(46)")
    summary = page.locator(".card summary").first
    summary.evaluate("each => each.textContent = 'torch.nn.functional.binary_cross_entropy_with_logits(x, y)'")
    above, beside = summary.evaluate("""each => {
        const words = document.createRange();
        words.selectNodeContents(each);
        const [first] = words.getClientRects();
        const [row, card] = [each, each.parentElement].map((one) => one.getBoundingClientRect());
        return [first.top - row.top, first.left - card.left];
    }""")
    assert above < 8 and beside > 10


def test_a_sentence_that_is_cut_says_so_and_can_be_read_as_a_whole(page: Any) -> None:
    say, whole = page.get_by_test_id("sentence"), page.get_by_test_id("whole")
    assert not whole.is_visible()
    page.evaluate("scene.steps[46].sentence = 'This raises ValueError: ' + 'a message of many words '.repeat(30)")
    page.evaluate("player.update(scene); player.seek(46)")
    short = say.bounding_box()["height"]
    assert say.evaluate("each => getComputedStyle(each).webkitLineClamp") == "2", "it ends with an ellipsis"
    whole.click()
    assert say.bounding_box()["height"] > 2 * short
    assert say.evaluate("each => each.scrollHeight <= each.clientHeight + 1")
    whole.click()
    assert say.bounding_box()["height"] == short
    whole.click()
    page.evaluate("player.seek(3)")
    assert say.bounding_box()["height"] == short and not whole.is_visible()
