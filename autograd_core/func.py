"""torch.func: functions made of functions - gradients, products with Jacobians, whole Jacobians, batches.

Each of `grad`, `vjp` and `jvp` is a level (see functorch/levels.py), so they go inside one another to any depth. vmap
hides a dimension (see functorch/vmap.py and batching_rules/), and forward mode is made of backward (see
autograd/forward_ad.py): the values are those of torch; a result of forward mode that still depends on tensors outside
that require a gradient has a graph that leads there, though not node for node torch's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .engine.state import ask_room
from .functorch.grad_transforms import grad as grad
from .functorch.grad_transforms import grad_and_value as grad_and_value
from .functorch.grad_transforms import jvp as jvp
from .functorch.grad_transforms import jvp_of, places, vjp_of
from .functorch.grad_transforms import linearize as linearize
from .functorch.grad_transforms import vjp as vjp
from .functorch.pytree import Shape, flatten, unflatten
from .functorch.vmap import vmap as vmap
from .namespace.absent import absent
from .nn.stateless import functional_call as functional_call
from .nn.stateless import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
from .nn.stateless import stack_module_state as stack_module_state
from .ops.join import stack
from .tensor.tensor import Tensor, plain

Func = Callable[..., Any]


def units(leaves: Sequence[Tensor]) -> list[list[Tensor]]:
    """For each element of all the `leaves` together: leaves of zeros, with a one at that element."""
    count = sum(leaf.data_.size for leaf in leaves)
    ask_room(count, count)
    found = []
    for k, leaf in enumerate(leaves):
        for n in range(leaf.data_.size):
            parts = [np.zeros(t.data_.shape, t.data_.dtype) for t in leaves]
            parts[k].reshape(-1)[n] = 1
            found.append([plain(part[()]) for part in parts])
    return found


def basis(leaves: Sequence[Tensor], shape: Shape) -> Any:
    """The unit vectors as one batch."""
    rows = units(leaves)
    return unflatten([stack([row[k] for row in rows]) for k in range(len(leaves))], shape)


def rows_of(multiply: Func, outputs: Sequence[Tensor], shape: Shape, singly: bool) -> list[Tensor]:
    """What `multiply` makes of each unit vector, stacked: under vmap, or `singly` of one after the other."""
    if not singly:
        return flatten(vmap(multiply)(basis(outputs, shape)))[0]
    found = [flatten(multiply(unflatten(list(row), shape)))[0] for row in units(outputs)]
    return [stack(list(column)) for column in zip(*found, strict=True)]


def table(blocks: Sequence[Sequence[Tensor]], argnums: Any, inputs: Shape, outputs: Shape) -> Any:
    """The blocks, `[output][input]`, in the shapes of outputs and inputs."""
    rows = [unflatten(list(row), inputs) for row in blocks]
    return unflatten([row[0] for row in rows] if isinstance(argnums, int) else rows, outputs)


def jacrev(
    func: Func,
    argnums: Any = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Func:
    """A function that gives the Jacobian of `func`, a row at a time; where torch puts the rows together is all one."""
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def jacobian(*args: Any) -> Any:
        output, multiply, *aux = vjp_of(func, args, argnums, has_aux)
        outputs, built = flatten(output)
        inputs, shape = flatten(tuple(args[i] for i in places(argnums, len(args))))
        products = rows_of(multiply, outputs, built, chunk_size == 1)
        sizes = [out.data_.size for out in outputs]
        columns = [
            [
                part.view((*out.data_.shape, *t.data_.shape))
                for part, out in zip(p.split(sizes, 0), outputs, strict=True)
            ]
            for p, t in zip(products, inputs, strict=True)
        ]
        found = table(list(zip(*columns, strict=True)), argnums, shape, built)
        return (found, *aux) if has_aux else found

    return jacobian


def jacfwd(func: Func, argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error") -> Func:
    """A function that gives the Jacobian of `func`, a column at a time."""

    @functools.wraps(func)
    def jacobian(*args: Any) -> Any:
        chosen = places(argnums, len(args))
        inputs, shape = flatten(tuple(args[i] for i in chosen))
        aux: list[Any] = []

        def product(*direction: Any) -> Any:
            result = jvp_of(func, args, chosen, direction, False, has_aux)
            aux[:] = result[2:]
            return result[1]

        products = vmap(product, randomness=randomness)(*basis(inputs, shape))
        outputs, built = flatten(products)
        sizes = [t.data_.size for t in inputs]
        rows = [
            [
                part.view((*out.data_.shape[1:], *t.data_.shape))
                for part, t in zip(out.movedim(0, -1).split(sizes, -1), inputs, strict=True)
            ]
            for out in outputs
        ]
        found = table(rows, argnums, shape, built)
        return (found, *aux) if has_aux else found

    return jacobian


def hessian(func: Func, argnums: Any = 0) -> Func:
    """A function that gives the Hessian of `func`: forward mode over backward."""
    return jacfwd(jacrev(func, argnums), argnums)


__getattr__ = absent("torch.func")
