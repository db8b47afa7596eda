"""Schedules by the number of the epoch alone."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler, restore, stored_function


class StepLR(LRScheduler):
    """Times `gamma` every `step_size` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        rates = self.rates()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return rates
        return [rate * self.gamma for rate in rates]

    def closed_form(self) -> list[float]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Times `gamma` at each of the `milestones`."""

    def __init__(
        self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        rates = self.rates()
        if self.last_epoch not in self.milestones:
            return rates
        return [rate * self.gamma ** self.milestones[self.last_epoch] for rate in rates]

    def closed_form(self) -> list[float]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Times `gamma` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        rates = self.rates()
        return rates if self._is_initial else [rate * self.gamma for rate in rates]

    def closed_form(self) -> list[float]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """Times `factor` for the first `total_iters` epochs."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        rates = self.rates()
        if self.last_epoch == 0:
            return [rate * self.factor for rate in rates]
        return [rate * (1.0 / self.factor) for rate in rates] if self.last_epoch == self.total_iters else rates

    def closed_form(self) -> list[float]:
        factor = self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)
        return [base * factor for base in self.base_lrs]


class LinearLR(LRScheduler):
    """From `start_factor` to `end_factor` in a line over `total_iters` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        rates, way = self.rates(), self.end_factor - self.start_factor
        if self.last_epoch == 0:
            return [rate * self.start_factor for rate in rates]
        if self._is_initial or self.last_epoch > self.total_iters:
            return rates
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * way
        return [rate * (1.0 + way / before) for rate in rates]

    def closed_form(self) -> list[float]:
        way = self.end_factor - self.start_factor
        here = self.start_factor + way * min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * here for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Down to zero over `total_iters` epochs, along a power of what is left."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        rates, whole = self.rates(), self.total_iters
        if self._is_initial or self.last_epoch > whole:
            return rates
        left = (1.0 - self.last_epoch / whole) / (1.0 - (self.last_epoch - 1) / whole)
        return [rate * left**self.power for rate in rates]

    def closed_form(self) -> list[float]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class LambdaLR(LRScheduler):
    """The first rate times a function of the epoch."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        groups = len(optimizer.param_groups)
        several = list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * groups
        if len(several) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(several)}")
        self.lr_lambdas: list[Any] = several
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self.rates()
        return [base * factor(self.last_epoch) for base, factor in zip(self.base_lrs, self.lr_lambdas, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "lr_lambdas": [stored_function(given) for given in self.lr_lambdas]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict(state_dict)
        for own, kept in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            restore(own, kept)


class MultiplicativeLR(LambdaLR):
    """The last rate times a function of the epoch."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        super().__init__(optimizer, lr_lambda, last_epoch)
        for given in self.lr_lambdas:
            if not callable(given):
                raise TypeError(f"lr_lambda should be a function, but got {type(given).__name__}")

    def get_lr(self) -> list[float]:
        rates = self.rates()
        if self._is_initial:
            return rates
        return [rate * factor(self.last_epoch) for rate, factor in zip(rates, self.lr_lambdas, strict=True)]


class CosineAnnealingLR(LRScheduler):
    """Down to `eta_min` along half a cosine of `T_max` epochs, and up again."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        epoch, whole, low, rates = self.last_epoch, self.T_max, self.eta_min, self.rates()
        if self._is_initial:
            return rates
        if self._step_count == 1 and epoch > 0:
            return self.closed_form()
        if (epoch - 1 - whole) % (2 * whole) == 0:
            rise = (1 - math.cos(math.pi / whole)) / 2
            return [rate + (base - low) * rise for base, rate in zip(self.base_lrs, rates, strict=True)]
        here, before = (1 + math.cos(math.pi * e / whole) for e in (epoch, epoch - 1))
        return [here / before * (rate - low) + low for rate in rates]

    def closed_form(self) -> list[float]:
        share = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Down along half a cosine again and again, each time `T_mult` times as long."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0, self.T_i, self.T_mult, self.eta_min, self.T_cur = T_0, T_0, T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self.rates()
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur = self.T_cur + 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur - self.T_i, self.T_i * self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        else:
            self.place(epoch)
        self.last_epoch = math.floor(epoch) - 1
        self.go_to(None)

    def place(self, epoch: Any) -> None:
        """Where in which round `epoch` lies."""
        self.T_cur, self.T_i = epoch, self.T_0
        if epoch >= self.T_0 and self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        elif epoch >= self.T_0:
            rounds = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**rounds - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**rounds
