"""The averaged models of torch.optim.swa_utils: their parameters are means of those of a model in training."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import autograd_core

torch: Any = autograd_core
"""Nothing here knows how the engine works inside: torch is used as by any program."""

Parts = Sequence[Any]


def check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """`get_ema_avg_fn` for many tensors, written in place."""
    check_decay(decay)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def ema_update(ema_param_list: Parts, current_param_list: Parts, _: Any) -> None:
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if average.is_floating_point():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Any]:
    """What moves a mean by a fixed part towards what is new."""
    check_decay(decay)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[..., Any]:
    """What keeps the mean of all that there was."""

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def swa_update(averaged_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """`get_swa_avg_fn` for many tensors, written in place."""

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def swa_update(averaged_param_list: Parts, current_param_list: Parts, num_averaged: Any) -> None:
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            if average.is_floating_point():
                average.lerp_(current, 1 / (float(num_averaged) + 1))
            else:
                average.copy_(average + (current - average) / (float(num_averaged) + 1))

    return swa_update


class AveragedModel(torch.nn.Module):  # type: ignore[misc]
    """A copy of a model whose parameters are means over the times that it was updated."""

    def __init__(
        self, model: Any, device: Any = None, avg_fn: Any = None, multi_avg_fn: Any = None, use_buffers: bool = False
    ) -> None:
        super().__init__()
        assert avg_fn is None or multi_avg_fn is None, "Only one of avg_fn and multi_avg_fn should be provided"
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", torch.tensor(0, dtype=torch.long))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Any) -> None:
        """Let the means take in the parameters of `model` as they stand; the first time they are taken as they are."""
        pairs = list(zip(self.parameters(), model.parameters(), strict=False))
        if self.use_buffers:
            ours, theirs = ([*each.parameters(), *each.buffers()] for each in (self.module, model))
            pairs = list(zip(ours, theirs, strict=False))
        with torch.no_grad():
            if self.n_averaged == 0:
                for average, current in pairs:
                    average.copy_(current)
            elif self.avg_fn is not None:
                for average, current in pairs:
                    average.copy_(self.avg_fn(average, current, self.n_averaged))
            else:
                update = self.multi_avg_fn or get_swa_multi_avg_fn()
                for group in by_dtype(pairs):
                    update([average for average, _ in group], [current for _, current in group], self.n_averaged)
            if not self.use_buffers:
                for average, current in zip(self.module.buffers(), model.buffers(), strict=True):
                    average.copy_(current)
        self.n_averaged += 1


def by_dtype(pairs: Sequence[Any]) -> list[Any]:
    """Pairs of tensors, those of one dtype together."""
    groups: dict[Any, Any] = {}
    for pair in pairs:
        groups.setdefault(pair[0].dtype, []).append(pair)
    return list(groups.values())


@torch.no_grad()  # type: ignore[untyped-decorator]
def update_bn(loader: Iterable[Any], model: Any, device: Any = None) -> None:
    """Let batch norms take the means and variances of all that `loader` gives."""
    norms = [module for module in model.modules() if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)]
    if not norms:
        return
    was_training, momenta = model.training, [norm.momentum for norm in norms]
    model.train()
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    for batch in loader:
        input = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(input if device is None else input.to(device))
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum
    model.train(was_training)
