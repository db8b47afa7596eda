"""Whose `forward` a layer has: Python names it where a call does not fit."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from ..homes import LAYERS

OWNERS = {
    "_BatchNorm": "BatchNorm1d BatchNorm2d BatchNorm3d",
    "_InstanceNorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    "_CircularPadNd": "CircularPad1d CircularPad2d CircularPad3d",
    "_ConstantPadNd": "ConstantPad1d ConstantPad2d ConstantPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
    "_ReflectionPadNd": "ReflectionPad1d ReflectionPad2d ReflectionPad3d",
    "_ReplicationPadNd": "ReplicationPad1d ReplicationPad2d ReplicationPad3d",
    "Hardtanh": "ReLU6",
    "Upsample": "UpsamplingBilinear2d UpsamplingNearest2d",
}
"""The classes whose `forward` others have in torch; any other layer has its own."""

OWNER = {layer: owner for owner, layers in OWNERS.items() for layer in layers.split()}


def name_forwards(classes: dict[str, Any]) -> None:
    """Give each layer of `classes`, by its name, a `forward` named as in torch."""
    for layer in " ".join(LAYERS.values()).split():
        if layer in classes:
            name_forward(classes[layer], f"{OWNER.get(layer, layer)}.forward")


def name_forward(layer: Any, title: str) -> None:
    """Have `layer.forward` named `title`, in a copy if another class has it, too; one that takes anything stays."""
    shared = layer.forward
    if shared.__qualname__ == title or shared.__code__.co_flags & inspect.CO_VARARGS:
        return
    own = FunctionType(shared.__code__, shared.__globals__, shared.__name__, shared.__defaults__, shared.__closure__)
    own.__kwdefaults__, own.__annotations__, own.__doc__ = shared.__kwdefaults__, shared.__annotations__, shared.__doc__
    own.__qualname__ = title
    layer.forward = own
