"""torch.testing, as programs have it: written in Python, it runs as they do."""

from gradreel.interpreter import run
from gradreel.trace.events import Printed

SOURCE = """
import torch
from torch.testing import assert_close
assert_close(torch.ones(2), torch.ones(2) + 1e-7)
assert_close({"a": [1.0, torch.zeros(1)]}, {"a": [1.0, torch.zeros(1)]})
try:
    torch.testing.assert_close([1.0, torch.ones(2, 2)], [1.0, torch.tensor([[1.0, 2.0], [1.0, 1.0]])])
except AssertionError as error:
    print(error)
assert_close(torch.ones(2), torch.ones(3))
"""

TOLD = """Tensor-likes are not close!

Mismatched elements: 1 / 4 (25.0%)
Greatest absolute difference: 1.0 at index (0, 1) (up to 1e-05 allowed)
Greatest relative difference: 0.5 at index (0, 1) (up to 1.3e-06 allowed)

The failure occurred for item [1]
"""


def test_programs_can_assert_that_tensors_are_close() -> None:
    trace = run(SOURCE)
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)) == TOLD
    assert (trace.outcome.kind, trace.outcome.type, trace.outcome.line) == ("raised", "AssertionError", 10)
    assert trace.outcome.message == (
        "The values for attribute 'shape' do not match: torch.Size([2]) != torch.Size([3])."
    )
