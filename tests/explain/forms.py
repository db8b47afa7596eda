"""Prints the forms of all sentences over the stored programs, each with an example: `python -m tests.explain.forms`.

Two sentences have one form if they differ in names, numbers and lines only. Read them all before you change one: they
are to speak with one voice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradreel.explain import sentences
from gradreel.interpreter import run
from gradreel.trace import Trace

from ..interpreter.recorded import programs
from .causes import cases

SLOTS = (
    (re.compile(r"`[^`]*`"), "`…`"),
    (re.compile(r"\*\*\w+ #\d+\*\*"), "**Node**"),
    (re.compile(r"“[^”]*”"), "“…”"),
    (re.compile(r"an? [\d×]+(?:-element)? tensor"), "0"),
    (re.compile(r"\[[-\d., \[\]a-z]*\]|-?\d[\d.e+-]*|\binf\b|\bnan\b"), "0"),
    (re.compile(r"(`…`|\*\*Node\*\*)(?:, \1)*(?: and (?:\1|\w+ more))"), r"\1 and \1"),
)


def form(sentence: str) -> str:
    for pattern, slot in SLOTS:
        sentence = pattern.sub(slot, sentence)
    return sentence


def traces() -> Iterator[Trace]:
    for program in programs():
        yield run(program.source)
    for case in cases():
        yield run(case.source)


def forms() -> dict[str, str]:
    """For each form its first example."""
    found: dict[str, str] = {}
    for trace in traces():
        for _, sentence in sentences(trace):
            found.setdefault(form(sentence), sentence)
    return found


if __name__ == "__main__":
    for pattern, example in sorted(forms().items()):
        print(f"{pattern}\n    {example}")
