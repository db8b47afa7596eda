"""One plain sentence for every beat: a table from the kind of beat to the function that tells it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gradreel.trace import Trace
from gradreel.trace.events import Event

from ..replay.world import World
from . import backward, graph, program
from .beats import Beat, beats
from .context import SentenceContext

TELL: dict[str, Callable[[SentenceContext], str]] = {
    "line": program.line,
    "name_bound": program.name_bound,
    "name_unbound": program.name_unbound,
    "function_entered": program.function_entered,
    "function_left": program.function_left,
    "optimizer_stepped": program.optimizer_stepped,
    "flag_changed": program.flag_changed,
    "printed": program.text_printed,
    "warned": program.warning_given,
    "raised": program.error_raised,
    "stopped": program.run_stopped,
    "turns_skipped": program.turns_skipped,
    "node_made": graph.node_made,
    "written": graph.tensor_written,
    "node_released": graph.node_released,
    "backward_started": backward.backward_started,
    "node_ran": backward.node_ran,
    "slot_freed": backward.slot_freed,
    "slot_retained": backward.slot_retained,
    "grad_added": backward.grad_added,
    "grad_stored": backward.grad_stored,
    "grad_assigned": backward.grad_assigned,
    "grad_captured": backward.grad_captured,
    "backward_finished": backward.backward_finished,
    "backward_failed": backward.backward_failed,
    "backward_refused": backward.backward_refused,
    "hook_ran": backward.hook_ran,
    "recomputed": backward.function_recomputed,
}


def tell(world: World, beat: Beat, events: tuple[Event, ...]) -> str:
    """The sentence for `beat`, whose `events` `world` has just seen."""
    return TELL.get(beat.kind, program.another)(SentenceContext(world, beat, events))


def sentences(trace: Trace) -> Iterator[tuple[Beat, str]]:
    """Every beat of `trace` with its sentence."""
    world = World(trace)
    for beat in beats(trace.events):
        events = trace.events[beat.start : beat.stop]
        for event in events:
            world.apply(event)
        yield beat, tell(world, beat, events)
