"""Programs that say `import torch`, run on this engine by itself."""

import contextlib
import importlib
import pkgutil
import sys
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any


@cache
def whole(package: Any) -> dict[str, ModuleType]:
    """The package and all modules below it, loaded, by their names.

    One that is not loaded would be found under the other name, as a second copy that sets names in the first.
    """
    inside = package.__name__ + "."
    for module in pkgutil.walk_packages(package.__path__, inside):
        importlib.import_module(module.name)
    return {name: module for name, module in sys.modules.items() if (name + ".").startswith(inside)}


@contextlib.contextmanager
def under_the_name_of_torch(package: Any) -> Iterator[None]:
    """Let `import torch...` find `package` and what is below it."""
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "torch"}
    sys.modules.update(
        {"torch" + name.removeprefix(package.__name__): module for name, module in whole(package).items()}
    )
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
            del sys.modules[name]
        sys.modules.update(before)
