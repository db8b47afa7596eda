"""torch.cpu.amp, in Python: the older names of torch.amp."""

import warnings as _warnings

import torch as _torch
import torch.amp as _amp


def _older(name):
    _warnings.warn(
        f"`torch.cpu.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cpu', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )


class autocast(_amp.autocast):
    def __init__(self, enabled=True, dtype=_torch.bfloat16, cache_enabled=True):
        _older("autocast")
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(_amp.GradScaler):
    def __init__(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        _older("GradScaler")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
