"""Refusals whose story follows from the message and the tensor that the line speaks of: a table."""

from __future__ import annotations

from ..diagnostics.message_rules import tracked
from ..diagnostics.refusals import computed, declare_refusal, untracked

declare_refusal(
    "you can only change requires_grad flags of leaf variables",
    cause="flag_on_result",
    title="Only leaves can change their flag",
    fits=computed,
    role="built",
    story=(
        "{name}, made {where}, is computed from other tensors: whether it requires a gradient follows from them.",
        "Only a leaf can be told to want one or not; {code} {line} asks that of a result.",
        "`detach()` gives the same numbers without the history, as a leaf.",
    ),
)
declare_refusal(
    "Can't call numpy() on Tensor that requires grad",
    cause="numpy",
    title="An array cannot carry a gradient",
    fits=tracked,
    role="saved",
    story=(
        "{name}, made {where}, requires a gradient, and numpy would compute with it unrecorded.",
        "PyTorch asks you to say that this is meant: `detach()` first.",
    ),
)
declare_refusal(
    "can't optimize a non-leaf Tensor",
    cause="optimize_result",
    title="An optimizer needs leaves",
    fits=computed,
    role="built",
    story=(
        "{name}, made {where}, is a result, no leaf: no gradient would be kept for it.",
        "An optimizer changes leaves, whose `.grad` backward fills.",
        "Compute first and call `requires_grad_()` last, or `detach()` what was computed.",
    ),
)
declare_refusal(
    "support the deepcopy protocol",
    cause="copy_result",
    title="Only leaves can be copied deeply",
    fits=computed,
    role="built",
    story=(
        "{name}, made {where}, hangs on a graph, and a graph cannot be copied.",
        "`clone()` copies the numbers and stays in the graph; `detach().clone()` copies the numbers alone.",
    ),
)
declare_refusal(
    "post accumulate grad hooks cannot be registered on non-leaf",
    cause="hook_on_result",
    title="This hook belongs on a leaf",
    fits=computed,
    role="built",
    story=(
        "{name}, made {where}, is a result: nothing is accumulated into its `.grad`.",
        "Such a hook runs after a leaf's gradient has been added up; `register_hook` works on results, too.",
    ),
)
declare_refusal(
    " tensors and ",
    cause="gradient_number",
    title="Not one gradient for each root",
    role="built",
    story=("{name} is one of several tensors to start from, and each of them needs a gradient of its own.",),
)
declare_refusal(
    "argument to `grad()` cannot be empty",
    cause="no_inputs",
    title="Gradients of nothing were asked for",
    role="built",
    story=("{code} {line} names nothing to take the gradient of {name} by.",),
)
declare_refusal(
    "argument to `backward()` cannot be empty",
    cause="no_inputs",
    title="Gradients of nothing were asked for",
    role="built",
    story=("{code} {line} says with `inputs=[]` that nobody wants a gradient of {name}.",),
)
declare_refusal(
    "Expected allow_unused to be True",
    cause="materialize",
    title="Two settings that exclude each other",
    role="built",
    story=("`materialize_grads=True` puts zeros where an input was not used, and `allow_unused=False` forbids that.",),
)
declare_refusal(
    "cannot pickle 'generator' object",
    cause="generator_copied",
    title="A generator cannot be copied",
    story=(
        "{code} {line} copies a generator, which is no list: it gives its parts one after another, once.",
        "`parameters()` is one; a list of copies, or a copy of the whole module, is what can be had.",
    ),
)
declare_refusal(
    "inside of a function being transformed by a functorch transform",
    cause="in_transform",
    title="Leaves cannot be made inside of a transform",
    story=(
        "{code} {line} asks for a leaf of its own. It runs inside of `vmap` or another transform of "
        "`torch.func`, where nothing may change its flag.",
        "The transforms can be nested: `torch.func.jacrev`, `hessian` and `grad` do the same there.",
    ),
)
declare_refusal(
    "Inference tensors cannot be saved for backward",
    cause="inference",
    title="A tensor of inference mode in a graph",
    fits=untracked,
    role="built",
    story=(
        "{name}, made {where}, was made under `inference_mode`, which keeps no books on it at all.",
        "{code} {line} would have to keep it for a gradient, and could never know whether it was changed since.",
        "`no_grad` makes ordinary tensors without a graph; a `clone()` is an ordinary tensor, too.",
    ),
)
declare_refusal(
    "nference tensor outside InferenceMode is not allowed",
    cause="inference",
    title="A tensor of inference mode cannot be changed",
    fits=untracked,
    role="built",
    story=(
        "{name}, made {where}, was made under `inference_mode`, which keeps no books on it at all.",
        "{code} {line} would change it out there, where books are kept.",
        "`no_grad` makes ordinary tensors without a graph; a `clone()` is an ordinary tensor, too.",
    ),
)
declare_refusal(
    "sampler option is mutually exclusive with shuffle",
    cause="shuffled_twice",
    title="A sampler already says the order",
    story=(
        "{code} {line} gives a sampler and asks to shuffle besides.",
        "A sampler says in which order the examples come; `shuffle=True` would make a sampler of its own.",
    ),
)
declare_refusal(
    "expected unspecified shuffle option",
    cause="shuffled_twice",
    title="What only goes forward cannot be shuffled",
    story=(
        "{code} {line} asks to shuffle an `IterableDataset`.",
        "Such a set hands out its examples one after another and has no places to choose from: it shuffles by "
        "itself, or not at all.",
    ),
)
declare_refusal(
    "is not a valid value for reduction",
    cause="reduction",
    title="A loss knows three ways to put its entries together",
    story=(
        "{code} {line} names another way.",
        "There are `'mean'`, `'sum'` and `'none'`, which leaves one entry for each example.",
    ),
)
declare_refusal(
    "does not have vmap support",
    cause="no_vmap_rule",
    title="A Function that vmap does not know",
    story=(
        "{code} {line} runs a Function of your own for all examples at once.",
        "PyTorch has to be told how: by a `vmap` method, or by `generate_vmap_rule = True` in the class. The "
        "latter does where forward and backward are made of torch's own operators.",
    ),
)
declare_refusal(
    "all elements of",
    cause="range",
    title="Numbers out of the range of this loss",
    role="saved",
    story=(
        "{code} {line} takes chances: numbers from 0 to 1.",
        "{name}, made {where}, holds others; `sigmoid` makes chances of scores, and labels are 0. and 1.",
    ),
)
declare_refusal(
    "optimizer got an empty parameter list",
    cause="no_parameters",
    title="An optimizer without parameters",
    story=(
        "{code} {line} finds nothing to optimize.",
        "A generator such as `parameters()` is empty once it has been walked through. A module finds the "
        "parameters that are set as its attributes, not those in a plain list.",
    ),
)
declare_refusal(
    "before Module.__init__() call",
    cause="no_super_init",
    title="A Module that was not set up",
    story=(
        "{code} {line} gives something to a module that has no place for it yet.",
        "`super().__init__()` makes the tables in which a module keeps its parameters and layers; it comes first "
        "in `__init__`.",
    ),
)
declare_refusal(
    "missing 1 required positional argument: 'metrics'",
    cause="no_metric",
    title="A schedule without the number it watches",
    story=(
        "{code} {line} tells the schedule nothing.",
        "`ReduceLROnPlateau` lowers the rate when a number stops falling, so each step has to be given that "
        "number: the loss of the validation, say.",
    ),
)
declare_refusal(
    "method' object is not iterable",
    cause="not_called",
    title="A method that was not called",
    story=(
        "{code} {line} goes through a method itself, not through what it gives.",
        "Brackets call it: `parameters()`.",
    ),
)
declare_refusal(
    "appear in more than one parameter group",
    cause="listed_twice",
    title="A parameter in two groups",
    story=(
        "{code} {line} lists a parameter in two groups, and each group would take a step with it.",
        "Of two groups one can have what the other has not: those whose names begin otherwise.",
    ),
)
declare_refusal(
    "torch.utils.checkpoint is incompatible with .grad()",
    cause="reentrant_grad",
    title="The old checkpoint works with backward alone",
    role="built",
    story=(
        "{code} {line} asks for the gradient by some tensors, and goes through a checkpoint of the reentrant kind.",
        "That kind calls backward inside of backward, which fills `.grad` and can hand nothing to `grad`.",
        "`use_reentrant=False` computes again without a second backward.",
    ),
)
declare_refusal(
    "(torch.nn.Parameter or None expected)",
    cause="not_parameter",
    title="A module takes only Parameters there",
    story=(
        "{code} {line} puts a plain tensor in the place of a registered parameter.",
        "`nn.Parameter` makes a new leaf of it, cut off what it was computed from.",
        "What is to hand its gradient on goes into `torch.func.functional_call`, or takes the place of a parameter "
        "that was deleted before.",
    ),
)
