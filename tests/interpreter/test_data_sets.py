"""torch.utils.data in programs: the engine's module, run as programs are; its transcript says what torch shows."""

import ast
from pathlib import Path

from gradreel.interpreter import run
from gradreel.trace.events import Printed
from tests.autograd_core.transcript import blocks

FOLDER = Path(__file__).parents[1] / "autograd_core" / "transcripts"
(BLOCK,) = blocks((FOLDER / "data_sets.txt").read_text())
OTHER_HERE = " object at ", "<function", "<class", "len(iter("
"""What shows this, shows it otherwise in programs: they do not say where an object is."""

BEGIN = """\
import torch
def show(number, expression):
    print("@", number)
    try:
        value = expression()
        if value is not None:
            print(repr(value))
    except Exception as error:
        print(f"!!! {type(error).__name__}: {error}")
"""


def test_data_sets_show_what_they_show_in_torch() -> None:
    lines, expected = [BEGIN], {}
    for number, statement in enumerate(BLOCK.statements):
        if "numpy" in statement.code:
            break
        if not isinstance(ast.parse(statement.code).body[0], ast.Expr):
            lines.append(statement.code)
            continue
        lines.append(f"show({number}, lambda: {statement.code})")
        if not any(part in statement.code + statement.shown for part in OTHER_HERE):
            expected[number] = statement.shown.strip()
    trace = run("\n".join(lines))
    assert trace.outcome.kind == "finished", trace.outcome
    printed = "".join(event.text for event in trace.events if isinstance(event, Printed))
    got = {int(part.split("\n")[0]): part.partition("\n")[2].strip() for part in printed.split("@ ")[1:]}
    assert {number: got[number] for number in expected} == expected
    assert len(expected) > 90
