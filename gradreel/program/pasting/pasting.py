"""`paste`: which of the ways to post code a text follows, and the program in it."""

from __future__ import annotations

from . import letters, notebook, prompts, scripts
from .parsing import fault
from .pasted import Note, Pasted, Posted
from .prose import without_prose

LONGEST = 100_000
"""Characters that are looked at; a longer text is taken as it is, and refused as too long."""
LARGEST_NOTEBOOK = 8_000_000
"""Characters of a notebook's JSON, pictures included."""


def paste(text: str) -> Pasted:
    """The program in `text`, with what stood around it. Pure; never raises."""
    notes: list[Note] = []
    if notebook.is_notebook(text[:LONGEST]) and len(text) <= LARGEST_NOTEBOOK:
        text = notebook.as_text(text.removeprefix("\ufeff")) or text
    if len(text) > LONGEST:
        return Pasted(text, text)
    seen = letters.even(text)
    lines = letters.plain(seen).split("\n")
    if fault(lines) is None and not prompts.has_python(lines):
        posted: list[Posted] = []
        made = scripts.without_output(lines, posted)
        return Pasted(seen, "\n".join(made), posted=tuple(posted))
    inner = scripts.fenced(lines, notes)
    if inner is not None:
        lines = inner
    if prompts.has_python(lines):
        made, found, cells = prompts.python(lines)
        return finished(seen, scripts.unmagic(made, notes), True, found, cells, notes)
    if prompts.has_cells(lines):
        made, found, cells = prompts.cells([*scripts.unmagic(lines, notes)])
        return finished(seen, made, True, found, cells, notes)
    return script(seen, lines, notes)


def script(seen: str, lines: list[str], notes: list[Note]) -> Pasted:
    posted: list[Posted] = []
    made = scripts.unnumbered(lines) or lines
    made = scripts.straightened(made, notes)
    if fault(made) is not None:
        made = without_prose(made, notes)
        made = scripts.straightened(scripts.unnumbered(made) or made, notes)
    made = scripts.without_output(made, posted)
    return finished(seen, scripts.straightened(made, notes), False, posted, [], notes)


def finished(
    seen: str,
    program: list[str],
    transcript: bool,
    posted: list[Posted],
    cells: list[tuple[int, int]],
    notes: list[Note],
) -> Pasted:
    unique = tuple(dict.fromkeys(notes))
    return Pasted(seen, "\n".join(program), transcript, tuple(cells), tuple(posted), unique)
