"""Sentences for the graph itself: nodes built, tensors written, nodes released."""

from __future__ import annotations

from functools import lru_cache

from gradreel.trace import events as e

from ..derivatives.formulas import BEHIND, FLAT, NOTHING, OPERATORS, PLACED, SHAPED, Operator
from ..derivatives.lookup import kind_of_node, operator
from ..replay.states import NodeState, SlotState, is_custom, kind_of
from ..replay.world import World
from .context import SentenceContext
from .words import code, code_label, expression, label, listing, node, some, value

GIVEN = (
    "self other input weight target mat1 mat2 batch1 batch2 vec vec1 vec2 tensor tensor1 tensor2 query key value "
    "condition index indices exponent end src source values A B x1 x2 hx cx grad_output grad_out grad"
)
INPUTS = frozenset(GIVEN.split())
"""Slots of what a node was given; in others is what it made on the way."""

DEPTHS, LONGEST = (1, 4), 40
"""How deep an expression may go: farther than at first as long as it has at most so many letters."""

NAMELESS = "its input "
DOING_WITHOUT = frozenset(
    (
        NOTHING,
        SHAPED,
        PLACED,
        FLAT,
        BEHIND,
        *(f"the gradient of a {what} needs no values" for what in ("sum", "difference")),
    )
)
"""Reasons that are about doing without values."""

# ---- building


def node_made(told: SentenceContext) -> str:
    world = told.world
    state = world.nodes[told.built()]
    what = made_of(world, state)
    text = f"{code(what)} builds **{state.title}**" if what else f"**{state.title}** is built"
    why = ""
    if not state.slots and told.first(e.SavedPacked):
        text += "; a hook packs what it would save"
    else:
        saved, why = saving(world, state, ", which saves" if what else " and saves")
        text += saved
    if state.generation:
        text = f"`create_graph` records the backward itself, so {text}"
    return told.sentence(text, because=why)


def made_of(world: World, state: NodeState) -> str | None:
    """`t @ a`: the expression that built `state`, if its parts can be named."""
    for depth in DEPTHS:
        parts = [label(world, number, depth) for number in state.inputs]
        named = [part for part in parts if part is not None]
        text = expression(state.op, named, state.values) if parts and len(named) == len(parts) else None
        if text is not None:
            return text if depth == DEPTHS[0] or len(text) <= LONGEST else None
    return None


def saving(world: World, state: NodeState, saves: str) -> tuple[str, str]:
    """What the node saves, and why."""
    known = known_of(state)
    why = known.why if known else ""
    if not state.slots and why and known_saves(state) and "other" in state.values:
        return f"; it saves no tensor, only the number {code(state.values['other'])}", ""
    if not state.slots and why and known_saves(state):
        return "; it saves no tensor", "none is needed for the gradients that are wanted"
    if not state.slots:
        return "; it saves no tensor", why
    saved = dict.fromkeys([saved_name(world, slot) for slot in state.slots.values()])
    return f"{saves} {some(together(list(saved)))}", why


def together(saved: list[str]) -> list[str]:
    """What has no name of its own named as one: `its inputs `self` and `other``."""
    if len(saved) < 2:
        return saved
    nameless = [name.removeprefix(NAMELESS) for name in saved if name.startswith(NAMELESS)]
    if len(nameless) < 2:
        return saved
    return [*(name for name in saved if not name.startswith(NAMELESS)), f"its inputs {listing(nameless)}"]


def known_saves(state: NodeState) -> bool:
    """Whether this operator saves tensors when it needs to: then `why` is about saving, not about doing without."""
    known = known_of(state)
    return known is not None and known.why not in DOING_WITHOUT


def known_of(state: NodeState) -> Operator | None:
    """The row of what made `state`; a Function of the program's own has none, whatever it is called."""
    return known_as(state.name, state.op)


@lru_cache(1024)
def known_as(name: str, op: str) -> Operator | None:
    return OPERATORS.get(name) if is_custom(name) else operator(kind_of_node(kind_of(name), op))


def saved_name(world: World, slot: SlotState) -> str:
    if slot.tensor is None or slot.slot == "result":
        return "its own result"
    text = label(world, slot.tensor)
    if text is not None:
        return code(text)
    name = slot.slot.partition("[")[0]
    if name in ("saved_tensors", "input"):
        return "an unnamed tensor" if name == "saved_tensors" else "its input"
    return (NAMELESS if name in INPUTS else "its ") + code(slot.slot)


def saved_label(world: World, slot: SlotState) -> str | None:
    """What a saved tensor is called on the card of its node, if it has a name."""
    return "result" if slot.tensor is None or slot.slot == "result" else label(world, slot.tensor)


def tensor_written(told: SentenceContext) -> str:
    world = told.world
    event = told.last(e.Written)
    state = world.tensors[event.tensor]
    name = code_label(world, event.tensor)
    statement = world.source.text(world.place.line, world.place.end_line) if told.beat.opens else ""
    doer = code(statement or event.op.partition(".")[0].rstrip("_") + "_")
    text = f"{doer} writes into {name} in place: it is now {value(event.value)}"
    if not event.counted:
        return told.sentence(text, f"its version stays {event.version}, so autograd cannot notice")
    clauses = [f"{text}, at version {event.version}"]
    built = [made.node for made in told.all(e.NodeMade) if made.variable is None]
    older = [
        number
        for number, slot in world.kept(state.storage)
        if slot.version < event.version and number not in built and slot.state != "freed"
    ]
    if older:
        kept = some([node(world, number) for number in dict.fromkeys(older)], most=3)
        clauses.append(f"what {kept} saved of it is stale now")
    if built:
        clauses.append(f"its grad_fn is now {node(world, built[-1])}")
    return told.sentence(*clauses)


def node_released(told: SentenceContext) -> str:
    world = told.world
    states = [world.nodes[event.node] for event in told.all(e.NodeReleased)]
    titles = [f"**{state.title}**" for state in states if state.variable is None]
    leaves = [
        f"the AccumulateGrad of {code_label(world, state.variable)}" for state in states if state.variable is not None
    ]
    verb = "is released" if len(states) == 1 else "are released"
    names = [code(name) for _, name in world.gone]
    pronoun = "it" if len(states) == 1 else "them"
    if names:
        holders = list(dict.fromkeys(names))
        held = f"{some(holders, most=3)} {'was' if len(holders) == 1 else 'were'} the last to hold {pronoun}"
    else:
        held = f"nothing holds {pronoun} any more"
    return told.sentence(f"{some([*titles, *leaves])} {verb}", because=held)
