"""Whose `forward` and `__init__` a layer has: Python names the class where a call does not fit."""

from __future__ import annotations

from typing import Any

from ..homes import LAYERS
from ..titles import own_method

FORWARDS = {
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

INITS = {
    "_AdaptiveAvgPoolNd": "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d",
    "_AdaptiveMaxPoolNd": "AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d",
    "_BatchNorm": "BatchNorm1d BatchNorm2d BatchNorm3d",
    "_DropoutNd": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
    "_InstanceNorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    "_LPPoolNd": "LPPool1d LPPool2d LPPool3d",
    "_LazyNormBase": "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyInstanceNorm1d LazyInstanceNorm2d "
    "LazyInstanceNorm3d",
    "_Loss": "L1Loss MSELoss MultiLabelMarginLoss SoftMarginLoss",
    "_MaxPoolNd": "MaxPool1d MaxPool2d MaxPool3d",
    "_WeightedLoss": "BCELoss MultiLabelSoftMarginLoss",
}
"""The same of `__init__`."""


def owners(shared: dict[str, str]) -> dict[str, str]:
    """The class of each layer whose method is not its own."""
    return {layer: owner for owner, layers in shared.items() for layer in layers.split()}


INIT_OWNER = owners(INITS)


def name_methods_of_layers(classes: dict[str, Any]) -> None:
    """Give each layer of `classes`, by its name, a `forward` and an `__init__` named as in torch."""
    forward_owner = owners(FORWARDS)
    for layer in " ".join(LAYERS.values()).split():
        if layer in classes:
            own_method(classes[layer], "forward", forward_owner.get(layer, layer))
            own_method(classes[layer], "__init__", INIT_OWNER.get(layer, layer))
