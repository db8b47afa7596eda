"""A loss that makes chances of its scores is given chances: softmax of a softmax, sigmoid of a sigmoid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis
from ..diagnostics.registry import watcher
from ..diagnostics.showing import FirstTrouble
from ..narration.words import code, during, on
from ..replay.states import NodeState

RESHAPED = frozenset({"View", "Squeeze", "Unsqueeze", "Transpose", "T", "Permute", "Select", "UnsafeView", "Expand"})
"""What leaves numbers as they are."""

SMALL = "All chances lie between 0 and 1, so {again} of them never comes near 0 or 1. The loss stays high, and what "
SMALL += "goes backward is small. Give the loss the scores as the last layer has them."
LOGARITHMS = "`nll_loss` takes the logarithms of chances: `log_softmax` makes them. Of the chances themselves it makes "
LOGARITHMS += "a number between -1 and 0, whose gradient says little of how wrong a guess is."


@watcher(e.NodeMade)
class Squashed(FirstTrouble):
    """Looks at each loss once: what its scores came from."""

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.NodeMade: self.made, e.Printed: self.showing.printed}

    def made(self, event: e.NodeMade) -> None:
        if self.diagnosis is not None:
            return
        node = self.world.nodes[event.node]
        if node.kind == "BinaryCrossEntropyWithLogits" and (found := self.above(node, "Sigmoid")):
            self.squashed(node, found, "sigmoid", "Sigmoid twice", SMALL.format(again="a second sigmoid"))
        elif node.kind in ("NllLoss", "NllLoss2D"):
            logarithm = self.above(node, "LogSoftmax")
            if logarithm is None and (found := self.above(node, "Softmax")):
                self.squashed(node, found, "softmax", "Chances where their logarithms belong", LOGARITHMS)
            elif logarithm is not None and (found := self.above(logarithm, "Softmax")):
                self.squashed(node, found, "softmax", "Softmax twice", SMALL.format(again="a second softmax"))

    def above(self, node: NodeState, kind: str) -> NodeState | None:
        """The node of this kind whose numbers `node` was given."""
        while node.edges:
            before = node.edges[0][0]
            if before is None:
                return None
            node = self.world.nodes[before]
            if node.kind not in RESHAPED:
                return node if node.kind == kind else None
        return None

    def squashed(self, node: NodeState, before: NodeState, by: str, title: str, why: str) -> None:
        line, made = node.place.line, before.place.line
        where = "on the same line" if line == made else on(made)
        cause = "chances" if why is LOGARITHMS else "squashed"
        nodes, events = (before.number, node.number), {"built": node.made}
        self.tell(
            Diagnosis(
                title=title,
                lines={"built": line, "squashed": made, "raised": None},
                story=(
                    f"{code(self.world.source.text(line))} {on(line)}{during(node.place)} is given chances: {code(by)} "
                    f"made them {where}.",
                    why,
                ),
                nodes=nodes,
                events=events,
                cause=cause,
                names={"by": by},
            )
        )
