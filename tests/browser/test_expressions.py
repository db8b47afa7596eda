"""Expressions in a real browser: values and gradients follow, page and server never disagree, paths add up."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .driving import SETTLED, run, state

MOVES = """([slider, many]) => {
  const { player } = slider.getRootNode().querySelector("[data-testid=player]");
  const places = JSON.stringify(player.places());
  for (let i = 0; i < many; i++) {
    slider.value = String(Math.round((Math.sin(i * 7) * 3 + 1.2) * 100) / 100);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  return { value: slider.value, told: player.state().leaves, still: places === JSON.stringify(player.places()) };
}"""
"""A slider is moved many times without a pause: its last value, and what the player shows at once."""
TILE = """(root) => {
  const name = Object.keys(root.player.places()).find((key) => /^t/.test(key));
  const box = root.querySelector("[data-testid=stage]").getBoundingClientRect();
  const { x, y, width, height } = root.player.places()[name];
  return { x: box.x + x + width * 0.28, y: box.y + y + height * 0.62 };
}"""


def gradients(told: list[dict[str, Any]]) -> dict[str, Any]:
    return {leaf["name"]: leaf["grad"] for leaf in told}


def near(gradients: dict[str, Any]) -> dict[str, Any]:
    return {name: pytest.approx(value, 1e-4, 1e-6) for name, value in gradients.items()}


def player_of(lab: Page) -> Locator:
    return lab.get_by_test_id("player")


def test_what_is_shown_is_of_the_value_in_the_box_after_many_quick_moves(lab: Page) -> None:
    run(lab, "sin(x*y) + x^2")
    moved = lab.get_by_test_id("slider-x").evaluate("(slider, many) => (" + MOVES + ")([slider, many])", 60)
    assert moved["still"] and lab.get_by_test_id("value-x").input_value() == moved["value"]
    assert f"x = torch.tensor({moved['value']}" in lab.get_by_test_id("shown-as").inner_text()
    expect(lab).to_have_url(re.compile(r"#g1\.\."))
    lab.wait_for_function(SETTLED)
    settled = gradients(state(player_of(lab))["leaves"])
    assert gradients(moved["told"]) == near(settled)
    assert lab.get_by_test_id("value-x").input_value() == moved["value"]
    lab.reload()
    expect(lab.get_by_test_id("value-x")).to_have_value(moved["value"], timeout=20_000)
    lab.wait_for_function(SETTLED)
    assert gradients(state(player_of(lab))["leaves"]) == near(settled)


@pytest.mark.parametrize("rests", [True, False])
def test_to_run_it_again_puts_the_values_back(lab: Page, rests: bool) -> None:
    run(lab, "x^3")
    lab.get_by_test_id("slider-x").focus()
    lab.keyboard.press("ArrowRight")
    assert lab.get_by_test_id("value-x").input_value() == "2.01"
    if rests:
        expect(lab).to_have_url(re.compile(r"#g1\.\."))
        lab.wait_for_function(SETTLED)
    lab.get_by_test_id("run").click()
    lab.wait_for_function(SETTLED)
    assert (lab.get_by_test_id("value-x").input_value(), lab.get_by_test_id("slider-x").input_value()) == ("2", "2")
    assert state(player_of(lab))["leaves"] == [{"name": "x", "grad": 12}]
    expect(lab).not_to_have_url(re.compile("#"))


def test_what_the_page_cannot_compute_shows_the_value_it_is_of(lab: Page) -> None:
    run(lab, "hardswish(x)")
    moved = lab.get_by_test_id("slider-x").evaluate("(slider, many) => (" + MOVES + ")([slider, many])", 20)
    box = lab.get_by_test_id("value-x")
    assert box.input_value() == "2"
    expect(box).to_have_value(moved["value"])
    lab.wait_for_function(SETTLED)
    assert state(player_of(lab))["leaves"][0]["grad"] not in (None, moved["told"][0]["grad"])


def drag(lab: Page, off: int) -> None:
    """Drag the tile of the first leaf 25 pixels to the right, `off` pixels from its middle."""
    at = player_of(lab).evaluate(TILE)
    lab.mouse.move(at["x"] + off, at["y"] + off)
    lab.mouse.down()
    lab.mouse.move(at["x"] + off + 25, at["y"] + off, steps=3)
    lab.mouse.up()


def test_a_leaf_is_changed_by_dragging_its_tile(lab: Page) -> None:
    run(lab, "det(A)")
    drag(lab, -20)
    assert lab.get_by_test_id("value-A").input_value() == "[[1.5, -2], [3, 0.5]]"
    assert state(player_of(lab))["leaves"] == [{"name": "A", "grad": [[0.5, -3], [2, 1.5]]}]
    run(lab, "x^3")
    drag(lab, 0)
    assert lab.get_by_test_id("value-x").input_value() == "2.5"
    assert state(player_of(lab))["leaves"] == [{"name": "x", "grad": pytest.approx(18.75)}]
    expect(lab.get_by_test_id("inspector")).to_be_hidden()


def test_how_a_formula_was_read_is_said_and_what_else_it_may_be_is_offered(lab: Page) -> None:
    run(lab, "softmax(x)")
    expect(lab.get_by_test_id("remarks")).to_contain_text("The sum of its entries has no slope.")
    lab.get_by_test_id("meant").click()
    lab.wait_for_function(SETTLED)
    (x,) = state(player_of(lab))["leaves"]
    assert x["grad"] == [pytest.approx(0.104, 1e-2), pytest.approx(-0.0007, 1e-1), pytest.approx(-0.103, 1e-2)]
    run(lab, "sinn(x)")
    expect(lab.get_by_test_id("remarks")).to_contain_text("No function is called sinn.")
    lab.get_by_test_id("meant").click()
    lab.wait_for_function(SETTLED)
    assert state(player_of(lab))["leaves"] == [{"name": "x", "grad": pytest.approx(-0.4161468)}]


def test_paths_from_a_root_to_a_leaf_add_up_to_its_gradient(lab: Page) -> None:
    run(lab, "sin(x*y) + x^2")
    lab.get_by_test_id("leaves").get_by_role("button", name=re.compile("^x.grad")).focus()
    lab.keyboard.press("Enter")
    paths, total = lab.get_by_test_id("path"), lab.get_by_test_id("path-total")
    expect(paths).to_have_count(2)
    expect(total).to_have_text("2.881 + 4 = 6.881")
    paths.nth(1).focus()
    lab.keyboard.press("Enter")
    expect(paths.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(paths.nth(1)).to_contain_text("1 × 4 = 4")
    assert player_of(lab).evaluate("(root) => root.player.state().selected") is not None
    lab.get_by_test_id("slider-x").focus()
    for _ in range(3):
        lab.keyboard.press("ArrowRight")
    (grad,) = [leaf["grad"] for leaf in state(player_of(lab))["leaves"] if leaf["name"] == "x"]
    expect(total).to_have_text(re.compile(rf"= {grad:.4g}$"))
