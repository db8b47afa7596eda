"""What the functions of torch.func and autograd.functional refuse. Rows for `refused`, as in refusals.py."""

from __future__ import annotations

from ..diagnostics.refusals import declare_refusal

NUMBER = (
    "{code} {line} hands a function over to be differentiated, and what that gives is no tensor.",
    "`item()`, `float()` and `tolist()` take numbers out of the graph; a derivative is taken of the tensor itself.",
)

declare_refusal(
    "to return a Tensor, got <class 'tuple'>",
    cause="auxiliary",
    title="A function with more than one result",
    story=(
        "{code} {line} differentiates a function that gives a tuple, and the gradient is of one tensor.",
        "With `has_aux=True` the first part is differentiated, and the others are handed on as they are.",
    ),
)
declare_refusal(
    "to return a Tensor, got",
    cause="function_result",
    title="A derivative of what is no tensor",
    story=NUMBER,
)
declare_refusal(
    "The outputs of the user-provided function given to",
    cause="function_result",
    title="A derivative of what is no tensor",
    story=NUMBER,
)
declare_refusal(
    "that would mutate a captured Tensor",
    cause="captured_write",
    title="A write that a transform would lose",
    story=(
        "{code} {line} runs under a transform of `torch.func`, and writes into what belongs to no example.",
        "A batch norm that trains does so: it counts each batch into its running mean and variance. It normalizes "
        "each example by all the others, so a gradient for each example has no meaning with it.",
        "A group norm looks at one example alone; a batch norm without running statistics writes nothing.",
    ),
)
declare_refusal(
    "backward() called inside a functorch transform",
    cause="backward_in_transform",
    title="No backward inside of a transform",
    story=(
        "{code} {line} goes backward inside of `vmap` or another transform of `torch.func`, where `.grad` belongs "
        "to no example.",
        "The transforms can be nested: `torch.func.grad` of the function gives the gradient, and `vmap` of that "
        "one for each example.",
    ),
)
declare_refusal(
    "The vector v can only be None",
    cause="no_vector",
    title="A product with a vector that was not given",
    story=(
        "{code} {line} multiplies a Jacobian by a vector, and the function gives several numbers.",
        "Of one number the vector may be left out, and is 1; of several it has to be given, in their shape.",
    ),
)
declare_refusal(
    "v has invalid size",
    cause="vector_shape",
    title="A vector of another shape",
    story=(
        "{code} {line} multiplies a Jacobian by a vector that has another shape than what it goes with.",
        "`vjp` takes one in the shape of the output, `jvp`, `hvp` and `vhp` one in the shape of the input.",
    ),
)
