"""One plain sentence for every beat: a table from the kind of beat to the function that tells it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gradreel.trace import Trace

from . import tell_graph as graph
from . import tell_program as program
from .beats import Beat, beats
from .telling import Telling
from .world import World

TELL: dict[str, Callable[[Telling], str]] = {
    "line": program.line,
    "name_bound": program.name_bound,
    "name_unbound": program.name_unbound,
    "function_entered": program.function_entered,
    "function_left": program.function_left,
    "optimizer_stepped": program.optimizer_stepped,
    "flag_changed": program.flag_changed,
    "printed": program.printed,
    "warned": program.warned,
    "raised": program.raised,
    "stopped": program.stopped,
    "node_made": graph.node_made,
    "written": graph.written,
    "node_released": graph.node_released,
    "backward_started": graph.backward_started,
    "node_ran": graph.node_ran,
    "slot_freed": graph.slot_freed,
    "slot_retained": graph.slot_retained,
    "grad_added": graph.grad_added,
    "grad_stored": graph.grad_stored,
    "grad_assigned": graph.grad_assigned,
    "grad_captured": graph.grad_captured,
    "backward_finished": graph.backward_finished,
    "backward_failed": graph.backward_failed,
    "backward_refused": graph.backward_refused,
    "hook_ran": graph.hook_ran,
    "recomputed": graph.recomputed,
}


def tell(world: World, beat: Beat) -> str:
    """The sentence for `beat`, whose events `world` has just seen."""
    told = Telling(world, beat, world.trace.events[beat.start : beat.stop])
    return TELL.get(beat.kind, program.another)(told)


def sentences(trace: Trace) -> Iterator[tuple[Beat, str]]:
    """Every beat of `trace` with its sentence."""
    world = World(trace)
    for beat in beats(trace.events):
        for event in trace.events[beat.start : beat.stop]:
            world.apply(event)
        yield beat, tell(world, beat)
