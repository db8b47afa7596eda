"""vmap: dimensions to go along that are not there, of several lengths, or of what is no tensor. A table."""

from __future__ import annotations

import re
from dataclasses import replace

from ..diagnostics.diagnosis import Diagnosis, Failure
from ..diagnostics.mentions import mentioned, statement
from ..diagnostics.message_rules import MessageRule, match_rules
from ..diagnostics.registry import rule
from ..replay.world import World

WAYS = "`in_dims` says of each argument along which dimension its examples lie: 0 unless said, and None for what is "
WAYS += "the same for all examples."

TABLE: tuple[MessageRule, ...] = (
    MessageRule(
        re.compile(
            r"^vmap: Expected all tensors to have the same size in the mapped dimension, got sizes (?P<got>.*?) for"
        ),
        cause="mapped_sizes",
        title="Not as many examples in one as in the other",
        story=(
            "{code} {line}{turn} takes the examples of several tensors side by side, and their numbers differ: {got}.",
            WAYS,
        ),
        kind="shape",
    ),
    MessageRule(
        re.compile(r"in_dims is not compatible with the structure of `inputs`"),
        cause="mapped_structure",
        title="Not one entry of in_dims for each argument",
        story=("{code} {line}{turn} has another number of entries in `in_dims` than there are arguments.", WAYS),
    ),
    MessageRule(
        re.compile(r"Got in_dim=(?P<dim>-?\d+) for an input but the input is of type <class '(?P<got>[\w.]+)'>"),
        cause="mapped_number",
        title="What is no tensor has no examples",
        story=("{code} {line}{turn} goes along dimension {dim} of {a_got}, which has no dimensions.", WAYS),
    ),
    MessageRule(
        re.compile(
            r"Got in_dim=(?P<dim>-?\d+) for some input, but that input is a Tensor of dimensionality (?P<rank>\d+)"
        ),
        cause="mapped_dimension",
        title="There is no such dimension to go along",
        story=(
            "{code} {line}{turn} goes along dimension {dim} of a tensor that has {rank} of them; the first is 0.",
            WAYS,
        ),
        kind="shape",
    ),
    MessageRule(
        re.compile(r"must only return Tensors, got type <class '(?P<got>[\w.]+)'>"),
        cause="mapped_result",
        title="Under vmap a function gives tensors",
        story=(
            "{code} {line}{turn} runs a function for all examples that gives {a_got}.",
            "Of the results `vmap` makes one tensor, so each must be a tensor: `torch.tensor` makes one of a number.",
        ),
    ),
)


@rule
def mapped_wrongly(world: World, failure: Failure) -> Diagnosis | None:
    """One of TABLE, with the number of dimensions of each tensor that the line names."""
    found = match_rules(TABLE, world, failure)
    if found is None:
        return None
    ranks = {name: str(len(tensor.shape)) for name, tensor in mentioned(world, statement(world, failure))}
    return replace(found, names={**found.names, **{f"rank of {name}": rank for name, rank in ranks.items()}})
