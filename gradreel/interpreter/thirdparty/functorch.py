"""functorch, in Python: the older names of torch.func, and modules as functions of their parameters."""

import copy as _copy
import warnings as _warnings

import torch as _torch


def _older(name, now=None):
    _warnings.warn(
        f"We've integrated functorch into PyTorch. As the final step of the integration, `functorch.{name}` is "
        "deprecated as of PyTorch 2.0 and will be deleted in a future version of PyTorch >= 2.3. Please use "
        f"`{now or 'torch.func.' + name}` instead; see the PyTorch 2.0 release notes and/or the `torch.func` migration "
        "guide for more details https://pytorch.org/docs/main/func.migrating.html",
        FutureWarning,
        stacklevel=3,
    )


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    _older("vmap", "torch.vmap")
    return _torch.vmap(func, in_dims, out_dims, randomness, chunk_size=chunk_size)


def grad(func, argnums=0, has_aux=False):
    _older("grad")
    return _torch.func.grad(func, argnums, has_aux)


def grad_and_value(func, argnums=0, has_aux=False):
    _older("grad_and_value")
    return _torch.func.grad_and_value(func, argnums, has_aux)


def vjp(func, *primals, has_aux=False):
    _older("vjp")
    return _torch.func.vjp(func, *primals, has_aux=has_aux)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    _older("jvp")
    return _torch.func.jvp(func, primals, tangents, strict=strict, has_aux=has_aux)


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None):
    _older("jacrev")
    return _torch.func.jacrev(func, argnums, has_aux=has_aux, chunk_size=chunk_size)


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    _older("jacfwd")
    return _torch.func.jacfwd(func, argnums, has_aux, randomness=randomness)


def hessian(func, argnums=0):
    _older("hessian")
    return _torch.func.hessian(func, argnums=argnums)


def make_functional(model, disable_autograd_tracking=False):
    _older("make_functional", "torch.func.functional_call")
    return FunctionalModule._create_from(model, disable_autograd_tracking)


def make_functional_with_buffers(model, disable_autograd_tracking=False):
    _older("make_functional_with_buffers", "torch.func.functional_call")
    return FunctionalModuleWithBuffers._create_from(model, disable_autograd_tracking)


def combine_state_for_ensemble(models):
    _older("combine_state_for_ensemble", "torch.func.stack_module_state")
    said = "combine_state_for_ensemble: Expected "
    if not models:
        raise RuntimeError(said + "at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError(said + "all models to have the same training/eval mode.")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError(said + "all models to be of the same class.")
    made = [FunctionalModuleWithBuffers._create_from(model) for model in models]
    return made[0][0], _stacked([params for _, params, _ in made]), _stacked([buffers for _, _, buffers in made])


def _stacked(rows):
    return tuple(_torch.stack(parts).detach() for parts in zip(*rows, strict=True))


def _values(named, disable_autograd_tracking):
    """The tensors, which want no gradient any more if tracking is disabled."""
    for tensor in named.values():
        if disable_autograd_tracking:
            tensor.requires_grad_(False)
    return tuple(named.values())


class FunctionalModule(_torch.nn.Module):
    def __init__(self, stateless_model, param_names):
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names

    @staticmethod
    def _create_from(model, disable_autograd_tracking=False):
        if list(model.buffers()):
            raise RuntimeError(
                "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
            )
        own = _copy.deepcopy(model)
        params = dict(own.named_parameters())
        return FunctionalModule(own, tuple(params)), _values(params, disable_autograd_tracking)

    def forward(self, params, *args, **kwargs):
        state = dict(zip(self.param_names, params, strict=True))
        return _torch.func.functional_call(self.stateless_model, state, args, kwargs)


class FunctionalModuleWithBuffers(_torch.nn.Module):
    def __init__(self, stateless_model, param_names, buffer_names):
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names
        self.buffer_names = buffer_names

    @staticmethod
    def _create_from(model, disable_autograd_tracking=False):
        own = _copy.deepcopy(model)
        params, buffers = dict(own.named_parameters()), dict(own.named_buffers())
        func = FunctionalModuleWithBuffers(own, tuple(params), tuple(buffers))
        return func, _values(params, disable_autograd_tracking), tuple(buffers.values())

    def forward(self, params, buffers, *args, **kwargs):
        state = dict(zip([*self.param_names, *self.buffer_names], [*params, *buffers], strict=True))
        return _torch.func.functional_call(self.stateless_model, state, args, kwargs)
