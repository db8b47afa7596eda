"""Every name of torch that programs posted in public use, the most used first: each is used once, as torch does it."""

import pytest

import autograd_core
from tests.autograd_core.naming import under_the_name_of_torch
from tests.autograd_core.programs import close, printed
from tests.autograd_core.stored import load

USED = load("usage")


@pytest.mark.parametrize("used", USED, ids=[used["name"] for used in USED])
def test_a_name_does_what_it_does_in_torch(used: dict[str, str]) -> None:
    with under_the_name_of_torch(autograd_core):
        got = printed("import torch.utils.checkpoint\nfrom torch import optim\n" + used["code"])
    assert close(used["prints"], got), f"torch printed\n{used['prints']}\nhere\n{got}"


def test_all_names_are_there() -> None:
    assert len({used["name"] for used in USED}) == 213
