"""torch.optim.swa_utils: models whose parameters are means of those of a model in training, and the rate beside."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..engine.grad_mode import no_grad
from ..namespace.module_names import settle
from ..nn.module import Module
from ..nn.normalization import BatchNorm
from ..tensor.dtypes import numbers
from ..tensor.tensor import Tensor, plain
from .lr_scheduler import LRScheduler
from .optimizer import Optimizer

Parts = Sequence[Tensor]


def check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Tensor]:
    """What moves a mean by a fixed part towards what is new."""
    check_decay(decay)

    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        with no_grad():
            return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[..., Tensor]:
    """What keeps the mean of all that there was."""

    def swa_update(averaged_param: Any, current_param: Any, num_averaged: Any) -> Any:
        with no_grad():
            return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """`get_ema_avg_fn` for many tensors, written in place."""
    check_decay(decay)

    def ema_update(ema_param_list: Parts, current_param_list: Parts, _: Any) -> None:
        with no_grad():
            for mean, new in zip(ema_param_list, current_param_list, strict=True):
                drawn_near(mean, new, 1 - decay, lambda mean, new: mean * decay + new * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """`get_swa_avg_fn` for many tensors, written in place."""

    def swa_update(averaged_param_list: Parts, current_param_list: Parts, num_averaged: Any) -> None:
        with no_grad():
            count = float(num_averaged) + 1
            for mean, new in zip(averaged_param_list, current_param_list, strict=True):
                drawn_near(mean, new, 1 / count, lambda mean, new: mean + (new - mean) / count)

    return swa_update


def drawn_near(mean: Any, new: Any, weight: float, whole: Callable[[Any, Any], Any]) -> None:
    """`mean` written over, by a line if it is of fractions, else by `whole`."""
    if mean.is_floating_point():
        mean.lerp_(new, weight)
    else:
        mean.copy_(whole(mean, new))


class AveragedModel(Module):
    """A copy of a model whose parameters are means over the times that it was updated."""

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable[..., Tensor] | None = None,
        multi_avg_fn: Callable[..., None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", plain(np.int64(0)))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Let the means take in the parameters of `model` as they stand; the first time they are taken as they are."""
        pairs = [
            (mean.detach(), new.detach())
            for mean, new in zip(self.parts(), hold(model, self.use_buffers), strict=False)
        ]
        if int(self.n_averaged) == 0:
            for mean, new in pairs:
                mean.copy_(new)
        else:
            self.mix(pairs)
        if not self.use_buffers:
            for mine, other in zip(self.module.buffers(), model.buffers(), strict=True):
                mine.detach().copy_(other.detach())
        self.n_averaged += 1

    def parts(self) -> Iterable[Any]:
        return hold(self.module, True) if self.use_buffers else self.parameters()

    def mix(self, pairs: list[tuple[Any, Any]]) -> None:
        if self.avg_fn is not None:
            for mean, new in pairs:
                mean.copy_(self.avg_fn(mean, new, self.n_averaged))
            return
        for group in by_dtype(pairs):
            every = self.multi_avg_fn or get_swa_multi_avg_fn()
            every([mean for mean, _ in group], [new for _, new in group], self.n_averaged)


def hold(model: Module, with_buffers: bool) -> Iterable[Any]:
    return itertools.chain(model.parameters(), model.buffers()) if with_buffers else model.parameters()


def by_dtype(pairs: list[tuple[Any, Any]]) -> Iterable[list[tuple[Any, Any]]]:
    groups: dict[Any, list[tuple[Any, Any]]] = {}
    for pair in pairs:
        groups.setdefault(pair[0].dtype, []).append(pair)
    return groups.values()


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Let batch norms take the means and variances of all that `loader` gives."""
    with no_grad():
        norms = [module for module in model.modules() if isinstance(module, BatchNorm)]
        if not norms:
            return
        momenta = []
        for norm in norms:
            norm.reset_running_stats()
            momenta.append(norm.momentum)
        training = model.training
        model.train()
        for norm in norms:
            norm.momentum = None
        for batch in loader:
            input = batch[0] if isinstance(batch, list | tuple) else batch
            model(input if device is None else input.to(device))
        for norm, momentum in zip(norms, momenta, strict=True):
            norm.momentum = momentum
        model.train(training)


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
