"""gradcheck, autograd.functional, torch.func, forward mode: small programs print what they print in torch."""

import pytest

from tests.autograd_core.programs import close, printed
from tests.autograd_core.stored import load

PROGRAMS = load("functional")


@pytest.mark.parametrize("program", PROGRAMS, ids=[program["name"] for program in PROGRAMS])
def test_programs_print_what_torch_prints(program: dict[str, str]) -> None:
    got = printed(program["code"])
    assert close(program["prints"], got), f"torch printed\n{program['prints']}\nhere\n{got}"
