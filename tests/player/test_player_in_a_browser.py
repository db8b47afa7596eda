"""The player alone in a real browser: keys, slider, folding, themes, two on one page, and what it leaves behind."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gradreel.player.bundle import vis_network

pytest.importorskip("playwright.sync_api")

ROOT = Path(__file__).parents[2]
WEB = ROOT / "gradreel" / "player" / "web"
SCENES = ROOT / "tests" / "data" / "player"
KINDS = {"js": "text/javascript", "css": "text/css", "json": "application/json"}
PAGE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/web/player.css">
<style>body{margin:0}#one{height:100vh}</style><div id="one"></div><script src="/vis.js"></script>
<script type="module">
import { createPlayer } from "/web/player.js";
window.scene = await (await fetch("/scenes/%s.json")).json();
window.make = (root, options) => createPlayer(root, scene, { vis, ...options });
window.player = make(document.getElementById("one"), { step: 0, onRun: (source) => (window.ran = source) });
</script>"""


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves the modules, the stored scenes and a page for each of them."""

    def do_GET(self) -> None:
        folder, _, name = self.path.lstrip("/").partition("/")
        if folder == "play":
            body, kind = (PAGE % name).encode(), "text/html"
        elif folder == "vis.js":
            body, kind = vis_network().encode(), "text/javascript"
        else:
            body = ({"web": WEB, "scenes": SCENES}[folder] / name).read_bytes()
            kind = KINDS[name.rpartition(".")[2]]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def page(browser: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page with a player on the scene the test asks for; the test fails if the console says anything."""
    context = browser.new_context(viewport={"width": 1000, "height": 700})
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{address}/play/{getattr(request, 'param', 'shared_in_a_loop')}")
    page.wait_for_function("window.player")
    yield page
    context.close()
    assert said == []


def step(page: Any) -> int:
    return int(page.get_by_test_id("player").get_attribute("data-step"))


def into_the_graph(page: Any) -> None:
    page.locator(".graph").click(position={"x": 20, "y": 60})


def test_keys_move_through_time(page: Any) -> None:
    into_the_graph(page)
    for key, expected in [
        ("ArrowRight", 1),
        ("Shift+ArrowRight", 2),
        ("ArrowLeft", 1),
        ("Control+ArrowRight", 15),
        ("Control+ArrowRight", 38),
        ("Control+ArrowLeft", 15),
        ("End", 46),
        ("Home", 0),
    ]:
        page.keyboard.press(key)
        assert step(page) == expected, key


def test_handled_keys_and_the_pages_own_shortcuts_stay_inside(page: Any) -> None:
    page.evaluate("window.heard = []; document.addEventListener('keydown', (event) => heard.push(event.key)); null")
    into_the_graph(page)
    for key in ["r", "c", " ", "ArrowRight", "End", "x"]:
        page.keyboard.press(key)
    assert page.evaluate("heard") == ["x"]


def test_buttons_and_slider_move_through_time(page: Any) -> None:
    for name, expected in [("next", 1), ("last", 46), ("prev", 45), ("first", 0)]:
        page.get_by_test_id(name).click()
        assert step(page) == expected
    page.get_by_test_id("scrub").fill("20")
    assert step(page) == 20
    assert "Step 20 of 46" in page.get_by_test_id("sentence").inner_text()


def test_it_plays_to_the_end_and_stops(page: Any) -> None:
    page.evaluate("player.seek(40)")
    page.get_by_test_id("speed").select_option("8")
    page.get_by_test_id("play").click()
    page.wait_for_function("player.state().step === 46")
    page.wait_for_function("document.querySelector('[data-testid=play]').getAttribute('aria-pressed') === 'false'")


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


def test_the_sheet_of_keys_takes_the_focus_and_gives_it_back(page: Any) -> None:
    sheet = page.get_by_test_id("sheet")
    within = "document.querySelector('[data-testid=sheet]').contains(document.activeElement)"
    page.get_by_test_id("next").focus()
    page.keyboard.press("?")
    assert sheet.is_visible() and page.evaluate(within)
    for key in ["Tab", "Tab", "Shift+Tab"]:
        page.keyboard.press(key)
        assert page.evaluate(f"{within} || document.activeElement === document.body"), "it is a dialog of the page's"
    page.keyboard.press("ArrowRight")
    assert step(page) == 0, "what lies under it stands still"
    page.keyboard.press("Escape")
    assert not sheet.is_visible()
    assert page.evaluate("document.activeElement.dataset.testid") == "next"
    page.keyboard.press("?")
    sheet.get_by_label("close").click()
    page.get_by_test_id("tool-help").click()
    page.mouse.click(5, 5)
    assert not sheet.is_visible(), "a tap beside it closes it"


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


def test_a_node_is_found_and_gone_to(page: Any) -> None:
    page.evaluate("player.seek(46)")
    into_the_graph(page)
    page.keyboard.press("/")
    page.get_by_test_id("find").fill("line 5")
    assert "MvBackward0 #0" in page.get_by_role("option").first.inner_text()
    page.keyboard.press("Enter")
    assert page.evaluate("player.state().selected") == "n2"
    assert page.get_by_test_id("find").is_hidden()
    page.keyboard.press("ArrowLeft")
    assert step(page) == 45
    page.get_by_test_id("tool-find").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.testid") == "tool-find", "the focus is back where it was"


def test_bookmarks_come_go_and_bound_what_loops(page: Any) -> None:
    into_the_graph(page)
    for number in (20, 22):
        page.evaluate(f"player.seek({number})")
        page.keyboard.press("b")
    assert page.evaluate("player.bookmarks()") == [20, 22]
    page.keyboard.press("[")
    assert step(page) == 20
    page.keyboard.press("]")
    assert step(page) == 22
    page.keyboard.press("l")
    assert page.get_by_test_id("loop").get_attribute("aria-pressed") == "true"
    page.get_by_test_id("speed").select_option("8")
    page.get_by_test_id("play").click()
    seen = [page.evaluate("new Promise((done) => setTimeout(() => done(player.state().step), 45))") for _ in range(30)]
    assert set(seen) == {20, 21, 22}
    page.get_by_test_id("play").click()
    page.keyboard.press("l")
    page.get_by_test_id("bookmark").click()
    assert page.get_by_test_id("loop").get_attribute("aria-pressed") == "false"


def test_a_selected_name_says_what_would_go_with_it(page: Any) -> None:
    page.evaluate("player.seek(14)")
    tensor = "player.state().names.find(({ name }) => name === 'loss').tensor"
    page.evaluate(f"player.select({tensor})")
    assert "del loss would free" in page.locator(".caption").inner_text()
    page.evaluate("player.select('n2')")
    assert "held by name y" in page.locator(".caption").inner_text()


def test_the_map_shows_only_while_something_is_out_of_view(page: Any) -> None:
    page.get_by_test_id("tool-fit").click()
    page.wait_for_function("document.querySelector('.minimap').hidden")
    for _ in range(6):
        page.get_by_test_id("tool-in").click()
    page.wait_for_function("!document.querySelector('.minimap').hidden")
    before = page.evaluate("player.view().x")
    page.get_by_test_id("minimap").click(position={"x": 6, "y": 6})
    assert page.evaluate("player.view().x") != before


def test_state_tells_what_is_seen(page: Any) -> None:
    page.evaluate("player.seek(46)")
    state = page.evaluate("player.state()")
    json.dumps(state)
    assert (state["step"], state["steps"], state["line"]) == (46, 46, 10)
    assert state["selected"] == "n2"
    assert {"name": "t", "grad": [[3, 2], [3, 2]]} in state["leaves"]
    assert next(box for box in state["boxes"] if box["id"] == "n2")["slots"] == {"self": "freed", "vec": "freed"}


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


def test_the_table_says_what_the_canvas_shows(page: Any) -> None:
    page.evaluate("player.seek(22)")
    page.get_by_test_id("tool-table").click()
    text = page.get_by_test_id("table").inner_text()
    for expected in ["MeanBackward0 #5", "AddBackward0 #1", "running", "self: held, vec: held", "AccumulateGrad t"]:
        assert expected in text


def test_the_table_is_reached_and_left_by_keys(page: Any) -> None:
    page.evaluate("player.seek(46)")
    focused = "document.activeElement.dataset.testid ?? document.activeElement.textContent"
    page.get_by_test_id("tool-table").focus()
    page.keyboard.press("Enter")
    assert page.evaluate(focused) == "table"
    page.keyboard.press("Tab")
    name = page.evaluate(focused)
    page.keyboard.press("Enter")
    assert page.evaluate("player.state().selected") and page.evaluate(focused) == name, "made anew, it keeps it"
    page.keyboard.press("ArrowLeft")
    assert step(page) == 45 and page.evaluate(focused) == name
    page.keyboard.press("Escape")
    assert not page.get_by_test_id("table").is_visible()
    assert page.evaluate(focused) == "tool-table"


def test_what_is_told_anew_keeps_the_focus_and_what_was_opened(page: Any) -> None:
    page.evaluate("player.seek(46)")
    said = page.get_by_test_id("story").get_by_text("what PyTorch says")
    said.click()
    call = page.locator(".call").first
    call.focus()
    page.keyboard.press("Enter")
    assert step(page) == 15
    assert "call 1" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("End")
    assert said.locator("..").get_attribute("open") is None, "it was away for a while"
    said.click()
    page.evaluate("player.select(null)")
    assert said.locator("..").get_attribute("open") is not None


def test_nothing_is_cut_off_in_a_small_window(page: Any) -> None:
    for number in [0, 22, 46]:
        page.evaluate(f"player.seek({number})")
        assert page.evaluate("document.documentElement.scrollWidth") <= 1000
        assert page.evaluate("document.documentElement.scrollHeight") <= 700
        for name in ["first", "play", "last", "speed", "tool-fit", "sentence"]:
            box = page.get_by_test_id(name).bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= 1000 and box["y"] + box["height"] <= 700, name


@pytest.fixture
def phone(browser: Any, address: str) -> Iterator[Any]:
    """A page 360 wide that is touched."""
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{address}/play/shared_in_a_loop")
    page.wait_for_function("window.player")
    page.evaluate("player.seek(20)")
    yield page
    context.close()


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


def test_a_tensor_is_shown_with_its_numbers_and_those_of_its_gradient(page: Any) -> None:
    page.evaluate("player.seek(1e9)")
    page.evaluate("player.select(player.state().names.find(({ name }) => name === 't').tensor)")
    shown = page.get_by_test_id("inspector").locator(".heat")
    assert [shown.nth(place).locator("td").all_inner_texts() for place in range(shown.count())] == [
        ["1", "0", "0", "1"],
        ["3", "2", "3", "2"],
    ]


def test_the_small_map_and_the_tools_stand_apart(page: Any) -> None:
    for _ in range(4):
        page.get_by_test_id("tool-in").click()
    small, tool = page.locator(".minimap").bounding_box(), page.get_by_test_id("tool-groups").bounding_box()
    assert small["x"] + small["width"] < tool["x"] or small["y"] + small["height"] < tool["y"]


def test_two_players_do_not_disturb_each_other(page: Any) -> None:
    page.evaluate("""() => {
      const two = document.createElement("div");
      two.style.height = "600px";
      document.body.append(two);
      window.other = make(two, { step: 10, theme: "dark" });
    }""")
    page.evaluate("player.seek(5)")
    assert page.evaluate("[player.state().step, other.state().step]") == [5, 10]
    page.evaluate("other.seek(30)")
    assert page.evaluate("[player.state().step, other.state().step]") == [5, 30]
    page.evaluate("other.destroy()")
    assert page.evaluate("document.querySelectorAll('canvas').length") == 3
    page.get_by_test_id("next").click()
    assert step(page) == 6


def test_destroying_leaves_nothing(page: Any) -> None:
    page.evaluate("player.play(); player.destroy()")
    page.wait_for_timeout(600)
    assert page.locator("#one").inner_html() == ""
    assert page.evaluate("document.getElementById('one').player === undefined")


def test_text_of_a_program_never_becomes_markup(page: Any) -> None:
    page.evaluate("""() => {
      const evil = "<img src=x onerror=alert(1)>";
      const next = structuredClone(scene);
      next.source = evil;
      for (const item of next.steps) item.sentence = evil + " `" + evil + "`";
      for (const box of next.boxes) Object.assign(box, { name: evil, variable: box.variable && evil });
      for (const item of next.diagnoses) Object.assign(item, { title: evil, story: [evil], message: evil });
      next.output = [[evil, 1]];
      player.update(next, { step: 46 });
    }""")
    page.get_by_test_id("tool-table").click()
    assert page.locator("img").count() == 0
    assert "<img" in page.get_by_test_id("printed").inner_text()


@pytest.mark.parametrize("page", ["saved_modified"], indirect=True)
def test_a_mend_is_shown_tried_and_taken_back(page: Any) -> None:
    page.evaluate("""() => {
      const next = structuredClone(scene);
      const diff = "-b.add_(1)\\n+b = b + 1";
      next.diagnoses[0].mends = [{ title: "Write it anew", source: "b = b + 1", diff, cost: "one tensor more" }];
      player.update(next);
      player.seek(next.steps.length - 1);
    }""")
    page.get_by_test_id("show-me").click()
    assert page.evaluate("player.state().step") == page.evaluate("scene.diagnoses[0].steps.changed")
    page.evaluate("player.seek(scene.steps.length - 1)")
    assert "one tensor more" in page.get_by_test_id("mend").inner_text()
    page.get_by_test_id("try-it").click()
    assert page.evaluate("ran") == "b = b + 1"
    assert page.evaluate("player.editor.getSource()") == "b = b + 1"
    page.evaluate("player.update({ ...structuredClone(scene), source: ran })")
    assert "Write it anew" in page.get_by_test_id("tried").inner_text()
    page.get_by_test_id("back").click()
    assert page.evaluate("ran === scene.source")
