"""Where there is no program there is no run: the stage is bare, and says how to get to one."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .driving import SETTLED, put, run, state

SQUARE = "import torch\nx = torch.tensor(3., requires_grad=True)\n(x * x).backward()\nprint(x.grad)"


def test_an_emptied_editor_shows_no_run_and_gets_it_back(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, SQUARE)
    player.evaluate("(root) => root.player.seek(3)")
    put(lab, "")
    expect(lab.locator(".bare")).to_contain_text("Nothing to show yet")
    assert not state(player)["boxes"] and not state(player)["names"] and player.get_attribute("data-steps") == "0"
    assert lab.get_by_test_id("edited").inner_text() == ""
    expect(lab.get_by_test_id("empty")).to_be_visible()
    lab.get_by_test_id("run").click()
    expect(lab.locator(".gr-notice")).to_contain_text("nothing to run")
    lab.get_by_test_id("copy-link").click()
    expect(lab.locator(".gr-notice")).to_contain_text("There is no program to hand on")
    lab.get_by_test_id("run").click()
    lab.get_by_test_id("offer").click()
    assert lab.get_by_test_id("editor").first.inner_text().count("backward") == 1
    assert state(player)["step"] == 3 and state(player)["boxes"], "the run is there again, where it was"


def test_an_example_takes_the_place_of_nothing(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    put(lab, "")
    lab.get_by_test_id("empty").get_by_text("Two paths into one leaf").click()
    lab.wait_for_function(SETTLED)
    assert state(player)["steps"] > 5
    expect(lab.get_by_test_id("empty")).to_be_hidden()


def test_an_answer_that_comes_to_an_emptied_editor_waits_for_its_program(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    put(lab, SQUARE)
    lab.keyboard.press("Control+Enter")
    lab.keyboard.press("Control+A")
    lab.keyboard.press("Delete")
    lab.wait_for_function(SETTLED)
    assert state(player)["steps"] == 0
    lab.keyboard.press("Control+Z")
    assert state(player)["printed"] == "tensor(6.)\n"


def test_beside_a_program_an_empty_side_shows_no_run(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/Compare")
    page.wait_for_function(SETTLED, timeout=60_000)
    right = page.get_by_test_id("side-right")
    right.locator(".cm-content").click()
    page.keyboard.type("#")
    expect(right.get_by_test_id("edited")).to_have_text("edited since it ran")
    page.keyboard.press("Backspace")
    expect(right.get_by_test_id("edited")).to_be_empty()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".gr-notice")).to_contain_text("nothing to run on the right")
    assert right.get_by_test_id("player").get_attribute("data-steps") == "0"
    assert page.get_by_test_id("side-left").get_by_test_id("player").get_attribute("data-steps") != "0"
    expect(page.get_by_test_id("differences")).to_contain_text("has not begun")


def test_of_a_program_that_is_not_python_there_is_no_time_to_move_through(lab: Page) -> None:
    controls = ["first", "prev", "play", "next", "last", "speed", "loop", "bookmark", "scrub"]
    run(lab, "x = (1 2)")
    assert all(lab.get_by_test_id(name).is_disabled() for name in controls)
    assert float(lab.get_by_test_id("play").evaluate("button => getComputedStyle(button).opacity")) < 0.6
    run(lab, "x = 1\ny = 2")
    assert all(lab.get_by_test_id(name).is_enabled() for name in controls)


def test_an_error_without_its_program_leads_to_the_gallery(lab: Page) -> None:
    run(lab, "RuntimeError: Trying to backward through the graph a second time")
    lab.locator(".gr-notice").get_by_label("close").click()
    expect(lab.locator(".card.err h3")).to_have_text("✖ This is an error message without its program")
    lab.get_by_test_id("meaning").click()
    found = lab.locator("[data-testid=detail] h1")
    expect(found).to_have_text("A second backward through the same nodes", timeout=20_000)
    lab.get_by_test_id("look-for").fill("KeyError: 'zzz'")
    lab.keyboard.press("Enter")
    expect(found).to_have_text("No exhibit is about this message")
    expect(lab.get_by_test_id("count")).to_contain_text("Nothing here says that")
    assert lab.get_by_test_id("list").get_by_role("button").count() > 100, "all are there to look through"
    expect(lab.locator(".gr-playing")).to_be_hidden()
