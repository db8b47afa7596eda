"""Comparisons: two programs that differ in one thing, to be played on one clock.

A file of comparisons/ has a heading, the `lesson` that tells more, a few words, and two programs with their titles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .reading import Page, folder


@dataclass(frozen=True)
class Side:
    """One of the two programs, and what is special about it."""

    title: str
    source: str


@dataclass(frozen=True)
class Comparison:
    slug: str
    title: str
    lesson: str
    words: str
    left: Side
    right: Side


@cache
def comparisons() -> tuple[Comparison, ...]:
    """All comparisons, in order."""
    return tuple(comparison(page) for page in folder("comparisons"))


def comparison(page: Page) -> Comparison:
    left, right = (Side(block.title, block.text) for block in page.blocks)
    return Comparison(page.slug, page.title, page.keys["lesson"], page.prose, left, right)
