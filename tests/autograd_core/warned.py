"""What a program is warned of, and where: the cases of `warned.txt`, and how one is run.

The last line of a case runs three times: twice in a loop, then on a line of its own. `tests/data/warned.json.gz` keeps
what torch showed of each, with Python's usual rule, once for each place.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

FILE = "<case>"


def cases() -> dict[str, str]:
    """The program of each case, by its name."""
    text = Path(__file__).with_suffix(".txt").read_text()
    return dict(case(block) for block in text.strip().split("\n\n"))


def case(block: str) -> tuple[str, str]:
    name, *setup, last = block.splitlines()
    return name.removeprefix("# "), "\n".join([*setup, "for _ in range(2):", f"    {last}", last, ""])


def warned_of(source: str, torch: Any) -> list[list[Any]]:
    """Category, text and line of each warning that `source` shows; 0 is a line of `torch` itself."""
    code = compile(source, FILE, "exec")
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        exec(code, {"__name__": "__main__", "torch": torch})  # the programs are our own
    return [[w.category.__name__, plain(str(w.message)), w.lineno if w.filename == FILE else 0] for w in shown]


def plain(text: str) -> str:
    """`text` without the places in torch's C++ and in whatever runs a case."""
    text = re.sub(r" \(Triggered internally at .*?\)", "", text)
    return re.sub(rf'  File "(?!{FILE}).*\n(?:    .*\n)?', "", text)
