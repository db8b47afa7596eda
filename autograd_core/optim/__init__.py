"""torch.optim: optimizers and schedules of their learning rates."""

from ..namespace.absent import absent
from ..namespace.module_names import settle
from . import lr_scheduler as lr_scheduler
from . import swa_utils as swa_utils
from .adagrad import Adadelta as Adadelta
from .adagrad import Adagrad as Adagrad
from .adagrad import RMSprop as RMSprop
from .adam import Adam as Adam
from .adam import Adamax as Adamax
from .adam import AdamW as AdamW
from .adam import NAdam as NAdam
from .adam import RAdam as RAdam
from .adam import SparseAdam as SparseAdam
from .lbfgs import LBFGS as LBFGS
from .optimizer import Optimizer as Optimizer
from .sgd import ASGD as ASGD
from .sgd import SGD as SGD
from .sgd import Rprop as Rprop

settle(globals())

__getattr__ = absent("torch.optim")
