"""torch.utils."""

from ..absent import absent
from . import checkpoint

__getattr__ = absent("torch.utils")

__all__ = ["checkpoint"]
