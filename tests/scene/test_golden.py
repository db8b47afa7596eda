"""Eight small programs, run for real: traces and scenes are kept in tests/data/golden and read as differences.

    FIX_GOLDEN=1 pytest tests/scene/test_golden.py

writes them anew. The player's own tests play the same scenes.
"""

import gzip
import json
import os
from pathlib import Path

import pytest

from gradreel.interpreter import run
from gradreel.scene import decode, encode, to_json
from gradreel.trace import Trace
from gradreel.trace.rules import validate
from tests.scene.replay import check

GOLDEN = Path(__file__).parent.parent / "data" / "golden"
PROGRAMS = sorted(path.stem for path in GOLDEN.glob("*.py"))


def golden(path: Path, text: str) -> None:
    if os.environ.get("FIX_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"{path.name} has changed; FIX_GOLDEN=1 writes it anew"


def lines(trace: Trace) -> str:
    """The trace's JSON, an event a line."""
    return trace.to_json().replace('{"kind":', '\n{"kind":').replace(',"values":[{', ',\n"values":[\n{') + "\n"


def parts(payload: bytes) -> str:
    """The JSON of a payload, a part or a history a line."""
    record = json.loads(gzip.decompress(payload))
    return "{" + ",\n".join(f"{json.dumps(name)}: {part(value)}" for name, value in record.items()) + "}\n"


def part(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[" + ",\n  ".join(json.dumps(item, ensure_ascii=False) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def test_there_are_eight_programs() -> None:
    assert len(PROGRAMS) == 8


@pytest.mark.parametrize("name", PROGRAMS)
def test_trace_and_scene_are_as_before(name: str) -> None:
    trace = run((GOLDEN / f"{name}.py").read_text(encoding="utf-8"))
    assert validate(trace) == []
    assert Trace.from_json(trace.to_json()) == trace
    scene = check(trace)
    golden(GOLDEN / f"{name}.trace.json", lines(trace))
    rows = to_json(scene, indent=1) + "\n"
    golden(GOLDEN / f"{name}.scene.json", rows)
    payload = encode(scene)
    assert decode(payload) == json.loads(rows)
    golden(GOLDEN / f"{name}.packed.json", parts(payload))
