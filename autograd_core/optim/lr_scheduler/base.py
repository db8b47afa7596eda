"""What all schedulers have in common."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ...opaque import opaque
from ...tensor import Tensor
from ..optimizer import Optimizer

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
        return [group["lr"] for group in self.optimizer.param_groups]

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
        held.update({name: given[name] for name in held.keys() - OWN if name in given and name.isidentifier()})


class _LRScheduler(LRScheduler):
    """The older name of the base."""
