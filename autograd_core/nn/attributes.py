"""The attributes of a module, and the tree of modules below it.

Parameters, buffers and submodules live in tables of their own, the rest as usual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self

from ..engine.state import visit
from ..namespace.type_names import check_attribute, names_of
from ..ordered_dict import OrderedDict
from ..tensor.tensor import Tensor
from .global_hooks import run_registration_hooks
from .parameter import Buffer, Parameter

if TYPE_CHECKING:
    from .module import Module


KINDS = ("_parameters", "_buffers", "_modules")
"""The tables of a module, each from a name to what it holds (or None, where a name is kept free)."""

PLAIN = "_plain"
"""The table of what has a name that a program said and is none of these, such as a weight that is computed. A module
has it once there is something in it."""
TABLES = (*KINDS, PLAIN)

HOOKS = (
    "_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks",
    "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip
"""The tables of hooks, each in the order in which the hooks run."""


class PartTable(dict[str, Any]):
    """A table of a module, which programs see and write into as it is: its keys are names that a part may have, its
    values what a module computes with. Nothing else comes in, for the module answers for its parts by their names."""

    def __setitem__(self, name: str, part: Any) -> None:
        super().__setitem__(check_attribute(name), self.check(part))

    def update(self, *given: Any, **named: Any) -> None:
        for name, part in dict(*given, **named).items():
            self[name] = part

    def __ior__(self, given: Any) -> PartTable:  # type: ignore[override, misc]
        self.update(given)
        return self

    def setdefault(self, name: str, part: Any = None) -> Any:
        if name not in self:
            self[name] = part
        return self[name]

    def check(self, part: Any) -> Any:
        """
        Raises:
            TypeError: it is no part for this table.
        """
        raise NotImplementedError


class TensorTable(PartTable):
    def check(self, part: Any) -> Tensor | None:
        if part is not None and not isinstance(part, Tensor):
            raise TypeError(
                f"cannot assign '{typename(part)}' as a part that is a tensor (torch.Tensor or None expected)"
            )
        return part


class ModuleTable(PartTable):
    def check(self, part: Any) -> Any:
        if part is not None and not isinstance(part, Attributes):
            raise TypeError(f"cannot assign '{typename(part)}' as child module (torch.nn.Module or None expected)")
        return part


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
        set_plain("_parameters", TensorTable())
        set_plain("_buffers", TensorTable())
        set_plain("_non_persistent_buffers_set", set())
        for kind in HOOKS:
            set_plain(kind, OrderedDict())
            if kind == "_backward_hooks":
                set_plain("_is_full_backward_hook", None)
        set_plain("_modules", ModuleTable())
        if self.call_super_init:
            super().__init__(*args, **options)

    def __getattr__(self, name: str) -> Any:
        held = self.__dict__
        for kind in TABLES if name[-2:] != "__" else ():  # special names are asked for by Python and numpy, not by us
            table = held.get(kind)
            if table is not None and name in table:
                return table[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, (Parameter, Attributes)):
            self.__dict__.pop(name, None)
        if not self._register(name, value):
            super().__setattr__(name, value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy has what is plain for itself, and shares the other tables, as in torch."""
        self.__dict__.update(state)
        if PLAIN in state:
            self.__dict__[PLAIN] = dict(state[PLAIN])

    def _register(self, name: str, value: Any) -> bool:
        """Whether a table takes `value` under `name`; then it has it."""
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
            self._modules[name] = run_registration_hooks("_modules", self, name, value)
        elif name in held.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            self._modules[name] = run_registration_hooks("_modules", self, name, value)
        elif isinstance(value, Buffer) or name in held.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{typename(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            known = name not in held.get("_non_persistent_buffers_set", ())
            self.register_buffer(name, value, value.persistent if isinstance(value, Buffer) else known)
        else:
            return False
        return True

    def _forget(self, name: str, keep: str) -> None:
        """Take `name` out of all tables but `keep`."""
        held = self.__dict__
        for kind in TABLES:
            if kind != keep and kind in held:
                held[kind].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        if not self._drop(name):
            super().__delattr__(name)

    def _drop(self, name: str) -> bool:
        """Whether a table has something under `name`; then it has it no more."""
        held = self.__dict__
        for kind in TABLES:
            if name in held.get(kind, ()):
                del held[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return True
        return False

    def __dir__(self) -> list[str]:
        names = {*super().__dir__(), *(name for kind in TABLES for name in self.__dict__.get(kind, ()))}
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
        self._parameters[name] = param if param is None else run_registration_hooks("_parameters", self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name(name, "buffer", "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = run_registration_hooks("_buffers", self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Any) -> None:
        if module is not None and not isinstance(module, Attributes):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name(name, "module", "_modules")
        self._modules[name] = run_registration_hooks("_modules", self, name, module)

    def register_module(self, name: str, module: Any) -> None:
        """Another name for `add_module`."""
        self.add_module(name, module)

    def _computed(self, name: str) -> Any:
        """The tensor under `name`, if it is one that is made of others whenever it is asked for."""
        return None

    def _has(self, name: str) -> bool:
        """Whether there is an attribute `name`; programs that keep some of theirs elsewhere say so here."""
        held = self.__dict__
        kind: Any = type(self)
        return any(name in held.get(table, ()) for table in TABLES) or name in {*held, *names_of(kind)}

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
        check_attribute(name)


# ---- parts by names that programs give: they are found in the tables of a module, and never as its attributes


class Mark:
    """What stands for a part that is not there to be had."""


ELSEWHERE = Mark()
"""An attribute of a module that is in none of its tables."""
NOTHING = Mark()
RAISED = Mark()


def part_of(module: Any, name: str, default: Any = RAISED) -> Any:
    """What a module has under `name`: ELSEWHERE if it has it, but not in a table.

    Raises:
        AttributeError: it has nothing of that name, and there is no `default`.
    """
    if isinstance(module, Attributes):
        found = module._computed(name)
        if found is not None:
            return found
        held = module.__dict__
        for kind in TABLES:
            if name in held.get(kind, ()):
                return held[kind][name]
        if module._has(name):
            return ELSEWHERE
    if default is not RAISED:
        return default
    raise AttributeError(f"'{type(module).__name__}' object has no attribute '{name}'")


def has_part(module: Any, name: str) -> bool:
    return part_of(module, name, NOTHING) is not NOTHING


def set_part(module: Any, name: str, value: Any) -> None:
    """`module.name = value` for a name that a program gave."""
    if not module._register(name, value):
        module.__dict__.setdefault(PLAIN, {})[check_attribute(name)] = value


def delete_part(module: Any, name: str) -> None:
    """`del module.name` for a name that a program gave.

    Raises:
        AttributeError: no table has it.
    """
    if not module._drop(name):
        raise AttributeError(f"'{type(module).__name__}' object has no attribute '{name}'")


def typename(value: Any) -> str:
    """The type of `value` as torch's messages name it."""
    if isinstance(value, Tensor):
        return str(value.type())
    named = hasattr(value, "__qualname__") or hasattr(value, "__name__")
    kind = value if named else type(value)
    title: str = getattr(kind, "__qualname__", None) or kind.__name__
    home = getattr(kind, "__module__", "") or ""
    return title if home in ("", "builtins") else f"{home}.{title}"


# ---- the tree: walked, looked into by name, and something done to all of it


class Tree(Attributes):
    """A module as the root of what is below it."""

    if TYPE_CHECKING:

        def _get_name(self) -> str: ...

    # ---- walking

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Every module below and including this one, depth first, each once."""
        seen = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        else:
            visit()
        yield prefix, self  # type: ignore[misc]  # every tree is a Module
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(seen, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        for _, module in self.named_children():
            yield module

    def _named_members(
        self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen = set()
        modules: Any = [(prefix, self)]
        if recurse:
            modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
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
        yield from self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        yield from self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    # ---- by path

    def get_submodule(self, target: str) -> Module:
        module: Any = self
        for name in target.split(".") if target else []:
            module = member(module, name)
            if not isinstance(module, Attributes):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Attributes):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or has_part(parent, name)) and not isinstance(member(parent, name), Attributes):
            raise AttributeError(f"`{name}` is not an nn.Module")
        set_part(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        path, _, name = target.rpartition(".")
        found = member(self.get_submodule(path), name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = member(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    # ---- all of it

    def train(self, mode: bool = True) -> Self:
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        visit()
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        return self.train(False)

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Calls `fn` with every module, children before their parents."""
        for module in self.children():
            module.apply(fn)
        fn(self)  # type: ignore[arg-type]  # every tree is a Module
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self.parameters():
            clear_grad(parameter, set_to_none)


def member(module: Any, name: str) -> Any:
    """What `module` has under `name`.

    Raises:
        AttributeError: it has nothing there.
    """
    if not has_part(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return part_of(module, name)


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
