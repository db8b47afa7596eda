"""Modules, layers, activations, losses and initialisers print what they print in torch."""

from typing import Any

import pytest

import autograd_core
from autograd_core import distributions, nn, optim
from autograd_core.events import Written
from autograd_core.events.recording import Reader, Tape
from autograd_core.events.session import listening
from tests.autograd_core.programs import close, printed
from tests.autograd_core.stored import load

PROGRAMS = load("nn")


@pytest.mark.parametrize("program", PROGRAMS, ids=[program["name"] for program in PROGRAMS])
def test_programs_print_what_torch_prints(program: dict[str, str]) -> None:
    got = printed(program["code"])
    assert close(program["prints"], got), f"torch printed\n{program['prints']}\nhere\n{got}"


def test_the_comparison_notices_differences() -> None:
    assert close("loss 1.2345 tensor([0.])", "loss 1.2346 tensor([-0.])")
    assert not close("loss 1.2345", "loss 1.2445")
    assert not close("loss 12", "loss 13")
    assert not close("MulBackward0", "MulBackward1")
    assert not close("0.0000", "0.0010")


def test_a_watched_initialiser_tells_of_its_write() -> None:
    tape, weight = Tape(), autograd_core.ones(2, 2)
    with listening(tape):
        nn.init.uniform_(weight)
    (written,) = [event for event in Reader(tape).read() if event[0] is Written]
    assert written[3] == "uniform_" and written[5] == 1


@pytest.mark.parametrize(
    ("space", "name"),
    [
        (nn, "SyncBatchNorm"),
        (nn.functional, "scaled_mm"),
        (optim, "swap_in_optimizer_params_and_state"),
        (distributions, "Wishart"),
    ]
    + [
        (nn.utils, "memory_format"),
        (nn.utils.parametrize, "transfer_parametrizations_and_params"),
        (autograd_core.utils, "dlpack"),
    ],
    ids=lambda value: str(getattr(value, "__name__", value)),
)
def test_what_is_torchs_alone_is_named(space: Any, name: str) -> None:
    with pytest.raises(AttributeError, match=rf"^torch\.[a-z.]+\.{name} is not supported by this engine$"):
        getattr(space, name)
    with pytest.raises(AttributeError, match=r"^module 'torch\.[a-z.]+' has no attribute 'Nonesuch'$"):
        _ = space.Nonesuch


def test_so_are_names_of_the_package_itself() -> None:
    with pytest.raises(AttributeError, match=r"^torch\.sparse is not supported by this engine$"):
        _ = autograd_core.sparse
    with pytest.raises(AttributeError, match=r"^module 'torch' has no attribute 'nonesuch'$"):
        _ = autograd_core.nonesuch


def test_what_a_tensor_lacks_is_named() -> None:
    x = autograd_core.ones(2)
    with pytest.raises(AttributeError, match=r"^torch\.Tensor\.igamma is not supported by this engine$"):
        _ = x.igamma
    with pytest.raises(AttributeError, match=r"^'Tensor' object has no attribute 'nothing'$"):
        _ = x.nothing
    assert not hasattr(x, "igamma") and x.is_cpu
    x.values = 3
    assert x.values == 3


def test_a_class_that_extends_tensor_is_refused_by_its_name() -> None:
    with pytest.raises(NotImplementedError, match=r"^subclasses of torch\.Tensor are not .*, and Wrapped is one$"):
        type("Wrapped", (autograd_core.Tensor,), {})
    Named = type("Named", (nn.Parameter,), {})
    assert isinstance(Named(autograd_core.ones(2)), Named)
