"""The graph stands still, and the camera finds in it what there is to see."""

from __future__ import annotations

from typing import Any

import pytest

from .driving import step


def test_nothing_moves_while_playing(page: Any) -> None:
    before = page.evaluate("player.places()")
    for number in [*range(47), 46, 3, 30, 12]:
        page.evaluate(f"player.seek({number})")
        assert page.evaluate("player.places()") == before
    page.evaluate("player.turn()")
    turned = page.evaluate("player.places()")
    assert turned.keys() == before.keys() and turned != before
    page.evaluate("player.turn()")
    assert page.evaluate("player.places()") == before


def test_what_is_found_from_afar_is_brought_near(page: Any) -> None:
    page.evaluate("player.seek(20)")
    for _ in range(12):
        page.get_by_test_id("tool-out").click()
    assert page.evaluate("player.view().scale") < 0.3
    page.get_by_test_id("tool-find").click()
    page.get_by_test_id("find").fill("Mean")
    page.keyboard.press("Enter")
    page.wait_for_function("player.view().scale >= 0.5")


def test_follow_goes_at_once_to_what_runs(page: Any) -> None:
    page.evaluate("player.seek(20)")
    for _ in range(6):
        page.get_by_test_id("tool-in").click()
    follow = page.get_by_test_id("tool-follow")
    assert follow.get_attribute("aria-pressed") == "false"
    host = page.locator(".graph .host").first.bounding_box()
    page.mouse.move(host["x"] + 200, host["y"] + 150)
    page.mouse.down()
    page.mouse.move(host["x"] + 200, host["y"] + 450, steps=4)
    page.mouse.up()
    away = page.evaluate("player.view().y")
    follow.click()
    page.wait_for_function("(away) => Math.abs(player.view().y - away) > 20", arg=away)
    assert follow.get_attribute("aria-pressed") == "true"


@pytest.mark.parametrize("page", ["training"], indirect=True)
def test_it_opens_on_what_is_there(page: Any) -> None:
    """The room of turns that are gone is left out where that makes the rest larger; nothing changes its place."""
    page.evaluate("player.destroy(); player = make(document.getElementById('one'), { step: 1e9 }); null")
    ended, places = page.evaluate("player.view().scale"), page.evaluate("player.places()")
    page.get_by_test_id("tool-fit").click()
    page.wait_for_timeout(300)
    assert page.evaluate("player.view().scale") == pytest.approx(ended)
    page.evaluate("player.seek(0)")
    page.get_by_test_id("tool-fit").click()
    page.wait_for_timeout(300)
    assert page.evaluate("player.view().scale") < ended, "nothing is there yet: all that will be"
    assert page.evaluate("player.places()") == places


def test_the_map_shows_only_while_something_is_out_of_view(page: Any) -> None:
    page.get_by_test_id("tool-fit").click()
    page.wait_for_function("document.querySelector('.minimap').hidden")
    for _ in range(6):
        page.get_by_test_id("tool-in").click()
    page.wait_for_function("!document.querySelector('.minimap').hidden")
    before = page.evaluate("player.view().x")
    page.get_by_test_id("minimap").click(position={"x": 6, "y": 6})
    assert page.evaluate("player.view().x") != before


def test_a_click_on_a_card_selects_it(page: Any) -> None:
    page.evaluate("player.seek(22)")
    box = page.locator(".graph").bounding_box()
    found = set()
    for share in (0.25, 0.35, 0.45, 0.55, 0.65, 0.75):
        page.evaluate("player.select(null)")
        page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * share)
        page.wait_for_timeout(350)  # vis-network waits this long for a second click
        found.add(page.evaluate("player.state().selected"))
    assert len(found) > 2


def test_folding_changes_neither_step_nor_state(page: Any) -> None:
    page.evaluate("player.seek(46)")
    before = page.evaluate("player.state()")
    for _ in range(2):
        page.evaluate("player.fold('g0')")
        assert page.evaluate("player.state()") == before


def test_new_values_keep_step_and_camera(page: Any) -> None:
    page.evaluate("player.seek(26)")
    page.get_by_test_id("tool-in").click()
    view = page.evaluate("player.view()")
    page.evaluate("""() => {
      const next = structuredClone(scene);
      for (const value of next.values) value.dtype = "float64";
      player.update(next);
    }""")
    assert step(page) == 26
    assert page.evaluate("player.view()") == pytest.approx(view)


def test_turned_it_begins_where_gradients_do(page: Any) -> None:
    page.evaluate("player.seek(28)")  # the call is over: this step is about no card
    page.evaluate("player.turn()")
    view, cards = page.evaluate("player.view()"), page.evaluate("player.places()")
    root = cards["n7"]
    across = (root["x"] - view["x"]) * view["scale"] + view["width"] / 2
    down = (root["y"] + root["height"] / 2 - view["y"]) * view["scale"] + view["height"] / 2
    assert 0 < across < view["width"] / 4
    assert abs(down - view["height"] / 2) < 2


def test_a_look_at_the_lowest_card_ends_where_the_picture_ends(page: Any) -> None:
    for _ in range(6):
        page.get_by_test_id("tool-in").click()
    page.evaluate("player.seek(scene.steps.length - 1)")
    ends = page.evaluate("Object.entries(player.places()).map(([id, rect]) => [rect.y + rect.height, id])")
    end, lowest = max(ends)
    page.evaluate("(id) => player.reveal(id)", lowest)
    page.wait_for_timeout(500)
    below = page.evaluate("(end) => (({ y, height, scale }) => (y - end) * scale + height / 2)(player.view())", end)
    assert 30 <= below <= 100


@pytest.mark.parametrize("page", ["training"], indirect=True)
def test_the_camera_finds_the_graph_where_a_step_is_about_no_card(page: Any) -> None:
    page.evaluate("player.foldAll(false)")
    for _ in range(6):
        page.get_by_test_id("tool-in").click()
    page.get_by_test_id("tool-follow").click()  # who enlarges leads; now the camera leads again
    for call in [*page.evaluate("scene.calls.map((call) => call.to)"), 0]:
        page.evaluate(f"player.seek({call})")
        view, cards = page.evaluate("player.view()"), page.evaluate("player.places()")
        there = [box["id"] for box in page.evaluate("player.state().boxes") if box["name"] != "AccumulateGrad"]
        seen = [
            name
            for name in there
            if abs(cards[name]["x"] + cards[name]["width"] / 2 - view["x"]) * view["scale"] < view["width"] / 2
            and abs(cards[name]["y"] + cards[name]["height"] / 2 - view["y"]) * view["scale"] < view["height"] / 2
        ]
        assert seen or not there, call


def test_the_small_map_and_the_tools_stand_apart(page: Any) -> None:
    for _ in range(4):
        page.get_by_test_id("tool-in").click()
    small, tool = page.locator(".minimap").bounding_box(), page.get_by_test_id("tool-groups").bounding_box()
    assert small["x"] + small["width"] < tool["x"] or small["y"] + small["height"] < tool["y"]


def test_a_turn_that_is_gone_is_one_card_and_opens_in_its_place(page: Any) -> None:
    page.evaluate("player.seek(46)")
    root = "n7"  # of step 0
    places, told = page.evaluate("player.places()"), page.evaluate("player.state()")
    view, card, host = page.evaluate("player.view()"), places[root], page.locator(".graph .host").first.bounding_box()
    across = (card["x"] + card["width"] / 2 - view["x"]) * view["scale"]
    down = (card["y"] + 16 - view["y"]) * view["scale"]

    def click() -> str | None:
        page.mouse.click(host["x"] + host["width"] / 2 + across, host["y"] + host["height"] / 2 + down)
        page.wait_for_timeout(350)  # vis-network waits this long for a second click
        found: str | None = page.evaluate("player.state().selected")
        return found

    assert click() == told["selected"], "it opens, and selects nothing"
    assert page.evaluate("player.places()") == places
    assert page.evaluate("player.state()") == told
    assert click() == root
    page.evaluate("player.destroy(); player = make(document.getElementById('one'), { step: 46 }); null")
    page.evaluate("(id) => player.reveal(id)", root)
    assert page.evaluate("player.state().selected") == root
    assert click() != root, "who looks for a node opens what it stands behind: the click takes its selection away"


def test_the_tools_and_the_picture_stand_apart(page: Any) -> None:
    for width, height in [(1440, 900), (1000, 700)]:
        page.set_viewport_size({"width": width, "height": height})
        picture, tools = page.locator(".graph > .host").bounding_box(), page.locator(".tools").bounding_box()
        assert picture["y"] + picture["height"] <= tools["y"] + 1
        page.evaluate("player.seek(scene.steps.length - 1)")
        page.get_by_test_id("tool-fit").click()
        page.wait_for_timeout(300)
        ends = page.evaluate("Object.values(player.places()).map(({ y, height }) => [y, y + height])")
        view = page.evaluate("player.view()")
        top, bottom = min(start for start, _ in ends), max(end for _, end in ends)
        assert (top - view["y"]) * view["scale"] + view["height"] / 2 >= 40, "the caption stands above it"
        assert (bottom - view["y"]) * view["scale"] + view["height"] / 2 <= view["height"]
