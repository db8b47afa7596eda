"""The trace's form is written down; whoever changes an event changes it knowingly."""

import json
import os
from dataclasses import fields
from pathlib import Path

from autograd_core import events as engine
from gradreel.trace import KINDS, SCHEMA, Outcome
from gradreel.trace.events import Event, Value

GOLDEN = Path(__file__).parent.parent / "data" / "trace_schema.json"
ADVICE = """\
The events have changed, and with them the trace that players and stored files rely on.
If a field was renamed, removed or means something else now, raise SCHEMA in gradreel/trace/trace.py;
a new kind of event or a new field at the end needs no new number. Then run

    FIX_GOLDEN=1 pytest tests/trace/test_schema.py

and read the difference before you commit it.
"""


def form(kind: type) -> dict[str, str]:
    return {field.name: str(field.type) for field in fields(kind)}


def test_the_schema_is_the_one_written_down() -> None:
    schema = {
        "schema": SCHEMA,
        "outcome": form(Outcome),
        "value": form(Value),
        "events": {name: form(kind) for name, kind in sorted(KINDS.items())},
    }
    text = json.dumps(schema, indent=1) + "\n"
    if os.environ.get("FIX_GOLDEN"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text, encoding="utf-8")
    assert GOLDEN.read_text(encoding="utf-8") == text, ADVICE


def test_every_event_of_the_engine_is_a_kind_of_the_trace() -> None:
    made = {kind for kind in vars(engine).values() if isinstance(kind, type) and issubclass(kind, Event)}
    missing = sorted(kind.__name__ for kind in made - {Event} - set(KINDS.values()))
    assert not missing, f"name these in gradreel/trace/events.py: {missing}"
