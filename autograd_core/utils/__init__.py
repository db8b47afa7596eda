"""torch.utils."""

from ..absent import absent
from ..homes import settle
from . import checkpoint, data

for _part in (data.dataset, data.sampler, data.dataloader):
    settle(vars(_part))

__getattr__ = absent("torch.utils")

__all__ = ["checkpoint", "data"]
