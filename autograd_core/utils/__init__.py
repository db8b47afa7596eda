"""torch.utils."""

from ..namespace.absent import absent
from ..namespace.module_names import settle
from . import checkpoint, data

for _part in (data.dataset, data.sampler, data.dataloader):
    settle(vars(_part))

__getattr__ = absent("torch.utils")

__all__ = ["checkpoint", "data"]
