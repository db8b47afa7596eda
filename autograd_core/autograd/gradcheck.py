"""gradcheck: gradients against differences of the function itself.

The slow way compares whole Jacobians, element by element; the fast way one number for each input and output, the
product of their Jacobian with two random vectors. Complex numbers and sparse tensors, which torch's gradcheck treats
as well, this engine does not have.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.state import state
from ..graph.edges import gradient_edge
from ..graph.node import Node, Wanted
from ..random.generator import Generator, uniform
from ..tensor.tensor import Array, Tensor, plain
from .gradcheck_words import BREAKING, FAST_OK, NONDETERMINISTIC, SLOW_AGAIN, UNDEFINED_NOT_ZERO, UNDEFINED_REFUSED
from .jacobians import (
    Subject,
    analytical,
    as_tuple,
    difference,
    differentiable,
    forward,
    numerical,
    product_with,
    requires,
    units,
)


class GradcheckError(RuntimeError):
    """A gradient is not what differences say."""


@dataclass(frozen=True)
class Limits:
    """How far inputs are moved, and how close is close enough."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float

    def close(self, a: Any, b: Any, atol: float | None = None) -> bool:
        return bool(np.all(np.isclose(a, b, self.rtol, self.atol if atol is None else atol)))


def check_inputs(inputs: Sequence[Any]) -> None:
    """Whether gradcheck can say anything about these inputs.

    Raises:
        RuntimeError: one shows the same memory twice.
        ValueError: none requires a gradient.
    """
    for i, value in enumerate(inputs):
        if not requires(value):
            continue
        if value.data_.dtype != np.float64:
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=1,
            )
        memory = value.array()
        if memory.size and any(step == 0 and size > 1 for step, size in zip(memory.strides, memory.shape, strict=True)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not any(requires(value) for value in inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


# ---- comparing


def twice(measure: Callable[..., list[Array]], *given: Any, limits: Limits) -> list[Array]:
    """What `measure` gives, if it gives it again.

    Raises:
        GradcheckError: the second time was another.
    """
    first, second = measure(*given), measure(*given)
    if any(a.size and abs(a - b).max() > limits.nondet_tol for a, b in zip(first, second, strict=True)):
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
            "different values, although analytical gradient matches numerical gradient.The tolerance for "
            f"nondeterminism was {limits.nondet_tol}." + NONDETERMINISTIC
        )
    return first


def mismatch(a: Any, n: Any, output: int, place: int, ahead: bool) -> str:
    mode = "computed with forward mode " if ahead else ""
    return (
        f"Jacobian {mode}mismatch for output {output} with respect to input {place},\n"
        f"numerical:{plain(np.asarray(n))}\nanalytical:{plain(np.asarray(a))}\n"
    )


def check_slowly(subject: Subject, limits: Limits, ahead: bool) -> None:
    """Compare whole Jacobians, those of forward mode when `ahead`.

    Raises:
        GradcheckError: at the first pair of an output and an input that differs.
    """
    by_difference = numerical(subject, limits.eps)
    if not subject.outputs:
        if any(np.any(jacobian != 0) for jacobians in by_difference for jacobian in jacobians):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    columns = forward(subject, [units(t) for t in subject.wanted]) if ahead else []
    for i, out in enumerate(subject.outputs):
        k = place_among(out, subject.floats)
        found = [column[k] for column in columns] if ahead else twice(analytical, out, subject, limits=limits)
        for j, a in enumerate(found):
            n = by_difference[j][k]
            if not limits.close(a, n):
                raise GradcheckError(mismatch(a, n, i, j, ahead))


def place_among(tensor: Tensor, tensors: Sequence[Tensor]) -> int:
    return next(k for k, other in enumerate(tensors) if other is tensor)


def check_fast(subject: Subject, limits: Limits, ahead: bool) -> None:
    """Compare products of the Jacobians with random vectors.

    Raises:
        GradcheckError: at the first that differs; the message has the whole Jacobians too.
    """
    stream = Generator()
    us = [random_unit(t, stream) for t in subject.wanted]
    vs = [] if ahead else [random_unit(out, stream) for out in subject.outputs]
    slopes = [
        difference(subject, t.array(), (u * limits.eps).reshape(t.data_.shape), limits.eps)
        for t, u in zip(subject.wanted, us, strict=True)
    ]
    if not subject.outputs and not ahead:
        if any(c.size and abs(c).max() > limits.nondet_tol for columns in slopes for c in columns):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    found = forward(subject, [[u] for u in us]) if ahead else []
    started = zip(subject.outputs, vs, strict=True) if not ahead else ()
    reached = [twice(product_with, out, v, subject, limits=limits) for out, v in started]
    for i, u in enumerate(us):
        for j, out in enumerate(subject.floats if ahead else subject.outputs):
            k = place_among(out, subject.floats)
            a, n, scale = found[i][k][0] if ahead else reached[j][i] @ u, slopes[i][k], 1.0
            if not ahead:
                n, scale = (vs[j] * n).sum(), float(vs[j].sum())
            if not limits.close(a, n, limits.atol * float(u.sum()) * scale):
                raise GradcheckError(mismatch(a, n, j, i, ahead) + slow_again(subject, limits, i, out, ahead))


def random_unit(tensor: Tensor, stream: Generator) -> Array:
    """A vector of length 1 with as many elements as `tensor`."""
    vector = uniform(tensor.data_.size, np.float32, generator=stream).astype(tensor.data_.dtype)
    return vector / np.linalg.norm(vector) if vector.size else vector


def slow_again(subject: Subject, limits: Limits, i: int, out: Tensor, ahead: bool) -> str:
    """What the whole Jacobians of one input and output are, for the message of the fast way."""
    k = place_among(out, subject.floats)
    n = numerical(subject, limits.eps)[i][k]
    a = forward(subject, [units(t) for t in subject.wanted])[i][k] if ahead else analytical(out, subject)[i]
    text = SLOW_AGAIN.format(numerical=plain(n), analytical=plain(a), difference=plain(abs(n - a).max()))
    return text + FAST_OK if limits.close(a, n) else text


# ---- further checks


class UndefinedGradBackward(Node):
    """Hands on no gradient, whatever comes."""

    __slots__ = ()
    op_name = "UndefinedGrad"

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        return [None]

    graph = raw


def undefine(tensor: Tensor) -> Tensor:
    """A copy of `tensor`, whose gradient gets lost on the way back."""
    copy: Tensor = tensor.detach().clone()
    if tensor.requires_grad and state.grad_enabled:
        copy.node = UndefinedGradBackward([gradient_edge(tensor)], ((tensor.data_.shape, tensor.data_.dtype),))
    return copy


def zeros(outputs: Sequence[Tensor]) -> list[Tensor]:
    return [plain(np.zeros(out.data_.shape, out.data_.dtype)[()]) for out in outputs]


def check_zeros(subject: Subject) -> None:
    """Whether gradients of zero lead to gradients of zero.

    Raises:
        GradcheckError: they do not.
    """
    outputs = subject.outputs
    if outputs and any(g is not None and np.any(g.data_ != 0) for g in subject.grads(outputs, zeros(outputs), False)):
        raise GradcheckError("backward not multiplied by grad_output")


def check_undefined(subject: Subject) -> None:
    """Whether backward copes with outputs that got no gradient: all of them, then each alone.

    Raises:
        GradcheckError: it raises, or makes a gradient of nothing.
    """
    count = len(subject.outputs)
    for lost in [set(range(count)), *({k} for k in range(count) if count > 1)]:
        given = differentiable(subject.func(*subject.inputs))
        outputs = [undefine(out) if k in lost else out for k, out in enumerate(given)]
        try:
            came = subject.grads(outputs, zeros(outputs), False) if outputs else ()
        except RuntimeError as error:
            warnings.warn(BREAKING, stacklevel=1)
            raise GradcheckError(UNDEFINED_REFUSED) from error
        if any(g is not None and np.any(g.data_ != 0) for g in came):
            warnings.warn(BREAKING, stacklevel=1)
            raise GradcheckError(UNDEFINED_NOT_ZERO)


# ---- the function


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of `func` at `inputs` are what small differences say.

    What cannot go wrong in this engine is not looked for: it brings each gradient to the shape and dtype of its input
    (`check_grad_dtypes`), and vmap is a loop (`check_batched_grad`, `check_batched_forward_grad`).

    Raises:
        GradcheckError: they are not, and `raise_exception`.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    limits = Limits(eps, atol, rtol, nondet_tol)
    compare = check_fast if fast_mode else check_slowly
    try:
        values = as_tuple(inputs)
        check_inputs(values)
        subject = Subject(func, values, as_tuple(func(*values)))
        if check_backward_ad:
            compare(subject, limits, False)
        if check_forward_ad:
            compare(subject, limits, True)
        if check_backward_ad:
            check_zeros(subject)
            if check_undefined_grad:
                check_undefined(subject)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True
