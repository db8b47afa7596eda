"""Every operator call of torch's own record: value, nodes, what is saved and when, first and second derivatives."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np
import pytest

import autograd_core as torch
from autograd_core.engine.state import isolated

from .not_yet import NOT_YET
from .oracle import complaints, entries, title
from .ways import usual

ENTRIES = entries()
GROUPS = sorted({entry["group"] for entry in ENTRIES})


Way = Callable[[], AbstractContextManager[object]]
WAYS = {"general": isolated, "usual": usual}
"""What runs the operators: the code for whatever is on, or that of a program that nobody listens to."""


def differing(group: str, way: Way) -> dict[str, list[str]]:
    """The calls of a group that differ from torch, with what is said of each."""
    found = {}
    for entry in ENTRIES:
        if entry["group"] == group:
            with way(), np.errstate(all="ignore"):
                torch.manual_seed(0)
                said = list(complaints(entry))
            if said:
                found[title(entry)] = said
    return found


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("group", GROUPS)
def test_operators_do_what_torch_does(group: str, way: Way) -> None:
    found = differing(group, way)
    unexpected = {name: said for name, said in found.items() if name not in NOT_YET}
    assert not unexpected
    known = {title(entry) for entry in ENTRIES if entry["group"] == group}
    agreeing = [name for name in NOT_YET if name in known and name not in found]
    assert not agreeing, f"these agree now, take them out of not_yet.py: {agreeing}"


def test_every_call_listed_as_missing_is_one_of_the_record() -> None:
    titles = {title(entry) for entry in ENTRIES}
    assert [name for name in NOT_YET if name not in titles] == []
