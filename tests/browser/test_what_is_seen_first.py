"""What a run opens with: something to see, large enough to be read, whatever is left of its graph."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .driving import run, state
from .reels import SHARED

GONE = """\
import torch
x = torch.ones(3, requires_grad=True)
def f():
    y = (x * x).sum()
    y.backward()
f()
"""
LONG = """\
import torch
x = torch.ones(3, requires_grad=True)
for k in range(150):
    x = x * 1.01
x.sum().backward()
"""
INK = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.some((each) => each > 0);
}"""


def test_it_opens_where_there_is_something_to_see(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, GONE)
    last = state(player)
    assert last["step"] == last["steps"] and last["boxes"] == [], "what is told of it is true"
    lab.wait_for_timeout(100)
    assert lab.locator(".canvas").evaluate(INK), "and the tensors are seen that are left of it"
    expect(lab.get_by_text("Nothing is left of this graph")).to_be_visible()
    lab.get_by_role("button", name="the moment before it went").click()
    assert state(player)["boxes"]
    expect(lab.get_by_text("Nothing is left of this graph")).to_be_hidden()

    run(lab, LONG)
    assert "SumBackward0" not in [box["name"] for box in state(player)["boxes"]], "nobody holds the root"
    assert player.evaluate("(root) => root.player.look().least") >= 11.99, "what it led to can be read"

    many = "".join(f"weight_{k} = torch.full((3,), {k}.0, requires_grad=True)\n" for k in range(24))
    run(lab, f"import torch\n{many}loss = (weight_0 * weight_1).sum()\nloss.backward()\n")
    now = lab.locator(".gr-line-now")
    expect(now).to_be_in_viewport()
    lab.set_viewport_size({"width": 1000, "height": 700})
    lab.wait_for_timeout(200)
    expect(now).to_be_in_viewport()


def test_a_window_of_another_size_shows_it_as_one_that_had_that_size(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, SHARED)
    lab.wait_for_timeout(300)
    places = "(root) => root.player.places()"
    at_first = player.evaluate(places)
    for width, height in ((700, 800), (1000, 700), (1440, 900)):
        lab.set_viewport_size({"width": width, "height": height})
        lab.wait_for_timeout(150)
    assert player.evaluate(places) == at_first
