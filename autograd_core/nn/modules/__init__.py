"""torch.nn.modules: the layers under the modules where torch has them, for programs that import them from there."""

import sys
from types import ModuleType

from ...namespace.module_names import LAYERS
from .. import conv, dropout, global_hooks, lazy, loss, normalization, pooling

ALSO = {
    "module": {name: value for name, value in vars(global_hooks).items() if name.startswith("register_module_")},
    "batchnorm": {"_BatchNorm": normalization.BatchNorm, "_NormBase": normalization.Tracked},
    "conv": {"_ConvNd": conv.ConvNd, "_ConvTransposeNd": conv.ConvTranspose},
    "dropout": {"_DropoutNd": dropout.AnyDropout},
    "instancenorm": {"_InstanceNorm": normalization.InstanceNorm},
    "lazy": {"LazyModuleMixin": lazy.Lazy},
    "loss": {"_Loss": loss._Loss, "_WeightedLoss": loss._WeightedLoss},
    "pooling": {"_MaxPoolNd": pooling.MaxPool},
}
"""What else programs take from there: classes that several layers are of, and hooks on all modules."""

_nn = vars(sys.modules[__name__.rpartition(".")[0]])

for _home in {**LAYERS, **ALSO}:
    _module = ModuleType(f"{__name__}.{_home}")
    _names = LAYERS.get(_home, "").split()
    vars(_module).update({name: _nn[name] for name in _names if name in _nn} | ALSO.get(_home, {}))
    sys.modules[_module.__name__] = globals()[_home] = _module

from . import utils  # noqa: E402, F401 - it belongs to this package, and takes nothing of it

globals().update({name: _nn[name] for names in LAYERS.values() for name in names.split() if name in _nn})
