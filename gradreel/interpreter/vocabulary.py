"""What can be typed: the names that programs may use, by the module or type they belong to, for an editor to offer."""

from __future__ import annotations

import ast
from functools import cache

from .builtins.table import BUILTINS
from .library import GUEST
from .torch_module.names import NAMES, OWNERS, SPACES, SURFACE, offered


@cache
def vocabulary() -> dict[str, list[str]]:
    """Names under `torch`, `torch.nn` ... and `Tensor`, `Module` ...; those of Python itself under the empty name."""
    words = {"": sorted(name for name in BUILTINS if not name.startswith("_"))}
    for path, space in SPACES.items():
        held = {*space.table, *(in_python(path) if space.guest else ())}
        words[path] = sorted(name for name in held if not name.startswith("_"))
    for path, names in NAMES.items():
        title = path.rpartition(".")[2]
        owner = offered(path) if title in OWNERS else None
        if owner is not None:
            words[title] = sorted(name for name in names if hasattr(owner, name))
    return words


def in_python(path: str) -> set[str]:
    """Those names of a module written in Python that the module of torch has, too."""
    body = GUEST[path].body
    names = {node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    names |= {alias.asname or alias.name for node in body if isinstance(node, ast.ImportFrom) for alias in node.names}
    return names & SURFACE.get(path, frozenset())
