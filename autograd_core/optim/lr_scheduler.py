"""Schedulers: learning rates that change from epoch to epoch."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypedDict

from ..namespace.absent import absent
from ..namespace.module_names import settle
from ..opaque import opaque
from ..tensor.dtypes import number, numbers
from ..tensor.tensor import Tensor
from .optimizer import PRODUCT, Optimizer, power

# ---- what all have in common


TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    "PyTorch skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
REPLACED = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure "
    "to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
NOT_STARTED = (
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with last_epoch >= 0.\nThis "
    "typically happens when:\n1. You're trying to resume training from a checkpoint but haven't properly loaded the "
    "optimizer state\n2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
)

OWN = {"optimizer", "lr_lambdas", "_schedulers"}
"""What of a scheduler is not stored."""


def set_rates(groups: Sequence[dict[str, Any]], values: Sequence[float]) -> None:
    """Give each group its rate; a tensor stays the same and is filled."""
    for group, rate in zip(groups, values, strict=True):
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate


def for_each_group(name: str, optimizer: Optimizer, value: Any) -> list[float]:
    """One value for each group of parameters."""
    groups = optimizer.param_groups
    if not isinstance(value, list | tuple):
        return [value] * len(groups)
    if len(value) != len(groups):
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {len(groups)}."
        )
    return list(value)


class StatefulFunction:
    """An object of a program that is called as a function, and says itself what of it is stored: of no other object
    are attributes read or written here, for the engine's own are called, too."""

    __slots__ = ()

    def stored_attributes(self) -> dict[str, Any] | None:
        """A copy of its attributes; None of a plain function."""
        raise NotImplementedError

    def restore_attributes(self, stored: dict[str, Any]) -> None:
        raise NotImplementedError


def stored_function(function: Any) -> dict[str, Any] | None:
    """What is stored of a function that a program gave: the attributes of an object, nothing of a plain function."""
    return function.stored_attributes() if isinstance(function, StatefulFunction) else None


def restore(function: Any, stored: dict[str, Any] | None) -> None:
    """Give such an object the attributes that were stored."""
    if stored is not None and isinstance(function, StatefulFunction):
        function.restore_attributes(stored)


@opaque
class LRScheduler:
    """The base: `get_lr` gives the rate of each group for the epoch `last_epoch`."""

    _get_lr_called_within_step = False
    scalars: ClassVar[frozenset[str]] = frozenset(("last_epoch", "_step_count"))
    """What of it is a number. Those in lists and in groups are looked at when they are used."""

    def __init_subclass__(cls, scalars: str = "", **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.scalars = cls.scalars | frozenset(scalars.split())

    def __setattr__(self, name: str, value: Any) -> None:
        """Keep what is set; a number as one of Python's.

        Raises:
            TypeError: it should be a number.
        """
        is_number = name in self.scalars and value is not None
        self.__dict__[name] = number(value, PRODUCT, tensors=True) if is_number else value

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(NOT_STARTED.format(i))
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        optimizer.watch_steps()
        self._step_count = 0
        self._is_initial = False
        self._get_lr_called_within_step = False
        self.begin()

    def begin(self) -> None:
        """The first step, which finds the rates as the optimizer has them."""
        self._step_count, self._is_initial = 0, True
        try:
            self.step()
        finally:
            self._is_initial = False

    def get_lr(self) -> list[float]:
        raise NotImplementedError

    def rates(self) -> list[float]:
        """The rates as they stand; asked by `get_lr`, which programs should not call."""
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.", stacklevel=1
            )
        return self.of_groups("lr")

    def of_groups(self, name: str) -> list[Any]:
        """What each group says of `name`."""
        return numbers([group[name] for group in self.optimizer.param_groups], PRODUCT)

    def bases(self) -> list[Any]:
        """The rates that the groups began with."""
        return numbers(self.base_lrs, PRODUCT)

    def get_last_lr(self) -> list[float]:
        return self._last_lr

    def closed_form(self) -> list[float]:
        """The rates for an epoch that is not the next."""
        return self.get_lr()

    def step(self, epoch: int | None = None) -> None:
        if self._step_count == 1 and "step" in vars(self.optimizer):
            warnings.warn(REPLACED, stacklevel=2)
        elif self._step_count == 1 and not self.optimizer.stepped:
            warnings.warn(TOO_EARLY, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self.go_to(epoch)

    def go_to(self, epoch: int | None) -> None:
        """To the next epoch, or to the given one."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._get_lr_called_within_step = True
        try:
            values = self.get_lr() if epoch is None else self.closed_form()
        finally:
            self._get_lr_called_within_step = False
        self.assign(values)

    def assign(self, values: Sequence[float]) -> None:
        groups = self.optimizer.param_groups
        set_rates(groups, values)
        self._last_lr = [group["lr"] for group in groups]

    def state_dict(self) -> dict[str, Any]:
        # what is no identifier belongs to those who extend the class, and is none of its state
        return {name: value for name, value in self.__dict__.items() if name not in OWN and name.isidentifier()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what was stored of the facts that this scheduler has; a name that it has not means nothing."""
        given, held = dict(state_dict), self.__dict__
        for name in sorted(held.keys() - OWN):
            if name in given and name.isidentifier():
                setattr(self, name, given[name])  # a name that the scheduler has


class _LRScheduler(LRScheduler):
    """The older name of the base."""


# ---- by the number of the epoch alone


class StepLR(LRScheduler, scalars="step_size gamma"):
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
        return [base * power(self.gamma, self.last_epoch // self.step_size) for base in self.bases()]


class MultiStepLR(LRScheduler, scalars="gamma"):
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
        return [rate * power(self.gamma, number(self.milestones[self.last_epoch])) for rate in rates]

    def closed_form(self) -> list[float]:
        passed = sum(max(number(times), 0) for at, times in self.milestones.items() if at <= self.last_epoch)
        return [base * power(self.gamma, passed) for base in self.bases()]


class ExponentialLR(LRScheduler, scalars="gamma"):
    """Times `gamma` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        rates = self.rates()
        return rates if self._is_initial else [rate * self.gamma for rate in rates]

    def closed_form(self) -> list[float]:
        return [base * power(self.gamma, self.last_epoch) for base in self.bases()]


class ConstantLR(LRScheduler, scalars="factor total_iters"):
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
        return [base * factor for base in self.bases()]


class LinearLR(LRScheduler, scalars="start_factor end_factor total_iters"):
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
        return [base * here for base in self.bases()]


class PolynomialLR(LRScheduler, scalars="total_iters power"):
    """Down to zero over `total_iters` epochs, along a power of what is left."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        rates, whole = self.rates(), self.total_iters
        if self._is_initial or self.last_epoch > whole:
            return rates
        left = (1.0 - self.last_epoch / whole) / (1.0 - (self.last_epoch - 1) / whole)
        return [rate * power(left, self.power) for rate in rates]

    def closed_form(self) -> list[float]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * power(left, self.power) for base in self.bases()]


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
        pairs = zip(self.bases(), self.lr_lambdas, strict=True)
        return [base * number(factor(self.last_epoch), PRODUCT, tensors=True) for base, factor in pairs]

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
        pairs = zip(rates, self.lr_lambdas, strict=True)
        return [rate * number(factor(self.last_epoch), PRODUCT, tensors=True) for rate, factor in pairs]


class CosineAnnealingLR(LRScheduler, scalars="T_max eta_min"):
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
            return [rate + (base - low) * rise for base, rate in zip(self.bases(), rates, strict=True)]
        here, before = (1 + math.cos(math.pi * e / whole) for e in (epoch, epoch - 1))
        return [here / before * (rate - low) + low for rate in rates]

    def closed_form(self) -> list[float]:
        share = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.bases()]


class CosineAnnealingWarmRestarts(LRScheduler, scalars="T_0 T_i T_mult T_cur eta_min"):
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
        return [self.eta_min + (base - self.eta_min) * share for base in self.bases()]

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


# ---- one cycle: up from a small rate and down to a smaller one, the momentum the other way round


def cosine(start: float, end: float, part: float) -> float:
    return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)


def straight(start: float, end: float, part: float) -> float:
    return (end - start) * part + start


WAYS: dict[str, Callable[[float, float, float], float]] = {"cos": cosine, "linear": straight}


class OneCycleLR(LRScheduler, scalars="total_steps"):
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
            start_lr, end_lr = numbers([group[phase["start_lr"]], group[phase["end_lr"]]])
            found.append(way(start_lr, end_lr, part))
            if self.cycle_momentum:
                first, last = numbers([group[phase["start_momentum"]], group[phase["end_momentum"]]])
                set_momentum(group, way(first, last, part))
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


# ---- rates that swing between two bounds, the momentum the other way round


Scale = Callable[[float], float]

MODES = {"triangular": "cycle", "triangular2": "cycle", "exp_range": "iterations"}
"""What the swing of each mode is scaled by: the number of the cycle, or of the step."""


class CyclicLR(LRScheduler, scalars="total_size step_ratio gamma"):
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
            return number(self._scale_fn_custom(x), PRODUCT, tensors=True)
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
            for low, high in zip(self.bases(), numbers(self.max_lrs, PRODUCT), strict=True)
        ]
        if self.cycle_momentum:
            bounds = zip(numbers(self.base_momentums), numbers(self.max_momentums), strict=True)
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


# ---- by what is measured


class ReduceLROnPlateau(
    LRScheduler, scalars="factor patience threshold cooldown cooldown_counter num_bad_epochs best eps"
):
    """Times `factor` when a measure has not become better for more than `patience` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        groups = len(optimizer.param_groups)
        several = isinstance(min_lr, list | tuple)
        self.factor, self.optimizer = factor, optimizer
        if several and len(min_lr) != groups:  # type: ignore[arg-type]
            raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")  # type: ignore[arg-type]
        self.default_min_lr = None if several else min_lr
        self.min_lrs: Any = list(min_lr) if several else [min_lr] * groups  # type: ignore[arg-type]
        self.patience, self.cooldown, self.eps, self.last_epoch = patience, cooldown, eps, 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]  # it needs the measure
        current = float(metrics)
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _reduce_lr(self) -> None:
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            now = float(number(group["lr"]))
            rate = max(now * self.factor, number(least, tensors=True))
            if now - rate > self.eps:
                group["lr"] = rate

    @property
    def in_cooldown(self) -> bool:
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        sign = -1 if self.mode == "min" else 1
        bound = best * (1 + sign * self.threshold) if self.threshold_mode == "rel" else best + sign * self.threshold
        return a < bound if self.mode == "min" else a > bound


# ---- several, one after the other or together


MEASURED = (
    "{} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified when calling "
    "`step`, but got one at index {} in the given schedulers sequence."
)


class Several(LRScheduler):
    """What stores others with itself."""

    _schedulers: list[LRScheduler]

    def check(self, schedulers: Sequence[Any], optimizer: Optimizer | None, expected: str) -> Optimizer:
        """The optimizer of all `schedulers`.

        Raises:
            ValueError: there is none, one needs a measure, or one belongs to another optimizer.
            TypeError: one is no scheduler.
        """
        name = type(self).__name__
        if len(schedulers) < 1:
            raise ValueError(f"{name} expects at least one scheduler{expected}, but got no scheduler.")
        if optimizer is None:
            optimizer = schedulers[0].optimizer
        for at, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {at} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(MEASURED.format(name, at))
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {at} has {scheduler.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )
        return optimizer

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict(state_dict)
        for scheduler, stored in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(stored)


class SequentialLR(Several):
    """One scheduler up to the first milestone, then the next."""

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        self.check(schedulers, optimizer, "")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._schedulers, self._milestones = list(schedulers), list(milestones)
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        undo(self)
        first = self._schedulers[bisect_right(self._milestones, 0)]
        first.begin()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]  # no epoch can be given
        self.last_epoch += 1
        at = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[at]
        if at > 0 and self._milestones[at - 1] == self.last_epoch:
            scheduler.go_to(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(Several):
    """All schedulers at each epoch, each on what the one before made."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        self.optimizer = self.check(schedulers, optimizer, " to be chained")
        self._schedulers = list(schedulers)
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def step(self) -> None:  # type: ignore[override]  # no epoch can be given
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]


def undo(scheduler: LRScheduler) -> None:
    """Take the epoch back with which `scheduler`, or each of those that it stores, began."""
    if isinstance(scheduler, Several):
        for one in scheduler._schedulers:
            undo(one)
    else:
        scheduler.last_epoch -= 1


class SWALR(LRScheduler, scalars="anneal_epochs"):
    """From each group's rate to a fixed one, in so many epochs, along a line or half a cosine."""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        groups = optimizer.param_groups
        rates = list(swa_lr) if isinstance(swa_lr, list | tuple) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise ValueError(
                "swa_lr must have the same length as optimizer.param_groups. swa_lr has "
                f"{len(rates)} values, param_groups has {len(groups)}."
            )
        for rate, group in zip(rates, groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def way(self, epoch: int) -> float:
        """How far it has come at an epoch."""
        part = max(0, min(1, epoch / max(1, self.anneal_epochs)))
        return part if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * part)) / 2

    def get_lr(self) -> list[float]:
        self.rates()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self.way(step - 1), self.way(step)
        found = []
        for group in self.optimizer.param_groups:
            rate, last = numbers([group["lr"], group["swa_lr"]])
            first = last if before == 1 else (rate - before * last) / (1 - before)
            found.append(last * now + first * (1 - now))
        return found


settle(globals())
_LRScheduler.__module__ = LRScheduler.__module__

__getattr__ = absent("torch.optim.lr_scheduler")
