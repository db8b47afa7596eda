"""Something is used as what it is not: a tuple as a tensor, a text as a number, a method as its result. A table."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from ..diagnostics.diagnosis import Diagnosis, Failure
from ..diagnostics.mentions import shown
from ..diagnostics.message_rules import MessageRule, anything, match_rules
from ..diagnostics.registry import rule
from ..narration.words import code, on
from ..replay.world import World
from .recurrent import RECURRENT, named_layers

TABLE: tuple[MessageRule, ...] = (
    MessageRule(
        re.compile(r"expected Tensor as element (?P<at>\d+) in argument 0, but got (?P<got>\w+)"),
        cause="joined_numbers",
        title="Only tensors can be put together",
        story=(
            "{code} {line}{turn} puts the entries of a list together, and entry {at} is {a_got}.",
            "`torch.stack` and `torch.cat` join tensors, and the gradient goes back to each; of plain numbers "
            "`torch.tensor` makes a new one.",
        ),
    ),
    MessageRule(
        re.compile(
            r"(?P<what>stack|cat|concat)\(\): argument 'tensors' \(position 1\) must be tuple of Tensors, not Tensor"
        ),
        cause="not_listed",
        title="What is put together comes in a list",
        story=(
            "{code} {line}{turn} gives `{what}` a tensor where it takes a list of tensors.",
            "Square brackets make one list of all that is to be put together: `torch.{what}([a, b])`.",
        ),
    ),
    MessageRule(
        re.compile(r"'<=?' not supported between instances of '(?:float|int|(?P<got>str))' and '(?:float|int|str)'"),
        cause="number_as_text",
        title="A text stands where a number belongs",
        story=(
            "{code} {line}{turn} compares a text with a number, to see whether it is in its range.",
            "What stands in quotes is a text, and so is `1e-3` where it was read from a YAML file; `float()` reads it.",
        ),
        on_line=re.compile(r"\w\("),
    ),
    MessageRule(
        re.compile(r"^tuple indices must be integers or slices, not |^can't multiply sequence by non-int"),
        cause="tuple_as_tensor",
        title="A tuple, and not the tensor in it",
        story=(
            "{code} {line}{turn} uses a tuple as one would use a tensor.",
            "A recurrent layer gives a tuple: its output first, then its last state.",
        ),
    ),
    MessageRule(
        re.compile(r"'tuple' object has no attribute '(?P<what>\w+)'"),
        cause="tuple_as_tensor",
        title="A tuple, and not the tensor in it",
        story=(
            "{code} {line}{turn} asks a tuple for `{what}`, which its parts have.",
            "A recurrent layer gives a tuple: its output first, then its last state.",
        ),
    ),
    MessageRule(
        re.compile(r"'(?:builtin_function_or_method|method|function)' object has no attribute '(?P<what>\w+)'"),
        cause="uncalled",
        title="A method that was not called",
        story=(
            "{code} {line}{turn} asks a method for `{what}`, not what it gives.",
            "Brackets call it: `sum()`.",
        ),
    ),
    MessageRule(
        re.compile(r"'list' object has no attribute '(?P<what>backward)'"),
        cause="list_as_loss",
        title="Backward starts from one tensor",
        story=(
            "{code} {line}{turn} asks a list of tensors for `{what}`, which each of them has.",
            "A gradient of several losses is the gradient of their sum.",
        ),
    ),
    MessageRule(
        re.compile(r"'(?P<got>\w+Loss)' object has no attribute '(?P<what>backward|item)'"),
        cause="module_as_result",
        title="A module, and not what it gives",
        story=(
            "{code} {line}{turn} asks the module `{got}` for `{what}`, which its result has.",
            "`nn.{got}()` makes a function, and that gives the loss when it is called with scores and targets.",
        ),
    ),
    MessageRule(
        re.compile(r"params argument given to the optimizer should be an iterable of Tensors"),
        cause="parameter_alone",
        title="An optimizer takes a list",
        fits=anything,
        story=(
            "{code} {line}{turn} gives the optimizer a tensor alone.",
            "It goes through what it is given, one parameter after another: put {name} in a list.",
        ),
    ),
    MessageRule(
        re.compile(r"(?:Negation|Subtraction), the `-` operator, .* bool tensor"),
        cause="minus_of_truth",
        title="Truth values know no minus",
        story=(
            "{code} {line}{turn} subtracts truth values.",
            "`~` turns each of them over; `float()` makes 1. and 0. of them, with which one can compute.",
        ),
    ),
    MessageRule(
        re.compile(r"Module \[(?P<got>\w+)\] is missing the required"),
        cause="no_forward",
        title="A module without a forward",
        story=(
            "{code} {line}{turn} calls the module `{got}`, and to call a module is to run its `forward`.",
            "The class `{got}` has none: it may be misspelt, or indented into `__init__`.",
        ),
    ),
    MessageRule(
        re.compile(r"got an unexpected keyword argument '(?P<got>\w+)'"),
        cause="no_such_argument",
        title="There is no such argument",
        story=(
            "{code} {line}{turn} says `{got}=`, and what it calls has no argument of that name.",
            "It may be misspelt.",
        ),
        on_line=re.compile(r"\b(?:backward|grad|[A-Z]\w*)\("),
    ),
    MessageRule(
        re.compile(r"^name '(?P<got>\w+)' is not defined"),
        cause="misspelt",
        title="A name that stands for nothing",
        story=(
            "{code} {line}{turn} says `{got}`, and nothing has that name there.",
            "`{like}` is near it.",
        ),
    ),
)


@rule
def misused(world: World, failure: Failure) -> Diagnosis | None:
    """One of TABLE; a name that is near no other says all in its message."""
    found = match_rules(TABLE, world, failure)
    if "multiply sequence" in failure.raised.message and not any(named_layers(world.source.tree, RECURRENT)):
        return None  # a list may well be meant: of a tuple it is told where a layer gives one
    if found is None or found.cause != "misspelt" or "like" in found.names:
        return found
    got, text = found.names["got"], code(shown(world, failure))
    if any(ast.unparse(node) == f"self.{got}" for node in world.source.nodes if isinstance(node, ast.Attribute)):
        story = (
            f"{text} {on(failure.raised.line)} says `{got}`, and nothing has that name there.",
            f"What an object keeps is reached through it: `self.{got}`.",
        )
        return replace(found, story=story, names={**found.names, "like": f"self.{got}"})
    if got == "device":
        story = (
            f"{text} {on(failure.raised.line)} says `device`, and no line of the program says which that is.",
            '`device = "cuda" if torch.cuda.is_available() else "cpu"` is the usual line; what is posted often begins '
            "behind it.",
        )
        return replace(found, cause="no_device", title="Which device, nobody said", story=story)
    return None
