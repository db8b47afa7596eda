"""torch.autograd.functional: Jacobians, Hessians, and their products with vectors, for functions of tensors.

`create_graph` keeps the result differentiable; `strict` refuses functions whose result does not depend on an input,
where zeros are given otherwise. `vectorize` gives the same values; here it is a loop like the other way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine.grad_mode import enable_grad, set_grad_enabled
from ..engine.state import ask_room, state
from ..ops.join import stack
from ..tensor.size import Size
from ..tensor.tensor import Tensor, plain
from . import forward_ad
from .differentiate import grad

# ---- what `strict` refuses: results that do not depend on an input


Tensors = tuple[Tensor, ...]

STRICT = "This is not allowed in strict mode"

INDEPENDENT = {
    "output": (
        "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
        "differentiable manner from the input when running in strict mode."
    ),
    "gradient": (
        "The gradient with respect to input {i} is independent of the inputs of the user-provided function. "
        f"{STRICT}."
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided function with respect to input {i} "
        f"is independent of the input. {STRICT}. You should ensure that your function is twice differentiable and that "
        "the jacobian depends on the inputs (this would be violated by a linear function for example)."
    ),
}
"""What torch says of something that does not require a gradient though it should, by what it is."""

NO_GRADIENT = f"The output of the user-provided function is independent of input {{i}}. {STRICT}."

ABSENT = {
    "vjp": NO_GRADIENT,
    "jvp": (
        "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using the double "
        f"backward trick to compute forward mode gradients. {STRICT}."
    ),
    "vhp": f"The jacobian of the user-provided function is independent of input {{i}}. {STRICT}.",
    "hvp": (
        f"The hessian of the user-provided function is independent of entry {{i}} in the grad_jacobian. {STRICT} as it "
        "prevents from using the double backward trick to replace forward mode AD."
    ),
}
"""What torch says where no gradient came, by the function called."""


def depend(tensors: Sequence[Tensor | None], what: str, strict: bool) -> None:
    """Whether all `tensors` can be differentiated, when `strict`.

    Raises:
        RuntimeError: one cannot.
    """
    for i, tensor in enumerate(tensors if strict else ()):
        if tensor is None:
            raise RuntimeError(NO_GRADIENT.format(i=i))
        if not tensor.requires_grad:
            raise RuntimeError(INDEPENDENT[what].format(i=i))


def fill(grads: Sequence[Tensor | None], like: Tensors, strict: bool, create_graph: bool, caller: str) -> Tensors:
    """Zeros where no gradient came.

    Raises:
        RuntimeError: none came, or it is constant though a graph is asked for, and `strict`.
    """
    full = []
    for i, (came, other) in enumerate(zip(grads, like, strict=True)):
        if came is None and strict:
            raise RuntimeError(ABSENT[caller].format(i=i))
        if came is not None and strict and create_graph and not came.requires_grad:
            what = "jacobian" if caller in ("vjp", "jvp") else "hessian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {i}. {STRICT} when "
                "create_graph=True."
            )
        full.append(zeros_like(other) if came is None else came)
    return tuple(full)


def zeros_like(tensor: Tensor, requires_grad: bool = False) -> Tensor:
    zeros = plain(np.zeros(tensor.data_.shape, tensor.data_.dtype)[()])
    return zeros.requires_grad_() if requires_grad else zeros


# ---- products, Jacobians and Hessians


Func = Callable[..., Any]
OUTPUTS = "outputs of the user-provided function"


# ---- arguments and results


def as_tensors(value: Any, what: str, caller: str) -> tuple[bool, Tensors]:
    """Whether `value` is a tuple, and it as one.

    Raises:
        TypeError: there is something else than tensors in it.
    """
    many = isinstance(value, tuple)
    for i, part in enumerate(value if many else (value,)):
        if not isinstance(part, Tensor):
            which = f"value at index {i}" if many else f"given {what}"
            raise TypeError(
                f"The {what} given to {caller} must be either a Tensor or a tuple of Tensors but the {which} has type "
                f"{type(part)}."
            )
    return many, value if many else (value,)


def apart(inputs: Tensors, create_graph: bool, wanted: bool = True) -> Tensors:
    """New tensors for the inputs, so that a function which also captures one of them is told from one that is given it.

    Under `create_graph` those that require a gradient stay connected.
    """
    return tuple(
        t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_(wanted) for t in inputs
    )


def given_back(value: Any, create_graph: bool) -> Any:
    """Results without their graph, unless it was asked for."""
    if isinstance(value, Tensor):
        return value if create_graph else value.detach()
    return tuple(given_back(part, create_graph) for part in value)


def unpack(value: Sequence[Any], many: bool) -> Any:
    return tuple(value) if many else value[0]


def matrix(rows: Sequence[Sequence[Any]], many_rows: bool, many_columns: bool) -> Any:
    return unpack([unpack(row, many_columns) for row in rows], many_rows)


def check_vector(v: Tensors, others: Tensors, many: bool) -> None:
    """Whether `v` has the shapes of `others`.

    Raises:
        RuntimeError: it has not.
    """
    if len(v) != len(others):
        if many:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(others)} but got {len(v)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (part, other) in enumerate(zip(v, others, strict=True)):
        if part.data_.shape != other.data_.shape:
            entry = f"Entry {i} in " if many else ""
            expected, got = Size(other.data_.shape), Size(part.data_.shape)
            raise RuntimeError(f"{entry}v has invalid size: should be {expected} but got {got}.")


def vector(v: Any, caller: str, create_graph: bool, others: Tensors, many: bool, whole: str) -> Any:
    """The vector of a product, checked; None stands for 1 where there is but one element.

    Raises:
        RuntimeError: it does not fit, or is missing.
    """
    if v is None:
        if len(others) != 1 or others[0].data_.size != 1:
            raise RuntimeError(f"The vector v can only be None if {whole} a single Tensor with a single element.")
        return None
    _, parts = as_tensors(v, "v", caller)
    parts = apart(parts, create_graph, wanted=False)
    check_vector(parts, others, many)
    return parts


def scalar(func: Func, inputs: Tensors, caller: str, strict: bool) -> Tensor:
    """What `func` gives, which must be one number.

    Raises:
        RuntimeError: it is not.
    """
    many, outputs = as_tensors(func(*inputs), OUTPUTS, caller)
    depend(outputs, "output", strict)
    if many:
        raise RuntimeError(f"The function given to {caller} should return a single Tensor")
    if outputs[0].data_.size != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {caller} should contain a single element")
    return outputs[0]


def grads_of(
    outputs: Sequence[Any], inputs: Tensors, starts: Any = None, create_graph: bool = False, retain: bool | None = None
) -> tuple[Tensor | None, ...]:
    """autograd.grad where some outputs may depend on nothing, or be missing."""
    given = (None,) * len(outputs) if starts is None else starts
    pairs = [(out, g) for out, g in zip(outputs, given, strict=True) if out is not None and out.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    roots, begin = zip(*pairs, strict=True)
    return grad(roots, inputs, begin, retain, create_graph, allow_unused=True)


# ---- products


def vjp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """What `func` gives at `inputs`, and the product of `v` with its Jacobian."""
    with enable_grad():
        many, at = as_tensors(inputs, "inputs", "vjp")
        at = apart(at, create_graph)
        many_outputs, outputs = as_tensors(func(*at), OUTPUTS, "vjp")
        depend(outputs, "output", strict)
        v = vector(v, "vjp", create_graph, outputs, many_outputs, "the user-provided function returns")
    with set_grad_enabled(create_graph or state.grad_enabled):
        product = fill(grads_of(outputs, at, v, create_graph), at, strict, create_graph, "vjp")
    return (unpack(given_back(outputs, create_graph), many_outputs), unpack(given_back(product, create_graph), many))


def jvp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """What `func` gives at `inputs`, and the product of its Jacobian with `v`, by two times backward."""
    with enable_grad():
        many, at = as_tensors(inputs, "inputs", "jvp")
        at = apart(at, create_graph)
        v = vector(v, "jvp", create_graph, at, many, "the input to the user-provided function is")
        many_outputs, outputs = as_tensors(func(*at), OUTPUTS, "jvp")
        depend(outputs, "output", strict)
        starts = tuple(zeros_like(out, requires_grad=True) for out in outputs)
        grads = grads_of(outputs, at, starts, create_graph=True)
        depend(grads, "gradient", strict)
    with set_grad_enabled(create_graph or state.grad_enabled):
        product = fill(grads_of(grads, starts, v, create_graph), outputs, strict, create_graph, "jvp")
    return (
        unpack(given_back(outputs, create_graph), many_outputs),
        unpack(given_back(product, create_graph), many_outputs),
    )


def vhp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """What `func`, which gives one number, gives at `inputs`, and the product of `v` with its Hessian."""
    return hessian_product(func, inputs, v, create_graph, strict, "vhp")


def hvp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """What `func`, which gives one number, gives at `inputs`, and the product of its Hessian with `v`."""
    return hessian_product(func, inputs, v, create_graph, strict, "hvp")


def hessian_product(func: Func, inputs: Any, v: Any, create_graph: bool, strict: bool, caller: str) -> tuple[Any, Any]:
    """vhp by backward of the gradient; hvp by one backward more, which turns the Hessian over."""
    with enable_grad():
        many, at = as_tensors(inputs, "inputs", caller)
        at = apart(at, create_graph)
        v = vector(v, caller, create_graph, at, many, "the input to the user-provided function is")
        output = scalar(func, at, caller, strict)
        grads = grads_of((output,), at, create_graph=True)
        depend(grads, "jacobian", strict)
        roots, leaves = grads, at
        if caller == "hvp":
            leaves = tuple(zeros_like(t, requires_grad=True) for t in at)
            roots = grads_of(grads, at, leaves, create_graph=True)
    with set_grad_enabled(create_graph or state.grad_enabled):
        product = fill(grads_of(roots, leaves, v, create_graph), at, strict, create_graph, caller)
    return given_back(output, create_graph), unpack(given_back(product, create_graph), many)


# ---- whole matrices


def check_strategy(strategy: str, hint: str = "") -> None:
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(f'Expected strategy to be either "forward-mode" or "reverse-mode".{hint}')


def jacobian(
    func: Func,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of `func` at `inputs`: for each output (if it gives a tuple) and each input (if it is a tuple)."""
    check_strategy(
        strategy,
        ' Hint: If your function has more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, '
        'prefer to use "reverse-mode".',
    )
    if strategy == "forward-mode":
        return by_forward_mode(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        many, at = as_tensors(inputs, "inputs", "jacobian")
        at = apart(at, create_graph)
        many_outputs, outputs = as_tensors(func(*at), OUTPUTS, "jacobian")
        depend(outputs, "output", strict)
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
                "Please either set `strict=False` or `vectorize=False`."
            )
        rows = [row_of(i, out, at, create_graph, strict) for i, out in enumerate(outputs)]
        return matrix(given_back(rows, create_graph), many_outputs, many)


def row_of(i: int, output: Tensor, inputs: Tensors, create_graph: bool, strict: bool) -> Tensors:
    """The Jacobian of output number `i` for each input, one backward for each of its elements."""
    ask_room(output.data_.size, sum(t.data_.size for t in inputs))
    found: list[list[Tensor]] = [[] for _ in inputs]
    for k in range(output.data_.size):
        element = output.reshape(-1)[k]
        for j, came in enumerate(grads_of((element,), inputs, create_graph=create_graph, retain=True)):
            if came is None and strict:
                raise RuntimeError(f"Output {i} of the user-provided function is independent of input {j}. {STRICT}.")
            if came is not None and strict and create_graph and not came.requires_grad:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {i}. {STRICT} when "
                    "create_graph=True."
                )
            found[j].append(zeros_like(inputs[j]) if came is None else came)
    pairs = zip(found, inputs, strict=True)
    return tuple(stack(rows).view((*output.data_.shape, *t.data_.shape)) for rows, t in pairs)


def by_forward_mode(func: Func, inputs: Any, create_graph: bool, strict: bool, vectorize: bool) -> Any:
    """The Jacobian by one forward pass for each element of the inputs."""
    for option, wanted in (("create_graph", create_graph), ("strict", strict)):
        if wanted:
            kind = NotImplementedError if option == "create_graph" else RuntimeError
            raise kind(
                f'torch.autograd.functional.jacobian: `{option}=True` and `strategy="forward-mode"` are not supported '
                f'together (yet). Please either set `{option}=False` or `strategy="reverse-mode"`.'
            )
    many, at = as_tensors(inputs, "inputs", "jacobian")
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )
    many_outputs, columns = False, []
    for j, tensor in enumerate(at):
        taken: list[tuple[Tensor, ...]] = []
        ask_room(tensor.data_.size, tensor.data_.size)
        for k in range(tensor.data_.size):
            unit = np.zeros(tensor.data_.size, tensor.data_.dtype)
            unit[k] = 1
            with forward_ad.dual_level():
                tangents = [plain(np.zeros_like(t.data_)[()]) for t in at]
                tangents[j] = plain(unit.reshape(tensor.data_.shape)[()])
                duals = [forward_ad.make_dual(t, tangent) for t, tangent in zip(at, tangents, strict=True)]
                many_outputs, outputs = as_tensors(func(*duals), "outputs", "None")
                pairs = [forward_ad.unpack_dual(out) for out in outputs]
            taken.append(tuple(zeros_like(value) if tangent is None else tangent for value, tangent in pairs))
        columns.append([along_last(parts, tensor) for parts in zip(*taken, strict=True)])
    rows: Any = [list(row) for row in zip(*columns, strict=True)]  # torch gives lists here, tuples elsewhere
    rows = rows if many else tuple(row[0] for row in rows)
    return rows if many_outputs else rows[0]


def along_last(parts: Sequence[Tensor], tensor: Tensor) -> Tensor:
    """The tangents for each element of `tensor`, with its dimensions last."""
    whole = stack(list(parts), -1)
    shaped: Tensor = whole.reshape((*parts[0].data_.shape, *tensor.data_.shape))
    return shaped


def hessian(
    func: Func,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of `func`, which gives one number, at `inputs`: the Jacobian of its gradient."""
    many, at = as_tensors(inputs, "inputs", "hessian")
    check_strategy(outer_jacobian_strategy)

    def number(*values: Tensor) -> Tensor:
        result: Tensor = scalar(func, values, "hessian", strict).squeeze()
        return result

    def gradient(*values: Tensor) -> Tensors:
        if outer_jacobian_strategy == "forward-mode":
            values = tuple(t.requires_grad_(True) for t in values)
        found: Tensors = jacobian(number, values, create_graph=True)
        depend(found, "jacobian", strict)
        return found

    found = jacobian(gradient, at, create_graph, strict, vectorize, outer_jacobian_strategy)
    return matrix(found, many, many)
