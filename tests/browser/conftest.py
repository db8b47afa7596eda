"""The real app and a real browser, once for all tests that drive the page."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize

from .driving import SETTLED, go, open_lab, put
from .serving import app

WIDE: ViewportSize = {"width": 1440, "height": 900}


@pytest.fixture(scope="session")
def app_url() -> Iterator[str]:
    """The address of the app, started for these tests."""
    with app() as url:
        yield url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in a browser that has been nowhere yet, watched: for what a visit begins with, reloads and keeps."""
    with watched(browser) as (opened, complaints):
        yield opened
    assert complaints == []


class SharedLab:
    """The Lab that tests take turns in: it is loaded once, and put in order before each of them."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.browser = browser
        self.url = url
        self.held: ExitStack = ExitStack()
        self.page: Page | None = None
        self.complaints: list[str] = []

    def ready(self) -> Page:
        if self.page is None:
            self.page, self.complaints = self.held.enter_context(watched(self.browser))
            open_lab(self.page, self.url)
        self.complaints.clear()
        tidy(self.page)
        return self.page

    def drop(self) -> None:
        """Nobody knows what it looks like after a test that failed: the next one gets another."""
        self.held.close()
        self.page = None


@pytest.fixture(scope="session")
def shared_lab(browser: Browser, app_url: str) -> Iterator[SharedLab]:
    shared = SharedLab(browser, app_url)
    yield shared
    shared.held.close()


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture
def lab(shared_lab: SharedLab, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page with the Lab, 1440x900, its editor empty: for all that begins with a program."""
    yield shared_lab.ready()
    if request.node.stash.get(FAILED, False):
        shared_lab.drop()
    assert shared_lab.complaints == []


@contextmanager
def watched(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A page of 1440x900, and the errors in its console and the requests that left the machine."""
    context = browser.new_context(viewport=WIDE)
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text) if complains(message) else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on(
        "request", lambda request: complaints.append(f"request to {request.url}") if leaves(request.url) else None
    )
    yield opened, complaints
    context.close()


def tidy(page: Page) -> None:
    """Make an open page the Lab with an empty editor, as large and bright as at first."""
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light")
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    if page.locator(".gr-lab").count() == 0:
        go(page, "Lab")
    page.evaluate("localStorage.clear()")
    put(page, "")
    page.wait_for_function(SETTLED)
    page.locator(".gr-notice:visible [aria-label=close]").evaluate_all("all => all.forEach((each) => each.click())")


def complains(message: ConsoleMessage) -> bool:
    """Whether it is an error, other than Streamlit's own: it looks for its server below a page's address first."""
    probe = message.location["url"].endswith(("/_stcore/health", "/_stcore/host-config"))
    return message.type == "error" and not probe


def leaves(url: str) -> bool:
    """Whether a request to `url` would leave the machine."""
    return not url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "blob:", "data:", "file:"))
