"""gradcheck: gradients against differences of the function itself.

The slow way compares whole Jacobians, element by element; the fast way one number for each input and output, the
product of their Jacobian with two random vectors.

A function with complex outputs is checked twice, of its imaginary and of its real parts. Of a complex input the slope
along the real axis is the real part of a row, that along the imaginary axis its imaginary part: what backward gives.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ..dispatch.registry import GRAPH
from ..engine.state import ask_room, state
from ..errors import Unsupported
from ..graph.edges import gradient_edge
from ..graph.node import Node, Wanted
from ..random.generator import Generator, uniform
from ..tensor.dtypes import from_numpy
from ..tensor.size import Size
from ..tensor.tensor import Array, Tensor, plain
from . import forward_ad
from .differentiate import grad

# ---- long texts, torch's word for word


SLOW_AGAIN = """
The above quantities relating the numerical and analytical jacobians are computed 
in fast mode. See: https://github.com/pytorch/pytorch/issues/53876 for more background 
about fast mode. Below, we recompute numerical and analytical jacobians in slow mode:

Numerical:
 {numerical}
Analytical:
{analytical}

The max per-element difference (slow mode) is: {difference}.
"""

FAST_OK = """Fast gradcheck failed but element-wise differences are small. This means that the
test might've passed in slow_mode!

If you are adding a new operator, please file an issue and then use one of the
workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck:

If the test
- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck
  with `fast_mode=False` as a keyword argument.
- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test
  to have `gradcheck_fast_mode=False`
- is a Module test (e.g., in common_nn.py), then modify the corresponding
  module_test entry to have `gradcheck_fast_mode=False`"""

NONDETERMINISTIC = """

NOTE: If your op relies on non-deterministic operations i.e., it is listed here:
https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
this failure might be expected.

If you are adding a new operator, please file an issue and then use one of the
workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.
If the test
- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck
  with `nondet_tol=<tol>` as a keyword argument.
- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test
  to have `gradcheck_nondet_tol=<tol>`.
- is a Module test (e.g., in common_nn.py), then modify the corresponding
  module_test entry to have `gradcheck_nondet_tol=<tol>`
"""

BREAKING = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break "
    "existing callers of this function. If this is true for you, you can call this function with "
    '"check_undefined_grad=False" to disable the feature'
)
NOTES = '"Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
UNDEFINED_REFUSED = f"Expected backward function to handle undefined output grads. Please look at {NOTES}"
UNDEFINED_NOT_ZERO = (
    "Expected all input grads to be undefined or zero when all output grads are undefined or zero. Please look at "
    + NOTES
)


# ---- Jacobians in three ways: by small differences, by backward, and by forward mode
#
# A Jacobian here has a row for each element of an input and a column for each element of an output.


def as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def requires(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.data_.dtype.kind == "f"


def differentiable(given: Any) -> tuple[Tensor, ...]:
    return tuple(out for out in as_tuple(given) if out.requires_grad)


@dataclass(frozen=True)
class Subject:
    """A function, what it is called with, and what it gave.

    `parts` says which parts of its complex outputs are looked at, "real" or "imaginary"; these are `split`.
    """

    func: Callable[..., Any]
    inputs: tuple[Any, ...]
    given: tuple[Any, ...]
    parts: str = ""
    split: tuple[int, ...] = ()

    @property
    def diff_inputs(self) -> list[Tensor]:
        return [t for t in self.inputs if requires(t)]

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        return differentiable(self.given)

    @property
    def floats(self) -> list[Tensor]:
        return [out for out in self.given if floating(out)]

    def call(self, *inputs: Any) -> tuple[Any, ...]:
        return as_tuple(self.func(*inputs))

    def grads(self, outputs: Any, grad_outputs: Any, retain: bool = True) -> tuple[Tensor | None, ...]:
        return grad(outputs, self.diff_inputs, grad_outputs, retain_graph=retain, allow_unused=True)


def has_complex(values: Iterable[Any]) -> bool:
    return any(isinstance(value, Tensor) and value.data_.dtype.kind == "c" for value in values)


def by_parts(subject: Subject) -> list[Subject]:
    """`subject`, or its imaginary and its real parts where outputs are complex."""
    if not has_complex(subject.given):
        return [subject]
    split = tuple(i for i, out in enumerate(subject.outputs) if has_complex((out,)))
    return [part_of(subject, name, split) for name in ("imaginary", "real")]


def part_of(subject: Subject, name: str, split: tuple[int, ...]) -> Subject:
    take = GRAPH["imag" if name == "imaginary" else "real"]

    def func(*inputs: Any) -> tuple[Any, ...]:
        return tuple(take(out) if has_complex((out,)) else out for out in subject.call(*inputs))

    return Subject(func, subject.inputs, func(*subject.inputs), name, split)


def shape_like(vector: Array, like: Tensor) -> Tensor:
    return plain(vector.reshape(like.data_.shape)[()])


# ---- by differences


def difference(subject: Subject, memory: Array, step: Any, eps: float, where: str = "") -> list[Array]:
    """How the floating outputs change when `memory`, part of an input, goes from `-step` to `+step`, per 2 `eps`.

    Raises:
        AssertionError: an output changes in shape or dtype.
    """
    before = memory.copy()
    if state.tape is not None:
        state.tape.exposed()  # nobody is told of these writes
    try:
        memory[...] = before - step
        low = [np.array(out.data_) for out in subject.call(*subject.inputs)]
        memory[...] = before + step
        high = [np.array(out.data_) for out in subject.call(*subject.inputs)]
    finally:
        memory[...] = before
    for a, b in zip(low, high, strict=True):
        if a.shape != b.shape:
            raise AssertionError(change_element("shape", Size(a.shape), Size(b.shape), eps, where))
        if a.dtype != b.dtype:
            raise AssertionError(change_element("dtype", from_numpy(a.dtype), from_numpy(b.dtype), eps, where))
    slopes = [(plain(b) - plain(a)).data_ / (2 * eps) for a, b in zip(low, high, strict=True)]
    return [np.reshape(slope, -1) for slope, out in zip(slopes, subject.given, strict=True) if floating(out)]


def change_element(what: str, low: Any, high: Any, eps: float, where: str) -> str:
    return (
        f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by {eps}, but got: "
        f"{what}s {low} and {high}."
    )


def numerical(subject: Subject, eps: float) -> list[list[Array]]:
    """`[input][floating output]`."""
    found = []
    for tensor in subject.diff_inputs:
        memory = tensor.array()
        ask_room(memory.size, sum(out.data_.size for out in subject.floats))
        kinds = [np.result_type(out.data_, 1j if memory.dtype.kind == "c" else 1.0) for out in subject.floats]
        sizes = [out.data_.size for out in subject.floats]
        jacobians = [np.zeros((memory.size, size), kind) for size, kind in zip(sizes, kinds, strict=True)]
        for row, index in enumerate(product(*map(range, memory.shape))):
            place: Any = (*index, ...)
            element = memory[place]
            where = f"on index {index} "
            columns = difference(subject, element, eps, eps, where)
            if memory.dtype.kind == "c":
                across = difference(subject, element, 1j * eps, eps, where)
                columns = [a + 1j * b for a, b in zip(columns, across, strict=True)]
            for jacobian, column in zip(jacobians, columns, strict=True):
                jacobian[row] = column
        found.append(jacobians)
    return found


# ---- by backward


def product_with(output: Tensor, vector: Array, subject: Subject) -> list[Array]:
    """The gradient of each input when `output` starts with `vector`, flat."""
    came = subject.grads(output, shape_like(vector, output))
    pairs = zip(came, subject.diff_inputs, strict=True)
    return [np.zeros(t.data_.size, t.data_.dtype) if g is None else np.array(g.data_).reshape(-1) for g, t in pairs]


def analytical(output: Tensor, subject: Subject) -> list[Array]:
    """`[input]`, one backward for each element of `output`."""
    found = [np.zeros((t.data_.size, output.data_.size), t.data_.dtype) for t in subject.diff_inputs]
    for column, unit in enumerate(units(output)):
        for jacobian, came in zip(found, product_with(output, unit, subject), strict=True):
            jacobian[:, column] = came
    return found


def units(tensor: Tensor) -> Array:
    ask_room(tensor.data_.size, tensor.data_.size)
    return np.eye(tensor.data_.size, dtype=tensor.data_.dtype)


# ---- by forward mode


def forward(subject: Subject, directions: Sequence[Iterable[Array]]) -> list[list[Array]]:
    """`[input][floating output]`, with a row for each of the `directions` given for that input."""
    found: list[list[Array]] = []
    places = [i for i, value in enumerate(subject.inputs) if requires(value)]
    for place, tensor, along in zip(places, subject.diff_inputs, directions, strict=True):
        taken: list[list[Array]] = [[] for _ in subject.floats]
        for direction in along:
            values = [value.detach() if isinstance(value, Tensor) else value for value in subject.inputs]
            with forward_ad.dual_level():
                values[place] = forward_ad.make_dual(values[place], shape_like(direction, tensor))
                outs = [forward_ad.unpack_dual(out) for out in subject.call(*values) if floating(out)]
            for rows, (value, tangent) in zip(taken, outs, strict=True):
                rows.append(np.zeros(value.data_.size) if tangent is None else np.ravel(tangent.data_))
        shapes = [(out.data_.size, out.data_.dtype) for out in subject.floats]
        found.append([np.array(rows, kind).reshape(-1, size) for rows, (size, kind) in zip(taken, shapes, strict=True)])
    return found


# ---- gradcheck


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
        if value.data_.dtype not in (np.float64, np.complex128):
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


def mismatch(a: Any, n: Any, output: int, place: int, ahead: bool, subject: Subject) -> str:
    mode = "computed with forward mode " if ahead else ""
    half = not ahead and output in subject.split
    return (f"While considering the {subject.parts} part of complex outputs only, " if half else "") + (
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
    columns = forward(subject, [units(t) for t in subject.diff_inputs]) if ahead else []
    for i, out in enumerate(subject.outputs):
        k = place_among(out, subject.floats)
        found = [column[k] for column in columns] if ahead else twice(analytical, out, subject, limits=limits)
        for j, a in enumerate(found):
            n = by_difference[j][k]
            if not limits.close(a, n):
                raise GradcheckError(mismatch(a, n, i, j, ahead, subject))


def place_among(tensor: Tensor, tensors: Sequence[Tensor]) -> int:
    return next(k for k, other in enumerate(tensors) if other is tensor)


def check_fast(subject: Subject, limits: Limits, ahead: bool) -> None:
    """Compare products of the Jacobians with random vectors.

    Raises:
        GradcheckError: at the first that differs; the message has the whole Jacobians too.
    """
    stream = Generator()
    us = [random_unit(t, stream) for t in subject.diff_inputs]
    vs = [] if ahead else [random_unit(out, stream) for out in subject.outputs]
    slopes = [
        difference(subject, t.array(), (u * limits.eps).reshape(t.data_.shape), limits.eps)
        for t, u in zip(subject.diff_inputs, us, strict=True)
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
                raise GradcheckError(mismatch(a, n, j, i, ahead, subject) + slow_again(subject, limits, i, out, ahead))


def random_unit(tensor: Tensor, stream: Generator) -> Array:
    """A vector of length 1 with as many elements as `tensor`."""
    vector = uniform(tensor.data_.size, np.float32, generator=stream).astype(tensor.data_.dtype)
    return vector / np.linalg.norm(vector) if vector.size else vector


def slow_again(subject: Subject, limits: Limits, i: int, out: Tensor, ahead: bool) -> str:
    """What the whole Jacobians of one input and output are, for the message of the fast way."""
    k = place_among(out, subject.floats)
    n = numerical(subject, limits.eps)[i][k]
    a = forward(subject, [units(t) for t in subject.diff_inputs])[i][k] if ahead else analytical(out, subject)[i]
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
    try:
        values = as_tuple(inputs)
        check_inputs(values)
        subject = Subject(func, values, as_tuple(func(*values)))
        complex_too = has_complex((*values, *subject.given))
        compare = check_fast if fast_mode and not complex_too else check_slowly
        if complex_too and check_forward_ad:
            raise Unsupported("gradcheck of forward mode with complex numbers is not supported by this engine")
        if check_backward_ad:
            for part in by_parts(subject):
                compare(part, limits, False)
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


# ---- gradgradcheck: gradcheck of the function that gives the gradients


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the gradients of the gradients of `func` are what small differences say, `grad_outputs` included.

    Raises:
        GradcheckError: they are not, and `raise_exception`.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")
    values = as_tuple(inputs)
    if grad_outputs is None:
        outputs = differentiable(func(*values))
        starts: tuple[Any, ...] = tuple(random_start(out, gen_non_contig_grad_outputs) for out in outputs)
    else:
        starts = as_tuple(grad_outputs)
    wanted = [i for i, value in enumerate(values) if requires(value)]
    asked = [i for i, start in enumerate(starts) if start.requires_grad]

    def gradient(*given: Any) -> tuple[Tensor, ...]:
        at, by = list(given[: len(values)]), list(given[len(values) :])
        for tensors, flagged in ((at, wanted), (by, asked)):
            for i in flagged:
                tensors[i] = tensors[i].requires_grad_()
        outputs = differentiable(func(*at))
        came = grad(outputs, [at[i] for i in wanted], by, create_graph=True, allow_unused=True)
        return tuple(g for g in came if g is not None)

    return gradcheck(
        gradient,
        values + starts,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        masked=masked,
    )


def random_start(out: Tensor, gaps: bool) -> Tensor:
    """A gradient between -1 and 1 for `out`, to be differentiated; `gaps`: not dense in memory."""
    kind = out.data_.dtype if out.data_.dtype.kind in "fc" else np.dtype(np.float64)
    shape = out.data_.shape
    if gaps and out.data_.size > 1:
        values = uniform(2 * out.data_.size, kind, -1, 1).reshape(*shape[:-1], -1)[..., 1::2]
    else:
        values = uniform(out.data_.size, kind, -1, 1).reshape(shape)
    return plain(values[()]).requires_grad_()
