"""Module: a tree of named parameters, buffers and submodules, and the call that runs it.

What it can do is told by idea: `attributes` (what is assigned to it), `tree` (what is below it), `calling` (forward and
hooks), `stored` (state_dict); here are its types and how it prints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from ..dtypes import FLOATING, NAMES, dtype, meant
from ..functions.arguments import cast
from ..functions.creation import check_device, empty_like
from ..opaque import opaque
from ..signatures.guarding import TABLE
from ..signatures.parsing import read
from ..state import visit
from ..tensor import Tensor
from ..titles import name_methods
from ..unsupported import Unsupported
from .attributes import Attributes
from .calling import Calling
from .parameter import Parameter
from .stored import Stored
from .tree import Tree


@opaque
class Module(Calling, Stored):
    """The base of every network: assign parameters, buffers and modules to attributes, and write `forward`."""

    dump_patches: bool = False
    call_super_init: bool = False

    _modules: dict[str, Module | None]

    # ---- element types

    def to(self, *args: Any, **options: Any) -> Self:
        """Changes the type of floating parameters and buffers, and the memory format of images and volumes among them;
        the only device is the cpu.
        """
        _, given = read(TABLE["Tensor"]["to"], args, options)
        like = given.get("tensor")
        kind = meant(given.get("dtype") if like is None else getattr(like, "dtype", type(like)))
        check_device(given.get("device"))
        if kind is not None and kind.category < FLOATING:
            raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={kind}")
        memory_format = given.get("memory_format")
        return self if kind is memory_format is None else self._convert(kind, memory_format)

    def _convert(self, kind: dtype | None, memory_format: str | None = None) -> Self:
        def converted(tensor: Tensor) -> Tensor:
            kept = tensor.data_.dtype.kind != "f"
            with_channels = tensor.data_.ndim in (4, 5)
            return cast(tensor, None if kept else kind, memory_format if with_channels else None)

        return self._apply(converted)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Puts `fn(t)` in the place of every parameter, gradient and buffer `t`; a parameter stays the same object."""
        from ..modes import no_grad

        if recurse:
            visit()
            for module in self.children():
                module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            with no_grad():
                changed = fn(parameter)
            grad = parameter.grad
            if changed is not parameter:
                parameter.data = changed
            if grad is not None:
                with no_grad():
                    turned = fn(grad)
                if turned is not grad:
                    grad.data = turned
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def type(self, dst_type: dtype) -> Self:
        return self._apply(lambda t: t.to(dst_type))

    def float(self) -> Self:
        return self._convert(NAMES["float32"])

    def double(self) -> Self:
        return self._convert(NAMES["float64"])

    def half(self) -> Self:
        return self._convert(NAMES["float16"])

    def bfloat16(self) -> Self:
        raise Unsupported("bfloat16 is not supported: use float16, float32 or float64")

    def cpu(self) -> Self:
        return self

    def cuda(self, device: Any = None) -> Self:
        check_device("cuda")
        return self

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        check_device(device)
        return self._apply(empty_like, recurse)

    def share_memory(self) -> Self:
        return self

    # ---- printing

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What is shown between the brackets before the submodules."""
        return ""

    def __repr__(self) -> str:
        visit()
        extra = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if not extra and not children:
            return f"{self._get_name()}()"
        if len(extra) == 1 and not children:
            return f"{self._get_name()}({extra[0]})"
        body = "\n  ".join(extra + children)
        return f"{self._get_name()}(\n  {body}\n)"


name_methods("Module", Attributes, Tree, Calling, Stored)


def indented(text: str) -> str:
    """`text` with all lines but the first moved in by two."""
    return text.replace("\n", "\n  ")


__all__ = ["Module", "Parameter", "indented"]
