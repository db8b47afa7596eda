"""torch._C._functions: the kinds of nodes, by name, and two functions that hinder a backward on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..autograd.function_node import Error, refusing
from ..autograd.gradcheck import undefine
from ..graph.accumulate_grad import AccumulateGrad
from ..graph.copy_slices import CopySlices
from ..graph.node import Node
from ..tensor.tensor import Tensor


class UndefinedGrad:
    """The same values, with a backward that hands on no gradient at all."""

    __module__ = "builtins"

    def __call__(self, *tensors: Tensor) -> Tensor:
        check_tensors(tensors, 1)
        return undefine(tensors[0])


class DelayedError:
    """The same tensors over the same memory, with a backward that raises RuntimeError(text)."""

    __module__ = "builtins"

    def __init__(self, *arguments: Any) -> None:
        if len(arguments) != 2:
            raise RuntimeError(f"Requires two arguments, got {len(arguments)}")
        self.text, self.count = arguments

    def __call__(self, *tensors: Tensor) -> Any:
        check_tensors(tensors, self.count)
        results = refusing(tensors, self.text)
        return results[0] if len(results) == 1 else tuple(results)


def check_tensors(given: tuple[Any, ...], count: int) -> None:
    """Whether as many tensors are given as a function takes.

    Raises:
        TypeError: they are not.
    """
    if len(given) != count:
        raise TypeError(f"expected {count} arguments, got {len(given)} instead")
    for i, tensor in enumerate(given):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"argument {i} is not a Variable")


def kinds(of: type[Node] = Node) -> Iterator[type[Node]]:
    """All kinds of nodes that there are by now."""
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def __getattr__(name: str) -> type[Node]:
    for kind in kinds():
        if kind.__name__ == name and "Backward" in name:
            return kind
    raise AttributeError(f"module 'torch._C._functions' has no attribute '{name}'")


__all__ = ["AccumulateGrad", "CopySlices", "DelayedError", "Error", "UndefinedGrad"]
