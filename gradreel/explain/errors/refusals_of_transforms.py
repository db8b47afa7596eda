"""What the functions of torch.func and autograd.functional refuse. Rows for `refused`, as in refusals.py."""

from __future__ import annotations

from .refusals import Refusal, anything

NUMBER = (
    "{code} {line} hands a function over to be differentiated, and what that gives is no tensor.",
    "`item()`, `float()` and `tolist()` take numbers out of the graph; a derivative is taken of the tensor itself.",
)

TRANSFORMS: dict[str, Refusal] = {
    "to return a Tensor, got <class 'tuple'>": Refusal(
        "auxiliary",
        "A function with more than one result",
        anything,
        "",
        (
            "{code} {line} differentiates a function that gives a tuple, and the gradient is of one tensor.",
            "With `has_aux=True` the first part is differentiated, and the others are handed on as they are.",
        ),
    ),
    "to return a Tensor, got": Refusal("function_result", "A derivative of what is no tensor", anything, "", NUMBER),
    "The outputs of the user-provided function given to": Refusal(
        "function_result", "A derivative of what is no tensor", anything, "", NUMBER
    ),
    "that would mutate a captured Tensor": Refusal(
        "captured_write",
        "A write that a transform would lose",
        anything,
        "",
        (
            "{code} {line} runs under a transform of `torch.func`, and writes into what belongs to no example.",
            "A batch norm that trains does so: it counts each batch into its running mean and variance. It normalizes "
            "each example by all the others, so a gradient for each example has no meaning with it.",
            "A group norm looks at one example alone; a batch norm without running statistics writes nothing.",
        ),
    ),
    "backward() called inside a functorch transform": Refusal(
        "backward_in_transform",
        "No backward inside of a transform",
        anything,
        "",
        (
            "{code} {line} goes backward inside of `vmap` or another transform of `torch.func`, where `.grad` belongs "
            "to no example.",
            "The transforms can be nested: `torch.func.grad` of the function gives the gradient, and `vmap` of that "
            "one for each example.",
        ),
    ),
    "The vector v can only be None": Refusal(
        "no_vector",
        "A product with a vector that was not given",
        anything,
        "",
        (
            "{code} {line} multiplies a Jacobian by a vector, and the function gives several numbers.",
            "Of one number the vector may be left out, and is 1; of several it has to be given, in their shape.",
        ),
    ),
    "v has invalid size": Refusal(
        "vector_shape",
        "A vector of another shape",
        anything,
        "",
        (
            "{code} {line} multiplies a Jacobian by a vector that has another shape than what it goes with.",
            "`vjp` takes one in the shape of the output, `jvp`, `hvp` and `vhp` one in the shape of the input.",
        ),
    ),
}
