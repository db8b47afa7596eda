"""The gallery of errors: each with the smallest program that meets it, what it means and what mends it.

An exhibit is a section of a file of gallery/, `## slug · title`: the `lesson` that tells more (if there is one), words,
and a program, to which `import torch` is added. What its program says when it is run (the error, or for silent trouble
the warning, if there is one) is kept in gallery/messages.json, where a search looks for it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache

from .reading import BLOCK, HERE, KEY, Page, folder

FILE = HERE / "gallery" / "messages.json"


@dataclass(frozen=True)
class Exhibit:
    """`message` is what PyTorch says, with the type before it; None where it says nothing."""

    slug: str
    title: str
    room: str
    lesson: str | None
    words: str
    source: str
    message: str | None


@cache
def exhibits() -> tuple[Exhibit, ...]:
    """All of the gallery, section by section."""
    messages = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(exhibit for page in folder("gallery") for exhibit in room(page, messages))


def room(page: Page, messages: dict[str, str | None]) -> list[Exhibit]:
    found = []
    for heading, text in page.sections:
        slug, _, title = heading.partition(" · ")
        lesson = None
        while key := KEY.match(text.partition("\n")[0]):
            lesson = key["value"]
            text = text.partition("\n")[2]
        blocks = BLOCK.search(text + "\n")
        assert blocks is not None, f"{slug} has no program"
        words = " ".join(BLOCK.sub("", text + "\n").split())
        found.append(Exhibit(slug, title, page.title, lesson, words, program(blocks["text"]), messages.get(slug)))
    return found


def program(text: str) -> str:
    """The program with its imports on top."""
    imports = re.findall(r"^import .+\n", text, re.MULTILINE)
    rest = re.sub(r"^import .+\n", "", text, flags=re.MULTILINE)
    return "".join(["import torch\n", *imports, "\n", rest])
