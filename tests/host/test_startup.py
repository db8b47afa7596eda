"""What a page shows before any script: its own heading and words, and no text of ours as markup."""

from __future__ import annotations

import html
import re

import pytest
from starlette.requests import Request

from gradreel.host import prerender, startup
from gradreel.host.pages import LANDINGS, PLACES, lesson
from gradreel.host.policy import streamlit_page
from gradreel.material.comparisons import comparisons
from gradreel.material.gallery import exhibits


def words(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", " ", markup))


@pytest.mark.parametrize("address", LANDINGS)
def test_every_address_has_its_own_words(address: str) -> None:
    place, at = LANDINGS[address]
    shown = prerender.frame(address)
    assert re.findall(r"aria-current=page>(\w+)<", shown) == [title for name, title, _ in PLACES if name == place]
    expected = {
        "lab": "loss.backward()",
        "lessons": lesson(at).title if at else "A graph behind the program",
        "compare": comparisons()[0].title,
        "operators": "MulBackward0",
        "gallery": exhibits()[0].title,
        "about": "About Gradreel",
    }[place]
    assert expected in words(shown)


@pytest.mark.parametrize(
    ("address", "at", "wanted"),
    [
        ("Lessons", "hooks", lesson("hooks").title),
        ("Compare", comparisons()[1].slug, comparisons()[1].title),
        ("Operators", "exp", "ExpBackward0"),
        ("Gallery", exhibits()[3].slug, exhibits()[3].title),
        ("Why_the_second_backward_fails", "hooks", lesson("the_second_backward").title),
    ],
)
def test_a_page_is_drawn_as_it_was_asked_for(address: str, at: str, wanted: str) -> None:
    assert wanted in words(prerender.frame(address, at))
    assert at in prerender.names(LANDINGS[address][0])


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("one\ntwo\n\nthree", "<p>one\ntwo</p><p>three</p>"),
        (
            "* a `<b>`\n* **c `d`**",
            "<ul><li>a <code>&lt;b&gt;</code>\n</li><li><strong>c <code>d</code></strong></li></ul>",
        ),
        ("a < b [there](./Lessons) *so*", "<p>a &lt; b <span>there</span> <em>so</em></p>"),
        ("2 * 3 * 4", "<p>2 * 3 * 4</p>"),
    ],
)
def test_marks_become_elements_and_the_rest_text(text: str, markup: str) -> None:
    assert prerender.prose(text) == markup


def test_all_that_begins_streamlit_waits() -> None:
    page = startup.page("", None)
    shown, _, rest = page.partition('<template id="gr-later">')
    waiting, _, after = rest.partition("</template>")
    assert waiting.count("modulepreload") == streamlit_page().count("modulepreload") > 0
    assert "/static/js/index" in waiting and "./static/" not in shown + after


def tags(page: str) -> dict[str, str]:
    found = re.findall(r'<meta (?:name|property)="([\w:]+)" content="([^"]*)">', page)
    return {name: html.unescape(content) for name, content in found}


@pytest.mark.parametrize(
    ("address", "at", "title", "told"),
    [
        ("", None, "Gradreel: watch autograd, frame by frame", "PyTorch program"),
        ("Lessons", None, "Lessons · Gradreel", "course"),
        ("Lessons", "hooks", f"{lesson('hooks').title} · Gradreel", "hook"),
        ("Gradients_add_up", None, f"{lesson('calls_add_up').title} · Gradreel", "backward"),
        ("Compare", comparisons()[1].slug, f"{comparisons()[1].title} · Gradreel", ""),
        ("Gallery", exhibits()[3].slug, f"{exhibits()[3].title} · Gradreel", ""),
        ("Operators", "exp", "exp · Gradreel", "node saves"),
        ("About", None, "About · Gradreel", "checked against PyTorch"),
    ],
)
def test_what_is_posted_shows_what_the_address_opens(address: str, at: str | None, title: str, told: str) -> None:
    found = tags(startup.page(address, at))
    assert (found["og:title"], found["twitter:card"]) == (title, "summary_large_image")
    assert told in found["og:description"] == found["description"]
    assert 0 < len(found["description"]) <= 200 and not re.search(r"[`*\n]|\]\(", found["description"])
    assert found["og:url"] == f"{startup.SITE}/{address}{f'?step={at}' if at else ''}"


@pytest.mark.parametrize(
    ("headers", "address"),
    [
        ({"host": "127.0.0.1:8501"}, "http://127.0.0.1:8501"),
        ({"host": "[::1]:8501"}, "http://[::1]:8501"),
        ({"host": "gradreel.example", "x-forwarded-proto": "https"}, "https://gradreel.example"),
        ({"host": "gradreel.example", "x-forwarded-proto": "javascript"}, "http://gradreel.example"),
        ({"host": 'a"><script>alert(1)</script>'}, ""),
        ({}, ""),
    ],
    ids=str,
)
def test_a_preview_has_the_address_that_was_asked_for(headers: dict[str, str], address: str) -> None:
    pairs = [(name.encode(), text.encode()) for name, text in headers.items()]
    scope = {"type": "http", "scheme": "http", "server": ("h", 80), "path": "/", "query_string": b"", "headers": pairs}
    assert startup.find_site(Request(scope)) == address
