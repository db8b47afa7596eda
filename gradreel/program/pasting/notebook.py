"""Notebooks: the JSON of an .ipynb file as the text that one would copy from the page."""

from __future__ import annotations

import json
import re
from typing import Any

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def is_notebook(text: str) -> bool:
    head = text.lstrip()[:1]
    return head == "{" and '"cells"' in text


def as_text(text: str) -> str | None:
    """The notebook's cells, each under its prompt, with its outputs; None if `text` is no notebook."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    cells = found.get("cells") if isinstance(found, dict) else None
    if not isinstance(cells, list):
        return None
    parts: list[str] = []
    for nr, cell in enumerate(cells, 1):
        if isinstance(cell, dict):
            parts += _cell(cell, nr)
    return "\n".join(parts)


def _cell(cell: dict[str, Any], nr: int) -> list[str]:
    source = joined(cell.get("source"))
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
        return ["Out:", *joined(output.get("text")).rstrip("\n").split("\n")] if output.get("name") != "stderr" else []
    if kind == "error":
        return ["Out:", f"{output.get('ename')}: {COLOURS.sub('', str(output.get('evalue')))}"]
    data = output.get("data")
    shown = joined(data.get("text/plain")) if isinstance(data, dict) else ""
    if kind != "execute_result" or not shown:
        return []
    return [f"Out[{number}]:", *shown.split("\n")]


def joined(text: Any) -> str:
    if isinstance(text, list):
        return "".join(part for part in text if isinstance(part, str))
    return text if isinstance(text, str) else ""
