"""Light or dark as the system has it, or as somebody has chosen: on every page, and the next time."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from .driving import open_lab

BRIGHTNESS = "(each) => { const [red] = getComputedStyle(each).backgroundColor.match(/\\d+/g); return Number(red); }"


def test_what_was_chosen_is_there_before_the_page_is(page: Page, app_url: str) -> None:
    page.emulate_media(color_scheme="dark")
    open_lab(page, app_url)
    page.get_by_test_id("looks").click()
    page.route("**/gradreel/letter*", lambda route: None)  # the page waits for its letter
    page.goto(f"{app_url}/Lessons", wait_until="commit")
    page.wait_for_function("document.querySelector('#gr-first')")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    expect(page.locator("#gr-first")).to_be_hidden()


def test_a_person_chooses_light_or_dark_and_the_browser_remembers(page: Page, app_url: str) -> None:
    page.emulate_media(color_scheme="dark")
    player = open_lab(page, app_url)
    foot = page.locator(".foot")
    assert foot.evaluate(BRIGHTNESS) < 100
    page.get_by_test_id("looks").click()
    expect(player).to_have_attribute("data-theme", "light")
    assert foot.evaluate(BRIGHTNESS) > 200
    page.get_by_role("link", name="Lessons").click()
    expect(page.locator(".gr-page-lessons")).to_have_attribute("data-theme", "light")
    page.reload()
    expect(page.locator(".gr-page-lessons")).to_have_attribute("data-theme", "light", timeout=20_000)
    page.get_by_test_id("looks").click()
    expect(page.locator(".gr-page-lessons")).to_have_attribute("data-theme", "dark")
    page.go_back()
    expect(page).to_have_url(re.compile(r"/$"))
    expect(player).to_have_attribute("data-theme", "dark")


def test_the_header_stands_in_one_row_down_to_the_width_of_a_phone(lab: Page) -> None:
    header = lab.locator(".gr-header:visible").first
    for width in (360, 390, 480, *range(720, 1441, 24)):
        lab.set_viewport_size({"width": width, "height": 700})
        assert header.evaluate("(each) => each.offsetHeight") < 60, width
