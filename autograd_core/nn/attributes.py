"""The attributes of a module: parameters, buffers and submodules live in tables of their own, the rest as usual."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ..tensor import Tensor
from .everywhere import registered
from .parameter import Buffer, Parameter

KINDS = ("_parameters", "_buffers", "_modules")
"""The tables of a module, each from a name to what it holds (or None, where a name is kept free)."""

HOOKS = (
    "_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks",
    "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip
"""The tables of hooks, each in the order in which the hooks run."""


class Attributes:
    """What Module is made of first: where `self.name = value` goes, and where `self.name` is found."""

    training: bool
    call_super_init = False
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _is_full_backward_hook: bool | None

    def __init__(self, *args: Any, **options: Any) -> None:
        if (args or options) and not self.call_super_init:
            given = (
                f"got an unexpected keyword argument '{next(iter(options))}'"
                if options
                else (f"takes 1 positional argument but {len(args) + 1} were given")
            )
            raise TypeError(f"{type(self).__name__}.__init__() {given}")
        set_plain = super().__setattr__
        set_plain("training", True)
        set_plain("_parameters", {})
        set_plain("_buffers", {})
        set_plain("_non_persistent_buffers_set", set())
        for kind in HOOKS:
            set_plain(kind, OrderedDict())
            if kind == "_backward_hooks":
                set_plain("_is_full_backward_hook", None)
        set_plain("_modules", {})
        if self.call_super_init:
            super().__init__(*args, **options)

    def __getattr__(self, name: str) -> Any:
        for kind in KINDS:
            table = self.__dict__.get(kind)
            if table is not None and name in table:
                return table[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        held = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in held:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif name in held.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Attributes):
            if "_modules" not in held:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_modules")
            self._modules[name] = registered("_modules", self, name, value)
        elif name in held.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            self._modules[name] = registered("_modules", self, name, value)
        elif isinstance(value, Buffer) or name in held.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{typename(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            known = name not in held.get("_non_persistent_buffers_set", ())
            self.register_buffer(name, value, value.persistent if isinstance(value, Buffer) else known)
        else:
            super().__setattr__(name, value)

    def _forget(self, name: str, keep: str) -> None:
        """Take `name` out of everything but the table `keep`."""
        self.__dict__.pop(name, None)
        for kind in KINDS:
            if kind != keep:
                self.__dict__[kind].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        for kind in KINDS:
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = {*super().__dir__(), *(name for kind in KINDS for name in self.__dict__[kind])}
        return sorted(name for name in names if not name[0].isdigit())

    # ---- by name

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name(name, "parameter", "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param if param is None else registered("_parameters", self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name(name, "buffer", "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = registered("_buffers", self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Any) -> None:
        if module is not None and not isinstance(module, Attributes):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name(name, "module", "_modules")
        self._modules[name] = registered("_modules", self, name, module)

    def register_module(self, name: str, module: Any) -> None:
        """Another name for `add_module`."""
        self.add_module(name, module)

    def _has(self, name: str) -> bool:
        """Whether there is an attribute `name`; programs that keep some of theirs elsewhere say so here."""
        return hasattr(self, name)

    def _check_name(self, name: str, what: str, kind: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {typename(name)}")
        taken = name not in self.__dict__[kind] and self._has(name)
        if taken and what == "module":
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if taken:
            raise KeyError(f"attribute '{name}' already exists")


def typename(value: Any) -> str:
    """The type of `value` as torch's messages name it."""
    if isinstance(value, Tensor):
        return str(value.type())
    named = hasattr(value, "__qualname__") or hasattr(value, "__name__")
    kind = value if named else type(value)
    title: str = getattr(kind, "__qualname__", None) or kind.__name__
    home = getattr(kind, "__module__", "") or ""
    return title if home in ("", "builtins") else f"{home}.{title}"
