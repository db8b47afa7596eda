"""Programs with the cause that each of them has, kept compactly: the lines of the cause are marked on the lines.

A program begins with `=== name: kind` ("fine" where nothing is wrong); `#: built saved` at the end of a line says that
it is both. The marks, and so the answers, are taken off before a program is run; each begins with the same imports.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parent.parent / "data"
FILES = ("causes_seen.txt", "causes_blind.txt", "causes_forum.txt", "causes_silent.txt")
"""Written before the code that finds the causes; after it without a look at it; as people post them, longer; and silent
ones beside look-alikes that are meant."""

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
TITLE = re.compile(r"^=== (\w+): (\w+)\n", re.MULTILINE)
MARK = re.compile(r"\s*#: ([\w ]+)$")


@dataclass(frozen=True)
class Case:
    name: str
    kind: str
    source: str
    lines: dict[str, int]


def cases() -> list[Case]:
    found = []
    for file in FILES:
        _, *parts = TITLE.split((DATA / file).read_text(encoding="utf-8"))
        found += [case(*parts[start : start + 3]) for start in range(0, len(parts), 3)]
    return found


def case(name: str, kind: str, text: str) -> Case:
    lines: dict[str, int] = {}
    source = []
    for number, line in enumerate((HEAD + text).rstrip("\n").split("\n"), 1):
        mark = MARK.search(line)
        if mark is not None:
            lines |= dict.fromkeys(mark.group(1).split(), number)
        source.append(MARK.sub("", line))
    return Case(name, kind, "\n".join(source) + "\n", lines)
