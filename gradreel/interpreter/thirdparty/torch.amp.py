"""torch.amp, in Python: what it does for a GPU is switched off, as PyTorch does where there is none."""

import functools as _functools
import warnings as _warnings

import torch as _torch
from _disk import begin_autocast as _begin
from _disk import end_autocast as _end


def is_autocast_available(device_type):
    return device_type in ("cpu", "cuda", "xpu", "hpu", "mps")


class autocast:
    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        if device_type == "cuda" and enabled:
            _warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        if dtype is None:
            dtype = _torch.bfloat16 if device_type == "cpu" else _torch.float16
        if device_type == "cpu" and enabled and dtype not in (_torch.bfloat16, _torch.float16):
            _warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast only "
                "supports dtype of torch.bfloat16, torch.float16 currently.",
                stacklevel=2,
            )
            enabled = False
        self.device, self.fast_dtype = device_type, dtype
        self._enabled = enabled
        self._cache_enabled = True if cache_enabled is None else cache_enabled

    def __enter__(self):
        if self.device == "cpu":
            _begin(self.fast_dtype if self._enabled else None, self._cache_enabled)
        return self

    def __exit__(self, *error):
        if self.device == "cpu":
            _end()
        return False

    def __call__(self, function):
        @_functools.wraps(function)
        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return inside


def custom_fwd(fwd=None, *, device_type=None, cast_inputs=None):
    if fwd is None:
        return lambda function: function
    return fwd


def custom_bwd(bwd=None, *, device_type=None):
    if bwd is None:
        return lambda function: function
    return bwd


class GradScaler:
    def __init__(
        self,
        device="cuda",
        init_scale=65536.0,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        enabled=True,
    ):
        if enabled and device == "cuda":
            _warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            enabled = False
        self._enabled = enabled
        self._scale, self._tracker, self._found = init_scale, 0, {}
        self._growth, self._backoff, self._interval = growth_factor, backoff_factor, growth_interval

    def scale(self, outputs):
        if not self._enabled:
            return outputs
        if isinstance(outputs, _torch.Tensor):
            return outputs * _torch.full((), self._scale, dtype=_torch.float32)
        return type(outputs)(self.scale(one) for one in outputs)

    def unscale_(self, optimizer):
        if not self._enabled:
            return
        if id(optimizer) in self._found:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        assert grads, "No inf checks were recorded for this optimizer."
        with _torch.no_grad():
            found = not all(bool(_torch.isfinite(grad).all()) for grad in grads)
            for grad in grads:
                grad.mul_(1.0 / self._scale)
        self._found[id(optimizer)] = found

    def step(self, optimizer, *args, **kwargs):
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if id(optimizer) not in self._found:
            self.unscale_(optimizer)
        if not self._found[id(optimizer)]:
            return optimizer.step(*args, **kwargs)

    def update(self, new_scale=None):
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif any(self._found.values()):
            self._scale, self._tracker = self._scale * self._backoff, 0
        else:
            self._tracker += 1
            if self._tracker == self._interval:
                self._scale, self._tracker = self._scale * self._growth, 0
        self._found = {}

    def get_scale(self):
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self):
        return self._growth

    def get_backoff_factor(self):
        return self._backoff

    def get_growth_interval(self):
        return self._interval

    def is_enabled(self):
        return self._enabled

    def state_dict(self):
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth,
            "backoff_factor": self._backoff,
            "growth_interval": self._interval,
            "_growth_tracker": self._tracker,
        }

    def load_state_dict(self, state_dict):
        if self._enabled:
            self._scale, self._tracker = state_dict["scale"], state_dict["_growth_tracker"]
