"""The stage in a real browser: what exists now is in it, large enough to be read, and answers to pointer and keys."""

from __future__ import annotations

from typing import Any

import pytest

from .driving import step

SIZES = [(1440, 900), (1000, 700)]


def middle(page: Any, key: str) -> tuple[float, float]:
    """The middle of a thing on the stage, on the screen."""
    host, place = page.get_by_test_id("stage").bounding_box(), page.evaluate("player.places()")[key]
    return host["x"] + place["x"] + place["width"] / 2, host["y"] + place["y"] + place["height"] / 2


@pytest.mark.parametrize("page", ["shared_in_a_loop", "diamond", "training", "accumulation"], indirect=True)
def test_at_every_step_all_is_on_the_stage_and_can_be_read(page: Any) -> None:
    for theme in ("light", "dark"):
        page.evaluate(f"player.setTheme('{theme}')")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_function("document.querySelector('.canvas').clientWidth === player.look().width")
            for number in range(0, page.evaluate("scene.steps.length"), 3):
                look = page.evaluate(f"(player.seek({number}), player.pose(0.5), player.look())")
                assert look["least"] >= 11.99, (number, look["least"])
                for at in look["targets"]:
                    assert at["x"] >= -1 and at["x"] + at["w"] <= look["width"] + 1, (number, at)
                    assert at["y"] >= -1 and at["y"] + at["h"] <= look["height"] + 1, (number, at)


SLOPES = ["× 1", "× 1", "× 2", "× 2", "× 54.6"]


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    across = min(one["x"] + one["w"], other["x"] + other["w"]) - max(one["x"], other["x"])
    down = min(one["y"] + one["h"], other["y"] + other["h"]) - max(one["y"], other["y"])
    return across > 1 and down > 1


@pytest.mark.parametrize("page", ["diamond"], indirect=True)
def test_by_what_each_node_multiplies_stands_beside_its_lines(page: Any) -> None:
    for width, height in SIZES[:1]:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("document.querySelector('.canvas').clientWidth === player.look().width")
        backward = page.evaluate("scene.calls[0].from")
        look = page.evaluate(f"(player.seek({backward}), player.pose(1), player.look())")
        slopes = [text for text in look["texts"] if text["text"] in SLOPES]
        assert sorted(text["text"] for text in slopes) == SLOPES
        things = [at for at in look["targets"] if at["kind"] in ("node", "leaf", "lens", "card")]
        for at in slopes:
            others = [text for text in look["texts"] if text is not at]
            assert not [other for other in [*others, *things] if overlap(at, other)], at


@pytest.mark.parametrize("page", ["diamond"], indirect=True)
def test_before_there_is_a_graph_the_program_is_seen_large(page: Any) -> None:
    texts = page.evaluate("(player.seek(1), player.pose(1), player.look().texts)")
    assert {"import torch", "c = b.exp()"} <= {each["text"] for each in texts}
    first = page.evaluate("scene.steps.findIndex((step) => step.kind === 'node_made')")
    texts = page.evaluate(f"(player.seek({first}), player.pose(1), player.look().texts)")
    assert "import torch" not in {each["text"] for each in texts}


def test_what_happens_in_a_step_moves_and_ends(page: Any) -> None:
    sums = page.evaluate("scene.steps.findIndex((step) => step.kind === 'grad_added')")
    page.evaluate(f"player.seek({sums - 1})")
    picture = "document.querySelector('.canvas').toDataURL()"
    page.get_by_test_id("next").click()
    page.wait_for_timeout(300)
    begun = page.evaluate(picture)
    page.wait_for_timeout(300)
    assert page.evaluate(picture) != begun
    page.wait_for_timeout(1600)
    ended = page.evaluate(picture)
    page.wait_for_timeout(100)
    assert page.evaluate(picture) == ended, "at the end of a step all stands still"


def test_motion_can_be_reduced(page: Any) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("player.seek(20)")
    page.get_by_test_id("next").click()
    page.wait_for_timeout(60)
    picture = "document.querySelector('.canvas').toDataURL()"
    begun = page.evaluate(picture)
    page.wait_for_timeout(300)
    assert page.evaluate(picture) == begun
    page.emulate_media(reduced_motion="no-preference")


def test_a_click_selects_a_node_a_leaf_a_name_and_nothing(page: Any) -> None:
    page.evaluate("player.seek(22)")
    page.evaluate("player.pose(1)")
    places = page.evaluate("player.places()")
    node = next(key for key in places if key.startswith("n"))
    leaf = next(key for key in places if key.startswith("t"))
    page.mouse.click(*middle(page, node))
    assert page.evaluate("player.state().selected") == node
    page.mouse.click(*middle(page, leaf))
    assert page.evaluate("player.state().selected") != node
    chosen = page.evaluate("player.state().selected")
    assert page.evaluate("(id) => scene.boxes.find((box) => box.id === id).kind", chosen) == "leaf", leaf
    host = page.get_by_test_id("stage").bounding_box()
    page.mouse.click(host["x"] + 3, host["y"] + 3)
    assert page.evaluate("player.state().selected") not in (node, leaf), "a click on nothing takes it away"
    page.mouse.move(host["x"] + 3, host["y"] + 3)
    assert page.get_by_test_id("stage").evaluate("each => each.style.cursor") == ""
    page.mouse.move(*middle(page, node))
    assert page.get_by_test_id("stage").evaluate("each => each.style.cursor") == "pointer"


@pytest.mark.parametrize("page", ["training"], indirect=True)
def test_turns_that_are_over_are_frames_of_a_film_and_can_be_gone_back_to(page: Any) -> None:
    last = page.evaluate("scene.steps.length - 1")
    page.evaluate(f"player.seek({last})")
    frames = page.get_by_test_id("film").get_by_role("button")
    many = frames.count()
    assert many >= 2
    frames.first.click()
    assert step(page) == page.evaluate("scene.calls[0].from")
    assert frames.count() == 1, "the others are still to come"


@pytest.mark.parametrize("page", ["training"], indirect=True)
def test_more_or_less_detail_can_be_had(page: Any) -> None:
    page.evaluate("player.seek(scene.calls.at(-1).from)")
    told = page.evaluate("player.state()")
    before = page.evaluate("Object.keys(player.places()).length")
    for _ in range(8):
        page.get_by_test_id("tool-less").click()
    less = page.evaluate("Object.keys(player.places()).length")
    assert less <= before
    for _ in range(8):
        page.get_by_test_id("tool-more").click()
    assert page.evaluate("Object.keys(player.places()).length") == before
    assert page.evaluate("player.state()") == told


def test_a_fold_is_opened_and_shut_by_whoever_wants_it(page: Any) -> None:
    page.evaluate("player.seek(22)")
    told = page.evaluate("player.state()")
    group = page.evaluate("scene.groups.find(({ id }) => scene.boxes.filter((box) => box.group === id).length > 1).id")
    looks = []
    for _ in range(3):
        looks.append(page.evaluate("Object.keys(player.places()).sort()"))
        page.evaluate("(id) => player.fold(id)", group)
    assert looks[0] == looks[2] != looks[1]
    assert page.evaluate("player.state()") == told


def test_new_values_keep_step_and_places(page: Any) -> None:
    page.evaluate("player.seek(26)")
    places = page.evaluate("player.places()")
    page.evaluate("""() => {
      const next = structuredClone(scene);
      for (const value of next.values) value.dtype = "float64";
      player.update(next);
    }""")
    assert step(page) == 26
    assert page.evaluate("player.places()") == places


def test_a_press_on_the_strip_of_time_lands_on_the_step_that_its_tip_names(page: Any) -> None:
    strip = page.get_by_test_id("scrub").bounding_box()
    for share in (0.05, 0.31, 0.62, 0.97):
        at = strip["x"] + share * strip["width"], strip["y"] + strip["height"] / 2
        page.mouse.move(*at)
        named = int(page.locator(".tip").inner_text().split(" ")[0])
        page.mouse.click(*at)
        assert step(page) == named


def test_the_graph_can_be_explored_as_a_network(page: Any) -> None:
    page.evaluate("player.seek(22)")
    page.get_by_test_id("tool-explore").click()
    network = page.get_by_test_id("explore")
    network.locator("canvas").wait_for()
    assert not page.get_by_test_id("table").is_visible()
    page.get_by_test_id("tool-table").click()
    assert not network.is_visible() and page.get_by_test_id("table").is_visible()
    page.get_by_test_id("tool-explore").click()
    page.get_by_test_id("next").click()
    assert network.is_visible() and step(page) == 23
    page.get_by_test_id("tool-explore").click()
    assert not network.is_visible()


def test_a_picture_can_be_had_as_a_file(page: Any) -> None:
    page.evaluate("player.seek(20)")
    svg = page.evaluate("player.picture('svg').then((blob) => blob.text())")
    assert svg.startswith("<svg") and "Step 20 of" in svg and "NaN" not in svg
    assert page.evaluate("player.picture('png').then((blob) => blob.size)") > 5000


TURN = """([x, y, delta]) => {
  const host = document.querySelector("[data-testid=stage]");
  const { left, top } = host.getBoundingClientRect();
  const how = { deltaY: delta, clientX: left + x, clientY: top + y, cancelable: true, bubbles: true };
  const taken = !host.dispatchEvent(new WheelEvent("wheel", how));
  return [taken, player.look().targets.filter(({ kind }) => kind === "card" || kind === "ladder").length];
}"""
"""Turn the wheel at a point of the stage: whether the page does not get it, and how many blocks are closed then."""


def test_the_wheel_over_a_block_asks_for_detail_and_else_scrolls_the_page(page: Any) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.wait_for_function("document.querySelector('.canvas').clientWidth === player.look().width")
    page.evaluate("player.seek(14)")
    page.wait_for_timeout(600)  # all has come to its place
    assert page.evaluate(TURN, [2, 2, -60]) == [False, 0], "beside everything"
    assert page.evaluate(TURN, [*spot(page, "n4"), -60]) == [False, 0], "no more is to be had"
    assert page.evaluate(TURN, [*spot(page, "n4"), 60]) == [True, 1], "the block that it is in is shut"
    page.wait_for_timeout(600)
    assert page.evaluate(TURN, [*spot(page, "n2"), 60]) == [False, 1], "it is in none"
    [card] = page.evaluate("player.look().targets.filter(({ kind }) => kind === 'card').map(({ id }) => id)")
    assert page.evaluate(TURN, [*spot(page, card), -60]) == [True, 0]


def spot(page: Any, thing: str) -> list[float]:
    """The middle of a thing, on the stage."""
    at = page.evaluate("(thing) => player.look().targets.find(({ id }) => id === thing)", thing)
    return [at["x"] + at["w"] / 2, at["y"] + at["h"] / 2]


WIDE, LOW = (1440, 900), (1000, 700)
KEYS = [
    # the window, the key, and by how many pixels the pane grows; None: as much as it may
    (WIDE, "ArrowLeft", 24), (WIDE, "ArrowRight", -24), (WIDE, "Shift+ArrowLeft", 96), (WIDE, "End", None),
    (LOW, "ArrowUp", 24), (LOW, "ArrowDown", -24), (LOW, "End", None),
]  # fmt: skip


def test_the_room_beside_the_stage_is_given_by_keys_and_mouse_and_is_remembered(page: Any) -> None:
    divider, pane = page.get_by_test_id("divider"), page.locator(".right")
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    page.evaluate("(localStorage.clear(), player.seek(scene.steps.length - 1))")
    for size, key, grown in KEYS:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        side = "width" if size == WIDE else "height"
        divider.press("Enter")
        before = pane.bounding_box()[side]
        divider.press(key)
        after = pane.bounding_box()[side]
        assert after > before if grown is None else after == pytest.approx(before + grown, abs=1), (size, key)
        assert int(divider.get_attribute("aria-valuenow")) == pytest.approx(after, abs=1)
        assert step(page) == page.evaluate("scene.steps.length - 1"), "to the player the key is nothing"
        stage = page.get_by_test_id("stage").bounding_box()
        assert stage["width"] >= size[0] * 0.3, "the stage is never covered"
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    divider.press("Enter")
    at = divider.bounding_box()
    page.mouse.move(at["x"] + 4, at["y"] + 90)
    page.mouse.down()
    page.mouse.move(at["x"] - 76, at["y"] + 90)
    page.mouse.up()
    wide = pane.bounding_box()["width"]
    assert wide == pytest.approx(400, abs=6)
    page.evaluate("(player.destroy(), window.player = make(document.getElementById('one'), { step: 99 }))")
    assert pane.bounding_box()["width"] == pytest.approx(wide, abs=1)
    page.evaluate("localStorage.clear()")


def test_a_picture_of_a_step_stays_while_more_is_told_of_it(page: Any) -> None:
    freed = page.evaluate("scene.steps.findIndex(({ kind }) => kind === 'slot_freed')")
    picture = "document.querySelector('.canvas').toDataURL()"
    end, still = page.evaluate(f"(player.seek({freed}), player.pose(1), {picture})"), "player.still()"
    posed = page.evaluate(f"({still}, {picture})")
    assert posed != end, "the saved tensors are on their way out"
    for change in ("player.withhold(true)", "player.update(scene)", "player.withhold(false)"):
        page.evaluate(change)
        page.wait_for_timeout(100)
        assert page.evaluate(picture) == posed, change
    page.evaluate(f"player.seek({freed + 1}), player.seek({freed})")
    page.wait_for_timeout(700)
    assert page.evaluate(picture) == end
