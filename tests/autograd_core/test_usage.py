"""Every name of torch that programs posted in public use, the most used first: each is used once, as torch does it."""

import sys

import pytest

import autograd_core
from autograd_core import optim
from tests.autograd_core.programs import close, printed
from tests.autograd_core.stored import load

USED = load("usage")
MUST = 150
"""How many of the names, from the most used on, have to work."""

NOT_YET: dict[str, str] = {}
"""Names further down that this engine does not have, each with what it says."""


@pytest.fixture(autouse=True)
def torch_is_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", autograd_core)
    for name in ("utils", "utils.checkpoint"):
        module = autograd_core.utils if name == "utils" else autograd_core.utils.checkpoint
        monkeypatch.setitem(sys.modules, f"torch.{name}", module)


@pytest.mark.parametrize("used", [used for used in USED if used["name"] not in NOT_YET], ids=lambda used: used["name"])
def test_a_name_does_what_it_does_in_torch(used: dict[str, str]) -> None:
    got = printed("import torch.utils.checkpoint\nfrom torch import optim\n" + used["code"])
    assert close(used["prints"], got), f"torch printed\n{used['prints']}\nhere\n{got}"


@pytest.mark.parametrize("used", [used for used in USED if used["name"] in NOT_YET], ids=lambda used: used["name"])
def test_what_is_not_there_is_named(used: dict[str, str]) -> None:
    with pytest.raises((NotImplementedError, AttributeError), match=NOT_YET[used["name"]]):
        printed("from torch import optim\n" + used["code"])


def test_the_most_used_names_all_work() -> None:
    assert optim.SGD
    places = [i for i, used in enumerate(USED) if used["name"] in NOT_YET]
    assert len(USED) > MUST and all(i >= MUST for i in places)
