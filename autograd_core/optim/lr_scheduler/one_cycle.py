"""One cycle: up from a small rate and down to a smaller one, the momentum the other way round."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler


def cosine(start: float, end: float, part: float) -> float:
    return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)


def straight(start: float, end: float, part: float) -> float:
    return (end - start) * part + start


WAYS: dict[str, Callable[[float, float, float], float]] = {"cos": cosine, "linear": straight}


class OneCycleLR(LRScheduler):
    """From `max_lr / div_factor` up to `max_lr`, then down to a `final_div_factor`-th of where it began.

    Raises:
        ValueError: neither `total_steps` nor `epochs` with `steps_per_epoch`; or a cycle of the momentum is asked for
            and the optimizer has none.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float = 0.85,
        max_momentum: float = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        self.total_steps: int = (epochs or 0) * (steps_per_epoch or 0) if total_steps is None else total_steps
        if anneal_strategy not in WAYS:
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = WAYS[anneal_strategy]
        self.cycle_momentum = cycle_momentum
        self._schedule_phases = phases(self.total_steps, pct_start, three_phase)
        self.use_beta1 = "betas" in optimizer.defaults
        groups = optimizer.param_groups
        highest = max_lr if isinstance(max_lr, list | tuple) else [max_lr] * len(groups)
        new = groups if last_epoch == -1 else []
        for group, most in zip(new, highest, strict=False):
            group["initial_lr"], group["max_lr"] = most / div_factor, most
            group["min_lr"] = group["initial_lr"] / final_div_factor
        if cycle_momentum and not {"momentum", "betas"} & set(optimizer.defaults):
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        for group in new if cycle_momentum else []:
            set_momentum(group, max_momentum)
            group["max_momentum"], group["base_momentum"] = max_momentum, base_momentum
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self.rates()
        at = self.last_epoch
        if at > self.total_steps:
            raise ValueError(f"Tried to step {at} times. The specified number of total steps is {self.total_steps}")
        start, found = 0.0, []
        known = self._schedule_phases
        place = next((i for i, phase in enumerate(known) if at <= phase[0]), len(known) - 1)
        if place > 0:
            start = known[place - 1][0]
        end, rates, momenta = known[place]
        part = (at - start) / (end - start)
        for group in self.optimizer.param_groups:
            found.append(self._anneal_func_type(group[rates[0]], group[rates[1]], part))
            if self.cycle_momentum:
                set_momentum(group, self._anneal_func_type(group[momenta[0]], group[momenta[1]], part))
        return found


Phase = tuple[float, tuple[str, str], tuple[str, str]]


def phases(steps: int, rise: float, three: bool) -> list[Phase]:
    """For each phase the step that it ends with, and between what rates and momenta it leads."""
    up = (float(rise * steps) - 1, ("initial_lr", "max_lr"), ("max_momentum", "base_momentum"))
    if not three:
        return [up, (steps - 1, ("max_lr", "min_lr"), ("base_momentum", "max_momentum"))]
    down = (float(2 * rise * steps) - 2, ("max_lr", "initial_lr"), ("base_momentum", "max_momentum"))
    return [up, down, (steps - 1, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum"))]


def set_momentum(group: dict[str, Any], value: float) -> None:
    if "betas" in group:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value
