"""Schedulers: learning rates that change from epoch to epoch."""

from ...absent import absent
from ...homes import settle
from .base import EPOCH_DEPRECATION_WARNING, LRScheduler, _LRScheduler
from .by_epoch import (
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from .cyclic import CyclicLR
from .one_cycle import OneCycleLR
from .plateau import ReduceLROnPlateau
from .several import ChainedScheduler, SequentialLR

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "EPOCH_DEPRECATION_WARNING",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
    "_LRScheduler",
]

settle(globals())
_LRScheduler.__module__ = LRScheduler.__module__

__getattr__ = absent("torch.optim.lr_scheduler")
