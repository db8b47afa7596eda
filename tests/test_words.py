"""The words that people read: one for a thing, PyTorch's where it has one, and few at once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradreel.explain import diagnose, sentences
from gradreel.explain.narration.words import MOST_WORDS, words_in
from gradreel.interpreter import run
from gradreel.material.comparisons import comparisons
from gradreel.material.gallery import exhibits
from gradreel.material.lessons import lessons
from tests.explain.causes import STOP

ROOT = Path(__file__).parents[1]
FILES = sorted(
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "app.py", *ROOT.glob("gradreel/**/*"))
    if path.suffix in (".py", ".js", ".md") and not {"vendor", "interpreter"} & set(path.parts)
)
"""Where texts stand; those of the interpreter are CPython's and PyTorch's own messages."""

BANNED = {
    "saved tensor": r"\bslots?\b|\bnotes?\b|\bnoted\b|\bnode (?:keeps|(?:had )?kept)\b|\bit kept\b",
    "saved": r"\bkept at version|\bkeeps? (?:no|a|its|their) (?:tensor|result|factor|input)s?\b",
    "freed": r"\bemptied\b|\bempties\b|\blets? go\b",
}
"""By the word that is said instead."""

JAVASCRIPT = re.compile(
    r"//[^\n]*|/\*.*?\*/|(?P<text>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)", re.DOTALL
)
INSIDE = re.compile(r"\$?\{[^{}]*\}|\(\?P<\w+>|`[^`]*`")
"""Code within a text: what is put in when it is shown."""

BLOCK = re.compile(r"^```.*?^```$\n?|^\s*\|?[ :|-]*\|$", re.MULTILINE | re.DOTALL)
PARTS = re.compile(r"\n\s*\n|\n(?=[*#>|]|  |\w+: )")
CHOICE = re.compile(r"^\* \[[ x]\] | \{[^{}]+\}$|^#+ (?:\w+ · )?")
PROGRAMS = [
    *((f"lesson {lesson.slug}", lesson.source) for lesson in lessons()),
    *((f"exhibit {exhibit.slug}", exhibit.source) for exhibit in exhibits()),
    *((f"comparison {one.slug}", side.source) for one in comparisons() for side in (one.left, one.right)),
]


def texts(path: Path) -> Iterator[str]:
    """What of a file may be read on a page: strings of more than a word, and prose."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from (INSIDE.sub("", one) for one in strings(ast.parse(text)) if " " in one.strip())
    elif path.suffix == ".js":
        found = (match["text"] for match in JAVASCRIPT.finditer(text) if match["text"])
        yield from (INSIDE.sub("", one[1:-1]) for one in found if " " in one.strip())
    else:
        yield INSIDE.sub("", BLOCK.sub("", text))


def strings(tree: ast.Module) -> Iterator[str]:
    bodies = [body for node in ast.walk(tree) if isinstance(body := getattr(node, "body", None), list)]
    said = {id(line.value) for body in bodies for line in body if isinstance(line, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


@pytest.mark.parametrize("word", BANNED)
def test_a_thing_has_one_word(word: str) -> None:
    pattern = re.compile(BANNED[word], re.IGNORECASE)
    found = [
        (str(path.relative_to(ROOT)), hit[0])
        for path in FILES
        for text in texts(path)
        for hit in pattern.finditer(text)
    ]
    assert found == [], f"say “{word}”"


def test_the_words_of_other_tongues_are_found() -> None:
    """Each of the patterns finds what it is for."""
    old = ("the slots are full", "notes are gone", "the result it kept", "kept at version 0", "line 4 emptied the node")
    assert all(any(re.search(pattern, text) for pattern in BANNED.values()) for text in old)
    assert list(texts(ROOT / "gradreel" / "material" / "lessons.py")) and len(FILES) > 300


@pytest.mark.parametrize("source", [source for _, source in PROGRAMS], ids=[name for name, _ in PROGRAMS])
def test_what_is_told_first_is_short(source: str) -> None:
    trace = run(source)
    said = [sentence.split("\n")[0] for _, sentence in sentences(trace)]
    said += [part for found in diagnose(trace) for text in (found.title, *found.story) for part in STOP.split(text)]
    assert [sentence for sentence in said if words_in(sentence) > MOST_WORDS] == []


@pytest.mark.parametrize("folder", ["lessons", "gallery", "comparisons"])
def test_prose_is_short(folder: str) -> None:
    found = []
    for path in sorted((ROOT / "gradreel" / "material" / folder).glob("*.md")):
        for part in PARTS.split(BLOCK.sub("", path.read_text(encoding="utf-8"))):
            said = STOP.split(CHOICE.sub("", " ".join(part.split())))
            found += [(path.name, sentence) for sentence in said if words_in(sentence) > MOST_WORDS]
    assert found == []
