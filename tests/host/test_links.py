"""Whatever stands in a link, the decoder gives a program, or its own error, and nothing else; it is asked in node."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nightly import NIGHTLY

DECODER = Path(__file__).with_name("decoder.mjs")
EXAMPLES = 2_000 if NIGHTLY else 300
LONGEST_TEXT = 100_000

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

Ask = Callable[[str, str], list[object]]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """What the decoder makes of a text."""
    node = subprocess.Popen(["node", str(DECODER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert node.stdin is not None and node.stdout is not None
    sink, source = node.stdin, node.stdout

    def ask(way: str, text: str) -> list[object]:
        sink.write(json.dumps([way, text]) + "\n")
        sink.flush()
        said: list[object] = json.loads(source.readline())
        return said

    yield ask
    sink.close()
    source.close()
    node.wait(10)


def packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def deflated(data: bytes) -> bytes:
    making = zlib.compressobj(9, zlib.DEFLATED, -15)
    return making.compress(data) + making.flush()


PIECES = st.one_of(
    st.binary(max_size=300).map(packed),
    st.binary(max_size=300).map(deflated).map(packed),
    st.text(max_size=200).map(lambda text: packed(deflated(text.encode(errors="surrogatepass")))),
    st.text(alphabet="abcXYZ012-_=.+/%# \n\0é", max_size=60),
    st.binary(min_size=1, max_size=80).map(lambda data: packed(deflated(data * 3)[:-1])),
)
STEPS = st.one_of(st.just(""), st.integers(-10, 10**8).map(str), st.text(max_size=5))
VERSIONS = st.one_of(
    st.sampled_from(["g1", "g0", "g2", "g01", "g", "G1", "__proto__", "constructor", ""]), st.text(max_size=4)
)
FRAGMENTS = st.one_of(
    st.text(max_size=300),
    st.tuples(VERSIONS, STEPS, PIECES).map(".".join),
    st.tuples(st.just("#g1"), STEPS, PIECES).map(".".join),
    st.tuples(st.just("#g1"), STEPS, PIECES, PIECES).map(".".join),
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(FRAGMENTS)
def test_anything_is_a_program_or_damaged(ask: Ask, fragment: str) -> None:
    for way, text in (("hash", fragment), ("query", f"?p={quote(fragment, errors='replace')}"), ("query", fragment)):
        kind, *rest = ask(way, text)
        assert kind in ("none", "place", "damaged"), (way, rest)
        if kind == "place":
            assert isinstance(rest[0], str) and len(rest[0]) <= LONGEST_TEXT
        if kind == "damaged":
            assert str(rest[0]).startswith("This link ") and str(rest[0]).endswith(".")


@settings(max_examples=EXAMPLES // 3, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=3000))
def test_every_program_comes_back(ask: Ask, source: str) -> None:
    assert ask("again", source) == ["place", source, None]


@pytest.mark.parametrize("size", [4, 1_000, 100_000])
def test_a_bomb_is_damaged_and_soon(ask: Ask, size: int) -> None:
    """Up to a hundred megabytes of one letter: no more than the longest program is ever unfolded."""
    bomb = packed(deflated(b"a" * (size * 1_000)))
    kind, *rest = ask("hash", f"#g1..{bomb}")
    assert kind == ("place" if size * 1_000 <= LONGEST_TEXT else "damaged")
