"""An LSTM that is given one state, where it keeps two."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..calls import callee, calls_in
from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import begun, stands_for, statement
from ..diagnostics.registry import rule
from ..narration.words import code, on
from ..replay.world import World

ALONE = re.compile(
    r"index 1 is out of bounds for dimension 0 with size 1"
    r"|^lstm_cell\(\): argument 'hx' \(position 2\) must be tuple of Tensors, not Tensor"
    r"|^For (?:un)?batched \d-D input, hx and cx should also be"
)
"""What PyTorch says where it takes the pair of states apart, or what is no pair."""
PAIRED = ("LSTM", "LSTMCell")
RECURRENT = ("LSTM", "GRU", "RNN")
"""Layers that give their output and their last state."""


@rule
def state_alone(world: World, failure: Failure) -> Diagnosis | None:
    """A tensor stands where an LSTM takes its state and its memory."""
    if ALONE.search(failure.raised.message) is None:
        return None
    layers = set(named_layers(world.source.tree, PAIRED))
    calls = [call for call in calls_in(statement(world, failure)) if ast.unparse(call.func) in layers]
    given = next((call.args[1] for call in calls if len(call.args) == 2), None)
    if given is None or isinstance(given, ast.Tuple):
        return None
    name, line = ast.unparse(given), failure.raised.line
    tensor = stands_for(world, name)
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    made = ""
    if tensor is not None:
        lines["built"], events["built"] = tensor.place.line, tensor.made
        made = f", made {on(tensor.place.line)}, of the shape {list(tensor.shape)}"
    return Diagnosis(
        title="An LSTM has two states",
        message=failure.raised.message,
        lines=lines,
        story=(
            f"{begun(world, failure)} gives an LSTM one tensor as its state: {code(name)}{made}.",
            "An LSTM keeps two, what it gives out and its memory, and takes and gives them as a pair: `(h, c)`.",
        ),
        events=events,
        cause="state_alone",
        names=named(target=name),
    )


def named_layers(tree: ast.AST, kinds: tuple[str, ...]) -> Iterator[str]:
    """What the layers of some `kinds` are kept as: `lstm`, `self.lstm`; of several made on one line each."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        for goal in node.targets:
            pairs = [(goal, node.value)]
            if isinstance(goal, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(goal.elts, node.value.elts, strict=False))
            yield from (ast.unparse(one) for one, value in pairs if callee(value) in kinds)
