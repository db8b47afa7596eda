"""torch.optim: optimizers and schedules of their learning rates."""

from ..absent import absent
from ..homes import settle
from . import lr_scheduler
from .algorithms import SGD, Adagrad, Adam, AdamW, RMSprop
from .lbfgs import LBFGS
from .optimizer import Optimizer

__all__ = ["LBFGS", "SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]

settle(globals())

__getattr__ = absent("torch.optim")
