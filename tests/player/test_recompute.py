"""What the page computes of an expression when a leaf moves is what the server makes of it, number for number."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gradreel.interpreter import propose_expression, run
from gradreel.scene import Expression, Leaf, payload

TABLE = Path(__file__).parent.parent / "data" / "tapes.txt"
EXPRESSIONS = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
PLAYED = Path(__file__).parent / "recompute.mjs"
BEYOND = ["hypot(x, y) + hardswish(x)", "dropout(x)", "sort(u*(u@v))[0][0]"]
"""Expressions of which the page has to ask the server."""

NUMBER = re.compile(r"× -?(\d[\d.e+-]*|inf|nan)")
"""A slope that is told by its number alone."""

Numbers = dict[str, Any]


def moved(value: Any, by: float) -> Any:
    return [moved(part, by + 0.11) for part in value] if isinstance(value, list) else round(value + by, 2)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Numbers, Numbers | None]]:
    """By expression the numbers that the server has for other values, and those of the page."""
    folder = tmp_path_factory.mktemp("scenes")
    texts = [*EXPRESSIONS, *BEYOND]
    for number, text in enumerate(texts):
        expression = propose_expression(text)
        assert expression is not None, text
        first = {leaf.name: leaf.value for leaf in expression.leaves}
        for name, values in (("first", first), ("other", {name: moved(each, 0.37) for name, each in first.items()})):
            trace = run(expression.program(values), mode="script")
            leaves = tuple(Leaf(*item) for item in values.items())
            (folder / f"{number}.{name}").write_bytes(payload(trace, Expression(text, leaves, expression.ones)))
    done = subprocess.run([shutil.which("node") or "node", PLAYED, folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {texts[int(number)]: (theirs, ours) for number, theirs, ours in rows}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_the_page_has_every_number_that_the_server_has(
    played: dict[str, tuple[Numbers, Numbers | None]], text: str
) -> None:
    theirs, ours = played[text]
    assert ours is not None
    assert ours.keys() == theirs.keys()
    for place, number in theirs.items():
        assert same(place, ours[place], number), (place, ours[place], number)


@pytest.mark.parametrize("text", BEYOND)
def test_what_the_page_cannot_compute_it_asks_of_the_server(
    played: dict[str, tuple[Numbers, Numbers | None]], text: str
) -> None:
    assert played[text][1] is None


def same(place: str, ours: Any, theirs: Any) -> bool:
    """Alike to five digits; what a node keeps, and how a slope is put, the page may leave out, not tell wrongly."""
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(partial(same, place), ours, theirs))
    if isinstance(theirs, int | float) and isinstance(ours, int | float):
        return math.isclose(ours, theirs, rel_tol=3e-5, abs_tol=3e-7)
    if place == "slopes" and ours != theirs:
        return ours is None or (theirs.startswith("× (") and NUMBER.fullmatch(ours) is not None)
    return ours == theirs or (ours == "…" and " slot " in place) or (ours is None and place == "factors")
