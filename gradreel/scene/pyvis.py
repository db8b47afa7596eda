"""Trace -> pyvis: the backward graph as it stood at the end, for those who want a network of their own to work on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradreel.trace import Trace

from .build import build
from .model import Box

if TYPE_CHECKING:
    from pyvis.network import Network  # type: ignore[import-untyped]

COLOURS = {"built": "#e3f0f8", "ran": "#ffffff", "freed": "#ffffff", "failed": "#fdeadd", "released": "#dcdcd4"}
LEAF = "#e0f4ee"


def to_pyvis(trace: Trace, *, released: bool = False) -> Network:
    """The nodes that were alive when the run ended, and with `released` those that were not, as a pyvis Network.

    Gradients flow along the edges.
    """
    from pyvis.network import Network

    scene = build(trace)
    state: dict[str, str] = {}
    if (history := scene.histories.get("n", {}).get("state")) is not None:
        state = {f"n{number}": now for number, now in zip(history.things, history.values, strict=True)}
    network = Network(directed=True)
    shown = [box for box in scene.boxes if released or state[box.id] != "released"]
    for box in shown:
        colour = LEAF if box.kind == "leaf" else COLOURS.get(state[box.id], COLOURS["built"])
        network.add_node(
            box.id, label=caption(box), title=f"line {box.line}, {state[box.id]}", shape="box", color=colour
        )
    known = {box.id for box in shown}
    for wire in scene.wires:
        if wire.from_ in known and wire.to in known:
            network.add_edge(wire.from_, wire.to)
    return network


def caption(box: Box) -> str:
    """MulBackward0 #3, or AccumulateGrad with the name of its leaf."""
    if box.kind == "leaf":
        return f"{box.name} {box.variable or ''}".rstrip()
    return f"{box.name} #{box.nr}"
