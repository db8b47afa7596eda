"""torch.optim.swa_utils, in Python: a model whose parameters are the average of those of another."""

import copy as _copy

import torch as _torch


def get_ema_multi_avg_fn(decay=0.999):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")

    @_torch.no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if average.is_floating_point():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_ema_avg_fn(decay=0.999):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")

    @_torch.no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    @_torch.no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_swa_multi_avg_fn():
    @_torch.no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            if average.is_floating_point():
                average.lerp_(current, 1 / (float(num_averaged) + 1))
            else:
                average.copy_(average + (current - average) / (float(num_averaged) + 1))

    return swa_update


class AveragedModel(_torch.nn.Module):
    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        assert avg_fn is None or multi_avg_fn is None, "Only one of avg_fn and multi_avg_fn should be provided"
        self.module = _copy.deepcopy(model)
        self.register_buffer("n_averaged", _torch.tensor(0, dtype=_torch.long))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def _numbers(self, model):
        return [*model.parameters(), *model.buffers()] if self.use_buffers else list(model.parameters())

    def update_parameters(self, model):
        ours, theirs = self._numbers(self.module), self._numbers(model)
        with _torch.no_grad():
            if self.n_averaged == 0:
                for average, current in zip(ours, theirs, strict=True):
                    average.copy_(current)
            elif self.avg_fn is not None:
                for average, current in zip(ours, theirs, strict=True):
                    average.copy_(self.avg_fn(average, current, self.n_averaged))
            else:
                (self.multi_avg_fn or get_swa_multi_avg_fn())(ours, theirs, self.n_averaged)
            if not self.use_buffers:
                for average, current in zip(self.module.buffers(), model.buffers(), strict=True):
                    average.copy_(current)
        self.n_averaged += 1


@_torch.no_grad()
def update_bn(loader, model, device=None):
    norms = [module for module in model.modules() if hasattr(module, "running_mean")]
    if not norms:
        return
    was_training, momenta = model.training, [norm.momentum for norm in norms]
    model.train()
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    for batch in loader:
        model(batch[0] if isinstance(batch, (list, tuple)) else batch)
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum
    model.train(was_training)
