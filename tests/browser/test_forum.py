"""A page of a forum pasted into the Lab: prose, a program in it, and the traceback of an error that somebody met."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .driving import SETTLED, open_lab, run, state
from .reels import SHARED

PAGE = f"""\
I keep getting this error and I don't understand why:

```python
{SHARED}```

Traceback (most recent call last):
  File "main.py", line 10, in <module>
    loss.backward()
RuntimeError: Trying to backward through the graph a second time

Thanks!
"""

LOST = """\
import torch
w = torch.ones(2, requires_grad=True)
loss = torch.argsort(w).float().sum()
loss.backward()
print(w.grad)
"""


def test_a_pasted_page_is_shown_at_its_error_and_mended_where_it_stands(page: Page, app_url: str) -> None:
    player = open_lab(page, app_url)
    run(page, PAGE)  # over the example, which builds the same nodes and plays by itself
    assert state(player)["step"] == state(player)["steps"]
    expect(page.get_by_test_id("mend")).to_have_count(3)
    expect(page.locator(".cm-line", has_text="y = t @ a")).to_be_in_viewport()
    page.get_by_test_id("try-it").first.click()
    page.wait_for_function(SETTLED)
    expect(player).to_have_attribute("data-outcome", "finished")
    edited = player.evaluate("(root) => root.player.editor.getSource()")
    program, _, after = PAGE.partition("Traceback")
    _, _, after = after.partition("\n\n")
    mended = program.replace("y = t @ a\n", "", 1).replace(":\n    out", ":\n    y = t @ a\n    out")
    assert edited.split("\n\n\n") == [mended.rstrip(), after.rstrip()], "the error is of the program before"
    page.get_by_test_id("back").click()
    page.wait_for_function(SETTLED)
    expect(player).to_have_attribute("data-outcome", "raised")
    run(page, "RuntimeError: Trying to backward through the graph a second time")
    expect(page.locator(".gr-notice")).to_be_visible()
    run(page, PAGE)
    expect(page.locator(".gr-notice")).to_be_hidden()
    run(page, LOST)
    expect(page.get_by_role("heading", name="What only ends the error")).to_be_visible()
    page.get_by_test_id("mend").locator("summary").click()
    expect(page.get_by_test_id("outputs")).to_contain_text("prints thenNone")


def test_on_a_phone_a_run_goes_up_to_its_picture_and_typing_does_not(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    player = open_lab(page, app_url)
    frame = player.locator(".frame")
    page.get_by_test_id("all-lines").click()
    page.get_by_label("run while typing").check()
    frame.evaluate("(each) => (each.scrollTop = 20)")
    steps = state(player)["steps"]
    page.locator("[data-testid=editor] .cm-content").first.click()
    page.keyboard.press("Control+Home")
    page.keyboard.insert_text("z = 1\n")
    expect(player).to_have_attribute("data-steps", str(steps + 1))
    assert frame.evaluate("(each) => each.scrollTop") == 20
    page.get_by_label("run while typing").uncheck()
    run(page, "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n")
    assert frame.evaluate("(each) => each.scrollTop") == 0
