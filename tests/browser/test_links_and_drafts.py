"""Links, drafts and files in a real browser: what comes in from outside, and what stays when the page is left."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from .driving import SETTLED, open_lab, put, run, state

ALONE = "import torch\na = torch.tensor(3., requires_grad=True)\nb = a * a\nb.backward()\nprint(a.grad)"
EDITOR = "[data-testid=editor] .cm-content"


def text_of(page: Page) -> str:
    """What stands in the editor."""
    return page.locator(EDITOR).first.inner_text().strip("\n")


def link_to(page: Page, step: int) -> str:
    """The fragment that `copy link` makes at `step`."""
    page.get_by_test_id("player").evaluate("(root, step) => root.player.seek(step)", step)
    page.get_by_test_id("copy-link").click()
    page.wait_for_url(re.compile(rf"#g1\.{step}\."))
    return page.url.partition("#")[2]


def test_a_damaged_link_opens_an_empty_lab_that_works(page: Page, app_url: str) -> None:
    open_lab(page, f"{app_url}/#g1.3.AAAA")
    expect(page.locator(".gr-notice")).to_contain_text("damaged")
    assert text_of(page) == "" and state(page.get_by_test_id("player"))["boxes"] == []
    run(page, ALONE)
    assert state(page.get_by_test_id("player"))["printed"] == "tensor(6.)\n"


def test_a_link_shows_no_other_program_while_its_own_runs(lab: Page, browser: Browser, app_url: str) -> None:
    run(lab, ALONE)
    fragment = link_to(lab, 4)
    other = browser.new_page()
    other.add_init_script(
        """addEventListener("DOMContentLoaded", () => {
          window.seen = new Set();
          const look = () => {
            const page = document.querySelector("[data-testid=site]")?.shadowRoot;
            const player = page?.querySelector("[data-testid=player]");
            if (player) seen.add(player.dataset.steps);
            requestAnimationFrame(look);
          };
          look();
        })"""
    )
    other.goto(f"{app_url}/#{fragment}")
    player = other.get_by_test_id("player")
    expect(player).to_have_attribute("data-step", "4", timeout=20_000)
    assert set(other.evaluate("[...seen]")) <= {"0", player.get_attribute("data-steps")}
    other.close()


def test_a_program_in_the_query_opens_and_leaves_no_trace_in_the_fragment(
    lab: Page, browser: Browser, app_url: str
) -> None:
    run(lab, ALONE)
    fragment = link_to(lab, 4)
    other = browser.new_page()
    open_lab(other, f"{app_url}/?p={fragment}")
    expect(other.get_by_test_id("player")).to_have_attribute("data-step", "4", timeout=20_000)
    assert text_of(other) == ALONE
    other.close()


def test_a_draft_survives_a_reload(page: Page, app_url: str) -> None:
    open_lab(page, app_url)
    put(page, "half typed (")
    page.reload()
    open_lab(page, app_url)
    assert text_of(page) == "half typed ("
    page.get_by_test_id("offer").click()
    assert "import torch" in text_of(page)
    run(page, ALONE)
    open_lab(page, app_url)
    expect(page.get_by_test_id("player")).to_have_attribute("data-outcome", "finished")
    assert text_of(page) == ALONE
    page.wait_for_function(SETTLED)
    assert state(page.get_by_test_id("player"))["printed"] == "tensor(6.)\n"


def test_a_link_does_not_take_a_draft_away(page: Page, app_url: str) -> None:
    open_lab(page, app_url)
    run(page, ALONE)
    fragment = link_to(page, 2)
    run(page, "mine = 1")
    assert "#" not in page.url
    page.goto("about:blank")
    open_lab(page, f"{app_url}/#{fragment}")
    assert text_of(page) == ALONE
    page.get_by_test_id("offer").click()
    expect(page.locator(EDITOR).first).to_have_text("mine = 1")


def test_the_page_says_what_is_kept(lab: Page) -> None:
    assert "the server keeps nothing" in lab.get_by_test_id("kept").inner_text()


def test_too_long_for_a_link_is_offered_as_a_file(lab: Page) -> None:
    program = "\n".join(f"x{n} = {pow(7, n * n, 10**40)}" for n in range(330))
    run(lab, program)
    lab.get_by_test_id("copy-link").click()
    expect(lab.locator(".gr-notice")).to_contain_text("too long for a link")
    with lab.expect_download() as waiting:
        lab.get_by_test_id("offer").click()
    assert waiting.value.suggested_filename == "program.py"
    assert Path(waiting.value.path()).read_text().strip() == program


NOTEBOOK = {"nbformat": 4, "metadata": {}, "cells": [
    {"cell_type": "markdown", "source": ["# A title"]},
    {"cell_type": "code", "source": ["import torch\n", "a = torch.ones(1)"], "outputs": [{"text": "no"}]},
    {"cell_type": "code", "source": "print(a)"},
]}  # fmt: skip
FILES = [
    ("net.py", ALONE, "tensor(6.)\n"),
    ("net.ipynb", json.dumps(NOTEBOOK), "tensor([1.])\n"),
]


@pytest.mark.parametrize(("name", "text", "printed"), FILES, ids=[name for name, _, _ in FILES])
def test_a_file_is_opened(lab: Page, tmp_path: Path, name: str, text: str, printed: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    player = lab.get_by_test_id("player")
    with lab.expect_file_chooser() as choosing:
        lab.get_by_test_id("open").click()
    choosing.value.set_files(path)
    expect(lab.get_by_test_id("printed")).to_contain_text(printed.strip(), timeout=20_000)
    assert state(player)["printed"] == printed


DROP = """([root, name, text]) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], name));
  for (const kind of ["dragover", "drop"])
    root.dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true, composed: true }));
}"""


def test_a_file_is_dropped_on_the_page(lab: Page) -> None:
    player = lab.get_by_test_id("player")
    editor = lab.locator(EDITOR).first.element_handle()
    lab.evaluate(DROP, [editor, "net.py", ALONE])
    expect(lab.get_by_test_id("printed")).to_contain_text("tensor(6.)", timeout=20_000)
    assert text_of(lab) == ALONE and state(player)["leaves"] == [{"name": "a", "grad": 6}]
    lab.evaluate(DROP, [editor, "cat.ipynb", "no notebook"])
    expect(lab.locator(".gr-notice")).to_contain_text("cat.ipynb is damaged")
    assert text_of(lab) == ALONE


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("Lessons#100%", "no lesson “100%”"),
        ("Lessons?step=gone", "no lesson “gone”"),
        ("Compare#gone", "no comparison “gone”"),
        ("Operators#%E0%A4%A", "no operator “%E0%A4%A”"),
        ("Gallery#gone", "no error “gone”"),
    ],
)
def test_a_link_to_what_is_not_there_opens_the_page_and_says_so(
    page: Page, app_url: str, address: str, told: str
) -> None:
    page.goto(f"{app_url}/{address}")
    expect(page.locator(".gr-notice:visible")).to_contain_text(told, timeout=20_000)
    expect(page.get_by_test_id("player").first).to_be_visible()


def test_the_browser_calls_a_lesson_by_its_title(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/Lessons#retain_graph")
    expect(page).to_have_title("Retaining the graph · Gradreel", timeout=20_000)
    page.wait_for_selector("[data-testid=stApp]", state="attached", timeout=20_000)
    page.wait_for_timeout(500)  # Streamlit names the page when it is ready
    expect(page).to_have_title("Retaining the graph · Gradreel")
