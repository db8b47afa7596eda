"""Things that are put together of what does not belong there: optimizers, rows of layers, settings. A table."""

from __future__ import annotations

import re

from ..diagnostics.diagnosis import Diagnosis, Failure
from ..diagnostics.message_rules import Misgiven, nothing, told_by
from ..diagnostics.registry import rule
from ..replay.world import World

OPTIMIZER = re.compile(r"\b(?:SGD|Adam\w*|RMSprop|Adagrad|Adadelta|LBFGS|Rprop|NAdam|RAdam|ASGD)\(")

TABLE: tuple[Misgiven, ...] = (
    Misgiven(
        re.compile(r"^'(?P<got>(?!method|builtin)\w+)' object is not iterable$"),
        "module_optimized",
        "An optimizer takes parameters",
        nothing,
        (
            "{code} {line}{turn} gives the optimizer a `{got}`, which is no list of tensors.",
            "`parameters()` of a module gives what there is to learn in it.",
        ),
        OPTIMIZER,
    ),
    Misgiven(
        re.compile(r"^optimizer can only optimize Tensors, but one of the params is (?P<got>[\w.]+)$"),
        "not_optimized",
        "An optimizer takes parameters",
        nothing,
        (
            "{code} {line}{turn} gives the optimizer a list in which there is something of type `{got}`.",
            "It takes tensors that require a gradient: the `parameters()` of a module, or a list of such tensors.",
            "Of a dict it sees the names alone, and `parameters()` within a list has to be unpacked with a star.",
        ),
    ),
    Misgiven(
        re.compile(r"^(?P<got>\w+) is not an Optimizer$"),
        "schedule_of_module",
        "A schedule belongs to an optimizer",
        nothing,
        (
            "{code} {line}{turn} gives the schedule a `{got}`.",
            "A schedule changes the rate of an optimizer, so it has to be given that.",
        ),
    ),
    Misgiven(
        re.compile(r"^(?P<got>list|tuple) is not a Module subclass$"),
        "layers_listed",
        "Layers, one after another, and no list",
        nothing,
        (
            "{code} {line}{turn} gives {a_got} where layers stand one after another.",
            "A star unpacks it: `nn.Sequential(*layers)`.",
        ),
    ),
    Misgiven(
        re.compile(r"(?:^|\.)(?P<got>\w+) is not a Module subclass$"),
        "layer_not_made",
        "A class or a function where a layer belongs",
        nothing,
        (
            "{code} {line}{turn} gives `{got}` where a layer belongs.",
            "The class of a layer makes one when it is called: `nn.ReLU()`. For a function of torch's there is a layer "
            "that does the same: `nn.Tanh()` for `torch.tanh`.",
        ),
    ),
    Misgiven(
        re.compile(r"^dropout probability has to be between 0 and 1, but got (?P<got>-?[\d.]+)$"),
        "dropout_share",
        "A share is a number from 0 to 1",
        nothing,
        (
            "{code} {line}{turn} asks to drop the share {got} of all entries.",
            "0 drops none of them and 1 all of them; 0.5 is usual.",
        ),
    ),
    Misgiven(
        re.compile(r"^embed_dim must be divisible by num_heads$"),
        "heads",
        "The heads do not share evenly",
        nothing,
        (
            "{code} {line}{turn} shares the features among heads, and it does not come out even.",
            "Each head gets as many features as the others: the first number must be a multiple of the second.",
        ),
    ),
)


@rule
def built_wrongly(world: World, failure: Failure) -> Diagnosis | None:
    """One of TABLE."""
    return told_by(TABLE, world, failure)
