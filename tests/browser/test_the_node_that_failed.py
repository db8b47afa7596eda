"""What failed is in view at the step of its error, and so is the first mend, whatever the size of the window."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from .driving import run

WIDE = """\
import torch
w = torch.ones(3, 3, requires_grad=True)
h = torch.zeros(3)
losses = []
for t in range(3):
    h = torch.tanh(w @ h + 1)
    losses.append((h * h).sum())
    if t == 1:
        h.detach_()
sum(losses).backward()
"""
LONG = (
    "import torch\ny = x = torch.ones(2, requires_grad=True)\n"
    + "y = y.sin()\n" * 390
    + "y = y.sum()\n"
    + "y.backward()\n" * 2
)
SIZES = [(1440, 900), (1000, 700), (390, 844)]
CLEAR = """(root) => {
  const { width, height } = root.player.look();
  const card = root.player.places()[root.player.state().selected];
  return card.x >= 0 && card.y >= 0 && card.x + card.width <= width && card.y + card.height <= height;
}"""


def is_clear(player: Locator) -> bool:
    """Whether all of the card in question is on the stage."""
    player.page.wait_for_timeout(50)
    return bool(player.evaluate(CLEAR))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_node_that_failed_is_in_view_at_the_step_of_its_error(lab: Page, width: int, height: int) -> None:
    lab.set_viewport_size({"width": width, "height": height})
    player = lab.get_by_test_id("player")
    run(lab, WIDE)
    assert player.evaluate("(root) => root.player.state().boxes.filter((box) => box.state === 'failed').length") == 1
    assert is_clear(player), "when it opens"
    lab.get_by_test_id("first").click()
    lab.get_by_test_id("last").click()
    assert is_clear(player), "from the beginning to the end"
    for other in SIZES:
        lab.set_viewport_size({"width": other[0], "height": other[1]})
        assert is_clear(player), f"in a window that is {other} now"


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1000, 700), (800, 600)])
def test_the_first_mend_stays_in_sight_while_the_story_scrolls(lab: Page, width: int, height: int) -> None:
    lab.set_viewport_size({"width": width, "height": height})
    run(lab, WIDE)
    first, others = lab.get_by_test_id("try-it").first, lab.get_by_test_id("try-it").last
    expect(first).to_be_in_viewport(ratio=1)
    first.click(trial=True)
    others.scroll_into_view_if_needed()
    others.click(trial=True)


def test_on_a_phone_what_happened_stands_before_names_and_what_is_selected(lab: Page) -> None:
    lab.set_viewport_size({"width": 390, "height": 844})
    run(lab, WIDE)
    tops = [
        lab.locator(f".gradreel .{name}").evaluate("(each) => each.getBoundingClientRect().top")
        for name in ("program", "graph", "told", "bound", "shown")
    ]
    assert tops == sorted(tops)


def test_the_error_stands_whole_below_the_last_of_many_lines(lab: Page) -> None:
    lab.set_viewport_size({"width": 1000, "height": 700})
    run(lab, LONG)
    failed = lab.locator(".gr-line-bad")
    for _ in range(2):
        expect(failed).to_be_in_viewport(ratio=0.99)
        assert "second time" in str(failed.get_attribute("data-hint"))
        lab.get_by_test_id("first").click()
        lab.wait_for_timeout(200)
        lab.get_by_test_id("last").click()
