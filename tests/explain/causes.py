"""Programs with the cause that each of them has, kept compactly: the lines of the cause are marked on the lines.

A program begins with `=== name: kind` ("fine" where nothing is wrong), with `| title` where the first fix is given;
`#: built saved` at the end of a line says that it is both. The marks, and so the answers, are taken off before a
program is run; each begins with the same imports.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gradreel.explain import Diagnosis
from gradreel.explain.fixes import find_fixes
from gradreel.explain.narration.words import MOST_WORDS, words_in
from gradreel.interpreter import run
from gradreel.trace import Trace

DATA = Path(__file__).parent.parent / "data"
FILES = (
    *("causes_seen.txt", "causes_blind.txt", "causes_forum.txt", "causes_silent.txt"),
    *("causes_asked.txt", "causes_met.txt", "causes_posted.txt", "causes_fresh.txt"),
    *("causes_old_graphs.txt", "causes_autograd.txt", "causes_shown.txt"),
    "causes_kept.txt",
)
"""Written before the code that finds the causes; after it without a look at it; as people post them, longer; silent
ones beside look-alikes that are meant; calls that ask for what cannot be had; errors
that learners meet, Python's own among them; sizes, states and infinite slopes as people post them;
settings that nobody reads, what is compared with, derivatives in a loss;
graphs that are older than the weights they go back to; what autograd raises, or keeps silent about, away from where
it went wrong; programs that show on purpose what elsewhere is trouble, beside some where it is; and what a program
keeps,
gives an optimizer, clips or rounds in the wrong place."""

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
TITLE = re.compile(r"^=== (\w+): (\w+)(?: \| (.+))?\n", re.MULTILINE)
CODE = re.compile(r"`[^`]*`")
STOP = re.compile(r"(?<=[.?!])\s+(?=[A-Z`*“])")
MARK = re.compile(r"\s*#: ([\w ]+)$")


@dataclass(frozen=True)
class Case:
    name: str
    kind: str
    source: str
    lines: dict[str, int]
    fix: str | None = None
    """The title of the first fix, where it is written down."""


def cases(files: tuple[str, ...] = FILES) -> list[Case]:
    found = []
    for file in files:
        _, *parts = TITLE.split((DATA / file).read_text(encoding="utf-8"))
        found += [case(*parts[start : start + 4]) for start in range(0, len(parts), 4)]
    return found


def check_told(case: Case, trace: Trace) -> list[Diagnosis]:
    """The cause of `case` is told with its lines, in a story of a few sentences, with a mend that ran through.

    All that is told.
    """
    run_once = cache(run)
    pairs = find_fixes(trace, run_once)
    found = next((found for found, _ in pairs if found.kind == case.kind), None)
    assert found is not None, [found.kind for found, _ in pairs]
    assert {role: found.lines.get(role) for role in case.lines} == case.lines
    assert 1 <= len(found.story) <= 5 and found.cause
    for sentence in found.story:
        assert sentence[0].isupper() or sentence[0] in "`*0", sentence
        assert all(words_in(part) <= MOST_WORDS for part in STOP.split(sentence)), sentence
        assert sentence.endswith(".") and "None of" not in sentence and "{" not in CODE.sub("", sentence), sentence
        for code in CODE.findall(sentence):  # a brace is the program's own, and no slot that nobody filled
            assert "{" not in code or code.strip("`…") in flat(case.source), code
    mends = [mend for _, mends in pairs for mend in mends]
    assert mends and run_once(mends[0].source).outcome.kind == "finished"
    assert case.fix is None or (mends[0].title, mends[0].fixes) == (case.fix, True)
    return [found for found, _ in pairs]


def case(name: str, kind: str, fix: str | None, text: str) -> Case:
    lines: dict[str, int] = {}
    source = []
    for number, line in enumerate((HEAD + text).rstrip("\n").split("\n"), 1):
        mark = MARK.search(line)
        if mark is not None:
            lines |= dict.fromkeys(mark.group(1).split(), number)
        source.append(MARK.sub("", line))
    return Case(name, kind, "\n".join(source) + "\n", lines, fix)


def flat(source: str) -> str:
    """`source` on one line."""
    return " ".join(line.strip() for line in source.split("\n"))
