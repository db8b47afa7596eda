"""What programs see of torch's modules looks like torch's: every name that they offer is printed.

tests/data/names_shown.json.gz has what `repr` gives of each in PyTorch, without the places of files and addresses.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from gradreel.interpreter import run
from gradreel.interpreter.torch_module.namespace import SPACES
from gradreel.trace.events import Printed

SHOWN: dict[str, str] = json.loads(
    gzip.decompress((Path(__file__).parent.parent / "data" / "names_shown.json.gz").read_bytes())
)
APART = ("torch.backends.", "torch.cuda.", "torch.distributions.constraints.")
"""Modules of which names look otherwise: what stands for another machine's, and kinds that are made by functions."""
OTHERWISE = {"torch.autocast"}
AT_ONCE = 60


def printed(module: str, names: list[str]) -> dict[str, str]:
    """What a program prints of these names of the module."""
    lines = [f"print('@@', {name!r}, repr(m.{name}).replace('\\n', ' '))" for name in names]
    trace = run("\n".join(["import torch", f"import {module} as m", *lines]))
    assert trace.outcome.kind == "finished", trace.outcome.message
    text = "".join(event.text for event in trace.events if isinstance(event, Printed))
    pairs = (part.strip().partition(" ") for part in text.split("@@ ")[1:])
    return {f"{module}.{name}": shown.strip() for name, _, shown in pairs}


def test_every_name_of_torch_looks_as_in_torch() -> None:
    names: dict[str, list[str]] = {}
    for full in SHOWN:
        module, _, name = full.rpartition(".")
        if name in SPACES[module].table and not full.startswith(APART):
            names.setdefault(module, []).append(name)
    found: dict[str, str] = {}
    for module, listed in names.items():
        for at in range(0, len(listed), AT_ONCE):
            found |= printed(module, listed[at : at + AT_ONCE])
    older = {full for full, shown in SHOWN.items() if "_make_deprecate" in shown}
    assert {full for full, shown in found.items() if shown != SHOWN[full]} == OTHERWISE | older
    assert len(found) > 1500
