"""Every page as a visitor walks it: it shows soon, it plays, it searches, and nothing complains."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, expect

from gradreel.material.comparisons import comparisons
from gradreel.material.gallery import exhibits
from tests.nightly import NIGHTLY, sample

from .driving import SETTLED, open_lab, put, state

PLACES = ("", "Lessons", "Compare", "Operators", "Gallery", "About")
SHOWN = {"About": "[data-testid=about] h2", "Compare": "[data-moment] [data-testid=player][data-steps]"}
PLAYER = "[data-testid=player][data-steps]"


def visit(page: Page, url: str, place: str) -> float:
    """Open a page; the seconds until what it is about can be seen."""
    started = time.perf_counter()
    page.goto(f"{url}/{place}")
    page.wait_for_selector(SHOWN.get(place.partition("#")[0], PLAYER), timeout=60_000)
    seconds = time.perf_counter() - started
    page.wait_for_function(SETTLED, timeout=20_000)
    return seconds


@pytest.mark.parametrize("place", PLACES)
def test_a_page_is_there_and_leads_to_all_others(page: Page, app_url: str, place: str) -> None:
    visit(page, app_url, place)
    names = page.get_by_role("navigation", name="Pages").get_by_role("link").all_inner_texts()
    assert names == ["Lab", "Lessons", "Compare", "Operators", "Gallery", "About"]
    current = page.get_by_role("navigation", name="Pages").locator("[aria-current=page]").first
    expect(current).to_have_text(place or "Lab")
    for width in (1440, 1000, 360):
        page.set_viewport_size({"width": width, "height": 720})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{place} at {width}"


def test_both_sides_of_every_comparison_play_on_one_clock(page: Page, app_url: str) -> None:
    visit(page, app_url, "Compare")
    players = page.get_by_test_id("player")
    for number, comparison in enumerate(comparisons()):
        page.get_by_test_id("choice").select_option(comparison.slug)
        page.wait_for_function(SETTLED)
        page.wait_for_function(
            "([hosts, sources]) => hosts.every((host, i) => host.player.editor.getSource().trim() === sources[i])",
            arg=[
                [players.nth(i).element_handle() for i in range(2)],
                [comparison.left.source.strip(), comparison.right.source.strip()],
            ],
        )
        ends = [int(players.nth(i).get_attribute("data-steps") or 0) for i in range(2)]
        page.keyboard.press("Home") if page.get_by_test_id("together").focus() is None else None
        expect(players.nth(0)).to_have_attribute("data-step", "0")
        expect(players.nth(1)).to_have_attribute("data-step", "0")
        if number < 2 or NIGHTLY:
            page.locator(".gr-together [data-testid=speed]").select_option("8")
            page.locator(".gr-together [data-testid=play]").click()
        else:
            page.keyboard.press("End")
        for i in range(2):
            expect(players.nth(i)).to_have_attribute("data-step", str(ends[i]), timeout=30_000)
        assert page.locator("[data-testid=differences] tbody tr").count() > 0, comparison.slug
        assert page.locator(".cm-line.gr-line-differs").count() > 0, comparison.slug


def test_one_side_leads_the_other_and_own_programs_travel_in_the_link(page: Page, app_url: str) -> None:
    visit(page, app_url, "Compare")
    left, right = (page.get_by_test_id("player").nth(i) for i in range(2))
    left.evaluate("(root) => root.player.seek(4)")
    expect(right).to_have_attribute("data-step", "4")
    page.locator("[data-testid=side-right] .cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(
        "import torch\na = torch.tensor(5., requires_grad=True)\n(a * 2).backward()\nprint(a.grad)"
    )
    page.keyboard.press("Control+Enter")
    page.wait_for_function(SETTLED)
    expect(right).to_have_attribute("data-outcome", "finished")
    page.get_by_test_id("copy-link").click()
    page.wait_for_url(re.compile("#g1.*~g1"))
    page.goto("about:blank")
    page.go_back()
    page.wait_for_selector(PLAYER)
    expect(page.locator("[data-testid=side-right] .cm-content")).to_contain_text("(a * 2).backward()", timeout=20_000)
    page.wait_for_function(SETTLED)
    assert state(page.get_by_test_id("player").nth(1))["printed"] == "tensor(2.)\n"


@pytest.mark.parametrize("compared", [0, 3, None])
def test_a_link_to_a_moment_of_a_comparison_opens_at_it(page: Page, app_url: str, compared: int | None) -> None:
    visit(page, app_url, "Compare")
    place = page.locator("[data-moments]")
    if compared is None:
        page.locator("[data-testid=side-right] .cm-content").click()
        page.keyboard.type("#")
        page.keyboard.press("Control+Enter")
    else:
        page.get_by_test_id("choice").select_option(comparisons()[compared].slug)
    page.wait_for_function(SETTLED)
    page.get_by_test_id("together").fill("5")
    page.get_by_test_id("copy-link").click()
    page.wait_for_url(re.compile("@5$|g1[.]5[.].*~"))
    page.goto("about:blank")
    page.go_back()
    expect(place).to_have_attribute("data-moment", "5", timeout=20_000)
    page.wait_for_function(SETTLED)
    expect(place).to_have_attribute("data-moment", "5")
    if compared is not None:
        expect(page.get_by_test_id("choice")).to_have_value(comparisons()[compared].slug)


def test_an_operator_is_found_and_plays(page: Page, app_url: str) -> None:
    visit(page, app_url, "Operators")
    page.get_by_test_id("look-for").fill("tanh")
    page.get_by_test_id("list").get_by_role("button", name=re.compile("^tanh_backward")).click()
    expect(page.locator("[data-testid=detail] h1")).to_have_text("tanh_backward")
    page.wait_for_function(SETTLED)
    names = {box["name"] for box in state(page.get_by_test_id("player"))["boxes"]}
    assert "TanhBackwardBackward0" in names
    page.get_by_test_id("look-for").fill("")
    page.get_by_role("button", name="survives a second backward").click()
    expect(page.get_by_test_id("count")).to_contain_text(re.compile(r"^\d+ of \d+"))
    expect(page.get_by_test_id("list").get_by_role("button", name=re.compile(r"^mul\.Tensor"))).to_have_count(0)


TRACEBACK = """Traceback (most recent call last):
  File "/home/me/train.py", line 31, in <module>
    loss.backward()
RuntimeError: Trying to backward through the graph a second time, but the saved intermediate results have already been \
freed. Specify retain_graph=True when calling backward the first time."""


def test_a_pasted_traceback_finds_its_exhibit(page: Page, app_url: str) -> None:
    visit(page, app_url, "Gallery")
    page.get_by_test_id("look-for").fill(TRACEBACK)
    page.keyboard.press("Enter")
    expect(page.locator("[data-testid=detail] h1")).to_have_text("A second backward through the same nodes")
    page.get_by_test_id("look-for").fill("zzz")
    expect(page.get_by_test_id("count")).to_contain_text("Nothing here says that")


def test_every_exhibit_opens_and_ends_as_it_says(page: Page, app_url: str) -> None:
    visit(page, app_url, "Gallery")
    player = page.get_by_test_id("player")
    for exhibit in sample(exhibits(), 18):
        page.locator(f"[data-key={exhibit.slug}]").click()
        expect(page.locator("[data-testid=detail] h1")).to_have_text(exhibit.title)
        page.wait_for_function(
            "([host, source]) => host.player?.editor.getSource().trim() === source",
            arg=[player.element_handle(), exhibit.source.strip()],
        )
        raises = exhibit.message is not None and "Warning:" not in exhibit.message
        expect(player).to_have_attribute("data-outcome", "raised" if raises else "finished")
        assert page.get_by_test_id("lab-link").get_attribute("href")


def test_the_lab_opens_with_a_playing_example_and_hints_that_go_for_good(page: Page, app_url: str) -> None:
    player = open_lab(page, app_url)
    expect(page.get_by_test_id("hint")).to_have_count(3)
    expect(player).not_to_have_attribute("data-step", "0")
    assert int(player.get_attribute("data-step") or 0) < int(player.get_attribute("data-steps") or 0)
    page.get_by_test_id("hint").first.get_by_role("button").click()
    expect(page.get_by_test_id("hint").first.get_by_role("button")).to_be_focused()
    page.reload()
    page.wait_for_selector(PLAYER)
    expect(page.get_by_test_id("hint")).to_have_count(2)
    page.get_by_test_id("hint").first.get_by_role("button").click()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("hint")).to_have_count(0)
    expect(page.get_by_test_id("play")).to_be_focused()
    page.keyboard.press("End")
    expect(player).to_have_attribute("data-step", str(player.get_attribute("data-steps")))


def test_a_hint_goes_by_itself_once_what_it_tells_of_has_come(page: Page, app_url: str) -> None:
    player = open_lab(page, app_url)
    told = page.get_by_test_id("hint").filter(has_text="What went wrong")
    time = page.get_by_test_id("hint").filter(has_text="Below is time")
    expect(time).to_be_visible()
    expect(told).to_be_hidden()  # one at a time beside the picture
    page.get_by_test_id("next").click()
    expect(time).to_have_count(0)
    expect(told).to_be_visible()
    page.keyboard.press("End")
    expect(player).to_have_attribute("data-step", str(player.get_attribute("data-steps")))
    expect(told).to_have_count(0)
    page.reload()
    page.wait_for_selector(PLAYER)
    expect(page.get_by_test_id("hint")).to_have_count(1)


def test_an_empty_editor_offers_ways_to_a_program(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    put(lab, " ")
    lab.get_by_test_id("empty").get_by_role("button", name="Two paths into one leaf").click()
    lab.wait_for_function(SETTLED)
    expect(player).to_have_attribute("data-outcome", "finished")
    expect(lab.get_by_test_id("empty")).to_be_hidden()
    put(lab, " ")
    lab.get_by_test_id("error-box").fill(f"import torch\na = torch.ones(1)\na.backward()\n\n{TRACEBACK}")
    lab.get_by_test_id("look-up").click()
    expect(player).to_have_attribute("data-outcome", "raised")
    assert lab.locator("[data-testid=editor] .cm-content").inner_text().startswith("import torch")
    put(lab, TRACEBACK)
    lab.keyboard.press("Control+Enter")
    lab.get_by_test_id("offer").click()
    lab.wait_for_url(re.compile("Gallery"))
    expect(lab.locator("[data-testid=detail] h1")).to_have_text(
        "A second backward through the same nodes", timeout=20_000
    )


def test_who_looked_up_an_error_goes_back_to_the_program(lab: Page) -> None:
    put(lab, "!ls\nprint(1)")
    lab.keyboard.press("Control+Enter")
    expect(lab.get_by_test_id("remarks")).to_contain_text("was left out")
    put(lab, TRACEBACK)
    expect(lab.get_by_test_id("remarks")).to_be_hidden()
    lab.keyboard.press("Control+Enter")
    lab.get_by_test_id("offer").click()
    lab.wait_for_url(re.compile("Gallery"))
    expect(lab.locator("[data-testid=detail] h1")).to_have_text("A second backward through the same nodes")
    lab.locator("[data-testid=list] button").nth(1).click()
    lab.go_back()
    expect(lab.locator("[data-testid=detail] h1")).to_have_text("A second backward through the same nodes")
    lab.go_back()
    expect(lab.get_by_test_id("editor").first).to_contain_text("Traceback")
