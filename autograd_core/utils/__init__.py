"""torch.utils."""

from ..absent import absent
from ..homes import settle
from . import checkpoint, data

settle(vars(data))

__getattr__ = absent("torch.utils")

__all__ = ["checkpoint", "data"]
