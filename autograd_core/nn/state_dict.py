"""What of a module is stored: state_dict and back."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from weakref import ref

from ..engine.grad_mode import no_grad
from ..engine.state import visit
from ..graph.node import Handle
from ..ordered_dict import OrderedDict
from ..tensor.tensor import Tensor
from .attributes import Tree, set_part
from .parameter import Parameter

EXTRA = "_extra_state"
PUBLIC = "_from_public_api"
"""What torch writes on a function that may return nothing when a module was written down."""


class _IncompatibleKeys(NamedTuple):
    """What `load_state_dict` found to be missing or left over."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class OfModule:
    """A hook that is called with its module, which it does not hold."""

    def __init__(self, hook: Callable[..., Any], module: Any) -> None:
        self.hook, self.module = hook, ref(module)

    def __call__(self, *given: Any) -> Any:
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *given)

    def __getstate__(self) -> tuple[Callable[..., Any], Any]:
        """A copy is of the copied module."""
        return self.hook, self.module()

    def __setstate__(self, held: tuple[Callable[..., Any], Any]) -> None:
        self.hook, self.module = held[0], ref(held[1])


class Stored(Tree):
    """A module as something that is written down and read again."""

    _version: int = 1
    _state_dict_hooks: OrderedDict[int, Callable[..., Any]]
    _state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _load_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _load_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]

    # ---- out

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Parameters and persistent buffers by their full names, sharing memory with the module."""
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            given = (*args, *(destination, prefix, keep_vars)[len(args) :])
            destination, prefix, keep_vars = given
        visit()
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()  # the versions of the modules' formats, by their paths
        facts = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = facts
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            changed = hook(self, destination, prefix, facts)
            if changed is not None and getattr(hook, PUBLIC, False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = destination if changed is None else changed
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Write down what this module itself holds."""
        for name, held in self._state().items():
            destination[prefix + name] = held if keep_vars else held.detach()
        if type(self).get_extra_state is not Stored.get_extra_state:
            destination[prefix + EXTRA] = self.get_extra_state()

    def _state(self) -> dict[str, Tensor]:
        """What this module itself has to be stored."""
        held: dict[str, Tensor | None] = {**self._parameters, **self._buffers}
        hidden = self._non_persistent_buffers_set
        return {name: tensor for name, tensor in held.items() if tensor is not None and name not in hidden}

    def get_extra_state(self) -> Any:
        raise RuntimeError(UNREACHED.format("get_extra_state"))

    def set_extra_state(self, state: Any) -> None:
        raise RuntimeError(UNREACHED.format("set_extra_state"))

    # ---- in

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copies the tensors of `state_dict` into the module.

        Raises:
            RuntimeError: names (if `strict`) or shapes do not fit.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        keys = _IncompatibleKeys([], [])
        wrong: list[str] = []
        self._load_below(OrderedDict(state_dict), "", getattr(state_dict, "_metadata", {}), assign, keys, wrong)
        if strict:
            found = (("Missing", keys.missing_keys), ("Unexpected", keys.unexpected_keys))
            named = [(what, ", ".join(f'"{key}"' for key in listed)) for what, listed in found if listed]
            wrong = [f"{what} key(s) in state_dict: {names}. " for what, names in named] + wrong
        if wrong:
            listed = "\n\t".join(wrong)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        return keys

    def _load_below(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        metadata: Any,
        assign: bool,
        keys: _IncompatibleKeys,
        wrong: list[str],
    ) -> None:
        visit()
        facts = dict(metadata.get(prefix[:-1], {}))
        if assign:
            facts["assign_to_params_buffers"] = True
        self._load_from_state_dict(state_dict, prefix, facts, True, keys.missing_keys, keys.unexpected_keys, wrong)
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}{name}."
                below = {key: value for key, value in state_dict.items() if key.startswith(path)}
                module._load_below(below, path, metadata, assign, keys, wrong)
        for hook in self._load_state_dict_post_hooks.values():
            if hook(self, keys) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                    "values, if incompatible_keys need to be modified, it should be done inplace."
                )

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Read what this module itself holds."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = self._state()
        for name, held in own.items():
            if prefix + name in state_dict:
                trouble = self._load_one(
                    name, held, prefix + name, state_dict[prefix + name], "assign_to_params_buffers" in local_metadata
                )
                error_msgs += [trouble] if trouble else []
            elif strict:
                missing_keys.append(prefix + name)
        if type(self).set_extra_state is not Stored.set_extra_state:
            if prefix + EXTRA in state_dict:
                self.set_extra_state(state_dict[prefix + EXTRA])
            elif strict:
                missing_keys.append(prefix + EXTRA)
        elif strict and prefix + EXTRA in state_dict:
            unexpected_keys.append(prefix + EXTRA)
        for key in state_dict if strict else ():
            if key.startswith(prefix) and key != prefix + EXTRA:
                name, dot, _ = key[len(prefix) :].partition(".")
                if name not in (self._modules if dot else own):
                    unexpected_keys.append(key)

    def _load_one(self, name: str, held: Tensor, key: str, given: Any, assign: bool) -> str | None:
        """Read one tensor; gives what was wrong."""
        if not isinstance(given, Tensor):
            return (
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(given)}"
            )
        if held.data_.shape == () and given.data_.shape == (1,):
            given = given[0]
        if given.shape != held.shape:
            return (
                f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                f"current model is {held.shape}."
            )
        try:
            with no_grad():
                if not assign:
                    held.copy_(given)
                elif isinstance(held, Parameter):
                    fresh = given if isinstance(given, Parameter) else Parameter(given, held.requires_grad)
                    set_part(self, name, fresh.requires_grad_(held.requires_grad))
                else:
                    set_part(self, name, given)
        except Exception as error:
            return (
                f'While copying the parameter named "{key}", whose dimensions in the model are {held.size()} and whose '
                f"dimensions in the checkpoint are {given.size()}, an exception occurred : {error.args}."
            )
        return None

    # ---- hooks

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> Handle:
        """`hook(module, prefix, keep_vars)` runs before this module is written down."""
        return Handle(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> Handle:
        """`hook(module, state_dict, prefix, local_metadata)` may change `state_dict`."""
        setattr(hook, PUBLIC, True)
        return Handle(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> Handle:
        """As programs of old do it: the hook may return another `state_dict`, which counts where the call began."""
        if getattr(hook, PUBLIC, False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return Handle(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> Handle:
        """`hook(module, state_dict, prefix, ...)` runs before this module is read."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook: Callable[..., Any], with_module: bool = False) -> Handle:
        """As programs of old do it: the hook does not get the module."""
        return Handle(self._load_state_dict_pre_hooks, OfModule(hook, self) if with_module else hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> Handle:
        """`hook(module, incompatible_keys)` may change the lists of keys."""
        return Handle(self._load_state_dict_post_hooks, hook)


UNREACHED = (
    "Reached a code path in Module.{}() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)
