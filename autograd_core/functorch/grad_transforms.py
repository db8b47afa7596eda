"""The transformations of torch.func that are a level each: grad, vjp, jvp (see levels.py)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import autograd
from ..autograd.forward_ad import dual_at
from ..autograd.graph import disable_saved_tensors_hooks
from ..engine.state import state
from ..ops.view import alias
from ..tensor.tensor import Tensor, plain
from .forward_mode import tangent_of
from .levels import Level, cut, enter_level, leads_outside, without_inference, wrap
from .pytree import flatten, map_tree, unflatten

Func = Callable[..., Any]

NO_SAVED_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)
JVP = "jvp(f, primals, tangents)"


# ---- arguments


def places(argnums: Any, count: int) -> list[int]:
    """The arguments that `argnums` names.

    Raises:
        RuntimeError: it names none, one twice, or one that is not there.
    """
    if not isinstance(argnums, int | tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    found = []
    for n in (argnums,) if isinstance(argnums, int) else argnums:
        if not isinstance(n, int):
            raise RuntimeError(f"argnum must be int, got: {type(n)}")
        if not -count <= n < count:
            raise RuntimeError(f"Got argnum={n}, but only {count} positional inputs")
        found.append(n % count)
    if not found:
        raise RuntimeError("argnums must be non-empty")
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(found)}")
    return found


def differentiable(level: Level, value: Any) -> Any:
    """The tensors of `value` as inputs at `level`.

    Raises:
        ValueError: there is something else in it.
        RuntimeError: a tensor of integers.
    """

    def wrap_function(leaf: Any) -> Tensor:
        if not isinstance(leaf, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")
        if leaf.data_.dtype.kind not in "fc":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        return wrap(leaf, level)

    return map_tree(wrap_function, value)


def leave(level: Level, value: Any) -> Any:
    """`value`, which is made of tensors, as it is outside of `level`."""

    def outside(leaf: Any) -> Any:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(leaf)}")
        return leave_level(cut(leaf, level), level.mode)

    return map_tree(outside, value)


def with_aux(output: Any, has_aux: bool, caller: str) -> tuple[Any, Any]:
    """The output that is differentiated, and what goes beside it.

    Raises:
        RuntimeError: `has_aux`, but the function gave no pair.
    """
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{caller}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def zeros(like: Tensor) -> Tensor:
    return plain(np.zeros(like.data_.shape, like.data_.dtype)[()])


def backward_through(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], starts: Sequence[Any], level: Level, retain: bool, graph: bool
) -> list[Tensor]:
    """The gradients of `inputs` of `level`, as they are outside; zeros where none comes."""
    pairs = [(out, start) for out, start in zip(outputs, starts, strict=True) if out.requires_grad]
    if not pairs:
        return [zeros(t) for t in inputs]
    roots, given = [out for out, _ in pairs], [start for _, start in pairs]
    onward = graph and any(
        leads_outside(out, level) or (start is not None and start.requires_grad) for out, start in pairs
    )
    with without_inference():
        came = autograd.grad(roots, inputs, given, retain, onward, allow_unused=True)
    return [zeros(t) if g is None else cut(g, level) for g, t in zip(came, inputs, strict=True)]


# ---- backward


def grad_and_value(func: Func, argnums: Any = 0, has_aux: bool = False) -> Func:
    """A function that gives the gradient of `func`, which gives one number, and that number."""

    @functools.wraps(func)
    def gradient(*args: Any, **options: Any) -> Any:
        caller = "grad_and_value(f)(*args)"
        graph = state.grad_enabled
        with disable_saved_tensors_hooks(NO_SAVED_HOOKS), enter_level() as level:
            given = list(args)
            chosen = places(argnums, len(args))
            for i in chosen:
                given[i] = differentiable(level, args[i])
            output, aux = with_aux(func(*given, **options), has_aux, caller)
            if not isinstance(output, Tensor):
                raise RuntimeError(f"{caller}: Expected f(*args) to return a Tensor, got {type(output)}")
            if output.data_.ndim:
                raise RuntimeError(
                    f"{caller}: Expected f(*args) to return a scalar Tensor, got tensor with {output.data_.ndim} dims. "
                    "Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            inputs, shape = flatten(given[chosen[0]] if isinstance(argnums, int) else tuple(given[i] for i in chosen))
            grads = unflatten(backward_through([output], inputs, [None], level, True, graph), shape)
            value = leave_level(cut(output, level), graph)
            return (grads, (value, leave(level, aux))) if has_aux else (grads, value)

    return gradient


def leave_level(value: Tensor, graph: bool) -> Tensor:
    return value if graph else value.detach()


def grad(func: Func, argnums: Any = 0, has_aux: bool = False) -> Func:
    """A function that gives the gradient of `func`, which gives one number, for the arguments `argnums`."""
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def gradient(*args: Any, **options: Any) -> Any:
        grads, value = both(*args, **options)
        return (grads, value[1]) if has_aux else grads

    return gradient


def vjp(func: Func, *primals: Any, has_aux: bool = False) -> Any:
    """What `func` gives, and a function that multiplies vectors with its Jacobian from the left."""
    return vjp_of(func, primals, None, has_aux)


def vjp_of(func: Func, primals: tuple[Any, ...], argnums: Any, has_aux: bool) -> Any:
    caller = "vjp(f, *primals)"
    with disable_saved_tensors_hooks(NO_SAVED_HOOKS), enter_level() as level:
        given = list(primals)
        chosen = list(range(len(primals))) if argnums is None else places(argnums, len(primals))
        for i in chosen:
            given[i] = differentiable(level, primals[i])
        output, aux = with_aux(func(*given), has_aux, caller)
        aux = leave(level, aux) if has_aux else None
        outputs, built = flatten(output)
        check_tensors(outputs, caller)
        results = leave(level, output)
        for out in outputs:
            if out.data_.dtype.kind not in "fc":
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                    f"{out.dtype}"
                )
    inputs, shape = flatten(given[chosen[0]] if isinstance(argnums, int) else tuple(given[i] for i in chosen))

    def multiply(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        starts, got = flatten(cotangents)
        if got != built:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {got.brief()}, primal output: {built.brief()}"
            )
        for start in starts:
            if not isinstance(start, Tensor | None):
                raise TypeError(f"gradients can be either Tensors or None, but got {type(start).__name__}")
        graph = state.grad_enabled if create_graph is None else create_graph
        return unflatten(backward_through(outputs, inputs, starts, level, retain_graph, graph), shape)

    return (results, multiply, aux) if has_aux else (results, multiply)


def check_tensors(outputs: Sequence[Any], caller: str) -> None:
    if not outputs or (len(outputs) == 1 and outputs[0] is None):
        raise RuntimeError(
            f"{caller}: Expected f to be a function that has non-empty output (got output = {list(outputs)})"
        )
    for out in outputs:
        if not isinstance(out, Tensor):
            raise RuntimeError(
                f"{caller}: expected f(*primals) to return only tensors, got unsupported type {type(out)}"
            )


# ---- forward


def jvp(func: Func, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """What `func` gives, and the product of its Jacobian with `tangents`."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    return jvp_of(func, primals, list(range(len(primals))), tangents, strict, has_aux)


def jvp_of(func: Func, args: tuple[Any, ...], chosen: Sequence[int], tangents: Any, strict: bool, has_aux: bool) -> Any:
    at, shape = flatten(tuple(args[i] for i in chosen))
    along, other = flatten(tangents)
    if shape != other:
        raise RuntimeError(
            f"{JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {shape} and tangents with "
            f"structure {other}"
        )
    for values, what in ((at, "primals"), (along, "tangents")):
        if not values:
            raise RuntimeError(f"{JVP}: Expected {what} to contain at least one Tensor.")
        for value in values:
            if not isinstance(value, Tensor):
                raise RuntimeError(f"{JVP}: Expected {what} to only contain Tensors, got {type(value)}")
    graph = state.grad_enabled
    with enter_level(forward=True) as level:
        duals = unflatten([dual_at(level, p, t) for p, t in zip(at, along, strict=True)], shape)
        given = list(args)
        for i, dual in zip(chosen, duals, strict=True):
            given[i] = dual
        output, aux = with_aux(func(*given), has_aux, JVP)
        aux = leave(level, aux) if has_aux else None
        outputs, built = flatten(output)
        check_tensors(outputs, JVP)
        values, products = [], []
        for out in outputs:
            tangent = tangent_of(out, level)
            if tangent is None and strict:
                raise RuntimeError(
                    "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
                    "allowed with strict=True."
                )
            values.append(alias(leave_level(cut(out, level), graph)))
            products.append(leave_level(zeros(out) if tangent is None else cut(tangent, level), graph))
    results = unflatten(values, built), unflatten(products, built)
    return (*results, aux) if has_aux else results


def linearize(func: Func, *primals: Any) -> tuple[Any, Func]:
    """What `func` gives, and a function that multiplies its Jacobian with vectors."""
    at, shape = flatten(primals)

    def product(*tangents: Any) -> Any:
        along, other = flatten(tangents)
        if other != shape:
            raise RuntimeError(f"Expected the tangents {other} to have the same argspec as the primals {shape}")
        for i, (tangent, primal) in enumerate(zip(along, at, strict=True)):
            for fact in ("shape", "dtype"):
                given, expected = getattr(tangent, fact), getattr(primal, fact)
                if given != expected:
                    raise RuntimeError(
                        f"tangent:{i} with {fact} {given} in flattened pytree doesn't match the {fact} {expected} of "
                        "the corresponding primal."
                    )
        return jvp(func, primals, tangents)[1]

    return func(*primals), product
