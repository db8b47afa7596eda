"""The peers, each as a way to get the gradients of a program over scalars.

A peer takes the program and the values of its leaves, and gives a function that runs it forward and backward.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import autograd_core

from .programs import Scalars
from .timing import Once

Peer = Callable[[Scalars, Sequence[float]], Once]

PACKAGES = {"torch": "torch", "micrograd": "micrograd", "HIPS autograd": "autograd", "mygrad": "mygrad"}
"""The package that a peer comes in."""


def installed(peer: str) -> bool:
    return peer not in PACKAGES or importlib.util.find_spec(PACKAGES[peer]) is not None


def torch_of(peer: str) -> Any:
    """The module that plays torch."""
    if peer != "torch":
        return autograd_core
    import torch

    torch.set_num_threads(1)
    return torch


def peer(name: str) -> Peer:
    return {"micrograd": micrograd, "HIPS autograd": hips, "mygrad": mygrad}.get(name) or torch_like(torch_of(name))


def torch_like(torch: Any) -> Peer:
    def ready(program: Scalars, values: Sequence[float]) -> Once:
        leaves = [torch.tensor(value, requires_grad=True) for value in values]

        def once() -> list[Any]:
            for leaf in leaves:
                leaf.grad = None
            program(leaves).backward()
            return [leaf.grad for leaf in leaves]

        return once

    return ready


def micrograd(program: Scalars, values: Sequence[float]) -> Once:
    from micrograd.engine import Value

    leaves = [Value(value) for value in values]

    def once() -> list[Any]:
        for leaf in leaves:
            leaf.grad = 0
        program(leaves).backward()
        return [leaf.grad for leaf in leaves]

    return once


def mygrad(program: Scalars, values: Sequence[float]) -> Once:
    """Its gradients go by themselves when a leaf is used again."""
    from mygrad import tensor

    leaves = [tensor(value) for value in values]

    def once() -> list[Any]:
        program(leaves).backward()
        return [leaf.grad for leaf in leaves]

    return once


def hips(program: Scalars, values: Sequence[float]) -> Once:
    """It differentiates functions of arrays: the entries are taken out once."""
    from autograd import grad

    array = np.array(values)
    gradient = grad(lambda entries: program([entries[at] for at in range(len(values))]))
    return lambda: [gradient(array)]
