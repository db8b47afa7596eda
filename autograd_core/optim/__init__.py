"""torch.optim: optimizers and schedules of their learning rates."""

from ..absent import absent
from ..homes import settle
from . import lr_scheduler, swa_utils
from .algorithms import SGD, Adagrad, Adam, AdamW, RMSprop
from .factored import Adafactor
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .orthogonal import Muon
from .rarer import ASGD, Adadelta, Adamax, NAdam, RAdam, Rprop, SparseAdam

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]

settle(globals())

__getattr__ = absent("torch.optim")
