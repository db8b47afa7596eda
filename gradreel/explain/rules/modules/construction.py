"""Things that are put together of what does not belong there: optimizers, rows of layers, settings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...calls import callee, keyword
from ...diagnostics.message_rules import MessageRule, message_rules
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ..python.python_errors import is_called, list_both
from ..shapes.layer_sizes import written_count

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


# ---- fixes


LAYERS = {"relu": "ReLU", "tanh": "Tanh", "sigmoid": "Sigmoid", "flatten": "Flatten", "softmax": "Softmax(dim=-1)"}
LAYERS |= {"gelu": "GELU", "silu": "SiLU", "elu": "ELU", "leaky_relu": "LeakyReLU", "softplus": "Softplus"}
"""The layers that do what functions do."""


@fix(module_optimized=1, not_optimized=1)
def give_parameters(wanted: FixContext) -> Iterator[Proposal]:
    """The parameters of the module; of several modules in one list; tensors made of numbers."""
    text = wanted.text
    yield from list_both(wanted)
    for call in text.calls(wanted.at("raised")):
        if not call.args:
            continue
        given = call.args[0]
        owner = given.func.value if isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) else given
        if isinstance(owner, ast.Name | ast.Attribute):
            made = f"{text.get(owner)}.parameters()"
            yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(given, made))
        if isinstance(given, ast.List) and all(isinstance(part, ast.Constant) for part in given.elts):
            edits = [text.replaced(part, f"torch.tensor({text.get(part)}, requires_grad=True)") for part in given.elts]
            title = f"tensors that require a gradient, on line {call.lineno}"
            yield wanted.proposal(title, "tensors instead of numbers", *edits)


@fix(schedule_of_module=1)
def give_optimizer(wanted: FixContext) -> Iterator[Proposal]:
    """The name that was given to what `torch.optim` made."""
    text = wanted.text
    for call in text.calls(wanted.at("raised")):
        for node in ast.walk(text.tree):
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call) or not call.args:
                continue
            if "optim" in ast.unparse(node.value.func) or keyword(node.value, "lr") is not None:
                shown = text.get(node.targets[0])
                title = f"{shown} on line {call.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(call.args[0], shown))


@fix(layers_listed=1)
def unpack_layers(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "Sequential"):
        if len(call.args) == 1:
            made = f"*{text.get(call.args[0])}"
            title = f"unpack it with a star, on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call.args[0], made))


@fix(layer_not_made=1)
def make_layer(wanted: FixContext) -> Iterator[Proposal]:
    """`nn.ReLU` becomes `nn.ReLU()`, and so does `torch.relu`."""
    text, got = wanted.text, wanted.name("got") or ""
    for call in text.calls(wanted.at("raised"), "Sequential", "ModuleList"):
        for part in (node for given in call.args for node in ast.walk(given)):
            if not isinstance(part, ast.Name | ast.Attribute) or is_called(text, part):
                continue
            shown = text.get(part)
            if shown.rpartition(".")[2] != got:
                continue
            layer = LAYERS.get(got)
            made = f"{shown}()" if layer is None else f"torch.nn.{layer}" + ("" if layer.endswith(")") else "()")
            yield wanted.proposal(f"{made} on line {part.lineno}", FREE, text.replaced(part, made))


@fix(dropout_share=1)
def use_usual_share(wanted: FixContext) -> Iterator[Proposal]:
    text, got = wanted.text, wanted.name("got")
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and f"{node.value}" == got:
            percent = 5 <= node.value <= 100
            for share in (f"{node.value / 100:g}", "0.5") if percent else ("0.5",):
                title = f"{share} for {text.get(node)} on line {node.lineno}"
                yield wanted.proposal(title, "another share", text.replaced(node, share))


@fix(heads=1)
def choose_heads(wanted: FixContext) -> Iterator[Proposal]:
    """The next smaller number of heads that shares evenly."""
    text = wanted.text
    for call in ast.walk(text.tree):
        if not isinstance(call, ast.Call) or "Multihead" not in callee(call) and "Transformer" not in callee(call):
            continue
        given: list[ast.expr] = [*call.args[:2], *(word.value for word in call.keywords)]
        numbers = [written_count(part) for part in given[:2]]
        wide, heads = (*numbers, None, None)[:2]
        if wide and heads:
            fewer = next(number for number in range(heads, 0, -1) if wide % number == 0)
            title = f"{fewer} heads for {heads} on line {call.lineno}"
            yield wanted.proposal(title, "another number of heads", text.replaced(given[1], str(fewer)))
