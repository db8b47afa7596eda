"""Notebooks: the JSON of an .ipynb file as the text that one would copy from the page."""

from __future__ import annotations

import json
from typing import Any

from .parsing import regex
from .pasted_text import Note

COLOURS = regex(r"\x1b\[[0-9;]*m")


BROKEN = "the notebook breaks off in its cell"


def is_notebook(text: str) -> bool:
    head = text.lstrip()[:1]
    return head in ("{", "[") and ('"cells"' in text or '"cell_type"' in text)


CELLS = regex(r'"cells"\s*:\s*\[')
NEXT = regex(r"[\s,]*")
CODE = regex(r'"cell_type"\s*:\s*"code"')
SOURCE = regex(r'"source"\s*:\s*')
STRING = regex(r'"(?:[^"\\]|\\.)*"')


def as_text(text: str, notes: list[Note]) -> str | None:
    """The notebook's cells, each under its prompt, with its outputs; None if `text` is no notebook."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return _in_part(text, notes)
    cells = found if isinstance(found, list) else found.get("cells", [found])
    if not isinstance(cells, list) or not any(isinstance(cell, dict) and "cell_type" in cell for cell in cells):
        return None
    parts: list[str] = []
    for nr, cell in enumerate(cells, 1):
        if isinstance(cell, dict):
            parts += _cell(cell, nr)
    if not any(isinstance(cell, dict) and cell.get("cell_type") == "code" for cell in cells):
        notes.append(Note(1, "this notebook has no cell with code"))
    return "\n".join(parts)


def _in_part(text: str, notes: list[Note]) -> str | None:
    """The whole cells of JSON that breaks off or is damaged; the cell where it does stands as comments."""
    begins = CELLS.search(text)
    decoder, parts, nr, at = (
        json.JSONDecoder(),
        list[str](),
        1,
        begins.end() if begins else text.index(text.lstrip()[0]),
    )
    if text[at : at + 1] == "[":
        at += 1
    while True:
        at = _after(text, at)
        if text[at : at + 1] != "{":
            return "\n".join(parts) if nr > 1 else None
        try:
            cell, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        parts += _cell(cell, nr)
        nr += 1
    cell, whole = _read_broken_cell(text[at:])
    line = sum(part.count("\n") + 1 for part in parts) + 1
    if whole:
        notes.append(Note(line, f"the notebook breaks off behind the code of its cell {nr}"))
        return "\n".join([*parts, *_cell(cell, nr)])
    notes.append(Note(line, f"{BROKEN} {nr}, which is left out"))
    return "\n".join([*parts, f"# Cell {nr} is cut off here, and is left out:", *(f"#   {line}" for line in cell)])


def _after(text: str, at: int) -> int:
    match = NEXT.match(text, at)
    return match.end() if match else at


def _read_broken_cell(text: str) -> tuple[Any, bool]:
    """A code cell of which the source is whole, and True; else the lines of it that are there, and False."""
    source = SOURCE.search(text)
    if source is None:
        return [], False
    try:
        found, end = json.JSONDecoder().raw_decode(text, source.end())
    except (ValueError, RecursionError):
        pieces = [json.loads(piece) for piece in STRING.findall(text, source.end()) if "\n" not in piece]
        return "".join(pieces).split("\n") if pieces else [], False
    code = CODE.search(text, 0, source.start()) or CODE.search(text, end)
    return ({"cell_type": "code", "source": found}, True) if code else (join_source(found).split("\n"), False)


def _cell(cell: dict[str, Any], nr: int) -> list[str]:
    source = join_source(cell.get("source"))
    if cell.get("cell_type") != "code":
        return [f"# {line}" if line.strip() else "" for line in source.split("\n")] + [""]
    if not source.strip():
        return []
    count = cell.get("execution_count")
    number = count if isinstance(count, int) else nr
    lines = [f"In [{number}]:", *source.split("\n")]
    for output in cell.get("outputs") or []:
        if isinstance(output, dict):
            lines += _output(output, number)
    return [*lines, ""]


def _output(output: dict[str, Any], number: int) -> list[str]:
    kind = output.get("output_type")
    if kind == "stream":
        return (
            ["Out:", *join_source(output.get("text")).rstrip("\n").split("\n")]
            if output.get("name") != "stderr"
            else []
        )
    if kind == "error":
        return ["Out:", f"{output.get('ename')}: {COLOURS.sub('', str(output.get('evalue')))}"]
    data = output.get("data")
    shown = join_source(data.get("text/plain")) if isinstance(data, dict) else ""
    if kind != "execute_result" or not shown:
        return []
    return [f"Out[{number}]:", *shown.split("\n")]


def join_source(text: Any) -> str:
    if isinstance(text, list):
        return "".join(part for part in text if isinstance(part, str))
    return text if isinstance(text, str) else ""
