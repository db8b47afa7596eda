"""The program's text, asked for what it says on a line. Works on scripts and on `>>> ` transcripts alike."""

from __future__ import annotations

import re

PROMPT = re.compile(r"^\s*(>>>|\.\.\.) ?")
LOOP = re.compile(r"\bfor\s+(.+?)\s+in\b")
CALLS = {
    "backward": re.compile(r"[\w.\[\]()\"' +*/-]*?\.?\bbackward\s*\((?:[^()]|\([^()]*\))*\)"),
    "grad": re.compile(r"[\w.]*\bgrad\s*\((?:[^()]|\([^()]*\))*\)"),
}
LONGEST = 60


class Source:
    """The lines of a program, numbered from 1."""

    def __init__(self, text: str) -> None:
        self._lines = [PROMPT.sub("", line) if PROMPT.match(line) else line for line in text.split("\n")]
        self._loops: dict[int, tuple[str, ...]] = {}

    def text(self, line: int, end_line: int | None = None) -> str:
        """The statement on `line`, on one line of its own without comments, shortened if long."""
        parts = [part.strip() for part in self._lines[line - 1 : end_line or line]]
        whole = " ".join(part for part in parts if part and not part.startswith("#"))
        whole = re.sub(r"\s+#[^'\"]*$", "", whole)
        return whole if len(whole) <= LONGEST else whole[: LONGEST - 1].rstrip() + "…"

    def call_text(self, line: int, end_line: int, called: str) -> str:
        """The call of backward or grad made on `line`, as written there; else the name of what was called."""
        whole = " ".join(part.strip() for part in self._lines[line - 1 : max(end_line, line)])
        found = CALLS[called].search(whole) if called in CALLS else None
        text = found.group().strip() if found else ""
        return text if text and len(text) <= LONGEST else ("backward()" if called == "backward" else "autograd.grad()")

    def loop_names(self, line: int) -> tuple[str, ...]:
        """The names that the for loop on `line` binds."""
        if line not in self._loops:
            found = LOOP.search(self._lines[line - 1]) if 0 < line <= len(self._lines) else None
            self._loops[line] = tuple(re.findall(r"[A-Za-z_]\w*", found.group(1))) if found else ()
        return self._loops[line]
