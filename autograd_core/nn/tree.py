"""The tree of modules: walking it, looking into it by name, and doing something to all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self

from ..state import visit
from ..tensor import Tensor
from .attributes import Attributes, has_part, part_of, set_part
from .parameter import Parameter

if TYPE_CHECKING:
    from .module import Module


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
