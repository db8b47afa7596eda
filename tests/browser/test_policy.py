"""The app as `python -m gradreel serve` serves it: it works under its policy, tells its health, and lets runs go."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from gradreel.host.policy import headers
from tests.host.test_pool import children

from .driving import open_lab, put, run, state
from .serving import ROOT, START_SECONDS, free_port, healthy

ALONE = "import torch\na = torch.tensor(3., requires_grad=True)\nb = a * a\nb.backward()\nprint(a.grad)"

HOSTILE = """\
import torch
prototype = torch.ones(1, requires_grad=True)
constructor = prototype * 2
hostile = {'<img src=x onerror=alert(1)>': constructor, '</script><script>alert(2)</script>': constructor * 2,
           '__proto__': constructor, '${alert(3)}': constructor, 'javascript:alert(4)': constructor}
print('<svg onload=alert(5)>', '![i](http://evil.invalid/x.png)', ':material/home:')
print('</textarea><style>*{display:none}</style>', '\\u202e', '&lt;b&gt;')
class Net(torch.nn.Module):
    def __repr__(self): return '<iframe src="//evil.invalid">'
    def forward(self, x): return x * 3
net = Net()
out = net(constructor)
print(net)
raise ValueError('<script>alert(6)</script> ![i](http://evil.invalid/y.png)')
"""


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[str, int]]:
    """The address of the app with its policy, and its process."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "GRADREEL_PORT": str(port), "GRADREEL_PROCESSES": "1"}
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    app = subprocess.Popen([sys.executable, "-m", "gradreel", "serve"], cwd=ROOT, env=environment, **silent)
    try:
        end = time.monotonic() + START_SECONDS
        while not healthy(url):
            assert app.poll() is None and time.monotonic() < end, "the app did not start"
            time.sleep(0.1)
        yield url, app.pid
    finally:
        app.terminate()
        app.wait(20)


@pytest.fixture(scope="module")
def site(served: tuple[str, int]) -> str:
    return served[0]


def test_every_answer_carries_the_policy(site: str) -> None:
    for path in ("/", "/health", "/_stcore/health", "/nowhere"):
        with urllib.request.urlopen(site + path, timeout=30) as reply:
            said = {name: reply.headers.get_all(name) for name in headers("'self'")}
            assert said == {name: [value] for name, value in headers("'self'").items()}, path


def test_health_names_the_layers(site: str) -> None:
    with urllib.request.urlopen(f"{site}/health", timeout=30) as reply:
        said = json.loads(reply.read())
    assert said["status"] == "ok"
    assert said["layers"]["checked language"] and said["layers"]["own process"]
    assert said["layers"]["text only"] and said["layers"]["content security policy"]
    assert set(said["layers"]) >= {"limits of the kernel", "filter on system calls"}


WATCH = """window.refused = [];
addEventListener('securitypolicyviolation', (event) => refused.push(event.violatedDirective));"""


def test_the_app_works_under_its_policy(page: Page, site: str) -> None:
    page.add_init_script(WATCH)
    player = open_lab(page, site)
    run(page, ALONE)
    assert state(player)["printed"] == "tensor(6.)\n"
    page.get_by_test_id("first").click()
    page.get_by_test_id("next").click()
    page.get_by_test_id("export").click()
    with page.expect_download():
        page.get_by_role("menuitem", name="Offline page").click()
    page.goto(f"{site}/Gradients_add_up")
    expect(page.get_by_test_id("player").first).to_have_attribute("data-outcome", "finished", timeout=30_000)
    assert page.evaluate("refused") == []


def test_the_policy_stops_what_is_not_ours(browser: Browser, site: str) -> None:
    page = browser.new_page()
    page.add_init_script(WATCH)
    open_lab(page, site)
    tries = """() => {
      const made = document.createElement("div");
      made.innerHTML = "<img src=x onerror='window.ran = 1'><a href='javascript:window.ran = 2'>x</a>";
      document.body.append(made);
      const script = document.createElement("script");
      script.textContent = "window.ran = 3";
      document.body.append(script);
      made.querySelector("a").click();
    }"""
    page.evaluate(tries)
    page.wait_for_function("refused.length >= 2")
    assert page.evaluate("window.ran === undefined")
    page.close()


def test_hostile_text_stays_text(page: Page, site: str) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.add_init_script(WATCH)
    player = open_lab(page, site)
    run(page, HOSTILE)
    assert player.get_attribute("data-outcome") == "raised"
    page.get_by_test_id("tool-table").click()
    assert page.locator("[data-testid=player] :is(img, script, iframe, style, svg[onload])").count() == 0
    assert "<svg onload=alert(5)>" in page.get_by_test_id("printed").inner_text()
    assert "<script>alert(6)</script>" in page.get_by_test_id("story").inner_text()
    steps = int(player.get_attribute("data-steps") or 0)
    for step in range(0, steps + 1, max(steps // 12, 1)):
        player.evaluate("(root, step) => root.player.seek(step)", step)
    assert dialogs == [] and page.evaluate("refused") == []
    assert page.evaluate("({}).polluted === undefined && Object.prototype.grad === undefined")


ENDLESS = "x = [1] * 100000\nwhile True:\n    x.index(1, 99999)"


def runs_below(pid: int) -> list[int]:
    """The processes of runs: those that warm processes of the server forked."""
    return [run for warm in children(pid) for run in children(warm)]


def wait_until(holds: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes through /proc")
def test_closing_the_tab_stops_its_run(browser: Browser, served: tuple[str, int]) -> None:
    url, pid = served
    page = browser.new_page()
    open_lab(page, url)
    put(page, ENDLESS)
    page.keyboard.press("Control+Enter")
    assert wait_until(lambda: bool(runs_below(pid)), 10)
    (run,) = runs_below(pid)
    page.close()
    assert wait_until(lambda: run not in runs_below(pid), 3)  # left alone it would go on for five seconds


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes through /proc")
def test_another_run_takes_the_place_of_the_one_before(page: Page, served: tuple[str, int]) -> None:
    url, pid = served
    player = open_lab(page, url)
    put(page, ENDLESS + "  # again")
    page.keyboard.press("Control+Enter")
    assert wait_until(lambda: bool(runs_below(pid)), 10)
    (first,) = runs_below(pid)
    run(page, ALONE)
    assert state(player)["printed"] == "tensor(6.)\n" and first not in runs_below(pid)
