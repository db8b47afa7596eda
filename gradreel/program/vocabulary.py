"""What can be typed: the names that programs may use, by the module or type they belong to, for an editor to offer."""

from __future__ import annotations

from functools import cache

from .builtins.table import BUILTINS
from .torch_face.names import NAMES, OWNERS, SPACES, offered


@cache
def vocabulary() -> dict[str, list[str]]:
    """Names under `torch`, `torch.nn` ... and `Tensor`, `Module` ...; those of Python itself under the empty name."""
    words = {"": sorted(name for name in BUILTINS if not name.startswith("_"))}
    for path, space in SPACES.items():
        words[path] = sorted(name for name in space.table if not name.startswith("_"))
    for path, names in NAMES.items():
        title = path.rpartition(".")[2]
        owner = offered(path) if title in OWNERS else None
        if owner is not None:
            words[title] = sorted(name for name in names if hasattr(owner, name))
    return words
