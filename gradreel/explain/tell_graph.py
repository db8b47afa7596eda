"""Sentences for what autograd does: nodes built and released, gradients handed on and added up, buffers freed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from gradreel.trace import events as e

from .operator_rows import BEHIND, FLAT, NOTHING, PLACED, SAME, SHAPED, Operator, Way
from .operators import ALL, operator
from .states import NodeState, Place, SlotState
from .tell_program import first_sentence
from .telling import Telling
from .words import called, code, expression, feeds, label, listed, node, plural, some, value
from .world import World

GIVEN = (
    "self other input weight target mat1 mat2 batch1 batch2 vec vec1 vec2 tensor tensor1 tensor2 query key value "
    "condition index indices exponent end src source values A B x1 x2 hx cx grad_output grad_out grad"
)
INPUTS = frozenset(GIVEN.split())
"""Slots that keep what a node was given; others keep what it made on the way."""

ARTICLE = re.compile(r"^an? ")
SLOT = re.compile(r"\{(?!grad\})(\w+)\}")
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


def node_made(told: Telling) -> str:
    world = told.world
    state = world.nodes[next(event.node for event in told.all(e.NodeMade) if event.variable is None)]
    what = made_of(world, state)
    text = f"{code(what)} builds **{state.title}**" if what else f"**{state.title}** is built"
    if told.first(e.SavedPacked) and not state.slots:
        text += "; a hook packs what it would keep"
    else:
        text += keeping(world, state, ", which keeps" if what else " and keeps")
    if state.generation:
        text = f"`create_graph` records the backward itself: {text}"
    return told.sentence(text)


def made_of(world: World, state: NodeState) -> str | None:
    """`t @ a`: the expression that built `state`, if its parts can be named."""
    parts = [label(world, number, 1) for number in state.inputs]
    named = [part for part in parts if part is not None]
    return expression(state.op, named, state.values) if parts and len(named) == len(parts) else None


def keeping(world: World, state: NodeState, keeps: str) -> str:
    """What the node keeps, and why."""
    known = known_of(state)
    why = f": {known.why}" if known and known.why else ""
    if not state.slots and why and known_keeps(state) and "other" in state.values:
        return f"; it keeps no tensor, only the number {code(state.values['other'])}"
    if not state.slots and why and known_keeps(state):
        return "; it keeps no tensor: none is needed for the gradients that are wanted"
    if not state.slots:
        return f"; it keeps no tensor{why}"
    kept = dict.fromkeys(keep_name(world, slot) for slot in state.slots.values())
    return f"{keeps} {some(together(list(kept)))}{why}"


def together(kept: list[str]) -> list[str]:
    """What has no name of its own named as one: `its inputs `self` and `other``."""
    nameless = [name.removeprefix(NAMELESS) for name in kept if name.startswith(NAMELESS)]
    if len(nameless) < 2:
        return kept
    return [*(name for name in kept if not name.startswith(NAMELESS)), f"its inputs {listed(nameless)}"]


def known_keeps(state: NodeState) -> bool:
    """Whether this operator keeps tensors when it needs to: then `why` is about keeping, not about doing without."""
    known = known_of(state)
    return known is not None and known.why not in DOING_WITHOUT


def known_of(state: NodeState) -> Operator | None:
    """The row of what made `state`; a Function of the program's own has none, whatever it is called."""
    return ALL.get(state.name) if state.custom else operator(state.kind)


def keep_name(world: World, slot: SlotState) -> str:
    if slot.tensor is None or slot.slot == "result":
        return "its own result"
    text = label(world, slot.tensor)
    if text is not None:
        return code(text)
    name = slot.slot.partition("[")[0]
    if name in ("saved_tensors", "input"):
        return "an unnamed tensor" if name == "saved_tensors" else "its input"
    return (NAMELESS if name in INPUTS else "its ") + code(slot.slot)


def keep_label(world: World, slot: SlotState) -> str | None:
    """What a slot is called on its card: the name of the tensor kept, if it has one."""
    return "result" if slot.tensor is None or slot.slot == "result" else label(world, slot.tensor)


def written(told: Telling) -> str:
    world = told.world
    event = told.last(e.Written)
    state = world.tensors[event.tensor]
    name = called(world, event.tensor)
    statement = world.source.text(world.place.line, world.place.end_line) if told.beat.opens else ""
    doer = code(statement or event.op.partition(".")[0].rstrip("_") + "_")
    text = f"{doer} writes into {name} in place: it is now {value(event.value)}"
    if not event.counted:
        return told.sentence(f"{text}, and its version stays {event.version}, so autograd cannot notice")
    text += f", at version {event.version}"
    built = [made.node for made in told.all(e.NodeMade) if made.variable is None]
    if built:
        text += f", and {node(world, built[-1])} becomes the latest step of its history"
    older = [
        number
        for number, slot in world.kept(state.storage)
        if slot.version < event.version and number not in built and slot.state != "freed"
    ]
    if older:
        kept = some([node(world, number) for number in dict.fromkeys(older)], most=3)
        text += f"; {kept} kept it as it was before"
    return told.sentence(text)


def node_released(told: Telling) -> str:
    world = told.world
    states = [world.nodes[event.node] for event in told.all(e.NodeReleased)]
    titles = [f"**{state.title}**" for state in states if state.variable is None]
    leaves = [
        f"the AccumulateGrad of {called(world, state.variable)}" for state in states if state.variable is not None
    ]
    verb = "goes" if len(states) == 1 else "go"
    names = [code(name) for _, name in world.gone]
    pronoun = "it" if len(states) == 1 else "them"
    if names:
        holders = list(dict.fromkeys(names))
        held = f"{some(holders, most=3)} {'was' if len(holders) == 1 else 'were'} the last to hold {pronoun}"
    else:
        held = f"nothing holds {pronoun} any more"
    return told.sentence(f"{some([*titles, *leaves])} {verb}: {held}")


# ---- running


def backward_started(told: Telling) -> str:
    world = told.world
    event = told.one(e.BackwardStarted)
    call = world.calls[event.call]
    roots = listed(node(world, number) for number in event.nodes) if event.nodes else "the root"
    text = f"{code(call.text)} starts at {roots}"
    if event.create_graph:
        text += "; with `create_graph`, what it computes is recorded as well"
    elif event.retain_graph:
        text += "; `retain_graph` is set, so the nodes will keep what they saved"
    return told.sentence(text)


def node_ran(told: Telling) -> str:
    """Each input in turn: what the node does to what came, with what it kept, and to whom it hands the result."""
    world = told.world
    event = told.last(e.NodeRan)
    state = world.nodes[event.node]
    came = state.came
    known = known_of(state)
    ways = known.ways if known else (None,)
    handed: dict[str, list[str]] = {}
    for edge, (grad, (target, _)) in enumerate(zip(event.grads, state.edges, strict=False)):
        if grad is None or target is None:
            continue
        words = action(world, state, ways[edge] if edge < len(ways) else ways[-1])
        goal = f"{value(grad)} to {feeds(world, state, target)}"
        if words in handed:
            handed[words].append(goal)
        else:
            handed[words] = [goal]
    if not handed:
        return told.sentence(f"**{state.title}** runs, but nobody below wants a gradient")
    arrived = f"what came ({value(came)})" if came is not None else "what came"
    texts: list[str] = []
    named = False
    for words, goals in handed.items():
        whole = words.replace("{grad}", "it" if named else arrived)
        named = named or "{grad}" in words
        to = goals[0] if len(goals) == 1 else listed(each_once(goals))
        texts.append(f"{whole} and hands {to}")
    freed = ", then lets go of what it kept" if told.first(e.SlotFreed) else ""
    return told.sentence(f"**{state.title}** " + "; it ".join(texts) + freed)


def each_once(goals: list[str]) -> list[str]:
    """Each goal once, with how often it comes."""
    times = {goal: goals.count(goal) for goal in goals}
    return [goal if many == 1 else f"{goal} {TIMES.get(many, f'{many} times')}" for goal, many in times.items()]


TWOFOLD = re.compile(r", | and | where | it was ")
"""In words with more than one part, after which a comma helps."""

TIMES = {2: "twice", 3: "three times"}


def action(world: World, state: NodeState, way: Way | None) -> str:
    """The words of `way` with what the node kept filled in; `{grad}` is left for the caller."""
    if way is None and state.custom:
        return "runs the backward you wrote on {grad}"
    if way is None:
        kept = [f"{keep_name(world, slot)} ({value(slot.value)})" for slot in state.slots.values()]
        return "works on {grad} with " + some(list(dict.fromkeys(kept))) + "," if kept else "works on {grad}"
    words = way.words
    if words == SAME and state.name.startswith(("Add", "Sub")) and (alpha := state.values.get("alpha", "1")) != "1":
        return f"multiplies {{grad}} by alpha ({alpha})"

    def said(name: str) -> str:
        slot = state.slots.get(name)
        if slot is not None:
            return kept_words(world, slot)
        # What a node does not keep itself, a hook has packed, and gives back.
        return code(state.values[name]) if name in state.values else f"the unpacked {code(name)}"

    return fill(words, said)


def fill(words: str, say: Callable[[str], str]) -> str:
    """`words` with what `say` has to say of each slot."""
    text, holes = pieces(words)
    for name, after in holes:
        text += say(name) + after
    return text


@cache
def pieces(words: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The text of `words` up to the first slot, and each slot with what follows; a comma ends words of two parts."""
    first, *rest = SLOT.split(words + "," if TWOFOLD.search(words) else words)
    return first, tuple(zip(rest[::2], rest[1::2], strict=True))


def kept_words(world: World, slot: SlotState) -> str:
    """`the `b` it kept (3.0)`."""
    text = label(world, slot.tensor)
    if slot.tensor is None or slot.slot == "result":
        return f"the result it kept ({value(slot.value)})"
    shown = value(slot.value)
    if text is None or text == shown:
        return f"the {ARTICLE.sub('', shown)} it kept"
    return f"the {code(text)} it kept ({shown})"


def slot_freed(told: Telling) -> str:
    world = told.world
    freed = told.all(e.SlotFreed)
    what = in_slots(world, freed)
    return told.sentence(f"its work done, {node(world, freed[0].node)} lets go of {what}: `retain_graph` is not set")


def in_slots(world: World, events: Sequence[e.SlotFreed | e.SlotRetained]) -> str:
    """What the slots of `events` keep, in words."""
    slots = [slot for event in events for slot in world.nodes[event.node].slots_named(event.slot)]
    return some(together(list(dict.fromkeys(keep_name(world, slot) for slot in slots)))) if slots else "what it kept"


def slot_retained(told: Telling) -> str:
    world = told.world
    kept_on = told.all(e.SlotRetained)
    what = in_slots(world, kept_on)
    return told.sentence(f"{node(world, kept_on[0].node)} keeps {what} for another pass: `retain_graph` is set")


def grad_added(told: Telling) -> str:
    world = told.world
    event = next(added for added in told.all(e.GradAdded) if added.before is not None)
    state = world.nodes[event.node]
    where = called(world, state.variable) if state.variable is not None else f"**{state.title}**"
    total = f"{value(event.before)} + {value(event.came)} = {value(event.after)}"
    if event.after is not None and not event.after.whole or "tensor" in total:
        total = f"{value(event.came)} is added to what was there"
    if event.came is None:
        total = "nothing comes, and what was there stays"
    call = world.calls[event.call]
    missing = call.expected.get(event.node, 0) - call.arrived.get(event.node, 0)
    wait = f"; {plural(missing, 'more')[: -1 if missing > 1 else None]} to come" if missing > 0 else ""
    return told.sentence(f"gradients meet at {where}: {total}{wait}")


def grad_stored(told: Telling) -> str:
    event = told.last(e.GradStored)
    name = called(told.world, event.tensor)
    grad = code(f"{name[1:-1]}.grad") if name.startswith("`") else f"the gradient of {name}"
    if event.how == "retained":
        return told.sentence(f"{grad} keeps {value(event.after)}, because of `retain_grad()`")
    if event.before is None:
        return told.sentence(f"{grad} was empty; now it holds {value(event.after)}")
    total = f"{value(event.before)} + {value(event.came)} = {value(event.after)}"
    if "tensor" in total:
        total = f"{value(event.came)} is added to it"
    where = "in a new tensor" if event.how == "anew" else "in place"
    return told.sentence(f"{grad} was not empty, so gradients add up, {where}: {total}")


def grad_assigned(told: Telling) -> str:
    world = told.world
    assigned = told.all(e.GradStored)
    emptied = [called(world, event.tensor).strip("`") for event in assigned if event.after is None]
    if len(emptied) == len(assigned):
        names = some([code(f"{name}.grad") for name in emptied])
        verb = "is" if len(emptied) == 1 else "are"
        return told.sentence(f"{names} {verb} emptied, so the next backward starts afresh")
    return told.sentence(
        listed(
            f"{code(called(world, event.tensor).strip('`') + '.grad')} is now {value(event.after)}"
            for event in assigned
        )
    )


def grad_captured(told: Telling) -> str:
    world = told.world
    parts = [f"{value(event.value)} for {called(world, event.tensor)}" for event in told.all(e.GradCaptured)]
    return told.sentence(f"`autograd.grad` hands back {some(parts)}; no `.grad` is touched")


def backward_finished(told: Telling) -> str:
    call = told.world.calls[told.one(e.BackwardFinished).call]
    ran = plural(call.order, "node")
    kept = "; the graph keeps what it saved" if call.retain_graph else ""
    return told.sentence(f"{code(call.text)} is done: {ran} ran{kept}")


def backward_failed(told: Telling) -> str:
    world = told.world
    event = told.one(e.BackwardFailed)
    raises = f"PyTorch raises “{first_sentence(event.message)}”"
    read = world.refused[1] if world.refused is not None else None
    if read is None or read.node != event.node:
        return told.sentence(f"{code(world.calls[event.call].text)} fails. {raises}")
    state = world.nodes[read.node]
    slot = state.slots.get(read.slot)
    asks = f"**{state.title}** asks for {keep_name(world, slot) if slot else code(read.slot)}"
    if read.found is None:
        by = world.calls.get(slot.freed_by) if slot is not None and slot.freed_by is not None else None
        told_by = f" by {code(by.text)} on line {by.place.line}{during(by.place)}" if by else ""
        return told.sentence(f"{asks}, but it was freed{told_by}. {raises}")
    return told.sentence(
        f"{asks}, but it was changed: kept at version {read.kept}, now at version {read.found}. {raises}"
    )


def backward_refused(told: Telling) -> str:
    event = told.one(e.BackwardFailed)
    call = code(told.world.calls[event.call].text)
    return told.sentence(f"{call} cannot start. PyTorch raises “{first_sentence(event.message)}”")


def during(place: Place) -> str:
    """`, in iteration 1`: when, if in a loop."""
    return f", in iteration {place.turns[-1].number}" if place.turns else ""


# ---- hooks


def hook_ran(told: Telling) -> str:
    world = told.world
    event = told.one(e.HookRan)
    where = called(world, event.tensor) if event.tensor is not None else node(world, event.node or 0)
    if event.after is None:
        return told.sentence(f"a hook on {where} sees {value(event.before)} and leaves it as it is")
    return told.sentence(f"a hook on {where} gets {value(event.before)} and returns {value(event.after)} instead")


def recomputed(told: Telling) -> str:
    event = told.one(e.Recomputed)
    who = (
        f"{node(told.world, event.node)} asks for what was not kept"
        if event.node is not None
        else "what was not kept is needed"
    )
    return told.sentence(f"{who}: checkpoint runs the forward again")
