"""torch.optim.swa_utils: models whose parameters are means of those of a model in training, and the rate beside."""

from __future__ import annotations

from ..namespace.module_names import settle
from .averaged_model import AveragedModel as AveragedModel
from .averaged_model import get_ema_avg_fn as get_ema_avg_fn
from .averaged_model import get_ema_multi_avg_fn as get_ema_multi_avg_fn
from .averaged_model import get_swa_avg_fn as get_swa_avg_fn
from .averaged_model import get_swa_multi_avg_fn as get_swa_multi_avg_fn
from .averaged_model import update_bn as update_bn
from .lr_scheduler import SWALR as SWALR

settle(globals())
