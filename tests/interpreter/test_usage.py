"""Every name of torch that programs posted in public use does in a program what it does in PyTorch."""

import gzip
import json
from pathlib import Path

import pytest

from gradreel.interpreter import run
from gradreel.trace.events import Printed
from tests.printing import same_text

STORE = Path(__file__).parent.parent / "data" / "usage.json.gz"
USED = json.loads(gzip.decompress(STORE.read_bytes()))
IMPORTS = "import torch\nfrom torch import nn, optim\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize("used", USED, ids=[used["name"] for used in USED])
def test_a_name_does_in_a_program_what_it_does_in_torch(used: dict[str, str]) -> None:
    trace = run(IMPORTS + used["code"])
    assert trace.outcome.kind == "finished", trace.outcome.message
    printed = "".join(event.text for event in trace.events if isinstance(event, Printed))
    assert same_text(used["prints"], printed), f"torch printed\n{used['prints']}\nhere\n{printed}"
