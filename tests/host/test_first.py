"""What a page shows before any script: its own heading and words, and no text of ours as markup."""

from __future__ import annotations

import html
import re

import pytest

from gradreel.host import first, front
from gradreel.host.pages import LANDINGS, PLACES, lesson
from gradreel.host.policy import streamlit_page
from gradreel.material.comparisons import comparisons
from gradreel.material.museum import exhibits


def words(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", " ", markup))


@pytest.mark.parametrize("address", LANDINGS)
def test_every_address_has_its_own_words(address: str) -> None:
    place, at = LANDINGS[address]
    shown = first.frame(address)
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
    assert wanted in words(first.frame(address, at))
    assert at in first.names(LANDINGS[address][0])


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
    assert first.prose(text) == markup


def test_all_that_begins_streamlit_waits() -> None:
    page = front.page("", None)
    shown, _, rest = page.partition('<template id="gr-later">')
    waiting, _, after = rest.partition("</template>")
    assert waiting.count("modulepreload") == streamlit_page().count("modulepreload") > 0
    assert "/static/js/index" in waiting and "./static/" not in shown + after
