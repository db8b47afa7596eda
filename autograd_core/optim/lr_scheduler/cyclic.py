"""Rates that swing between two bounds, the momentum the other way round."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler, for_each_group, restore, set_rates, stored_function
from .one_cycle import set_momentum

Scale = Callable[[float], float]

MODES = {"triangular": "cycle", "triangular2": "cycle", "exp_range": "iterations"}
"""What the swing of each mode is scaled by: the number of the cycle, or of the step."""


class CyclicLR(LRScheduler):
    """From `base_lr` up to `max_lr` in `step_size_up` steps and down again, over and over.

    Raises:
        TypeError: `optimizer` is none.
        ValueError: a list has not one value for each group of parameters; there is no such mode and no `scale_fn`; or
            the momentum is to swing and the optimizer has none.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Scale | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        base_lrs = for_each_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            set_rates(optimizer.param_groups, base_lrs)
        self.max_lrs = for_each_group("max_lr", optimizer, max_lr)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up) + float(down)
        self.step_ratio = step_size_up / self.total_size
        if mode not in MODES and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = MODES[mode] if scale_fn is None else scale_mode
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.start_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def start_momentum(self, base: float | list[float], most: float | list[float], last_epoch: int) -> None:
        optimizer = self.optimizer
        if not {"momentum", "betas"} & set(optimizer.defaults):
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        self.base_momentums = for_each_group("base_momentum", optimizer, base)
        self.max_momentums = for_each_group("max_momentum", optimizer, most)
        if last_epoch != -1:
            return
        for group, low, high in zip(optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True):
            set_momentum(group, high)
            group["max_momentum"], group["base_momentum"] = high, low

    def scale_fn(self, x: float) -> float:
        """By how much the swing is scaled in cycle or at step `x`."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / (2.0 ** (x - 1)) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[float]:
        self.rates()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        part = 1.0 + self.last_epoch / self.total_size - cycle
        up = part <= self.step_ratio
        height = part / self.step_ratio if up else (part - 1) / (self.step_ratio - 1)
        by = cycle if self.scale_mode == "cycle" else self.last_epoch
        rates = [
            low + (high - low) * height * self.scale_fn(by)
            for low, high in zip(self.base_lrs, self.max_lrs, strict=True)
        ]
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (low, high) in zip(self.optimizer.param_groups, bounds, strict=True):
                set_momentum(group, high - (high - low) * height * self.scale_fn(by))
        return rates

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer; last, of a `scale_fn` of the program's, the attributes of an object."""
        stored = super().state_dict()
        own = stored.pop("_scale_fn_custom")
        return {**stored, "_scale_fn_custom": None if own is None else stored_function(own)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        kept = state_dict.pop("_scale_fn_custom")
        super().load_state_dict(state_dict)
        restore(self._scale_fn_custom, kept)
