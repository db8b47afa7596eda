"""The export_page file: one page, complete in itself, that nothing in a program can break out of."""

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from gradreel.host.responses import export_page
from gradreel.player.export import export_html

SCENE = {"source": "print('</script><script>alert(1)</script>\u2028')", "steps": []}
PAYLOAD = gzip.compress(json.dumps(SCENE).encode(), mtime=0)


class Elements(HTMLParser):
    """The elements of a page with their attributes and the text inside."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), ""))
        self.inside = True

    def handle_data(self, data: str) -> None:
        if self.inside:
            tag, attributes, text = self.found[-1]
            self.found[-1] = (tag, attributes, text + data)

    def handle_endtag(self, tag: str) -> None:
        self.inside = False


def elements(page: str) -> list[tuple[str, dict[str, str | None], str]]:
    parser = Elements()
    parser.feed(page)
    return parser.found


def test_there_are_two_scripts_the_scene_and_the_code() -> None:
    scripts = [attributes for tag, attributes, _ in elements(export_html(PAYLOAD)) if tag == "script"]
    assert scripts == [{"id": "scene", "type": "text/plain"}, {"type": "module"}]


def test_the_scene_comes_back_out_of_the_page() -> None:
    packed = next(text for _, attributes, text in elements(export_html(PAYLOAD)) if attributes.get("id") == "scene")
    assert json.loads(gzip.decompress(base64.b64decode(packed))) == SCENE


def test_the_policy_allows_this_script_alone() -> None:
    found = elements(export_html(PAYLOAD))
    policy = next(a["content"] for _, a, _ in found if a.get("http-equiv") == "Content-Security-Policy")
    script = next(text for _, attributes, text in found if attributes.get("type") == "module")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy and policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest}'; " in policy
    assert "unsafe-eval" not in policy and "http" not in policy


def test_nothing_is_loaded_from_anywhere() -> None:
    for _, attributes, _ in elements(export_html(PAYLOAD)):
        assert not {"src", "href"} & set(attributes)
    assert not re.search(r"@import\s*(?:url|['\"])|url\(\s*['\"]?http", export_html(PAYLOAD))


@pytest.mark.parametrize("payload", [PAYLOAD, b"no scene"])
def test_where_it_is_posted_it_says_what_it_is(payload: bytes) -> None:
    """And looks at nothing of the run, which comes from a program of anybody's."""
    tags = {a.get("property") or a.get("name"): a.get("content") for _, a, _ in elements(export_html(payload))}
    assert tags["og:title"] == "A PyTorch program, frame by frame"
    assert (tags["og:description"] or "").startswith("Watch its graph grow")
    assert tags["twitter:card"] == "summary"


@pytest.mark.parametrize(
    ("site", "known"),
    [
        ("https://gradreel.example/", "https://gradreel.example/"),
        ("http://127.0.0.1:8501/app/", "http://127.0.0.1:8501/app/"),
        ("javascript:alert(1)", None),
        ('https://a/"><script>alert(1)</script>', None),
        (7, None),
    ],
)
def test_it_links_to_the_site_that_it_comes_from(site: Any, known: str | None) -> None:
    page = gzip.decompress(export_page(PAYLOAD, 3, site)).decode()
    [scene] = [attributes for _, attributes, _ in elements(page) if attributes.get("id") == "scene"]
    assert (scene["data-step"], scene.get("data-site")) == ("3", known)
