"""Data sets and loaders: sizes that differ, parts that do not add up, methods that a set needs. A table."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from ..diagnostics.diagnosis import Diagnosis, Failure
from ..diagnostics.message_rules import MessageRule, match_rules
from ..diagnostics.registry import rule
from ..replay.world import World

TABLE: tuple[MessageRule, ...] = (
    MessageRule(
        re.compile(r"^Size mismatch between tensors$"),
        cause="set_sizes",
        title="Not one answer for each example",
        story=(
            "{code} {line}{turn} makes a set of tensors that are not equally long.",
            "Example number i is made of row i of each of them, so all need the same first size.",
        ),
        kind="shape",
    ),
    MessageRule(
        re.compile(r"^Sum of input lengths does not equal the length of the input dataset!$"),
        cause="split_sizes",
        title="Parts that do not add up to the whole",
        story=(
            "{code} {line}{turn} splits a set into parts whose lengths are not, together, its own.",
            "Every example has to go somewhere: whole numbers must add up to `len()` of the set, shares to 1. `int()` "
            "rounds down, so of two rounded parts one example may be left over.",
            "The last part can be what is left: the length without the other parts.",
        ),
        kind="shape",
    ),
    MessageRule(
        re.compile(r"^object of type '(?P<got>\w+)' has no len\(\)$"),
        cause="no_length",
        title="A set that does not say how long it is",
        story=(
            "{code} {line}{turn} needs to know how long a `{got}` is.",
            "`__len__` tells it: a loader asks it for the number of examples, in order to shuffle or to count them.",
        ),
    ),
    MessageRule(
        re.compile(r"^Subclasses of Dataset should implement __getitem__"),
        cause="no_item",
        title="A set that hands out no examples",
        story=(
            "{code} {line}{turn} asks a data set for an example, and its class has no `__getitem__`.",
            "`__getitem__(self, i)` gives example number i; the loader puts a batch together of what it gives.",
        ),
    ),
    MessageRule(
        re.compile(r"^default_collate: .*NoneType|^expected Tensor as element \d+ in argument 0, but got NoneType"),
        cause="no_example",
        title="An example that is None",
        story=(
            "{code} {line}{turn} puts a batch together, and one of its examples is None.",
            "An example is what `__getitem__` of the set returns; where it ends without a `return`, that is None.",
        ),
        on_line=re.compile(r"^for |\bnext\("),
    ),
)


@rule
def data_refused(world: World, failure: Failure) -> Diagnosis | None:
    """One of TABLE; an example that is None was made by the `__getitem__` of the program."""
    found = match_rules(TABLE, world, failure)
    if found is None or found.cause != "no_example":
        return found
    parts = [node for node in world.source.nodes if isinstance(node, ast.FunctionDef)]
    method = next((node for node in parts if node.name == "__getitem__"), None)
    return None if method is None else replace(found, lines={**found.lines, "built": method.lineno})
