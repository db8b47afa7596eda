"""Sentences for what the program does: lines, names, calls of functions, output, errors."""

from __future__ import annotations

import re

from gradreel.trace import events as e

from .context import SentenceContext, turns
from .words import code, code_label, grad_owner, some, value

LONGEST = 72

STATEMENTS = (
    (re.compile(r"\.zero_grad\([^()]*\)$"), "finds no gradient to reset: none has been stored yet"),
    (re.compile(r"\bmanual_seed\([^()]*\)$"), "fixes the random numbers that follow, the same in every run"),
    (re.compile(r"^with (torch\.)?no_grad\(\):"), "turns recording off: what is computed in it gets no nodes"),
    (re.compile(r"^with (torch\.)?enable_grad\(\):"), "turns recording on: what is computed in it gets nodes"),
    (re.compile(r"\.eval\(\)$"), "switches to how the module works after training; gradients are recorded as before"),
    (re.compile(r"\.train\(\)$"), "switches to how the module works in training"),
)
"""What a statement does that autograd has nothing to tell of, by its form."""
ALLOWED = re.compile(r"it may use (.+?)\.(?: |$)")
START_ENDS = re.compile(r"(?<!\.)(?<!i\.e)\. | \(or |: \[")
QUOTED = 18
"""So many words of a message are quoted."""

KINDS = re.compile(r"(list|tuple|dict|set|OrderedDict|defaultdict|deque) of (\d+)")


def line(told: SentenceContext) -> str:
    reached = told.first(e.LineReached)
    if reached is None:
        return "The program begins"
    text = told.world.source.text(reached.line, reached.end_line)
    if not text:
        return told.sentence("nothing to do")
    why = next((words for form, words in STATEMENTS if form.search(text)), None)
    return told.sentence(f"{code(text)} {why}" if why else code(text.removesuffix(":")))


def name_bound(told: SentenceContext) -> str:
    bound = told.all(e.NameBound)
    turn = next(turns(told.world), None)
    loop = told.beat.opens and turn is not None and told.world.source.loop_names(told.world.place.line)
    opening = f"{turn}, " if loop and told.world.place.turns[-1].line == told.world.place.line else ""
    tensors = [event for event in bound if event.tensor is not None]
    others = [event for event in bound if event.tensor is None]
    if len(bound) == 1:
        return told.sentence(opening + (one_tensor(told, bound[0]) if tensors else one_value(bound[0])))
    if others and tensors and all(event.name.startswith(others[0].name) for event in bound):
        parts = some([code(event.name) for event in tensors])
        return told.sentence(f"{opening}{one_value(others[0])}, with {parts}")
    return told.sentence(opening + some([brief(told, event) for event in bound], most=5))


def brief(told: SentenceContext, event: e.NameBound) -> str:
    if event.tensor is None:
        return one_value(event)
    tensor = told.world.tensors[event.tensor]
    other = next((name for scope, name in tensor.names if (scope, name) != (event.scope, event.name)), None)
    if other == event.name:
        return f"{code(event.name)} is what it is outside"
    return f"{code(event.name)} is {code(other)}" if other else f"{code(event.name)} names {value(tensor.value)}"


def one_value(event: e.NameBound) -> str:
    text = (event.text or "").split("\n")[0]
    if found := KINDS.fullmatch(text):
        kind, many = found.groups()
        article = "an" if kind.startswith("O") or many == "0" else "a"
        return f"{code(event.name)} is {article} {f'empty {kind}' if many == '0' else f'{kind} of {many}'}"
    return f"{code(event.name)} is {code(text if len(text) <= LONGEST else text[: LONGEST - 1] + '…')}"


def one_tensor(told: SentenceContext, event: e.NameBound) -> str:
    """How `event` gives a tensor its name, by where the tensor came from."""
    world, name = told.world, code(event.name)
    assert event.tensor is not None
    tensor = world.tensors[event.tensor]
    now = value(tensor.value)
    others = [other for scope, other in tensor.names if (scope, other) != (event.scope, event.name)]
    if tensor.made >= told.beat.start:
        return f"{name} names {new_tensor(told, event.tensor, now, event.name)}"
    if others:
        same = others[0] == event.name
        return f"{name} is the same {name} as outside" if same else f"{name} is another name for {code(others[0])}"
    if tensor.called == event.name and len(world.writes.get(tensor.storage, ())):
        return f"{name} still names the same tensor, now {now}"
    if (owner := grad_owner(world, tensor)) is not None:
        return f"{name} names {code(owner)}, {now}"
    if tensor.made >= world.place.since:
        return f"{name} now names the result, {now}"
    return f"{name} now names {now}"


def new_tensor(told: SentenceContext, number: int, now: str, bound: str) -> str:
    """What a tensor of this very line is, which gets the name `bound`."""
    world = told.world
    tensor = world.tensors[number]
    if tensor.node is not None:
        return f"the result, {now}"
    base = world.tensors.get(tensor.base) if tensor.base is not None else None
    if base is not None and (base.requires_grad or base.called is not None):
        memory = code_label(world, base.number)
        former = f"of what {memory} named before" if memory == code(bound) else f"of {memory}"
        return f"{now}, which shares the memory {former}; no graph leads back from it"
    if tensor.requires_grad:
        return f"a new leaf, {now}; it requires a gradient, so what is computed from it gets recorded"
    if any(world.tensors[part].requires_grad for part in tensor.inputs if part in world.tensors):
        return f"the result, {now}; it was not recorded, so no gradient will come back through it"
    what = "the result" if tensor.inputs else "a new tensor"
    return f"{what}, {now}; no gradient is wanted for it"


def name_unbound(told: SentenceContext) -> str:
    gone = [code(event.name) for event in told.all(e.NameUnbound)]
    if len(gone) == 1:
        return told.sentence(f"{gone[0]} is gone; what only that name held goes with it")
    return told.sentence(f"{some(gone)} are gone; what only these names held goes with them")


def function_entered(told: SentenceContext) -> str:
    entered = told.one(e.FunctionEntered)
    given = [event for event in told.all(e.NameBound) if event.scope == entered.scope]
    same = [event for event in given if event.tensor is not None and handed_on(told, event)]
    parts = [brief(told, event) for event in given if event not in same]
    if same:
        verb = "is what it is" if len(same) == 1 else "are what they are"
        parts.append(f"{some([code(event.name) for event in same])} {verb} outside")
    inside = [f"inside, {some(parts)}"] if parts else []
    return told.sentence(f"{code(entered.function)} is called", *inside)


def handed_on(told: SentenceContext, event: e.NameBound) -> bool:
    """Whether the tensor has the same name where the function was called."""
    names = told.world.tensors[event.tensor].names if event.tensor is not None else []
    return next((name for scope, name in names if (scope, name) != (event.scope, event.name)), None) == event.name


def function_left(told: SentenceContext) -> str:
    name = told.world.functions.get(told.last(e.FunctionLeft).scope, "the function")
    return told.sentence(f"{code(name)} returns, and its own names are gone")


def optimizer_stepped(told: SentenceContext) -> str:
    world = told.world
    names = dict.fromkeys(code_label(world, event.tensor) for event in told.all(e.Written))
    name = told.one(e.OptimizerStepped).optimizer
    if not names and name == "LBFGS":
        return told.sentence(f"{code(name)} takes a step, in which it calls the closure as often as it needs")
    if not names:
        return told.sentence(f"{code(name)} takes a step, but no parameter has a gradient")
    each = "its version goes" if len(names) == 1 else "their versions go"
    return told.sentence(f"{code(name)} takes a step: it changes {some(list(names))} in place, and {each} up")


def flag_changed(told: SentenceContext) -> str:
    event = told.one(e.FlagChanged)
    name = code_label(told.world, event.tensor)
    if event.requires_grad:
        return told.sentence(f"{name} requires a gradient from now on: what is computed from it gets recorded")
    return told.sentence(f"{name} no longer requires a gradient: what is computed from it goes unrecorded")


def text_printed(told: SentenceContext) -> str:
    text = "".join(event.text for event in told.all(e.Printed)).strip("\n")
    first, *more = text.split("\n")
    shown = first if len(first) <= LONGEST else first[: LONGEST - 1] + "…"
    return told.sentence(f"prints {code(shown)}{' and more' if more else ''}" if text else "prints an empty line")


def warning_given(told: SentenceContext) -> str:
    """What is other here than at home is no warning of PyTorch's."""
    event = told.one(e.Warned)
    who = "Gradreel says" if event.category == "Note" else "PyTorch warns"
    return told.sentence(f"{who}: “{first_sentence(event.message)}”")


def error_raised(told: SentenceContext) -> str:
    event = told.one(e.Raised)
    who = "this" if told.beat.opens and told.last(e.LineReached).line == event.line else f"line {event.line}"
    text = f"{who} raises {event.type}: “{first_sentence(event.message)}”"
    return told.sentence(text, *(["the program catches it"] if event.caught else []))


def run_stopped(told: SentenceContext) -> str:
    """Why is told by the outcome, in a sentence that says what a program may use."""
    event = told.one(e.Stopped)
    if event.budget == "crash":
        return told.sentence(f"the process of the run is ended by signal {event.limit} on line {event.line}")
    why = ALLOWED.search(told.world.trace.outcome.message or "")
    may = why[1] if why else f"{event.limit:,} {event.budget}"
    here = told.beat.opens and told.last(e.LineReached).line == event.line
    return told.sentence(f"the run is stopped{'' if here else f' on line {event.line}'}: it may use {may}")


def turns_skipped(told: SentenceContext) -> str:
    """Which turns, and how long the recording of them would be, if there was one."""
    event = told.one(e.TurnsSkipped)
    if not event.events:
        turns = f"turns {event.first:,} to {event.last:,} of this loop ran unrecorded"
        return f"Line {event.line}: {turns}; only what they left is shown."
    turns = f"turns {event.first:,} to {event.last:,} of this loop went by like these"
    return f"Line {event.line}: {turns}; of their {event.events:,} events only what they left is shown."


def first_sentence(message: str) -> str:
    """The start of an error's text, up to its first full stop or a bracket that would be long to read."""
    start = START_ENDS.split(message.split("\n")[0])[0].rstrip(".,:")
    said = start.split(" ")
    return start if len(said) <= QUOTED else " ".join(said[:QUOTED]) + " …"


def another(told: SentenceContext) -> str:
    """For a kind that has no words of its own yet."""
    return told.sentence(told.beat.kind.replace("_", " "))
