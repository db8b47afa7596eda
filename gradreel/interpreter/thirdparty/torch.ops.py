"""torch.ops, in Python: the operators that the program has registered itself, by their namespaces."""

import torch.library as _library
from _disk import refuse as _refuse

_OF_TORCH = ("aten", "prim", "prims", "higher_order", "profiler", "quantized", "inductor", "c10d", "c10d_functional")


class _OpNamespace:
    def __init__(self, name):
        self.__dict__["_title"] = name

    def __repr__(self):
        return f"<module 'torch.ops.{self._title}' from 'torch.ops'>"

    def __getattr__(self, name):
        found = _library._operators.get(f"{self._title}::{name}")
        if found is None:
            raise AttributeError(f"'_OpNamespace' '{self._title}' object has no attribute '{name}'")
        return found


def _member(name):
    if name in _OF_TORCH:
        _refuse(f"`torch.ops.{name}` is not supported here: operators of PyTorch are called as `torch.mul`, `x.mul`.")
    return _OpNamespace(name)
