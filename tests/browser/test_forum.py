"""A page of a forum pasted into the Lab: prose, a program in it, and the traceback of an error that somebody met."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .driving import SETTLED, run, state
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


def test_a_pasted_page_is_shown_at_its_error_and_mended_where_it_stands(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    run(lab, PAGE)  # over the example, which builds the same nodes and plays by itself
    assert state(player)["step"] == state(player)["steps"]
    expect(lab.get_by_test_id("mend")).to_have_count(3)
    expect(lab.locator(".cm-line", has_text="y = t @ a")).to_be_in_viewport()
    lab.get_by_test_id("try-it").first.click()
    lab.wait_for_function(SETTLED)
    expect(player).to_have_attribute("data-outcome", "finished")
    edited = player.evaluate("(root) => root.player.editor.getSource()")
    program, _, after = PAGE.partition("Traceback")
    _, _, after = after.partition("\n\n")
    mended = program.replace("y = t @ a\n", "", 1).replace(":\n    out", ":\n    y = t @ a\n    out")
    assert edited.split("\n\n\n") == [mended.rstrip(), after.rstrip()], "the error is of the program before"
    lab.get_by_test_id("back").click()
    lab.wait_for_function(SETTLED)
    expect(player).to_have_attribute("data-outcome", "raised")
    run(lab, "RuntimeError: Trying to backward through the graph a second time")
    expect(lab.locator(".gr-notice")).to_be_visible()
    run(lab, PAGE)
    expect(lab.locator(".gr-notice")).to_be_hidden()
    run(lab, LOST)
    expect(lab.get_by_role("heading", name="What only ends the error")).to_be_visible()
    lab.get_by_test_id("mend").locator("summary").click()
    expect(lab.get_by_test_id("outputs")).to_contain_text("prints thenNone")
