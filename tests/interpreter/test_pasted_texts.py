"""What people paste that is no program as it stands: each text is cleaned and runs, or one sentence says what it is.

The table has `kind` and `says` (how the sentence begins) for texts that get an answer; for the others what is printed,
how the run ends and what was said of the cleaning.
"""

from __future__ import annotations

import ast
import gzip
import json
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gradreel.interpreter import paste, run
from gradreel.interpreter.limits import Limits
from gradreel.interpreter.pasting import (
    cleaners,
    languages,
    notebook,
    outputs,
    parsing,
    recognizers,
    scripts,
    transcripts,
)
from gradreel.interpreter.pasting.extraction import LONGEST
from gradreel.interpreter.pasting.parsing import Regex
from gradreel.interpreter.pasting.recognizers import KINDS, LATER
from gradreel.trace.events import Printed

DATA = Path(__file__).parent.parent / "data"


def stored(name: str) -> list[Any]:
    found: list[Any] = json.loads(gzip.decompress((DATA / f"{name}.json.gz").read_bytes()))
    return found


TEXTS: dict[str, dict[str, Any]] = {row["name"]: row for row in stored("pasted_texts")}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_runs_cleaned_or_is_told_what_it_is(name: str) -> None:
    row = TEXTS[name]
    pasted, trace = paste(row["text"]), run(row["text"])
    assert pasted.program.count("\n") == pasted.text.count("\n")
    if "kind" not in row:
        assert pasted.answer is None
        assert trace.outcome.kind == row["outcome"] and (trace.outcome.message or "") == row.get("message", "")
        assert "".join(event.text for event in trace.events if isinstance(event, Printed)) == row["prints"]
        assert [note.text for note in pasted.notes] == row.get("notes", [])
        again = paste(pasted.text)
        assert (again.program, again.answer) == (pasted.program, None), "what is shown runs the same"
        return
    assert pasted.answer is not None and pasted.answer.kind == row["kind"]
    what, _, action = pasted.answer.sentence.partition(": ")
    assert what == row["says"] and action.endswith("."), pasted.answer.sentence
    assert trace.outcome.kind == "refused" and trace.outcome.message == pasted.answer.sentence and not trace.events
    assert trace.outcome.line == pasted.answer.line


def test_every_recogniser_finds_a_text_of_the_table() -> None:
    told = {row.get("kind") for row in TEXTS.values()} | {
        note for row in TEXTS.values() for note in row.get("notes", [])
    }
    missing = [kind.name for kind in (*KINDS, *LATER) if kind.name not in told and kind.cleaned not in told]
    assert missing == []


WHOLE = (
    "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\nfor i in range(2):\n    y = (x ** 2).sum()\nprint(y)"
)


@pytest.mark.parametrize("end", range(1, len(WHOLE)))
def test_a_program_cut_anywhere_is_not_run_in_part(end: int) -> None:
    text = WHOLE[:end]
    pasted = paste(text)
    assert pasted.answer is not None or pasted.program == text


def test_what_is_not_run_is_listed_with_its_lines() -> None:
    found = paste("Look:\n\n```python\nprint(1)\n```\n\nWhy is it so?")
    assert [(each.first, each.last, each.reason.split()[0]) for each in found.skipped] == [
        (1, 1, "words"),
        (3, 3, "a"),
        (5, 5, "a"),
        (7, 7, "words"),
    ]
    typed = paste(">>> 1\n1\n>>> 2\n3\n3")
    assert [(each.first, each.last) for each in typed.skipped] == [(2, 2), (4, 5)]
    assert all("compared" in each.reason for each in typed.skipped)
    assert paste("x = 1\nprint(x)").skipped == ()


# ---- programs

PROGRAMS = [
    *(row["source"] for name in ("corpus", "posts", "statements") for row in stored(name)),
    *(row[1] for row in stored("python")),
    *(row["source"] for row in json.loads((DATA / "lessons.json").read_text(encoding="utf-8")).values()),
    'def f(x):\n    """Doubles.\n\n    >>> f(2)\n    4\n    """\n    return 2 * x\nprint(f(3))',
    's = "a\u00a0b\u200bc\u2028"\nprint(len(s), repr(s))',
    'print("a \u201cquoted\u201d word \u2013 and \u2026 \u00d7 2")  # \u201cx\u201d \u2013 y',
    'text = """\n```python\nprint(1)\n```\n> quoted\n"""\nprint(text)',
    'log = """\nTraceback (most recent call last):\n  File "x"\nValueError: no\n"""\nprint(log)',
    'page = "x &gt; 2 &amp; y"\nprint(page)',
    'settings = """\n[tool.ruff]\nline-length = 120\n"""\nprint(settings)',
    "name = 2\nprint(f'{{name}} is {name}, not {{{name}}}')",
    "twice = lambda gt: gt * 2\nprint(twice(1))",
    "print(1), print(2)",
    f"print({' + '.join(['1'] * 1200)})",
    "x = 1\ntry:\n    import jax.numpy as jnp\nexcept ImportError:\n    jnp = None\nprint(jnp)",
    "good = True\nprint(good or missing, 1 if good else missing, [missing for _ in []])",
    "# %% a cell\n# <your code here>\nx = 1\n",
    'diff = """\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-x\n+y\n"""\nprint(diff)',
    '"""\nPrints one.\n"""\nprint(1)',
]


def is_program(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(compile(text, "<program>", "exec", dont_inherit=True))
    except (SyntaxError, ValueError):
        return False


def test_what_is_python_is_run_as_it_stands() -> None:
    pasted = [(text, paste(text)) for text in PROGRAMS if is_program(text)]
    assert len(pasted) > 700
    assert [text for text, made in pasted if (made.program, made.answer) != (text, None)] == []


@pytest.mark.parametrize(
    "text, kind",
    [
        ("rate = {{ wanted }}\nprint(rate)", "placeholder"),
        ("[tool.ruff]\nline-length = 120", "settings"),
        ("src/train.py", "file path"),
        ("name: str\nsize: 3", "settings"),
        ("x = np.ones(3)\nx &gt; 2", None),
    ],
)
def test_what_fails_at_once_for_want_of_a_name_is_looked_at(text: str, kind: str | None) -> None:
    answer = paste(text).answer
    assert (answer and answer.kind) == kind


# ---- in time


@pytest.mark.parametrize(
    "name", ["git diff", "tb whole", "prose q", "html escaped", "num pdb", "grep output", "cpp", "mail"]
)
def test_a_long_text_is_parsed_a_few_times_at_most(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed, real = [0], ast.parse

    def counted(source: str, *rest: Any, **more: Any) -> ast.AST:
        parsed[0] += len(source)
        return real(source, *rest, **more)

    monkeypatch.setattr(parsing.ast, "parse", counted)
    text = TEXTS[name]["text"] + "\n"
    paste((text * (LONGEST // len(text) + 1))[:LONGEST])
    assert 0 < parsed[0] <= parsing.ALLOWED + 3 * LONGEST


@pytest.mark.parametrize(
    "unit", ["x = 1\n", "+print(1)\n", "> a b c. ", "RuntimeError: no\n", '{"cells": [', "a b c d. "]
)
def test_a_text_beyond_all_limits_gets_a_sentence(unit: str) -> None:
    outcome = run((unit * (1_000_000 // len(unit) + 1))[:1_000_000]).outcome
    assert outcome.kind == "refused" and (outcome.message or "").endswith(".")
    assert run("x = 1\n" * Limits().source).outcome.message == (
        "The program is longer than 20,000 characters: paste the part that matters."
    )


MODULES: tuple[ModuleType, ...] = (
    cleaners,
    languages,
    notebook,
    outputs,
    parsing,
    recognizers,
    scripts,
    transcripts,
)
UNITS = [
    " ",
    "a",
    "a ",
    "a.",
    "a-",
    "a'",
    "-",
    "1",
    "1:",
    "(",
    "[a",
    "<a",
    "\\",
    "=",
    "> ",
    "#",
    '"',
    "a/",
    "{",
    "a:",
    "| ",
]


def patterns(value: object) -> list[Regex]:
    if isinstance(value, Regex):
        return [value]
    if isinstance(value, dict):
        return patterns(list(value.values()))
    return [found for each in value for found in patterns(each)] if isinstance(value, (list, tuple)) else []


def test_no_pattern_hangs_on_a_line() -> None:
    found = [pattern for module in MODULES for value in vars(module).values() for pattern in patterns(value)]
    assert len(found) > 80
    for unit in UNITS:
        line = (unit * parsing.LOOKED)[: parsing.LOOKED]
        for pattern in found:
            for text in (
                line,
                line + "!",
                f"x{line}\u00a7",
                f"/{line}!",
                f"~/{line} \u00a7",
                f"C:\\{line}\u00a7",
                f"[{line}!",
            ):
                pattern.match(parsing.shorten(text))
