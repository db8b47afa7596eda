"""Every name of torch that programs posted in public use, the most used first: each is used once, as torch does it."""

import sys

import pytest

import autograd_core
from tests.autograd_core.programs import close, printed
from tests.autograd_core.stored import load

USED = load("usage")


@pytest.mark.parametrize("used", USED, ids=[used["name"] for used in USED])
def test_a_name_does_what_it_does_in_torch(used: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", autograd_core)
    monkeypatch.setitem(sys.modules, "torch.utils", autograd_core.utils)
    monkeypatch.setitem(sys.modules, "torch.utils.checkpoint", autograd_core.utils.checkpoint)
    got = printed("import torch.utils.checkpoint\nfrom torch import optim\n" + used["code"])
    assert close(used["prints"], got), f"torch printed\n{used['prints']}\nhere\n{got}"


def test_all_names_are_there() -> None:
    assert len({used["name"] for used in USED}) == 210
