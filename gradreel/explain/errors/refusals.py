"""Refusals whose story follows from the message and the tensor that the line speaks of: a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..replay.states import TensorState


@dataclass(frozen=True, slots=True)
class Refusal:
    """By a part of the message: what to look for on the line, under which role it goes, and what to say of it."""

    cause: str
    title: str
    fits: Callable[[TensorState], bool]
    role: str
    story: tuple[str, ...]


def computed(tensor: TensorState) -> bool:
    return tensor.node is not None


def tracked(tensor: TensorState) -> bool:
    return tensor.requires_grad


def untracked(tensor: TensorState) -> bool:
    return not tensor.requires_grad


def anything(tensor: TensorState) -> bool:
    return True


FLAG = Refusal(
    "flag_on_result",
    "Only leaves can change their flag",
    computed,
    "built",
    (
        "{name}, made {where}, is computed from other tensors: whether it requires a gradient follows from them.",
        "Only a leaf can be told to want one or not; {code} {line} asks that of a result.",
        "`detach()` gives the same numbers without the history, as a leaf.",
    ),
)

REFUSALS: dict[str, Refusal] = {
    "you can only change requires_grad flags of leaf variables": FLAG,
    "Can't call numpy() on Tensor that requires grad": Refusal(
        "numpy",
        "An array cannot carry a gradient",
        tracked,
        "saved",
        (
            "{name}, made {where}, requires a gradient, and numpy would compute with it unrecorded.",
            "PyTorch asks you to say that this is meant: `detach()` first.",
        ),
    ),
    "can't optimize a non-leaf Tensor": Refusal(
        "optimize_result",
        "An optimizer needs leaves",
        computed,
        "built",
        (
            "{name}, made {where}, is a result, no leaf: no gradient would be kept for it.",
            "An optimizer changes leaves, whose `.grad` backward fills.",
            "Compute first and call `requires_grad_()` last, or `detach()` what was computed.",
        ),
    ),
    "support the deepcopy protocol": Refusal(
        "copy_result",
        "Only leaves can be copied deeply",
        computed,
        "built",
        (
            "{name}, made {where}, hangs on a graph, and a graph cannot be copied.",
            "`clone()` copies the numbers and stays in the graph; `detach().clone()` copies the numbers alone.",
        ),
    ),
    "post accumulate grad hooks cannot be registered on non-leaf": Refusal(
        "hook_on_result",
        "This hook belongs on a leaf",
        computed,
        "built",
        (
            "{name}, made {where}, is a result: nothing is accumulated into its `.grad`.",
            "Such a hook runs after a leaf's gradient has been added up; `register_hook` works on results, too.",
        ),
    ),
    " tensors and ": Refusal(
        "gradient_number",
        "Not one gradient for each root",
        anything,
        "built",
        ("{name} is one of several tensors to start from, and each of them needs a gradient of its own.",),
    ),
    "argument to `grad()` cannot be empty": Refusal(
        "no_inputs",
        "Gradients of nothing were asked for",
        anything,
        "built",
        ("{code} {line} names nothing to take the gradient of {name} by.",),
    ),
    "argument to `backward()` cannot be empty": Refusal(
        "no_inputs",
        "Gradients of nothing were asked for",
        anything,
        "built",
        ("{code} {line} says with `inputs=[]` that nobody wants a gradient of {name}.",),
    ),
    "Expected allow_unused to be True": Refusal(
        "materialize",
        "Two settings that exclude each other",
        anything,
        "built",
        ("`materialize_grads=True` puts zeros where an input was not used, and `allow_unused=False` forbids that.",),
    ),
    "cannot pickle 'generator' object": Refusal(
        "generator_copied",
        "A generator cannot be copied",
        anything,
        "",
        (
            "{code} {line} copies a generator, which is no list: it gives its parts one after another, once.",
            "`parameters()` is one; a list of copies, or a copy of the whole module, is what can be had.",
        ),
    ),
    "inside of a function being transformed by a functorch transform": Refusal(
        "in_transform",
        "Leaves cannot be made inside of a transform",
        anything,
        "",
        (
            "{code} {line} asks for a leaf of its own. It runs inside of `vmap` or another transform of "
            "`torch.func`, where nothing may change its flag.",
            "The transforms can be nested: `torch.func.jacrev`, `hessian` and `grad` do the same there.",
        ),
    ),
    "Inference tensors cannot be saved for backward": Refusal(
        "inference",
        "A tensor of inference mode in a graph",
        untracked,
        "built",
        (
            "{name}, made {where}, was made under `inference_mode`, which keeps no books on it at all.",
            "{code} {line} would have to keep it for a gradient, and could never know whether it was changed since.",
            "`no_grad` makes ordinary tensors without a graph; a `clone()` is an ordinary tensor, too.",
        ),
    ),
    "nference tensor outside InferenceMode is not allowed": Refusal(
        "inference",
        "A tensor of inference mode cannot be changed",
        untracked,
        "built",
        (
            "{name}, made {where}, was made under `inference_mode`, which keeps no books on it at all.",
            "{code} {line} would change it out there, where books are kept.",
            "`no_grad` makes ordinary tensors without a graph; a `clone()` is an ordinary tensor, too.",
        ),
    ),
    "sampler option is mutually exclusive with shuffle": Refusal(
        "shuffled_twice",
        "A sampler already says the order",
        anything,
        "",
        (
            "{code} {line} gives a sampler and asks to shuffle besides.",
            "A sampler says in which order the examples come; `shuffle=True` would make a sampler of its own.",
        ),
    ),
    "expected unspecified shuffle option": Refusal(
        "shuffled_twice",
        "What only goes forward cannot be shuffled",
        anything,
        "",
        (
            "{code} {line} asks to shuffle an `IterableDataset`.",
            "Such a set hands out its examples one after another and has no places to choose from: it shuffles by "
            "itself, or not at all.",
        ),
    ),
    "is not a valid value for reduction": Refusal(
        "reduction",
        "A loss knows three ways to put its entries together",
        anything,
        "",
        (
            "{code} {line} names another way.",
            "There are `'mean'`, `'sum'` and `'none'`, which leaves one entry for each example.",
        ),
    ),
    "does not have vmap support": Refusal(
        "no_vmap_rule",
        "A Function that vmap does not know",
        anything,
        "",
        (
            "{code} {line} runs a Function of your own for all examples at once.",
            "PyTorch has to be told how: by a `vmap` method, or by `generate_vmap_rule = True` in the class. The "
            "latter does where forward and backward are made of torch's own operators.",
        ),
    ),
    "all elements of": Refusal(
        "range",
        "Numbers out of the range of this loss",
        anything,
        "saved",
        (
            "{code} {line} takes chances: numbers from 0 to 1.",
            "{name}, made {where}, holds others; `sigmoid` makes chances of scores, and labels are 0. and 1.",
        ),
    ),
    "optimizer got an empty parameter list": Refusal(
        "no_parameters",
        "An optimizer without parameters",
        anything,
        "",
        (
            "{code} {line} finds nothing to optimize.",
            "A generator such as `parameters()` is empty once it has been walked through. A module finds the "
            "parameters that are set as its attributes, not those in a plain list.",
        ),
    ),
    "before Module.__init__() call": Refusal(
        "no_super_init",
        "A Module that was not set up",
        anything,
        "",
        (
            "{code} {line} gives something to a module that has no place for it yet.",
            "`super().__init__()` makes the tables in which a module keeps its parameters and layers; it comes first "
            "in `__init__`.",
        ),
    ),
    "missing 1 required positional argument: 'metrics'": Refusal(
        "no_metric",
        "A schedule without the number it watches",
        anything,
        "",
        (
            "{code} {line} tells the schedule nothing.",
            "`ReduceLROnPlateau` lowers the rate when a number stops falling, so each step has to be given that "
            "number: the loss of the validation, say.",
        ),
    ),
    "method' object is not iterable": Refusal(
        "not_called",
        "A method that was not called",
        anything,
        "",
        (
            "{code} {line} goes through a method itself, not through what it gives.",
            "Brackets call it: `parameters()`.",
        ),
    ),
    "appear in more than one parameter group": Refusal(
        "listed_twice",
        "A parameter in two groups",
        anything,
        "",
        (
            "{code} {line} lists a parameter in two groups, and each group would take a step with it.",
            "Of two groups one can have what the other has not: those whose names begin otherwise.",
        ),
    ),
    "torch.utils.checkpoint is incompatible with .grad()": Refusal(
        "reentrant_grad",
        "The old checkpoint works with backward alone",
        anything,
        "built",
        (
            "{code} {line} asks for the gradient by some tensors, and goes through a checkpoint of the reentrant kind.",
            "That kind calls backward inside of backward, which fills `.grad` and can hand nothing to `grad`.",
            "`use_reentrant=False` computes again without a second backward.",
        ),
    ),
    "(torch.nn.Parameter or None expected)": Refusal(
        "not_parameter",
        "A module takes only Parameters there",
        anything,
        "",
        (
            "{code} {line} puts a plain tensor in the place of a registered parameter.",
            "`nn.Parameter` makes a new leaf of it, cut off what it was computed from.",
            "What is to hand its gradient on goes into `torch.func.functional_call`, or takes the place of a parameter "
            "that was deleted before.",
        ),
    ),
}
