"""Posts that leave their imports out: it is said, and the imports are the mend."""

from __future__ import annotations

import pytest

from gradreel.explain import diagnose
from gradreel.explain.fixes import find_fixes
from gradreel.interpreter import run

MENDED = {
    "a = torch.ones(2, requires_grad=True)\na.sum().backward()": "import torch\na = ",
    "x = torch.ones(3)\nprint(F.relu(nn.Linear(3, 1)(Variable(x))).shape, math.pi)": (
        "import torch\nimport torch.nn.functional as F\nfrom torch import nn\nfrom torch.autograd import Variable\n"
        "import math\nx = "
    ),
    "from __future__ import annotations\nprint(np.zeros(2))": (
        "from __future__ import annotations\nimport numpy as np\nprint("
    ),
    ">>> a = torch.ones(2)\n>>> a.sum()": ">>> import torch\n>>> a = ",
    "It goes wrong here:\n\n```\nh = torch.ones(2)\n```\n\nand here\n\n```\nprint(h)\n```": (
        "It goes wrong here:\n\n```\nimport torch\nh = "
    ),
    "I call it like this here\n\ndef f(x):\n    return torch.relu(x)\n\nprint(f(torch.ones(1)))": (
        "I call it like this here\n\nimport torch\ndef f(x):"
    ),
}


@pytest.mark.parametrize("source", MENDED)
def test_what_is_usually_imported_is_imported(source: str) -> None:
    ((found, mends),) = find_fixes(run(source), run)[:1]
    assert found.cause == "not_imported"
    assert mends[0].source.startswith(MENDED[source])


OTHERS = [
    "print(foo)",
    "import torch\ndel torch\ntorch.ones(2)",
    "print(nn)\nnn = 3",
    "def f():\n    x = math\n    math = 2\nf()",
    "try:\n    torch\nexcept NameError:\n    pass",
]


@pytest.mark.parametrize("source", OTHERS)
def test_other_names_are_not(source: str) -> None:
    assert "not_imported" not in [found.cause for found in diagnose(run(source))]
