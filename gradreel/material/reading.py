"""How the files of this package are read: a heading, a few `key: value` lines, then Markdown with programs in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
BLOCK = re.compile(r"^```(?P<kind>\w+)(?: +(?P<title>[^\n]+))?\n(?P<text>.*?)^```$\n?", re.MULTILINE | re.DOTALL)
KEY = re.compile(r"^(?P<key>[a-z]+): *(?P<value>.*)$")
SECTION = re.compile(r"^## +(?P<heading>.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: what kind it is of, its title if it has one, and what is in it."""

    kind: str
    title: str
    text: str


@dataclass(frozen=True)
class Page:
    """A file as it was read. `slug` is its name without the number that orders it; `sections` are by heading."""

    slug: str
    title: str
    keys: Mapping[str, str]
    prose: str
    blocks: tuple[Block, ...]
    sections: tuple[tuple[str, str], ...]

    def block(self, kind: str) -> str:
        """The text of the one block of that kind.

        Raises:
            ValueError: there is none, or more than one.
        """
        found = [block.text for block in self.blocks if block.kind == kind]
        if len(found) != 1:
            raise ValueError(f"{self.slug} has {len(found)} blocks of kind {kind}, not one")
        return found[0]


def folder(name: str) -> tuple[Page, ...]:
    """All files of a folder of this package, in the order of their names."""
    return tuple(read(path) for path in sorted((HERE / name).glob("*.md")))


def read(path: Path) -> Page:
    """One file."""
    title, _, rest = path.read_text(encoding="utf-8").removeprefix("# ").partition("\n")
    keys: dict[str, str] = {}
    while found := KEY.match(rest.partition("\n")[0]):
        keys[found["key"]] = found["value"].strip()
        rest = rest.partition("\n")[2]
    head, *others = SECTION.split(rest)
    blocks = tuple(Block(b["kind"], b["title"] or "", b["text"]) for b in BLOCK.finditer(rest))
    sections = tuple((heading.strip(), text.strip()) for heading, text in zip(others[::2], others[1::2], strict=True))
    return Page(slug_of(path), title.strip(), keys, BLOCK.sub("", head).strip(), blocks, sections)


def slug_of(path: Path) -> str:
    return re.sub(r"^\d+_", "", path.stem)
