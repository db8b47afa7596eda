"""A gradient that is None, read after the backward that should have brought it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ..diagnostics.diagnosis import Diagnosis
from ..diagnostics.mentions import stands_for
from ..diagnostics.registry import watcher
from ..diagnostics.showing import Showing
from ..narration.words import called, on
from ..optimizers import optimized
from ..replay.graph_queries import ancestors
from ..replay.states import Seen, TensorState
from ..replay.world import World
from ..source import bound_by
from ..why_none import Reason, finished, handed_out, why_none
from .guards import updates

ASKED = re.compile(r"\.grad\s*(?:is\b|==|!=)")
READ = re.compile(r"([A-Za-z_][\w.\[\]']*)\.grad\b(?!_)")
FIRST = re.compile(r"\[0\]")
"""What was kept first, before anything could go wrong."""
CUTS = re.compile(r"\bdetach|\.data\b")
FORM = "shape|size|dtype|ndim|device|is_leaf|requires_grad"
HOW_LOST = frozenset({"numbers", "tensor", "parameter", "data"})
"""Cuts that nobody makes in order to stop a gradient."""


def shown_by(names: frozenset[str]) -> re.Pattern[str]:
    """Finds statements that show the numbers behind one of `names`, not only what form they have."""
    return re.compile(
        rf"\b(?:{'|'.join(sorted(names))})\b(?!\.(?:shape|size|dtype|ndim|device|is_leaf|requires_grad)\b)"
    )


@watcher(e.GradMissing)
class Missing:
    """Reads of None, each with its reason as it stood, kept until the end of the run shows whether they were meant."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.candidates: list[tuple[Seen, Reason]] = []
        self.kept: set[int] = set()
        """Tensors whose gradient was kept or seen otherwise: the program knows what it does."""
        self.hooked: set[int] = set()
        self.guarded: list[tuple[Seen, Reason]] = []
        """Results whose gradient the program went without, as `if w.grad is not None:` lets it."""
        self.unmoved: list[tuple[Seen, Reason]] = []
        """Those of them that were to be changed by it: nobody can mean an update that never happens."""
        self.unmoved_shown: Showing | None = None
        self.reachable = False
        """Whether a gradient came to anything that has a name."""
        self.showing: int | None = None
        self.results: dict[int, Showing] = {}
        """For reads of None that print nothing, by their event: what shows the result that comes of it."""
        self.retained = False
        self.optimizes = False

    def looks_at(self) -> dict[type[Event], Callable[[Any], None]]:
        return {
            e.GradMissing: self.read,
            e.GradStored: self.stored,
            e.HookRan: self.hook_ran,
            e.OptimizerStepped: self.stepped,
            e.TurnsSkipped: self.skipped,
            e.GradCaptured: self.captured,
            e.Printed: self.printed,
        }

    def captured(self, event: e.GradCaptured) -> None:
        self.reachable = True

    def printed(self, event: e.Printed) -> None:
        line = self.world.place.line
        for showing in self.results.values():
            showing.printed(event)
        if self.guarded:
            self.showing = line
        text = self.world.source.statement(line)
        if self.unmoved_shown is not None and not FIRST.search(text):
            self.unmoved_shown.printed(event)

    def skipped(self, event: e.TurnsSkipped) -> None:
        """What the turns left may show that a gradient was kept after all."""
        count = self.world.count
        for left in self.world.trace.events[count : count + event.left]:
            if isinstance(left, e.GradStored):
                self.stored(left)
            self.optimizes |= isinstance(left, e.OptimizerStepped)

    def stepped(self, event: e.OptimizerStepped) -> None:
        self.optimizes = True

    def stored(self, event: e.GradStored) -> None:
        if event.after is not None:
            self.kept.add(event.tensor)
            tensor = self.world.tensors.get(event.tensor)  # of skipped turns not all is known yet
            self.reachable |= tensor is None or tensor.called is not None
            self.retained |= event.how == "retained"

    def hook_ran(self, event: e.HookRan) -> None:
        if event.tensor is not None:
            self.hooked.add(event.tensor)
        if event.node is not None:
            self.hooked.update(self.world.nodes[event.node].outputs)

    def read(self, event: e.GradMissing) -> None:
        seen = self.world.missing[-1]
        tensor = self.world.tensors[event.tensor]
        if len(self.candidates) > 50 or not finished(self.world):
            return
        if self.among_others(seen, tensor):
            if tensor.node is not None and self.guards(seen):
                self.passed_over(seen, tensor)
            return
        if tensor.node is not None:
            if self.passed_through(tensor):
                self.suspect(seen, why_none(self.world, seen))
        elif tensor.requires_grad and tensor.emptied is None:
            reason = why_none(self.world, seen)
            if reason.cause in ("lost", "not_used", "withheld"):
                self.suspect(seen, reason)
        elif self.handed_out(tensor):
            self.suspect(seen, handed_out(self.world, tensor))
        elif self.slope_asked(tensor):
            self.suspect(seen, why_none(self.world, seen))

    def slope_asked(self, tensor: TensorState) -> bool:
        """Whether the one gradient that the program reads at all is that of data which a backward came from, and which
        nobody said wants none: a slope at points, or an image's saliency."""
        whole = self.world.source.whole
        names = {found.group(1) for found in READ.finditer(whole)}
        name = names.pop() if len(names) == 1 else ""
        if not name.isidentifier() or stands_for(self.world, name) is not tensor:  # a layer's own may be frozen
            return False
        if tensor.cut is not None or "requires_grad=False" in whole or not tensor.dtype.startswith("float"):
            return False
        roots = [self.world.tensors[root] for call in finished(self.world) for root in call.roots]
        return any(state is tensor for root in roots for state in ancestors(self.world, root))

    def handed_out(self, tensor: TensorState) -> bool:
        """Whether `tensor` was cut off a leaf that has a gradient, on a line that does not say so: `state_dict()`."""
        owner = self.world.tensors.get(tensor.base) if tensor.base is not None else None
        text = self.world.source.statement(tensor.place.line, self.world.ends.get(tensor.place.line))
        cut = tensor.op == "detach" and not tensor.requires_grad and CUTS.search(text) is None
        return cut and owner is not None and owner.node is None and owner.grad is not None

    def suspect(self, seen: Seen, reason: Reason) -> None:
        self.candidates.append((seen, reason))
        source, place = self.world.source, seen.place
        if "print" in source.statement(place.line, place.end_line):
            return
        lines = (place.line, *(frame.line for frame in place.frames))
        names = frozenset().union(*(bound_by(each) for line in lines for each in source.simple(line)))
        if names:
            self.results[seen.event] = Showing(self.world, shown_by(names))
            self.results[seen.event].wait()

    def passed_over(self, seen: Seen, tensor: TensorState) -> None:
        """A test goes without the gradient of a result."""
        kept = [] if self.guarded else [self.guarded]
        if not self.unmoved and updates(self.world.source, seen.place.line):
            kept.append(self.unmoved)
            names = frozenset(re.split(r"[.\[]", name)[0] for _, name in tensor.names)
            self.unmoved_shown = Showing(self.world, shown_by(names))
            self.unmoved_shown.wait()
        if kept and self.passed_through(tensor):
            reason = why_none(self.world, seen)
            for entries in kept:
                entries.append((seen, reason))

    def passed_through(self, tensor: TensorState) -> bool:
        """Whether a backward brought a gradient to this result, or should have but for a write into its memory."""
        if any(tensor.node in call.expected for call in finished(self.world)):
            return True
        seen = self.world.missing[-1]
        return why_none(self.world, seen).cause == "rebased"

    def among_others(self, seen: Seen, tensor: TensorState) -> bool:
        """Whether the statement only asks if there is one, or shows it beside gradients that are there."""
        place = seen.place
        text = self.world.source.statement(place.line, place.end_line)
        reads = list(READ.finditer(text))
        if ASKED.search(text) and all(ASKED.match(text, found.end() - len(".grad")) for found in reads):
            return True
        others = [stands_for(self.world, found.group(1)) for found in reads]
        return any(other is not None and other is not tensor and other.grad is not None for other in others)

    def guards(self, seen: Seen) -> bool:
        """Whether an `if` asks for the gradient, to go without it."""
        return self.world.source.statement(seen.place.line, seen.place.end_line).startswith(("if ", "elif "))

    def found(self) -> list[Diagnosis]:
        for seen, reason in self.candidates:
            if seen.tensor in self.kept or seen.tensor in self.hooked:
                continue
            if reason.cause == "not_leaf" and self.retained:
                continue
            if reason.cause in ("lost", "not_used") and not self.mistaken(seen, reason):
                continue
            showing = self.results.get(seen.event)
            return [self.told(seen, reason, showing.line if showing is not None else None)]
        for seen, reason in self.unmoved:
            if seen.tensor not in self.kept and seen.tensor not in self.hooked:
                return [self.never_moved(seen, reason)]
        if self.reachable or self.optimizes or self.hooked or self.retained:
            return []
        return [self.told(seen, reason, self.showing) for seen, reason in self.guarded]

    def never_moved(self, seen: Seen, reason: Reason) -> Diagnosis:
        later = self.unmoved_shown
        found = self.told(seen, reason, later and (later.line or later.within) or self.showing)
        name = called(self.world, seen.tensor)
        story = (*found.story[:-1], f"The `if` {on(seen.place.line)} goes without it, so {name} never changes.")
        return replace(found, story=story, cause="never_moved") if reason.cause == "not_leaf" else found

    def mistaken(self, seen: Seen, reason: Reason) -> bool:
        """Whether nobody can have meant the cut: it is none to stop a gradient with, or what was cut off is trained."""
        if reason.names.get("how") in HOW_LOST or "leaf" in reason.names:
            return True
        return self.optimizes and optimized(self.world, self.world.tensors[seen.tensor])

    def told(self, seen: Seen, reason: Reason, shows: int | None = None) -> Diagnosis:
        """`shows` is the line that prints last, where a test passed over the None."""
        line = seen.place.line
        return Diagnosis(
            kind=reason.kind,
            title="The gradient is None",
            lines={**reason.lines, "raised": None, "shows": shows or line},
            story=(f"{reason.name} is None where **line {line}** reads it, after a backward has run.", *reason.story),
            nodes=reason.nodes,
            events={**reason.events, "seen": seen.event},
            cause=reason.cause,
            names=reason.names,
        )
