"""What PyTorch refuses of hooks: on gradients, on saved tensors, on leaves. Rows for `refused`, as in refusals.py."""

from __future__ import annotations

from .refusals import Refusal, computed, tracked

HOOKS: dict[str, Refusal] = {
    "expected Variable, but hook returned": Refusal(
        "hook_returned",
        "A hook gives a gradient, or nothing",
        computed,
        "built",
        (
            "A hook on {name}, made {where}, returned something that is no tensor.",
            "What a hook returns takes the place of the gradient that it was given. It has to be a tensor of the "
            "same shape; None leaves the gradient as it is.",
        ),
    ),
    "saved tensor unpack_hook expected": Refusal(
        "unpacked",
        "An unpack hook gives a tensor back",
        computed,
        "built",
        (
            "{code} {line} needs a tensor that was saved, and `pack` had put something else in its place.",
            "What `unpack` makes of that has to be a tensor again, with the same numbers: it gave something else.",
        ),
    ),
    "saved tensor pack hook is modifying its input": Refusal(
        "packed",
        "A pack hook may not write",
        computed,
        "built",
        (
            "{code} {line} saves a tensor, and the `pack` hook writes into it.",
            "That tensor is the program's own, and others compute with it. What is to be saved can be computed from it "
            "instead, as a new tensor.",
        ),
    ),
    "post accumulate grad hooks should return None": Refusal(
        "post_hook_result",
        "This hook returns nothing",
        tracked,
        "",
        (
            "A hook that runs after a gradient was added up gets the leaf: {code} {line} runs one.",
            "It gives something back, which would go nowhere: what it is to change, it changes in `p.grad`.",
        ),
    ),
    "cannot resize variables that require grad": Refusal(
        "resized",
        "What requires a gradient keeps its size",
        tracked,
        "built",
        (
            "{name}, made {where}, requires a gradient, and {code} {line} would give it another size in place.",
            "The gradient has one entry for each number that there was. A new tensor of another size can be computed "
            "from it: by `F.pad`, `cat`, `expand` or an index.",
        ),
    ),
    "data set to a tensor that requires gradients must be floating point": Refusal(
        "data_type",
        "Only floating point numbers have a slope",
        tracked,
        "built",
        (
            "{name}, made {where}, requires a gradient, and {code} {line} puts whole numbers into it.",
            "Between whole numbers there is nothing to go along; `.float()` makes them floating point numbers.",
        ),
    ),
}
