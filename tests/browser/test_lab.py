"""The Lab in a real browser: programs are typed, run, played and shared; mistakes get a sentence."""

from __future__ import annotations

import base64
import json
import re
import time
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from .driving import SETTLED, go, open_lab, put, run, sentence_of, state

SHARED = """\
import torch
t = torch.eye(2, requires_grad=True)
a = torch.ones(2, requires_grad=True)
y = t @ a
for step in range(2):
    loss = (t @ y).sum()
    loss.backward()
"""
ALONE = "import torch\na = torch.tensor(3., requires_grad=True)\nb = a * a\nb.backward()\nprint(a.grad)\n"
LATE = 500
"""Milliseconds after which an answer that nobody waits for would have come."""
MISTAKES = [
    ("for i in range(3) print(i)", r"not valid Python.*line 1.*SyntaxError"),
    ("import torch\nx = torch.ones(2)\nprint(z)", r"line 3.*NameError: name 'z' is not defined"),
    ("x = 1\nimport socket", r"line 2.*import socket"),
    ("x = 1\nwhile True:\n    x = x + 1", r"stopped"),
    ("import torch\nx = torch.zeros(10**12)", r"line 2.*stopped.*elements"),
    ("  ", r"no program yet"),
]


def test_a_program_plays_to_its_end_and_back(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, ALONE)
    last = int(player.get_attribute("data-steps") or 0)
    assert (player.get_attribute("data-outcome"), state(player)["step"]) == ("finished", last)
    end = state(player)
    assert end["printed"] == "tensor(6.)\n" and end["leaves"] == [{"name": "a", "grad": 6}]
    lab.get_by_test_id("first").click()
    assert state(player)["boxes"] == [] and state(player)["leaves"] == []
    lab.get_by_test_id("speed").select_option("8")
    lab.get_by_test_id("play").click()
    expect(player).to_have_attribute("data-step", str(last), timeout=20_000)
    assert state(player) == end
    lab.get_by_test_id("speed").select_option("1")
    lab.get_by_test_id("prev").click()
    assert state(player)["step"] == last - 1


def test_keys_are_for_the_player_while_nothing_has_the_focus(page: Page, app_url: str) -> None:
    player = open_lab(page, app_url)
    assert page.evaluate("document.activeElement === document.body")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert state(player)["step"] == 2
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_space_plays_after_a_button_of_time_was_pressed_by_mouse(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, ALONE)
    lab.get_by_test_id("first").click()
    lab.keyboard.press("Space")
    expect(lab.get_by_test_id("play")).to_have_attribute("aria-pressed", "true")
    lab.keyboard.press("Space")
    expect(lab.get_by_test_id("play")).to_have_attribute("aria-pressed", "false")
    lab.get_by_test_id("last").focus()
    lab.keyboard.press("Space")
    assert state(player)["step"] == int(player.get_attribute("data-steps") or 0), "what has the focus is pressed"


def test_what_is_shown_stops_playing_when_another_program_runs(lab: Page) -> None:
    run(lab, ALONE)
    lab.get_by_test_id("first").click()
    put(lab, "x = 1\nwhile True:\n    x = x + 1")
    lab.get_by_test_id("play").click()
    expect(lab.get_by_test_id("sentence")).to_have_attribute("aria-live", "off")  # it plays
    lab.locator("[data-testid=editor] .cm-content").first.press("Control+Enter")
    expect(lab.get_by_test_id("sentence")).to_have_attribute("aria-live", "polite")
    lab.get_by_test_id("run").click()  # stops the endless one


def test_another_program_does_not_wait_for_the_end_of_an_endless_one(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    put(lab, "import torch\nx = torch.ones(2, requires_grad=True)\nwhile True:\n    y = x.sum()")
    lab.keyboard.press("Control+Enter")
    lab.wait_for_timeout(700)
    put(lab, ALONE)
    lab.keyboard.press("Control+Enter")
    expect(lab.get_by_test_id("printed")).to_have_text("tensor(6.)", timeout=3_000)  # the endless one had four more
    assert player.get_attribute("data-outcome") == "finished"


def test_a_run_is_given_up_and_what_ran_before_stays(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, ALONE)
    expect(lab.get_by_test_id("edited")).to_be_empty()
    steps = player.get_attribute("data-steps")
    put(lab, "while True:\n    pass")
    expect(lab.get_by_test_id("edited")).to_have_text("edited since it ran")
    button = lab.get_by_test_id("run")
    button.click()
    expect(button).to_contain_text("Stop")
    expect(lab.get_by_test_id("edited")).to_have_text("running …")
    button.click()
    expect(button).to_contain_text("Run", timeout=2_000)
    expect(lab.get_by_test_id("edited")).to_have_text("edited since it ran")
    expect(lab.get_by_text("The run was given up")).to_be_visible()
    lab.wait_for_timeout(LATE)
    expect(lab.get_by_text("There is no program yet")).to_have_count(0)
    assert (player.get_attribute("data-steps"), player.get_attribute("data-outcome")) == (steps, "finished")
    run(lab, ALONE)
    expect(lab.get_by_test_id("edited")).to_be_empty()


EMBEDDED = (
    f"?embed=true&p=g1..{base64.urlsafe_b64encode(zlib.compress(ALONE.encode(), wbits=-15)).decode().rstrip('=')}"
)


@pytest.mark.parametrize("place", ["Lessons", "Compare", "Operators", "Gallery"])
def test_a_run_is_given_up_wherever_programs_run(lab: Page, place: str) -> None:
    go(lab, place)
    lab.wait_for_function(SETTLED)
    give_up(lab)


def test_a_run_is_given_up_where_the_page_is_embedded(page: Page, app_url: str) -> None:
    open_lab(page, f"{app_url}/{EMBEDDED}")
    give_up(page)


def give_up(page: Page) -> None:
    """Run what never ends, and stop it: what was shown stays."""
    player = page.get_by_test_id("player").first
    steps = player.get_attribute("data-steps")
    put(page, "while True:\n    pass")
    button = page.get_by_test_id("run")
    button.click()
    expect(button).to_contain_text("Stop")
    button.click()
    expect(button).to_contain_text("Run", timeout=2_000)
    expect(page.get_by_text("The run was given up")).to_be_visible()
    page.wait_for_timeout(LATE)
    assert player.get_attribute("data-steps") == steps


def test_a_long_line_goes_on_below_its_own_beginning(lab: Page) -> None:
    put(lab, "for i in range(2):\n    total = 1 + " + " + ".join(str(each) for each in range(40)))
    rows = lab.locator(".cm-line").last.evaluate(
        """line => {
            const range = document.createRange();
            range.selectNodeContents(line);
            const lefts = new Map([...range.getClientRects()].map((at) => [Math.round(at.bottom), at.left]).reverse());
            return [...lefts].sort((a, b) => a[0] - b[0]).map(([, left]) => left);
        }"""
    )
    assert len(rows) > 2
    assert all(row > rows[0] + 10 for row in rows[1:])


def test_the_error_is_told_with_the_lines_that_matter(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, SHARED)
    assert player.get_attribute("data-outcome") == "raised"
    assert "line 4" in lab.get_by_test_id("story").inner_text()
    born = lab.locator(".cm-line.gr-line-born")
    assert born.inner_text() == "y = t @ a"
    assert born.get_attribute("data-hint") == "built Mv #0  = [1, 1]"
    failed = lab.locator(".cm-line.gr-line-bad")
    assert failed.inner_text().strip() == "loss.backward()"
    under = str(failed.get_attribute("data-hint")).split("\n")[1]
    assert under.startswith("✖ RuntimeError: Trying to backward through the graph a second time")


def test_marks_go_when_the_program_is_edited(lab: Page) -> None:
    run(lab, SHARED)
    lab.keyboard.press("Control+End")
    lab.keyboard.insert_text("# more")
    expect(lab.locator(".cm-line.gr-line-born")).to_have_count(0)
    lab.keyboard.press("Control+z")
    expect(lab.locator(".cm-line.gr-line-born")).to_have_count(1)


def test_an_expression_shows_its_graph_and_follows_its_slider(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, "sin(x*y) + x**2")
    assert {leaf["name"] for leaf in state(player)["leaves"]} == {"x", "y"}
    lab.evaluate("() => { window.kept = true }")
    player.evaluate("(root) => { root.querySelector('canvas').kept = true }")
    lab.get_by_test_id("slider-x").focus()
    waits = []
    for _ in range(7):
        before = state(player)["leaves"]
        started = time.perf_counter()
        lab.keyboard.press("ArrowRight")
        lab.wait_for_function(
            "([host, before]) => JSON.stringify(host.player.state().leaves) !== before",
            arg=[player.element_handle(), json.dumps(before, separators=(",", ":"))],
        )
        waits.append(time.perf_counter() - started)
    assert sorted(waits)[0] < 0.3
    assert lab.evaluate("() => window.kept") and player.evaluate("(root) => root.querySelector('canvas').kept")
    assert lab.get_by_test_id("value-x").input_value() == "2.07"
    gradients = {leaf["name"]: leaf["grad"] for leaf in state(player)["leaves"]}
    assert gradients == {"x": pytest.approx(7.1320, 1e-4), "y": pytest.approx(2.0645, 1e-4)}


def test_a_result_that_is_no_number_is_sent_back_with_ones_and_the_page_says_so(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, "relu(W @ v)")
    assert "ones" in lab.get_by_test_id("ones").inner_text()
    assert {leaf["name"] for leaf in state(player)["leaves"]} == {"W", "v"}
    lab.get_by_label("v[0]").fill("7")
    lab.wait_for_function(SETTLED)
    expect(lab.get_by_test_id("value-v")).to_have_value(re.compile(r"^\[7, "))


@pytest.mark.parametrize(("source", "told"), MISTAKES, ids=[told for _, told in MISTAKES])
def test_a_mistake_gets_a_sentence_and_the_page_stays_usable(lab: Page, source: str, told: str) -> None:
    player = lab.get_by_test_id("player")
    run(lab, source)
    assert re.search(told, sentence_of(lab), re.DOTALL), sentence_of(lab)
    run(lab, ALONE)
    assert state(player)["leaves"] == [{"name": "a", "grad": 6}]


def test_what_was_printed_last_is_in_sight_below_a_long_program(lab: Page) -> None:
    run(lab, ALONE + "\n" * 40 + "for i in range(60):\n    print('turn', i)\n")
    seen = "(each) => { const at = each.getBoundingClientRect(); return at.top > 0 && at.bottom < innerHeight; }"
    assert lab.locator(".output").evaluate(seen)
    printed = lab.get_by_test_id("printed")
    at_end = "(each) => each.scrollTop > 0 && each.scrollTop + each.clientHeight >= each.scrollHeight - 1"
    assert printed.evaluate(at_end)


def test_text_from_a_program_is_never_markup(lab: Page) -> None:
    run(lab, "x = '<img src=x onerror=\"document.title=1\">'\nprint(x)\nraise ValueError(x)")
    assert lab.locator("[data-testid=player] img").count() == 0
    assert "<img src=x" in lab.get_by_test_id("printed").inner_text()


def test_a_link_restores_the_program_and_the_step(lab: Page, browser: Browser) -> None:
    player = lab.get_by_test_id("player")
    run(lab, ALONE)
    player.evaluate("(root) => root.player.seek(4)")
    lab.get_by_test_id("copy-link").click()
    lab.wait_for_url(re.compile(r"#g1\.4\."))
    other = browser.new_page()
    other.goto(lab.url)
    other.wait_for_selector("[data-testid=player]")
    there = other.get_by_test_id("player")
    expect(there).to_have_attribute("data-step", "4", timeout=20_000)
    assert (
        other.locator("[data-testid=editor] .cm-content").inner_text().startswith("import torch\na = torch.tensor(3.")
    )
    assert state(there) == state(player)
    other.close()


def test_a_theme_change_keeps_step_and_text(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, ALONE)
    player.evaluate("(root) => { root.player.seek(3); root.querySelector('canvas').kept = true }")
    put(lab, "half typed")
    lab.emulate_media(color_scheme="dark")
    expect(player).to_have_attribute("data-theme", "dark")
    assert state(player)["step"] == 3 and player.evaluate("(root) => root.querySelector('canvas').kept")
    assert lab.locator("[data-testid=editor] .cm-content").inner_text() == "half typed"


def test_a_rerun_of_the_page_changes_nothing(page: Page, app_url: str) -> None:
    frames: list[object] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(frame)))
    player = open_lab(page, app_url)
    run(page, ALONE)
    player.evaluate("(root) => { root.player.seek(3); root.querySelector('canvas').kept = true; root.changed = 0 }")
    player.evaluate("""(root) => {
      new MutationObserver(() => root.changed++).observe(root, { childList: true, subtree: true });
      for (let at = root; at; at = at.getRootNode().host) (at.getRootNode().activeElement ?? at).blur?.();
    }""")
    before = len(frames)
    page.keyboard.press("r")
    page.wait_for_timeout(1500)
    assert len(frames) > before, "Streamlit runs its script again when r is pressed outside of the player"
    assert state(player)["step"] == 3
    assert player.evaluate("(root) => [root.querySelector('canvas').kept, root.changed]") == [True, 0]


def test_another_page_and_back_finds_the_step_again(page: Page, app_url: str) -> None:
    player = open_lab(page, app_url)
    run(page, ALONE)
    player.evaluate("(root) => root.player.seek(3)")
    page.goto(f"{app_url}/Lessons")
    player = open_lab(page, app_url)
    page.wait_for_function(SETTLED)
    expect(player).to_have_attribute("data-step", "3")


def test_an_example_is_put_in_and_run(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    lab.get_by_test_id("examples").click()
    lab.get_by_role("menuitem", name="Two paths into one leaf", exact=True).click()
    lab.wait_for_function(SETTLED)
    expect(player).to_have_attribute("data-outcome", "finished")
    assert "16." in state(player)["printed"]


def test_the_trace_can_be_taken_away(lab: Page) -> None:
    run(lab, ALONE)
    lab.get_by_test_id("export").click()
    with lab.expect_download() as waiting:
        lab.get_by_role("menuitem", name="Trace").click()
    trace = json.loads(Path(waiting.value.path()).read_text())
    assert (trace["schema"], trace["source"]) == ("gradreel-trace/2", ALONE)


def test_the_picture_can_be_taken_away(lab: Page, tmp_path: Path) -> None:
    player = lab.get_by_test_id("player")
    run(lab, ALONE)
    lab.get_by_test_id("prev").click()
    step = player.get_attribute("data-step")
    for kind in ("png", "svg"):
        lab.get_by_test_id("export").click()
        with lab.expect_download() as waiting:
            lab.get_by_role("menuitem", name=f"Picture, {kind.upper()}").click()
        waiting.value.save_as(tmp_path / waiting.value.suggested_filename)
    assert (tmp_path / "gradreel.png").read_bytes().startswith(b"\x89PNG")
    drawn = ElementTree.parse(tmp_path / "gradreel.svg")
    texts = ["".join(found.itertext()) for found in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Mul", ".grad"} <= set(texts) and any(text.startswith(f"Step {step} of") for text in texts)


def test_the_exported_page_plays_with_the_network_off(lab: Page, browser: Browser, tmp_path: Path) -> None:
    player = lab.get_by_test_id("player")
    run(lab, SHARED)
    player.evaluate("root => root.player.seek(12)")
    lab.get_by_test_id("export").click()
    with lab.expect_download() as waiting:
        lab.get_by_role("menuitem", name="Offline page").click()
    waiting.value.save_as(tmp_path / "run.html")
    context = browser.new_context(offline=True)
    there = context.new_page()
    complaints: list[str] = []
    there.on("console", lambda message: complaints.append(message.text))
    there.on("pageerror", lambda error: complaints.append(str(error)))
    there.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
    there.goto((tmp_path / "run.html").as_uri())
    there.wait_for_selector("[data-testid=player]")
    copy = there.get_by_test_id("player")
    expect(copy).to_have_attribute("data-step", "12")
    for step in (int(player.get_attribute("data-steps") or 0), 0, 9, 17, 2):
        for each in (player, copy):
            each.evaluate("(root, step) => root.player.seek(step)", step)
        assert state(copy) == state(player)
    there.get_by_test_id("play").click()
    expect(copy).not_to_have_attribute("data-step", "2")
    there.get_by_test_id("tool-share").click()
    with there.expect_download() as waiting:
        there.get_by_test_id("share-gif").click()
    assert waiting.value.path().read_bytes().startswith(b"GIF89a")
    there.get_by_test_id("share-link").click()
    expect(there.get_by_test_id("share-said")).to_contain_text(re.compile("^Link copied|/#g1[.]"))
    context.close()
    assert complaints == []


def test_two_people_do_not_see_each_other(lab: Page, browser: Browser, app_url: str) -> None:
    one = lab.get_by_test_id("player")
    context = browser.new_context()
    other = context.new_page()
    two = open_lab(other, app_url)
    put(lab, "import torch\nwho = torch.tensor(1., requires_grad=True)\ny = who * 1\ny.backward()")
    put(other, "import torch\nelse_ = torch.tensor(2., requires_grad=True)\ny = else_ * 3\ny.backward()")
    lab.keyboard.press("Control+Enter")
    other.keyboard.press("Control+Enter")
    for each in (lab, other):
        each.wait_for_function(SETTLED, timeout=20_000)
    expect(one).to_have_attribute("data-outcome", "finished")
    expect(two).to_have_attribute("data-outcome", "finished")
    assert [leaf["name"] for leaf in state(one)["leaves"]] == ["who"]
    assert [leaf["name"] for leaf in state(two)["leaves"]] == ["else_"]
    context.close()


def test_the_payload_of_a_small_program_is_small(page: Page, app_url: str) -> None:
    """Code and styles are sent once: what a run sends afterwards stays far below them."""
    sizes: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sizes.append(len(frame))))
    open_lab(page, app_url)
    sizes.clear()
    run(page, ALONE)
    assert 0 < sum(sizes) < 40_000


def test_an_embedded_page_is_a_player_at_its_step(lab: Page, browser: Browser) -> None:
    lab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    player = lab.get_by_test_id("player")
    run(lab, SHARED)
    player.evaluate("root => root.player.seek(11)")
    lab.get_by_test_id("export").click()
    lab.get_by_role("menuitem", name="Embed").click()
    expect(lab.locator(".gr-notice")).to_contain_text("Copied")
    copied = lab.evaluate("navigator.clipboard.readText()")
    context = browser.new_context(viewport={"width": 760, "height": 520})
    there = context.new_page()
    there.set_content(copied)
    inside = there.frame_locator("iframe").get_by_test_id("player")
    expect(inside).to_have_attribute("data-step", "11", timeout=30_000)
    assert there.frame_locator("iframe").get_by_test_id("examples").count() == 0
    link = there.frame_locator("iframe").get_by_test_id("lab-link")
    assert (link.get_attribute("target"), link.get_attribute("rel")) == ("_blank", "noopener")
    context.close()


def test_names_of_torch_are_proposed_while_typing(lab: Page) -> None:
    put(lab, "import torch\nx = torch.zero")
    lab.keyboard.press("Control+End")
    lab.keyboard.type("s_l")
    expect(lab.locator(".cm-tooltip-autocomplete [aria-selected]")).to_contain_text("zeros_like")
    lab.wait_for_timeout(100)  # CodeMirror lets no key choose what has only just come up
    lab.keyboard.press("Enter")
    expect(lab.locator(".cm-content")).to_contain_text("torch.zeros_like")


def test_what_was_proposed_goes_when_the_program_runs(lab: Page) -> None:
    run(lab, SHARED)
    lab.keyboard.press("Control+End")
    lab.keyboard.insert_text("\nloss.")
    expect(lab.locator(".cm-tooltip-autocomplete")).to_be_visible()
    lab.keyboard.press("Control+Enter")
    expect(lab.locator(".cm-tooltip-autocomplete")).to_have_count(0)


def test_values_stand_after_their_lines_and_can_be_switched_off(page: Page, app_url: str) -> None:
    player = open_lab(page, app_url)
    run(page, ALONE)
    hints = "lines => lines.map(line => line.dataset.hint ?? '')"
    lines = page.locator(".cm-line")
    assert any(hint.endswith("= 3") for hint in lines.evaluate_all(hints))
    player.evaluate("root => root.player.seek(1)")
    assert not any("= 9" in hint for hint in lines.evaluate_all(hints))
    page.get_by_test_id("last").click()
    page.get_by_test_id("choice-values").uncheck()
    assert not any("= 3" in hint for hint in lines.evaluate_all(hints))
    page.reload()
    page.wait_for_selector("[data-testid=player]")
    expect(page.get_by_test_id("choice-values")).not_to_be_checked()


def test_a_program_runs_by_itself_where_that_is_wished(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    lab.get_by_test_id("choice-live").check()
    put(lab, "import torch\nlively = torch.ones(1, requires_grad=True)\n(lively * 4).sum().backward()")
    expect(lab.get_by_test_id("leaves")).to_contain_text("lively", timeout=15_000)
    assert player.get_attribute("data-outcome") == "finished"
    lab.get_by_test_id("choice-live").uncheck()


POSTED = """\
>>> import torch
>>> x = torch.ones(2, requires_grad=True)
>>> y = (x * 3).sum()
>>> y
tensor(6., grad_fn=<SumBackward>)
>>> y.backward()
>>> x.grad
tensor([3., 3.])
"""
NOTEBOOK = json.dumps(
    {
        "cells": [{"cell_type": "code", "source": ["import torch\n", "seen = torch.ones(1)"], "outputs": []}],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
)


def test_posted_outputs_are_compared_beside_the_program(lab: Page) -> None:
    run(lab, POSTED)
    said = lab.get_by_test_id("remarks")
    expect(said).to_contain_text("1 of 2 outputs are what was posted.")
    expect(said).to_contain_text("Line 4")
    run(lab, ALONE)
    expect(said).to_be_hidden()


def test_a_pasted_notebook_becomes_its_cells(lab: Page) -> None:
    run(lab, NOTEBOOK)
    editor = lab.locator("[data-testid=editor] .cm-content").first
    expect(editor).to_contain_text("seen = torch.ones(1)")
    expect(editor).not_to_contain_text("cell_type")


def test_the_page_is_busy_until_what_came_is_shown(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    player.evaluate(
        """(player) => {
          const rested = (window.rested = []);
          const look = (changes) => {
            if (changes.some(({ target }) => !target.hasAttribute("data-busy"))) rested.push(player.dataset.steps);
          };
          const how = { attributes: true, subtree: true, attributeFilter: ["data-busy"] };
          new MutationObserver(look).observe(player.getRootNode(), how);
        }"""
    )
    before = player.get_attribute("data-steps")
    run(lab, "import torch\na = torch.tensor(2., requires_grad=True)\n(a * a).backward()\n")
    now = player.get_attribute("data-steps")
    assert now != before
    assert set(lab.evaluate("window.rested")) == {now}
