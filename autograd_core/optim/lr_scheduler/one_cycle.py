"""One cycle: up from a small rate and down to a smaller one, the momentum the other way round."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypedDict

from ..optimizer import Optimizer
from .base import LRScheduler, for_each_group


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
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.total_steps = how_many(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = phases(self.total_steps, pct_start, three_phase)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in WAYS:
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        self.cycle_momentum = cycle_momentum
        groups = optimizer.param_groups
        highest = for_each_group("max_lr", optimizer, max_lr)
        new = groups if last_epoch == -1 else []
        for group, most in zip(new, highest, strict=False):
            group["initial_lr"], group["max_lr"] = most / div_factor, most
            group["min_lr"] = group["initial_lr"] / final_div_factor
        if cycle_momentum:
            if not {"momentum", "betas"} & set(optimizer.defaults):
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.use_beta1 = "betas" in optimizer.defaults
            most_of = for_each_group("max_momentum", optimizer, max_momentum)
            least_of = for_each_group("base_momentum", optimizer, base_momentum)
            for group, high, low in zip(new, most_of, least_of, strict=False):
                set_momentum(group, high)
                group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self.rates()
        at = self.last_epoch
        if at > self.total_steps:
            raise ValueError(f"Tried to step {at} times. The specified number of total steps is {self.total_steps}")
        known, way, found = self._schedule_phases, WAYS[self._anneal_func_type], []
        place = next((i for i, phase in enumerate(known) if at <= phase["end_step"]), len(known) - 1)
        start = known[place - 1]["end_step"] if place > 0 else 0.0
        phase = known[place]
        part = (at - start) / (phase["end_step"] - start)
        for group in self.optimizer.param_groups:
            found.append(way(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                set_momentum(group, way(group[phase["start_momentum"]], group[phase["end_momentum"]], part))
        return found


def how_many(total: int | None, epochs: int | None, each: int | None) -> int:
    """How many steps the cycle has.

    Raises:
        ValueError: too little is said of it, or a number that is not whole and above 0.
    """
    if total is None and (epochs is None or each is None):
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    said: dict[str, Any] = {"epochs": epochs, "steps_per_epoch": each} if total is None else {"total_steps": total}
    for name, value in said.items():
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return math.prod(said.values())


class Phase(TypedDict):
    """The step that a phase ends with, and between what rates and momenta it leads."""

    end_step: float
    start_lr: str
    end_lr: str
    start_momentum: str
    end_momentum: str


def phases(steps: int, rise: float, three: bool) -> list[Phase]:
    up = phase(float(rise * steps) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    if not three:
        return [up, phase(steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    down = phase(float(2 * rise * steps) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum")
    return [up, down, phase(steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")]


def phase(end: float, start_lr: str, end_lr: str, start_momentum: str, end_momentum: str) -> Phase:
    return {
        "end_step": end,
        "start_lr": start_lr,
        "end_lr": end_lr,
        "start_momentum": start_momentum,
        "end_momentum": end_momentum,
    }


def set_momentum(group: dict[str, Any], value: float) -> None:
    if "betas" in group:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value
