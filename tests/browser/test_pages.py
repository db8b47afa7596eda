"""From page to page: each is there before Streamlit is, and none is loaded anew."""

from __future__ import annotations

import gzip
import json
import re
import threading
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from gradreel.host.pages import LANDINGS, entry_of, page_title
from gradreel.material.lessons import lessons

from .driving import SETTLED, SHOWN, go, open_lab, run, state

OWN = "import torch\na = torch.tensor(2., requires_grad=True)\nb = a * a\nb.backward()\nprint(a.grad)"
WATCH = """() => {
  window.stayed = true;
  window.bare = 0;
  const look = () => {
    const rooms = document.querySelector("[data-testid=site]").shadowRoot.querySelectorAll(".gr-root");
    if (rooms.length !== 1 || !rooms[0].querySelector(".gr-header")) window.bare += 1;
    requestAnimationFrame(look);
  };
  look();
}"""


def test_pages_change_without_loading_anew_and_are_found_as_they_were_left(page: Page, app_url: str) -> None:
    player = open_lab(page, app_url)
    run(page, OWN)
    player.evaluate("root => root.player.seek(4)")
    page.evaluate(WATCH)
    for name in ("Lessons", "Compare", "Operators", "Gallery", "About"):
        go(page, name)
        assert page.url.endswith(f"/{name}")
    go(page, "Lessons")
    page.get_by_test_id("after").click()
    expect(page.locator("[data-testid=lesson] h1")).to_have_text("What a node saves")
    go(page, "Lab")
    assert page.url == f"{app_url}/" and page.title() == "Gradreel"
    assert player.get_attribute("data-step") == "4"
    expect(page.locator(".gr-lab .cm-content").first).to_contain_text("b = a * a")
    go(page, "Lessons")
    expect(page.locator("[data-testid=lesson] h1")).to_have_text("What a node saves")
    assert page.url.endswith("/Lessons#what_a_node_keeps") and page.title() == "What a node saves · Gradreel"
    for name in ("Lab", "Lessons"):
        page.go_back()
        page.wait_for_selector(SHOWN[name])
    page.go_back()
    expect(page.locator("[data-testid=lesson] h1")).not_to_have_text("What a node saves")
    page.go_back()
    page.wait_for_selector(SHOWN["About"])
    page.go_forward()
    page.wait_for_selector(SHOWN["Lessons"])
    assert page.evaluate("[window.stayed, window.bare]") == [True, 0]


def test_nobody_else_adds_an_entry_to_the_history(page: Page, app_url: str) -> None:
    """Streamlit does, with the address of the page it has run, and may be late."""
    page.goto(f"{app_url}/Gallery#second_backward")
    page.wait_for_selector(SHOWN["Gallery"])
    go(page, "Lab")
    before = page.evaluate("history.length")
    for late in ("/Gallery", "/", "/Lessons"):
        page.evaluate("(late) => history.pushState({}, '', late)", late)
    assert (page.evaluate("history.length"), page.url) == (before, f"{app_url}/")
    page.go_back()
    page.wait_for_selector(SHOWN["Gallery"])


def test_links_within_the_pages_lead_on_without_loading_anew(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/Gallery#second_backward")
    page.wait_for_selector(SHOWN["Gallery"])
    page.evaluate(WATCH)
    page.get_by_test_id("detail").get_by_role("link").last.click()
    page.wait_for_selector(SHOWN["Lessons"])
    lesson = page.url.partition("#")[2]
    assert re.fullmatch(r"\w+", lesson)
    page.wait_for_function(SETTLED)
    page.get_by_test_id("lab-link").click()
    page.wait_for_selector(SHOWN["Lab"])
    page.wait_for_function(SETTLED)
    assert page.url.startswith(f"{app_url}/#g1.")
    expect(page.locator(".gr-lab .cm-content").first).to_contain_text("backward")
    run(page, OWN)
    assert state(page.get_by_test_id("player"))["printed"] == "tensor(4.)\n"
    assert page.evaluate("[window.stayed, window.bare]") == [True, 0]


APART = """{
  const send = WebSocket.prototype.send;
  let turn = Promise.resolve();
  WebSocket.prototype.send = function (...all) {
    turn = turn.then(() => new Promise((next) => setTimeout(next, 900))).then(() => send.apply(this, all));
  };
}"""
"""The server has answered each message before it gets the next."""


@pytest.mark.parametrize("place", ["Lab", "Lessons"])
def test_a_page_that_streamlit_has_sent_by_itself_minds_no_later_answer_to_the_visit(
    page: Page, app_url: str, place: str
) -> None:
    player = page.get_by_test_id("player")
    page.add_init_script(APART)
    page.goto(f"{app_url}/Gallery#second_backward")
    page.wait_for_selector(SHOWN["Gallery"])
    page.wait_for_function(SETTLED)
    player.evaluate("(root) => root.player.seek(5)")
    if place == "Lab":
        page.get_by_test_id("lab-link").click()
    else:
        go(page, place)
    page.wait_for_selector(SHOWN[place])
    if place == "Lessons":
        player.evaluate("(root) => root.player.seek(5)")
    page.wait_for_timeout(2500)
    page.wait_for_function(SETTLED)
    expect(player).to_have_attribute("data-steps", "12" if place == "Lab" else "8")
    expect(player).to_have_attribute("data-step", "5")


def test_the_step_goes_along_to_the_lab_unless_the_program_has_changed(page: Page, app_url: str) -> None:
    player, code = page.get_by_test_id("player"), page.locator("[data-testid=editor] .cm-content").first
    page.goto(f"{app_url}/Gallery#second_backward")
    page.wait_for_selector(SHOWN["Gallery"])
    page.wait_for_function(SETTLED)
    player.evaluate("(root) => root.player.seek(5)")
    page.get_by_test_id("lab-link").click()
    page.wait_for_selector(SHOWN["Lab"])
    expect(player).to_have_attribute("data-step", "5", timeout=20_000)
    assert page.url.startswith(f"{app_url}/#g1.5.")
    page.go_back()
    page.wait_for_selector(SHOWN["Gallery"])
    page.wait_for_function(SETTLED)
    code.press("Control+End")
    code.press_sequentially("\nprint(1)")
    page.get_by_test_id("lab-link").click()
    page.wait_for_selector(SHOWN["Lab"])
    assert page.url.startswith(f"{app_url}/#g1..")


@pytest.mark.parametrize("width", [1440, 360])
def test_what_is_compared_can_be_read_on_both_sides(page: Page, app_url: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{app_url}/Compare")
    page.wait_for_selector(SHOWN["Compare"], timeout=20_000)
    page.wait_for_timeout(200)
    for player in page.get_by_test_id("player").all():
        assert player.evaluate("(root) => root.player.look().least") >= 11.99


@pytest.mark.parametrize("width", [1440, 360])
def test_the_list_shows_what_is_chosen_and_the_page_its_heading(page: Page, app_url: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 780})
    page.goto(f"{app_url}/Operators")
    page.wait_for_selector(SHOWN["Operators"], timeout=20_000)
    expect(page.get_by_test_id("list").locator("[aria-current]")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("heading", name="Operators", exact=True)).to_be_in_viewport(ratio=1)
    expect(page.get_by_test_id("sentence")).to_contain_text("MulBackward0 #0 multiplies what came")


def test_a_page_is_there_before_streamlit_and_what_was_asked_meanwhile_is_answered_later(
    page: Page, app_url: str
) -> None:
    ready = threading.Event()
    held: list[Route] = []
    page.route("**/_stcore/health", lambda route: route.continue_() if ready.is_set() else held.append(route))
    page.goto(f"{app_url}/Compare")
    page.wait_for_selector(SHOWN["Compare"])
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Lessons").first.click()
    page.wait_for_timeout(300)
    expect(page.locator(SHOWN["Compare"]).first).to_be_visible()
    ready.set()
    for route in held:
        route.continue_()
    page.wait_for_selector(SHOWN["Lessons"], timeout=20_000)


def test_a_page_is_read_before_any_script_and_streamlit_begins_after_it(page: Page, app_url: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    held: list[Route] = []
    page.route("**/gradreel/code-*", lambda route: held.append(route))
    page.goto(f"{app_url}/Lessons?step=hooks", wait_until="commit")
    expect(page.locator("#gr-first h1")).to_be_visible()
    expect(page.locator("#gr-first nav a")).to_have_text(["Lab", "Lessons", "Compare", "Operators", "Gallery", "About"])
    heading = page.locator("#gr-first h1")
    expect(heading).to_have_text(entry_of(lessons(), "hooks").title)
    place = heading.bounding_box()
    assert not [url for url in asked if "/static/" in url]
    held[0].continue_()
    shown = page.locator("[data-testid=lesson] h1")
    expect(shown).to_have_text(entry_of(lessons(), "hooks").title, timeout=20_000)
    assert place and shown.bounding_box() == place, "nothing moves when the page itself comes"
    expect(page.locator("#gr-first")).to_have_count(0)
    page.wait_for_selector("[data-testid=stApp]", state="attached", timeout=20_000)
    letters = [url for url in asked if "/gradreel/letter" in url]
    assert len(letters) == 1, "the head's letter is the one that the code opens"


def test_what_an_address_does_not_tell_the_server_is_not_drawn_beforehand(page: Page, app_url: str) -> None:
    page.route("**/gradreel/code-*", lambda route: None)
    page.goto(f"{app_url}/Lessons#hooks", wait_until="commit")
    page.wait_for_selector("#gr-first nav")
    expect(page.locator("#gr-first h1")).to_be_hidden()
    page.goto(f"{app_url}/?embed=true", wait_until="commit")
    page.wait_for_selector("#gr-first nav", state="attached")
    expect(page.locator("#gr-first nav")).to_be_hidden()


def test_without_our_code_streamlit_begins_all_the_same(browser: Browser, app_url: str) -> None:
    page = browser.new_page()
    page.route("**/gradreel/code-*", lambda route: route.abort())
    page.goto(f"{app_url}/About")
    page.wait_for_selector("[data-testid=stApp]", state="attached", timeout=20_000)
    page.close()


def test_without_a_first_letter_streamlit_makes_the_page_in_the_same_styles(browser: Browser, app_url: str) -> None:
    page = browser.new_page()
    page.route("**/gradreel/letter*", lambda route: route.abort())
    page.goto(app_url)
    page.wait_for_selector(SHOWN["Lab"], timeout=20_000)
    assert page.locator(".gr-lab").evaluate("(each) => getComputedStyle(each).position") == "fixed"
    page.close()


def fetched(url: str, **headers: str) -> tuple[dict[str, str], bytes]:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as reply:
        return dict(reply.headers), reply.read()


def test_every_address_has_its_title_our_code_and_a_first_letter(app_url: str) -> None:
    for name, (place, _) in LANDINGS.items():
        _, page = fetched(f"{app_url}/{name}")
        assert f"<title>{page_title(place)}</title>" in page.decode()
        _, letter = fetched(f"{app_url}/gradreel/letter?page={name}")
        head = json.loads(letter.partition(b"\n")[0])
        assert (head["place"], head["request"]) == (place, None)
        [picture] = re.findall(
            rf'<meta property="og:image" content="{app_url}(/gradreel/preview-\w+[.]png)">', page.decode()
        )
    headers, shown = fetched(app_url + picture)
    assert headers["content-type"] == "image/png" and shown.startswith(b"\x89PNG")
    [code] = re.findall(r'src="\.(/gradreel/code-\w+\.js)"', page.decode())
    headers, script = fetched(app_url + code)
    assert "immutable" in headers["cache-control"] and b"createAppShell" in script
    headers, packed = fetched(app_url + code, **{"Accept-Encoding": "gzip"})
    assert (headers["content-encoding"], gzip.decompress(packed)) == ("gzip", script)
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fetched(f"{app_url}/gradreel/letter?page=Elsewhere")


PASTED = [
    ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x3 and 4x5)", "Matrices that do not fit together"),
    ("a = b\nZeroDivisionError: nothing of torch", "No exhibit is about this message"),
]


@pytest.mark.parametrize("width", [1440, 390])
def test_an_exhibit_opens_by_itself_when_a_pasted_message_finds_it(page: Page, app_url: str, width: int) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=app_url)
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{app_url}/Gallery")
    page.wait_for_selector(SHOWN["Gallery"])
    for message, title in PASTED:
        page.evaluate("(text) => navigator.clipboard.writeText(text)", message)
        page.get_by_test_id("look-for").click()
        page.keyboard.press("Control+A")
        page.keyboard.press("Control+V")
        heading = page.get_by_test_id("detail").locator("h1")
        expect(heading).to_have_text(title)
        expect(heading).to_be_in_viewport()
