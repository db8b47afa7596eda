"""A name that everybody imports, and this program does not: posts leave their first lines out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import raising_code
from ...diagnostics.registry import rule
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...narration.words import code, on
from ...replay.world import World

UNKNOWN = re.compile(r"^name '(\w+)' is not defined")
AS_MODULES = {
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "optim": "from torch import optim",
    "autograd": "from torch import autograd",
    "np": "import numpy as np",
    "plt": "import matplotlib.pyplot as plt",
    "torchvision": "import torchvision",
}
FROM = {
    "torch": "Tensor",
    "torch.autograd": "Variable Function grad",
    "torch.nn": "Parameter Module Linear",
    "torch.distributions": "Categorical Normal Bernoulli",
    "torch.utils.data": "DataLoader Dataset TensorDataset",
    "torchvision": "datasets transforms",
    "collections": "deque defaultdict Counter OrderedDict namedtuple",
    "functools": "partial reduce",
    "dataclasses": "dataclass",
    "typing": "Any Callable Dict List Optional Tuple Union",
    "tqdm": "tqdm",
}
IMPORTS = {
    **{name: f"import {name}" for name in ["copy", "itertools", "math", "numpy", "os", "random", "sys", "time"]},
    **{name: f"from {module} import {name}" for module, names in FROM.items() for name in names.split()},
    **AS_MODULES,
}
"""How each is usually imported."""


@rule
def not_imported(world: World, failure: Failure) -> Diagnosis | None:
    """A NameError for a name that no line binds, and that is usually imported."""
    found = UNKNOWN.match(failure.raised.message)
    if failure.raised.type != "NameError" or found is None or found[1] not in IMPORTS:
        return None
    if found[1] not in unbound(world.source.tree):
        return None
    line = failure.raised.line
    return Diagnosis(
        title="A name is not imported",
        message=failure.raised.message,
        lines={"raised": line},
        story=(
            f"{code(raising_code(world, failure))} {on(line)} says {code(found[1])}, and no line of the program binds "
            "it.",
            f"It is usually imported: {code(IMPORTS[found[1]])}. What is posted often begins behind the imports.",
        ),
        events={"raised": failure.number},
        cause="not_imported",
        names=known_names(name=found[1]),
    )


def unbound(tree: ast.Module) -> list[str]:
    """The names of IMPORTS that are read and nowhere bound, in the order in which they are met."""
    bound: set[str] = set()
    read: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read[node.lineno * 10_000 + node.col_offset] = node.id
        elif isinstance(node, ast.Name):
            bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
    met = dict.fromkeys(read[place] for place in sorted(read))
    return [name for name in met if name in IMPORTS and name not in bound]


# ---- fixes


@fix(not_imported=1)
def import_names(wanted: FixContext) -> Iterator[Proposal]:
    """What is usually imported, before the first statement: all that is missing, at once."""
    missing, body = unbound(wanted.text.tree), wanted.text.tree.body
    first = next((one for one in body if not (isinstance(one, ast.ImportFrom) and one.module == "__future__")), None)
    if missing and first is not None:
        lines = list(dict.fromkeys(IMPORTS[name] for name in missing))
        yield wanted.proposal(f"{'; '.join(lines)} before line {first.lineno}", FREE, wanted.text.before(first, lines))
