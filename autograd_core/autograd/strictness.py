"""What `strict` refuses in torch.autograd.functional: results that do not depend on an input."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..tensor.tensor import Tensor, plain

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
