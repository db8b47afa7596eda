"""Programs that show a behaviour on purpose: they say so beside the code, compare what comes of it, or show both ways.

What such a program shows is no trouble. The sentence of the step tells it; there is nothing to mend.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from ..replay.world import World
from ..source import Source
from .diagnosis import Diagnosis

NEVER = r"\b(?:without|no|never|not|don't|doesn't|didn't|isn't|aren't|forg[eo]t\w*|skip\w*|omit\w*)\b"
MEANT = r"\b(?:on purpose|deliberate\w*|intention\w*|as expected|to show|demonstrat\w*)\b"
SAID = {
    "piled": rf"{NEVER}.{{0,24}}(?:zero|clear|reset|empt)|{MEANT}",
    "hooked": rf"\bin[-_ ]?place\b|\bmodif\w+|\bmutat\w+|{MEANT}",
    "not_leaf": rf"\b(?:non-?leaf|not a leaf|no leaf|is[_ ]leaf|leaf:)|{MEANT}",
    "stale": r"\.data\b.*\b(?:behind|silent\w*|track\w*|wrong|bypass\w*|unsafe|escap\w*|notice\w*)|\bbehind\b.*\bback\b"
    rf"|{MEANT}",
    "nan": rf"\b(?:trap|pitfall|gotcha)\b|{MEANT}",
    "infinite": rf"\b(?:trap|pitfall|gotcha)\b|\bslope\b.*\binfinite\b|{MEANT}",
    "zero_derivative": rf"\b(?:no|zero)\b.{{0,12}}\b(?:slope|derivative)\b|\b(?:slope|derivative)s?\b.{{0,24}}"
    rf"\b(?:zero|0|vanish\w*)\b|\bpiecewise constant\b|\bflat\b.{{0,12}}\beverywhere\b|{MEANT}",
    "second_derivative": rf"\bsecond derivative\b.*\b(?:zero|0|vanish\w*)\b|\bpiecewise\b|{MEANT}",
}
"""By cause, what a remark says that knows of it."""

ASKS = re.compile(
    r"\?|(?<!\bis )(?<!'s )\bwhy\b|\b(?:help|should|supposed|bug|wrong here|does(?:n't| not) work|fixme|todo)\b",
    re.IGNORECASE,
)
"""A remark that wonders is that of somebody who did not mean it."""

CLEARS = re.compile(r"zero_grad\(|\.grad\.zero_\(|\.grad\s*=\s*None|\.grad\.data\.zero_\(|\.grad\.fill_\(")
NEEDS = {"piled": CLEARS}
"""What the program must do elsewhere for a remark to count: it knows the other way."""

COMPARED = re.compile(r"^(?:assert (?!not )|np\.testing\.assert_allclose\()")
NEAR = 6
"""How many lines around those of the cause a remark may stand, where the whole program is not meant."""

ANYWHERE = frozenset({"piled", "second_derivative"})
"""Causes whose words can be of nothing else, wherever they stand."""


def is_shown_on_purpose(world: World, found: Diagnosis) -> bool:
    """Whether the program shows on purpose what `found` tells of."""
    words = SAID.get(found.cause)
    if words is None:
        return False
    source = world.source
    return has_remark(source, found, re.compile(words, re.IGNORECASE)) or has_assertion(source, found)


def has_remark(source: Source, found: Diagnosis, words: re.Pattern[str]) -> bool:
    """Whether a remark near the lines of `found` speaks of it, and not as a question."""
    needs = NEEDS.get(found.cause)
    if needs is not None and not needs.search(source.whole):
        return False
    lines = [line for line in found.lines.values() if line]
    remarks = [
        text
        for line, text in remarks_of(source)
        if found.cause in ANYWHERE or any(abs(line - at) <= NEAR for at in lines)
    ]
    return any(map(words.search, remarks)) and not any(map(ASKS.search, remarks))


def remarks_of(source: Source) -> Iterator[tuple[int, str]]:
    """The comments of a program, what it prints in words, its docstrings and the names of its functions."""
    text = "\n".join(source.code)
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return
    for node in source.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.FunctionDef):
            yield node.lineno, node.name.replace("_", " ")


def has_assertion(source: Source, found: Diagnosis) -> bool:
    """Whether an assertion behind it holds what came of it against what was to come: numbers that close are meant."""
    target = found.names.get("target")
    after = max((line for line in found.lines.values() if line), default=0)
    for node in source.nodes:
        if not isinstance(node, ast.Assert | ast.Expr) or node.lineno < after:
            continue
        text = ast.unparse(node)
        speaks = ".grad" in text or (target is not None and re.search(rf"\b{re.escape(target)}\b", text))
        if COMPARED.match(text) and re.search(r"\b(?:allclose|equal|assert_close|assert_allclose)\(", text) and speaks:
            return True
    return False
