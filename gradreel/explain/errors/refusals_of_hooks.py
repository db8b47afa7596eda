"""What PyTorch refuses of hooks: on gradients, on saved tensors, on leaves. Rows for `refused`, as in refusals.py."""

from __future__ import annotations

from ..diagnostics.message_rules import tracked
from ..diagnostics.refusals import computed, declare_refusal

declare_refusal(
    "expected Variable, but hook returned",
    cause="hook_returned",
    title="A hook gives a gradient, or nothing",
    fits=computed,
    role="built",
    story=(
        "A hook on {name}, made {where}, returned something that is no tensor.",
        "What a hook returns takes the place of the gradient that it was given. It has to be a tensor of the "
        "same shape; None leaves the gradient as it is.",
    ),
)
declare_refusal(
    "saved tensor unpack_hook expected",
    cause="unpacked",
    title="An unpack hook gives a tensor back",
    fits=computed,
    role="built",
    story=(
        "{code} {line} needs a tensor that was saved, and `pack` had put something else in its place.",
        "What `unpack` makes of that has to be a tensor again, with the same numbers: it gave something else.",
    ),
)
declare_refusal(
    "saved tensor pack hook is modifying its input",
    cause="packed",
    title="A pack hook may not write",
    fits=computed,
    role="built",
    story=(
        "{code} {line} saves a tensor, and the `pack` hook writes into it.",
        "That tensor is the program's own, and others compute with it. What is to be saved can be computed from it "
        "instead, as a new tensor.",
    ),
)
declare_refusal(
    "post accumulate grad hooks should return None",
    cause="post_hook_result",
    title="This hook returns nothing",
    fits=tracked,
    story=(
        "A hook that runs after a gradient was added up gets the leaf: {code} {line} runs one.",
        "It gives something back, which would go nowhere: what it is to change, it changes in `p.grad`.",
    ),
)
declare_refusal(
    "cannot resize variables that require grad",
    cause="resized",
    title="What requires a gradient keeps its size",
    fits=tracked,
    role="built",
    story=(
        "{name}, made {where}, requires a gradient, and {code} {line} would give it another size in place.",
        "The gradient has one entry for each number that there was. A new tensor of another size can be computed "
        "from it: by `F.pad`, `cat`, `expand` or an index.",
    ),
)
declare_refusal(
    "data set to a tensor that requires gradients must be floating point",
    cause="data_type",
    title="Only floating point numbers have a slope",
    fits=tracked,
    role="built",
    story=(
        "{name}, made {where}, requires a gradient, and {code} {line} puts whole numbers into it.",
        "Between whole numbers there is nothing to go along; `.float()` makes them floating point numbers.",
    ),
)
