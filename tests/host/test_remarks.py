"""What is said beside the editor of a program that was pasted."""

import pytest

from gradreel.host.work import remarks
from gradreel.interpreter import paste, run

CASES = [
    ("import torch\nprint(torch.ones(2))", []),
    ("!ls\nprint(1)", ["Line 1: `!ls` is for IPython or the shell, and was left out"]),
    (
        "import torch\nfor i in range(3):\n    x = torch.ones(2).cuda()",
        [
            "Line 3: There is no GPU here: everything stays on the CPU. Random numbers drawn on a GPU would be others.",
        ],
    ),
    ("import torch\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'\nx = torch.ones(2, device=device)", []),
]


@pytest.mark.parametrize(("source", "said"), CASES)
def test_what_was_left_out_and_what_is_other_here_is_said_once(source: str, said: list[str]) -> None:
    assert remarks(run(source), paste(source)) == said
