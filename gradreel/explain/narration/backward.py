"""What a step of a backward pass does: nodes run, hand gradients on and free what they saved, leaves add up."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from gradreel.trace import events as e

from ..derivatives.formulas import SAME, Way
from ..replay.graph_queries import flat
from ..replay.states import Call, NodeState, Place, SlotState
from ..replay.world import World
from .context import SentenceContext
from .graph import known_of, saved_name, together
from .program import first_sentence
from .words import aside, code, code_label, feeds, label, listing, name_of, node, plural, short, some, value

ARTICLE = re.compile(r"^an? ")
SLOT = re.compile(r"\{(?!grad\})(\w+)\}")
TWOFOLD = re.compile(r", | and | where | it was ")
"""In words with more than one part, after which a comma helps."""

UNSEEDED = re.compile(r"\.backward\((?:(?:retain_graph|create_graph)=\w+(?:, )?)*\)$")
"""A call that says of no gradient to start with."""


def backward_started(told: SentenceContext) -> str:
    world = told.world
    event = told.one(e.BackwardStarted)
    call = world.calls[event.call]
    roots = listing(node(world, number) for number in event.nodes) if event.nodes else "the root"
    text = f"{code(call.text)} starts at {roots}{seed_words(world, event, call.text)}"
    if event.create_graph:
        return told.sentence(text, "with `create_graph`, it is recorded too")
    if event.retain_graph:
        return told.sentence(text, "with `retain_graph`, nothing is freed")
    return told.sentence(text)


def seed_words(world: World, event: e.BackwardStarted, text: str) -> str:
    """With what a call starts that was given no gradient."""
    root = world.tensors.get(event.roots[0]) if len(event.roots) == 1 else None
    if event.called != "backward" or root is None or root.shape or not UNSEEDED.search(text):
        return ""
    name = label(world, root.number)
    what = code(name) if name is not None else "what it is called on"
    return f" with 1.0, the gradient of {what} with respect to itself"


def node_ran(told: SentenceContext) -> str:
    """Each input in turn: what the node does to what came, with what it saved, and to whom it hands the result."""
    world = told.world
    event = told.last(e.NodeRan)
    state = world.nodes[event.node]
    came = state.came
    known = known_of(state)
    ways = known.ways if known else (None,)
    handed: dict[str, list[tuple[str, str]]] = {}
    for edge, (grad, (target, _)) in enumerate(zip(event.grads, state.edges, strict=False)):
        if grad is None or target is None:
            continue
        words = action(world, state, ways[edge] if edge < len(ways) else ways[-1])
        handed.setdefault(words, []).append((value(grad), feeds(world, state, target)))
    if not handed:
        return told.sentence(f"**{state.title}** runs, but nobody below wants a gradient")
    arrived = f"what came ({aside(came)})" if came is not None else "what came"
    texts: list[str] = []
    named = False
    for words, goals in handed.items():
        whole = words.replace("{grad}", "what came" if named else arrived)
        named = named or "{grad}" in words
        if words == SAME and {shown for shown, _ in goals} == {value(came)}:
            texts.append(f"{whole}, to {some(each_once([to for _, to in goals]), most=3)}")
        else:
            hands = f"hands {some(each_once([f'{shown} to {to}' for shown, to in goals]), most=3)}"
            one = f"{whole} and {hands}"
            texts += [one] if short(f"**{state.title}** {one}") else [whole.rstrip(","), hands]
    if told.first(e.SlotFreed):
        texts.append("frees what it saved")
    if written_over(world, state):
        texts.insert(0, "reads a saved tensor that was overwritten since, and no version tells")
    return told.sentence(f"**{state.title}** {texts[0]}", *(f"it {text}" for text in texts[1:]))


def written_over(world: World, state: NodeState) -> bool:
    """Whether something was written over what the node saved, in a way that no version tells."""
    for slot in state.slots.values():
        write = next(iter(world.writes.get(slot.storage, ())[-1:]), None)
        if write is not None and not write.counted and write.event > slot.saved and write.op not in UNTOLD:
            return True
    return False


UNTOLD = frozenset({"known before", "set_"})
"""Writes of which it is not known that they changed anything."""


def each_once(goals: list[str]) -> list[str]:
    """Each goal once, with how often it comes."""
    if len(set(goals)) == len(goals):
        return goals
    times = {goal: goals.count(goal) for goal in goals}
    return [goal if many == 1 else f"{goal} {TIMES.get(many, f'{many} times')}" for goal, many in times.items()]


TIMES = {2: "twice", 3: "three times"}


def action(world: World, state: NodeState, way: Way | None) -> str:
    """The words of `way` with what the node saved filled in; `{grad}` is left for the caller."""
    if way is None and state.custom:
        return "runs the backward you wrote on {grad}"
    if way is None:
        saved = [f"{saved_name(world, slot)} ({aside(slot.value)})" for slot in state.slots.values()]
        return "works on {grad} with " + some(list(dict.fromkeys(saved))) + "," if saved else "works on {grad}"
    words = way.words
    if words == SAME and state.name.startswith(("Add", "Sub")) and (alpha := state.values.get("alpha", "1")) != "1":
        return f"multiplies {{grad}} by alpha ({alpha})"

    def said(name: str) -> str:
        slot = state.slots.get(name)
        if slot is not None:
            return saved_words(world, slot)
        # What a node does not save itself, a hook has packed, and gives back.
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


def saved_words(world: World, slot: SlotState) -> str:
    """`the saved `b` (3.0)`."""
    text = label(world, slot.tensor)
    if slot.tensor is None or slot.slot == "result":
        return f"its saved result ({aside(slot.value)})"
    shown = value(slot.value)
    if text is None or text == shown:
        return f"the saved {ARTICLE.sub('', shown)}"
    return f"the saved {code(text)} ({aside(slot.value)})"


def slot_freed(told: SentenceContext) -> str:
    world = told.world
    freed = told.all(e.SlotFreed)
    what = in_slots(world, freed)
    return told.sentence(f"its work done, {node(world, freed[0].node)} frees {what}: `retain_graph` is not set")


def in_slots(world: World, events: Sequence[e.SlotFreed | e.SlotRetained]) -> str:
    """What was saved in the slots of `events`, in words."""
    slots = [slot for event in events for slot in world.nodes[event.node].slots_named(event.slot)]
    return some(together(list(dict.fromkeys(saved_name(world, slot) for slot in slots)))) if slots else "what it saved"


def slot_retained(told: SentenceContext) -> str:
    world = told.world
    kept_on = told.all(e.SlotRetained)
    what = in_slots(world, kept_on)
    call = world.calls[kept_on[0].call]
    why = "`create_graph` implies `retain_graph`" if is_implied(call) else "`retain_graph` is set"
    return told.sentence(f"{node(world, kept_on[0].node)} retains {what} for another pass: {why}")


def is_implied(call: Call) -> bool:
    """Whether the graph is kept for `create_graph` alone."""
    return call.create_graph and "retain_graph" not in call.text


def grad_added(told: SentenceContext) -> str:
    world = told.world
    event = next(added for added in told.all(e.GradAdded) if added.before is not None)
    state = world.nodes[event.node]
    call = world.calls[event.call]
    total = f"{value(event.before)} + {value(event.came)} = {value(event.after)}"
    if event.after is not None and not event.after.whole or "tensor" in total:
        total = f"{value(event.came)} is added to what was there"
    if event.came is None:
        total = "nothing comes, and what was there stays"
    missing = call.expected.get(event.node, 0) - call.arrived.get(event.node, 0)
    wait = f"; {plural(missing, 'more')[: -1 if missing > 1 else None]} to come" if missing > 0 else ""
    return told.sentence(f"gradients meet at {meeting(world, state, call)}: {total}{wait}")


def meeting(world: World, state: NodeState, call: Call) -> str:
    """Where gradients add up, and that they do because what stands there was used more than once."""
    uses = call.expected.get(state.number, 0)
    times = TIMES.get(uses, f"{uses} times")
    if state.variable is not None:
        return code_label(world, state.variable) + (f", which was used {times}" if uses > 1 else "")
    if uses < 2 or len(state.outputs) != 1:
        return f"**{state.title}**"
    name = name_of(world, world.tensors[state.outputs[0]])
    return f"**{state.title}**, whose result{f' {code(name)}' if name else ''} was used {times}"


def grad_stored(told: SentenceContext) -> str:
    event = told.last(e.GradStored)
    name = code_label(told.world, event.tensor)
    grad = code(f"{name[1:-1]}.grad") if name.startswith("`") else f"the gradient of {name}"
    if event.how == "retained":
        return told.sentence(f"{grad} keeps {value(event.after)}, because of `retain_grad()`")
    if event.before is None:
        return told.sentence(f"{grad} was None; now it is {value(event.after)}")
    total = f"{value(event.before)} + {value(event.came)} = {value(event.after)}"
    if "tensor" in total:
        total = f"{value(event.came)} is added to it"
    where = "in a new tensor" if event.how == "anew" else "in place"
    used = ["a step has used the old part already"] if used_by_step(told.world, event) else []
    return told.sentence(f"{grad} was not None, so gradients add up, {where}: {total}", *used)


def used_by_step(world: World, event: e.GradStored) -> bool:
    """Whether an optimizer wrote the leaf after the part of its gradient came that was there before."""
    tensor = world.tensors[event.tensor]
    writes = world.writes.get(tensor.storage)
    if not writes or writes[-1].optimizer is None or tensor.came is None or tensor.came > writes[-1].event:
        return False
    return event.before is None or not event.before.whole or any(flat(event.before.data))


def grad_assigned(told: SentenceContext) -> str:
    world = told.world
    assigned = told.all(e.GradStored)
    reset = [code_label(world, event.tensor).strip("`") for event in assigned if event.after is None]
    if len(reset) == len(assigned):
        names = some([code(f"{name}.grad") for name in reset])
        verb = "is" if len(reset) == 1 else "are"
        return told.sentence(f"{names} {verb} set to None, so the next backward starts afresh")
    return told.sentence(
        listing(
            f"{code(code_label(world, event.tensor).strip('`') + '.grad')} is now {value(event.after)}"
            for event in assigned
        )
    )


def grad_captured(told: SentenceContext) -> str:
    world = told.world
    parts = [f"{value(event.value)} for {code_label(world, event.tensor)}" for event in told.all(e.GradCaptured)]
    return told.sentence(f"`autograd.grad` hands back {some(parts, most=3)}", "no `.grad` is touched")


def backward_finished(told: SentenceContext) -> str:
    call = told.world.calls[told.one(e.BackwardFinished).call]
    ran = plural(call.order, "node")
    kept = ["what the graph saved is retained"] if call.retain_graph else []
    return told.sentence(f"{code(call.text)} is done: {ran} ran", *kept)


def backward_failed(told: SentenceContext) -> str:
    world = told.world
    event = told.one(e.BackwardFailed)
    raises = f"PyTorch raises “{first_sentence(event.message)}”"
    read = world.refused[1] if world.refused is not None else None
    if read is None or read.node != event.node:
        return told.sentence(f"{code(world.calls[event.call].text)} fails", raises)
    state = world.nodes[read.node]
    slot = state.slots.get(read.slot)
    asks = f"**{state.title}** asks for {saved_name(world, slot) if slot else code(read.slot)}"
    if read.found is None:
        by = world.calls.get(slot.freed_by) if slot is not None and slot.freed_by is not None else None
        match_rules = f" by {code(by.text)} on line {by.place.line}{during(by.place)}" if by else ""
        return told.sentence(f"{asks}, but it was freed{match_rules}", raises)
    return told.sentence(
        f"{asks}, but it was changed: saved at version {read.kept}, now at version {read.found}", raises
    )


def backward_refused(told: SentenceContext) -> str:
    event = told.one(e.BackwardFailed)
    call = code(told.world.calls[event.call].text)
    return told.sentence(f"{call} cannot start", f"PyTorch raises “{first_sentence(event.message)}”")


def during(place: Place) -> str:
    """`, in iteration 1`: when, if in a loop."""
    return f", in iteration {place.turns[-1].number}" if place.turns else ""


def hook_ran(told: SentenceContext) -> str:
    world = told.world
    event = told.one(e.HookRan)
    where = code_label(world, event.tensor) if event.tensor is not None else node(world, event.node or 0)
    if event.after is None and event.hook != "post_accumulate" and wrote(told, event):
        return told.sentence(
            f"a hook on {where} changed what it was given in place, to {value(event.before)}, and returned nothing"
        )
    if event.after is None:
        return told.sentence(f"a hook on {where} sees {value(event.before)} and leaves it as it is")
    return told.sentence(f"a hook on {where} gets {value(event.before)} and returns {value(event.after)} instead")


def function_recomputed(told: SentenceContext) -> str:
    event = told.one(e.Recomputed)
    who = (
        f"{node(told.world, event.node)} asks for what was not saved"
        if event.node is not None
        else "what was not saved is needed"
    )
    return told.sentence(f"{who}: checkpoint runs the forward again")


LONGEST_HOOK = 200
"""How many events of a hook are looked through for what it did."""


def wrote(told: SentenceContext, ran: e.HookRan) -> bool:
    """Whether the hook wrote into what it was given, which its first argument stands for."""
    events, written = told.world.trace.events, set()
    at = next(number for number in range(told.beat.start, told.beat.stop) if events[number] is ran)
    for number in range(at - 1, max(at - LONGEST_HOOK, 0), -1):
        event = events[number]
        if type(event) is e.Written:
            written.add(event.tensor)
        elif type(event) is e.FunctionEntered:
            given = next((one for one in events[number:at] if type(one) is e.NameBound), None)
            return given is not None and given.tensor in written
        elif type(event) in (e.NodeStarted, e.NodeReady, e.HookRan):
            return False
    return False
