"""Several schedulers, one after the other or together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from ..optimizer import Optimizer
from .base import LRScheduler
from .plateau import ReduceLROnPlateau

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
