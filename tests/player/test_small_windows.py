"""A small window and a phone: nothing is cut off, and fingers do what a mouse does."""

from __future__ import annotations

from typing import Any


def test_nothing_is_cut_off_in_a_small_window(page: Any) -> None:
    for number in [0, 22, 46]:
        page.evaluate(f"player.seek({number})")
        assert page.evaluate("document.documentElement.scrollWidth") <= 1000
        assert page.evaluate("document.documentElement.scrollHeight") <= 700
        for name in ["first", "play", "last", "speed", "tool-fit", "sentence"]:
            box = page.get_by_test_id(name).bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= 1000 and box["y"] + box["height"] <= 700, name


def test_on_a_phone_nothing_is_cut_off_or_covered(phone: Any) -> None:
    tools = [f"tool-{name}" for name in ("groups", "find", "turn", "table", "follow", "fit", "out", "in", "help")]
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


def test_fingers_move_enlarge_and_select(phone: Any) -> None:
    place = phone.locator(".graph > .host").bounding_box()
    assert place["y"] > 100  # the code's line is below; a step does not scroll the page to it
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    session = phone.context.new_cdp_session(phone)

    def gesture(*ways: tuple[float, float, float, float]) -> None:
        """Each finger goes from a point some way."""
        for kind, share in [("touchStart", 0.0), *(("touchMove", part / 6) for part in range(1, 7)), ("touchEnd", 1.0)]:
            fingers = [
                {"x": at + share * by, "y": top + share * down, "id": finger}
                for finger, (at, top, by, down) in enumerate(ways)
            ]
            points = [] if kind == "touchEnd" else fingers
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
            phone.wait_for_timeout(30)
        phone.wait_for_timeout(100)

    before = phone.evaluate("player.view()")
    gesture((x - 30, y, -30, 0), (x + 30, y, 30, 0))
    larger = phone.evaluate("player.view()")
    assert larger["scale"] > 1.3 * before["scale"] and phone.evaluate("visualViewport.scale") == 1
    gesture((x, y, 60, 40))
    moved = phone.evaluate("player.view()")
    assert moved["x"] < larger["x"] and moved["y"] < larger["y"]
    assert phone.get_by_test_id("tool-follow").get_attribute("aria-pressed") == "false"
    phone.get_by_test_id("tool-fit").tap()
    phone.wait_for_timeout(400)
    view, card = phone.evaluate("player.view()"), phone.evaluate("player.places().n4")
    across = (card["x"] + card["width"] / 2 - view["x"]) * view["scale"]
    down = (card["y"] + card["height"] / 4 - view["y"]) * view["scale"]
    phone.touchscreen.tap(x + across, y + down)
    phone.wait_for_timeout(500)  # vis-network waits for a second tap
    assert phone.evaluate("player.state().selected") == "n4"


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
