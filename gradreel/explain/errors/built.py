"""Things that are put together of what does not belong there: optimizers, rows of layers, settings. A table."""

from __future__ import annotations

import re

from ..diagnostics.message_rules import MessageRule, message_rules

OPTIMIZER = re.compile(r"\b(?:SGD|Adam\w*|RMSprop|Adagrad|Adadelta|LBFGS|Rprop|NAdam|RAdam|ASGD)\(")

message_rules(
    "built_wrongly",
    MessageRule(
        re.compile(r"^'(?P<got>(?!method|builtin)\w+)' object is not iterable$"),
        cause="module_optimized",
        title="An optimizer takes parameters",
        story=(
            "{code} {line}{turn} gives the optimizer a `{got}`, which is no list of tensors.",
            "`parameters()` of a module gives what there is to learn in it.",
        ),
        on_line=OPTIMIZER,
    ),
    MessageRule(
        re.compile(r"^optimizer can only optimize Tensors, but one of the params is (?P<got>[\w.]+)$"),
        cause="not_optimized",
        title="An optimizer takes parameters",
        story=(
            "{code} {line}{turn} gives the optimizer a list in which there is something of type `{got}`.",
            "It takes tensors that require a gradient: the `parameters()` of a module, or a list of such tensors.",
            "Of a dict it sees the names alone, and `parameters()` within a list has to be unpacked with a star.",
        ),
    ),
    MessageRule(
        re.compile(r"^(?P<got>\w+) is not an Optimizer$"),
        cause="schedule_of_module",
        title="A schedule belongs to an optimizer",
        story=(
            "{code} {line}{turn} gives the schedule a `{got}`.",
            "A schedule changes the rate of an optimizer, so it has to be given that.",
        ),
    ),
    MessageRule(
        re.compile(r"^(?P<got>list|tuple) is not a Module subclass$"),
        cause="layers_listed",
        title="Layers, one after another, and no list",
        story=(
            "{code} {line}{turn} gives {a_got} where layers stand one after another.",
            "A star unpacks it: `nn.Sequential(*layers)`.",
        ),
    ),
    MessageRule(
        re.compile(r"(?:^|\.)(?P<got>\w+) is not a Module subclass$"),
        cause="layer_not_made",
        title="A class or a function where a layer belongs",
        story=(
            "{code} {line}{turn} gives `{got}` where a layer belongs.",
            "The class of a layer makes one when it is called: `nn.ReLU()`. For a function of torch's there is a layer "
            "that does the same: `nn.Tanh()` for `torch.tanh`.",
        ),
    ),
    MessageRule(
        re.compile(r"^dropout probability has to be between 0 and 1, but got (?P<got>-?[\d.]+)$"),
        cause="dropout_share",
        title="A share is a number from 0 to 1",
        story=(
            "{code} {line}{turn} asks to drop the share {got} of all entries.",
            "0 drops none of them and 1 all of them; 0.5 is usual.",
        ),
    ),
    MessageRule(
        re.compile(r"^embed_dim must be divisible by num_heads$"),
        cause="heads",
        title="The heads do not share evenly",
        story=(
            "{code} {line}{turn} shares the features among heads, and it does not come out even.",
            "Each head gets as many features as the others: the first number must be a multiple of the second.",
        ),
    ),
)
