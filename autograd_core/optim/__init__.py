"""torch.optim: optimizers and schedules of their learning rates."""

from ..namespace.absent import absent
from ..namespace.module_names import settle
from . import lr_scheduler, swa_utils
from .adagrad import Adadelta, Adagrad, RMSprop
from .adam import Adam, Adamax, AdamW, NAdam, RAdam, SparseAdam
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .sgd import ASGD, SGD, Rprop

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
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
