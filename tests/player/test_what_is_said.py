"""What the panels, the table and `state()` say, and what a person does there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .driving import into_the_graph, step


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


def test_a_selected_name_says_what_would_go_with_it(page: Any) -> None:
    page.evaluate("player.seek(14)")
    tensor = "player.state().names.find(({ name }) => name === 'loss').tensor"
    page.evaluate(f"player.select({tensor})")
    assert "del loss would free" in page.locator(".caption").inner_text()
    page.evaluate("player.select('n2')")
    assert "held by name y" in page.locator(".caption").inner_text()


def test_state_tells_what_is_seen(page: Any) -> None:
    page.evaluate("player.seek(46)")
    state = page.evaluate("player.state()")
    json.dumps(state)
    assert (state["step"], state["steps"], state["line"]) == (46, 46, 10)
    assert state["selected"] == "n2"
    assert {"name": "t", "grad": [[3, 2], [3, 2]]} in state["leaves"]
    assert next(box for box in state["boxes"] if box["id"] == "n2")["slots"] == {"self": "freed", "vec": "freed"}


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


def test_a_tensor_is_shown_with_its_numbers_and_those_of_its_gradient(page: Any) -> None:
    page.evaluate("player.seek(1e9)")
    page.evaluate("player.select(player.state().names.find(({ name }) => name === 't').tensor)")
    shown = page.get_by_test_id("inspector").locator(".heat")
    assert [shown.nth(place).locator("td").all_inner_texts() for place in range(shown.count())] == [
        ["1", "0", "0", "1"],
        ["3", "2", "3", "2"],
    ]


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
      const mend = { title: "Write it anew", source: "b = b + 1", diff: "-b.add_(1)\\n+b = b + 1" };
      next.diagnoses[0].mends = [{ ...mend, cost: "one tensor more", fixes: true, lost: "", prints: "", printed: "" }];
      player.update(next);
      player.seek(next.steps.length - 1);
    }""")
    page.get_by_test_id("show-me").click()
    assert page.evaluate("player.state().step") == page.evaluate("scene.diagnoses[0].steps.changed")
    page.evaluate("player.seek(scene.steps.length - 1)")
    assert "one tensor more" not in page.get_by_test_id("mend").inner_text(), "each stands in a line"
    page.get_by_text("Write it anew").click()
    assert "one tensor more" in page.get_by_test_id("mend").inner_text()
    page.get_by_test_id("try-it").click()
    assert page.evaluate("ran") == "b = b + 1"
    assert page.evaluate("player.editor.getSource()") == "b = b + 1"
    page.evaluate("player.update({ ...structuredClone(scene), source: ran })")
    assert "Write it anew" in page.get_by_test_id("tried").inner_text()
    page.get_by_test_id("back").click()
    assert page.evaluate("ran === scene.source")


@pytest.mark.parametrize("page", ["saved_modified"], indirect=True)
@pytest.mark.parametrize("size", [(1440, 852), (1000, 652)], ids=str)
def test_what_happened_and_what_is_selected_share_the_height(page: Any, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("""() => {
      const next = structuredClone(scene);
      const diff = "-b.add_(1)\\n".repeat(30);
      const mend = (title) => ({ title, source: title, diff, cost: "nothing", fixes: true });
      const story = Array(12).fill("One more sentence of a story");
      Object.assign(next.diagnoses[0], { story, mends: ["one", "two", "three"].map(mend) });
      player.update(next, { step: next.steps.length - 1 });
    }""")
    foot = page.locator(".foot").bounding_box()["y"]
    inspector = page.get_by_test_id("inspector").bounding_box()
    assert foot - inspector["y"] > 120, "some rows of it can be read"
    for mend in page.get_by_test_id("mend").all():
        mend.locator("summary").click()
        mend.get_by_test_id("try-it").scroll_into_view_if_needed()
        assert mend.get_by_test_id("try-it").bounding_box()["y"] < inspector["y"]
        assert page.get_by_test_id("inspector").bounding_box() == inspector, "it stays where it is"
