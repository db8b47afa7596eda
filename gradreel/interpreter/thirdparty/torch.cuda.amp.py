"""torch.cuda.amp, in Python: the older names of torch.amp."""

import warnings as _warnings

import torch.amp as _amp


def _older(name):
    _warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )


class autocast(_amp.autocast):
    def __init__(self, enabled=True, dtype=None, cache_enabled=True):
        _older("autocast")
        super().__init__("cuda", enabled=enabled, dtype=dtype)


class GradScaler(_amp.GradScaler):
    def __init__(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        _older("GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd=None, *, cast_inputs=None):
    return _amp.custom_fwd(fwd)


def custom_bwd(bwd=None):
    return _amp.custom_bwd(bwd)
