"""Module: a tree of named parameters, buffers and submodules, and the call that runs it."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Self

from ..dtypes import dtype, to_numpy
from ..tensor import Tensor
from .parameter import Parameter

KINDS = ("_parameters", "_buffers", "_modules")
"""The tables of a module, each from a name to what it holds (or None, where a name is kept free)."""


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` found to be missing or left over."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class HookHandle:
    """Takes a hook away again."""

    def __init__(self, hooks: dict[int, Any]) -> None:
        self._hooks, self.id = hooks, next(_hook_ids)

    def remove(self) -> None:
        self._hooks.pop(self.id, None)


_hook_ids = itertools.count()


class Module:
    """The base of every network: assign parameters, buffers and modules to attributes, and write `forward`."""

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]

    def __init__(self, *args: Any, **options: Any) -> None:
        if args or options:
            given = (
                f"got an unexpected keyword argument '{next(iter(options))}'"
                if options
                else (f"takes 1 positional argument but {len(args) + 1} were given")
            )
            raise TypeError(f"{type(self).__name__}.__init__() {given}")
        set_plain = super().__setattr__
        set_plain("training", True)
        for kind in (*KINDS, "_forward_pre_hooks", "_forward_hooks"):
            set_plain(kind, {})
        set_plain("_non_persistent_buffers_set", set())

    def forward(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **options: Any) -> Any:
        if not self._forward_pre_hooks and not self._forward_hooks:
            return self.forward(*args, **options)
        for hook in list(self._forward_pre_hooks.values()):
            changed = hook(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        result = self.forward(*args, **options)
        for hook in list(self._forward_hooks.values()):
            changed = hook(self, args, result)
            if changed is not None:
                result = changed
        return result

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """`hook(module, args)` runs before `forward` and may return other arguments."""
        return self._register(self._forward_pre_hooks, hook)

    def register_forward_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """`hook(module, args, output)` runs after `forward` and may return another output."""
        return self._register(self._forward_hooks, hook)

    def _register(self, hooks: dict[int, Any], hook: Callable[..., Any]) -> HookHandle:
        handle = HookHandle(hooks)
        hooks[handle.id] = hook
        return handle

    # ---- attributes

    def __getattr__(self, name: str) -> Any:
        for kind in KINDS:
            table = self.__dict__.get(kind)
            if table is not None and name in table:
                return table[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        kind = "_parameters" if isinstance(value, Parameter) else "_modules" if isinstance(value, Module) else None
        if kind is not None:
            if kind not in self.__dict__:
                what = "parameters" if kind == "_parameters" else "module"
                raise AttributeError(f"cannot assign {what} before Module.__init__() call")
            self.__dict__.pop(name, None)
            for other in KINDS:
                if other != kind:
                    self.__dict__[other].pop(name, None)
            self.__dict__[kind][name] = value
            return
        for kind, wanted, what in (
            ("_parameters", "torch.nn.Parameter", "parameter"),
            ("_modules", "torch.nn.Module", "child module"),
            ("_buffers", "torch.nn.Buffer, torch.Tensor", "buffer"),
        ):
            table = self.__dict__.get(kind)
            if table is not None and name in table:
                if value is not None and not (kind == "_buffers" and isinstance(value, Tensor)):
                    given = _type_text(value)
                    raise TypeError(f"cannot assign '{given}' as {what} '{name}' ({wanted} or None expected)")
                table[name] = value
                return
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        for kind in KINDS:
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = {*super().__dir__(), *(name for kind in KINDS for name in self.__dict__[kind])}
        return sorted(name for name in names if not name[0].isdigit())

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        self._check_name(name, "parameter", "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{_type_text(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        self._check_name(name, "buffer", "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_type_text(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        if not persistent:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_text(module)} is not a Module subclass")
        self._check_name(name, "module", "_modules")
        self._modules[name] = module

    register_module = add_module

    def _check_name(self, name: str, what: str, kind: str) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[kind]:
            raise KeyError(f"attribute '{name}' already exists")

    # ---- walking the tree

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Every module below and including this one, depth first, each once."""
        seen = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(seen, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        return (module for _, module in self.named_children())

    def _named_members(
        self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, member in module.__dict__[kind].items():
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield (f"{path}.{name}" if path else name), member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def get_submodule(self, target: str) -> Module:
        module = self
        for name in target.split(".") if target else []:
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_parameter(self, target: str) -> Parameter:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = getattr(module, name, None)
        if found is None:
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    # ---- modes

    def train(self, mode: bool = True) -> Self:
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        return self.train(False)

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Calls `fn` with every module, children before their parents."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self.parameters():
            clear_grad(parameter, set_to_none)

    # ---- element types

    def to(self, *args: Any, **options: Any) -> Self:
        """Changes the type of floating parameters and buffers; the only device is the cpu."""
        for given in (*args, *options.values()):
            if isinstance(given, dtype):
                if not given.is_floating_point:
                    raise TypeError(
                        f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={given}"
                    )
                self._convert(given)
            elif isinstance(given, Tensor):
                self.to(given.dtype)
            elif not isinstance(given, bool) and str(given).partition(":")[0] != "cpu":
                raise NotImplementedError(f"device {given!s} is not supported: this engine runs on the cpu")
        return self

    def _convert(self, kind: dtype) -> None:
        for module in self.modules():
            for table in (module._parameters, module._buffers):
                for name, held in table.items():
                    if held is not None and held.data_.dtype.kind == "f":
                        convert(table, name, held, kind)

    def type(self, dst_type: dtype) -> Self:
        self._convert(dst_type)
        return self

    def float(self) -> Self:
        return self.to(_named("float32"))

    def double(self) -> Self:
        return self.to(_named("float64"))

    def half(self) -> Self:
        return self.to(_named("float16"))

    def cpu(self) -> Self:
        return self

    # ---- state

    def state_dict(self, *, prefix: str = "", keep_vars: bool = False) -> OrderedDict[str, Any]:
        """Parameters and persistent buffers by their full names, sharing memory with the module."""
        state: OrderedDict[str, Any] = OrderedDict()
        for name, held in self._state().items():
            state[prefix + name] = held if keep_vars else held.detach()
        for name, module in self._modules.items():
            if module is not None:
                state.update(module.state_dict(prefix=f"{prefix}{name}.", keep_vars=keep_vars))
        return state

    def _state(self) -> dict[str, Tensor]:
        """What this module itself has to be stored."""
        held: dict[str, Tensor | None] = {**self._parameters, **self._buffers}
        hidden = self._non_persistent_buffers_set
        return {name: tensor for name, tensor in held.items() if tensor is not None and name not in hidden}

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copies the tensors of `state_dict` into the module.

        Raises:
            RuntimeError: names (if `strict`) or shapes do not fit.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        own = {
            f"{path}.{name}" if path else name: (module, name, held)
            for path, module in self.named_modules(remove_duplicate=False)
            for name, held in module._state().items()
        }
        missing = [key for key in own if key not in state_dict]
        unexpected = [key for key in state_dict if key not in own]
        errors = _key_errors(missing, unexpected) if strict else []
        for key, (module, name, held) in own.items():
            if key not in state_dict:
                continue
            given = state_dict[key]
            if given.shape != held.shape:
                errors.append(
                    f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                    f"current model is {held.shape}."
                )
            elif assign:
                fresh = Parameter(given, held.requires_grad) if isinstance(held, Parameter) else given
                setattr(module, name, fresh)
            else:
                copy_into(held, given)
        if errors:
            listed = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        return IncompatibleKeys(missing, unexpected)

    # ---- printing

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What is shown between the brackets before the submodules."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if not extra and not children:
            return f"{self._get_name()}()"
        if len(extra) == 1 and not children:
            return f"{self._get_name()}({extra[0]})"
        body = "\n  ".join(extra + children)
        return f"{self._get_name()}(\n  {body}\n)"


def indented(text: str) -> str:
    """`text` with all lines but the first moved in by two."""
    return text.replace("\n", "\n  ")


def clear_grad(parameter: Tensor, set_to_none: bool) -> None:
    """Forget the gradient, or write zeros over it."""
    grad = parameter.grad
    if grad is None:
        return
    if set_to_none:
        parameter.grad = None
        return
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    grad.zero_()


def copy_into(target: Tensor, source: Tensor) -> None:
    from ..modes import no_grad

    with no_grad():
        target.copy_(source)


def convert(table: dict[str, Any], name: str, held: Tensor, kind: dtype) -> None:
    """Change the type of what stands under `name`: a parameter stays the same object, a buffer is replaced."""
    if held.data_.dtype == to_numpy(kind):
        return
    if isinstance(held, Parameter):
        grad = held.grad
        held.data = held.detach().to(kind)
        if grad is not None:
            held.grad = grad.detach().to(kind)
    else:
        table[name] = held.to(kind)


def _named(name: str) -> dtype:
    from ..dtypes import NAMES

    return NAMES[name]


def _type_text(value: Any) -> str:
    if type(value) is Tensor:
        return "torch.FloatTensor" if value.data_.dtype.name == "float32" else str(value.type())
    kind = value if isinstance(value, type) else type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _key_errors(missing: list[str], unexpected: list[str]) -> list[str]:
    return [
        f"{what} key(s) in state_dict: {', '.join(f'{chr(34)}{key}{chr(34)}' for key in keys)}. "
        for what, keys in (("Missing", missing), ("Unexpected", unexpected))
        if keys
    ]
