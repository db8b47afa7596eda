"""On a phone: the line that runs, the picture and time stand on one screen; all else is below, or a tap away."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import watched
from .driving import SETTLED, open_lab, put, run, state
from .reels import SHARED

EDITOR = "[data-testid=editor] .cm-content"
CLEAR = """([part, page]) => {
  const [of, within] = [part, page].map((each) => each.getBoundingClientRect());
  return of.top >= within.top && of.bottom <= within.bottom;
}"""


@pytest.fixture(params=[(390, 844), (360, 640)], ids=["390x844", "360x640"], scope="module")
def held(browser: Browser, app_url: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The Lab, opened on a phone."""
    width, height = request.param
    with watched(browser) as (page, complaints):
        page.set_viewport_size({"width": width, "height": height})
        open_lab(page, app_url)
        yield page
    assert complaints == []


@pytest.fixture
def phone(held: Page) -> Page:
    """The Lab on a phone, with a program that fails."""
    put(held, "")
    run(held, SHARED)
    return held


def test_the_line_the_picture_and_time_are_on_one_screen(phone: Page) -> None:
    expect(phone.locator(".gr-line-bad")).to_be_in_viewport(ratio=0.99)
    for part in (".graph .host canvas", "[data-testid=tool-find]", "[data-testid=play]", "[data-testid=scrub]"):
        expect(phone.locator(part).first).to_be_in_viewport(ratio=0.99)
    foot = phone.locator(".foot").bounding_box()
    tools = phone.locator(".tools").bounding_box()
    assert foot and tools
    assert tools["y"] + tools["height"] <= foot["y"], "time covers none of it"


def test_time_stays_in_sight_while_what_happened_is_read(phone: Page) -> None:
    phone.get_by_test_id("try-it").first.scroll_into_view_if_needed()
    expect(phone.get_by_test_id("play")).to_be_in_viewport(ratio=1)
    phone.get_by_test_id("try-it").first.click()
    phone.wait_for_function(SETTLED)
    expect(phone.locator(".graph")).to_be_in_viewport(ratio=0.9)
    expect(phone.get_by_test_id("player")).to_have_attribute("data-outcome", "finished")


def test_the_program_opens_for_who_taps_it_and_closes_when_it_runs(phone: Page) -> None:
    editor = phone.locator(".gr-editor")
    few = editor.evaluate("(each) => each.clientHeight")
    assert few < 100
    phone.locator(EDITOR).click()
    assert editor.evaluate("(each) => each.clientHeight") > 150
    expect(phone.get_by_label("run while typing")).to_be_visible()
    phone.get_by_test_id("run").click()
    phone.wait_for_function(SETTLED)
    assert editor.evaluate("(each) => each.clientHeight") == few
    button = phone.get_by_test_id("all-lines")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "false")


def test_the_sliders_of_an_expression_stand_beside_its_picture(phone: Page) -> None:
    run(phone, "sin(x*y) + x**2")
    for part in ("value-x", "value-y", "tool-find", "play"):
        expect(phone.get_by_test_id(part)).to_be_in_viewport(ratio=0.99)


def test_what_a_row_of_buttons_offers_elsewhere_is_one_menu(phone: Page) -> None:
    phone.get_by_test_id("more").click()
    menu = phone.locator(".gr-instead .gr-menu")
    width = (phone.viewport_size or {})["width"]
    box = menu.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= width
    for title in ("Open", "Copy link to this step", "Picture, PNG", "Two paths into one leaf"):
        expect(menu.get_by_role("menuitem", name=re.compile(f"^{title}"))).to_have_count(1)
    menu.get_by_role("menuitem", name="Two paths into one leaf").click()
    phone.wait_for_function(SETTLED)
    expect(phone.get_by_test_id("player")).to_have_attribute("data-outcome", "finished")


def test_an_emptied_program_offers_ways_to_another(phone: Page) -> None:
    put(phone, " ")
    expect(phone.get_by_test_id("empty")).to_be_visible()


def test_on_a_phone_a_run_goes_up_to_its_picture_and_typing_does_not(phone: Page) -> None:
    player = phone.get_by_test_id("player")
    frame = player.locator(".frame")
    phone.get_by_test_id("all-lines").click()
    phone.get_by_label("run while typing").check()
    frame.evaluate("(each) => (each.scrollTop = 20)")
    steps = state(player)["steps"]
    phone.locator("[data-testid=editor] .cm-content").first.click()
    phone.keyboard.press("Control+Home")
    phone.keyboard.insert_text("z = 1\n")
    expect(player).to_have_attribute("data-steps", str(steps + 1))
    assert frame.evaluate("(each) => each.scrollTop") == 20
    phone.get_by_label("run while typing").uncheck()
    run(phone, "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n")
    assert frame.evaluate("(each) => each.scrollTop") == 0


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1000, 700), (1440, 900)])
def test_two_pictures_are_seen_whole_beside_their_tools(page: Page, app_url: str, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{app_url}/Compare")
    page.wait_for_selector(".gr-page-compare[data-moment] [data-testid=player][data-steps]", timeout=20_000)
    page.wait_for_function(SETTLED)
    for side in page.get_by_test_id("player").all():
        tools, picture = (side.locator(f".graph > {part}").bounding_box() for part in (".tools", ".host"))
        assert tools and picture and tools["y"] + tools["height"] <= picture["y"] + 1
        expect(side.get_by_test_id("all-lines")).to_be_hidden()
        assert side.locator(".gr-editor").evaluate("(each) => each.scrollHeight <= each.clientHeight")
    expect(page.locator(".gr-side .host canvas").first).to_be_in_viewport(ratio=0.8)
    expect(page.get_by_role("slider").last).to_be_in_viewport()
