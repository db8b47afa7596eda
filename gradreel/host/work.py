"""The work itself: a request in, a reply out. Pure; it runs in a process of its own.

A request is JSON: {source, mode, values, limits, want, expression}. `want` is "scene", "trace" or "both"; with
`expression` (so unless told otherwise) a line like `sin(x*y) + x**2` is made a program, its leaves having the `values`
given. A reply is one line of JSON {ok, outcome, expression, message, again, remarks, skipped, offers, scene, trace, ms,
cpu, safety}, then scene and trace as gzipped JSON, whose lengths the line tells. `remarks` are sentences on pasted text
or on how a formula was read, `skipped` its lines of which nothing is run, each stretch with its reason, `offers`
formulas that may have been meant, `ms` is the time it took, `cpu` how much of it was spent computing, `safety` names
the layers that held the run.
"""

from __future__ import annotations

import gzip
import json
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, replace
from functools import partial
from typing import Any, NamedTuple

from gradreel.explain.fixes import find_fixes, trial_events
from gradreel.interpreter import Expression, Limits, compare, hint_for, paste, propose_expression, run
from gradreel.interpreter.pasting import Pasted
from gradreel.scene import Expression as Typed
from gradreel.scene import Leaf, payload
from gradreel.scene.build import Mender
from gradreel.trace import Outcome, Trace
from gradreel.trace.events import Stopped, Warned

from .places import Place, here
from .truncation import LARGEST_REPLY, Parts, in_time, left_out
from .watchdog import Late, Watch

MOST_DIMENSIONS = 3
"""Of the value of a leaf that came with the request."""
WANTS = ("scene", "trace", "both")
MOST_REMARKS = 12
TOO_LARGE = "The recording of this run is too large to be sent. Fewer iterations or smaller tensors make it smaller."
BROKEN = "This program met a fault of Gradreel itself. It would help us to see it: please report the program."


LIKE_FORMULAS = ("prose", "nothing", "cut")
"""What pasted text is taken for that may be a formula: `sin x`, `3xy`, `(x+1`."""


HALTED = "The program was stopped at line {line}: it may use {limit}. What it did until then could not be saved."
UNSHOWN = (
    "The program came to line {line}, but what it did could not be made ready to be shown: it may use {limit} in all. "
    "A shorter program, or fewer turns of its loops, can be shown."
)
CRASHED = (
    "The process of this run was ended by {signal} at line {line}. That is a fault of Gradreel, not of the program; "
    "nothing else was harmed. What it did until then could not be saved."
)
HARD_LIMITS: dict[str, tuple[str, Callable[[Place], float]]] = {
    "seconds": ("{:g} seconds", lambda place: place.hard_seconds),
    "late": ("{:g} seconds", lambda place: place.hard_seconds),
    "memory": ("{:,} bytes of memory", lambda place: place.limits.memory),
}
"""What a process may use until it is ended."""


class Unusable(Exception):
    """A request that is no request; the text says why."""


def work(
    request: bytes, safety: Sequence[str] = (), watch: Watch | None = None, early: Callable[[bytes], None] | None = None
) -> bytes:
    """The reply to `request`. Never raises for anything in it.

    If the reply takes long to make, `early` gets shorter ones before, each of which would do.
    """
    started = time.perf_counter()
    watch = watch or Watch()
    sent: list[bytes] = []

    def on_the_way(answer: bytes) -> None:
        sent[:] = [answer]
        if early is not None:
            early(answer)

    try:
        question = read(request)
    except Unusable as error:
        return refusal(str(error))
    try:
        with watch.throughout(here().last_seconds):
            return reply_to(question, safety, watch, on_the_way, started)
    except Late:
        return sent[0] if sent else reply_to_halted(request, "late", watch.place[0], safety)


def reply_to(
    question: dict[str, Any], safety: Sequence[str], watch: Watch, early: Callable[[bytes], None], started: float
) -> bytes:
    """The reply to a checked request."""
    cpu = time.process_time()
    trace, typed, notes, offers = perform(question, watch)
    pasted = paste(question["source"]) if typed is None else None

    def ready(trace: Trace) -> Parts:
        mender = None if typed else mender_of(trace)
        return made_ready(trace, typed, question["want"], mender, partial(on_the_way, trace))

    def sealed_reply(trace: Trace, parts: Parts) -> bytes:
        ms = round((time.perf_counter() - started) * 1000, 1)
        used = round((time.process_time() - cpu) * 1000, 1)
        said = [*left_out(trace), *notes, *(remarks(trace, pasted) if pasted is not None else [])][:MOST_REMARKS]
        skipped: list[list[int | str]] = (
            [[each.first, each.last, each.reason] for each in pasted.skipped] if pasted is not None else []
        )
        return reply(asdict(trace.outcome), typed is not None, parts, (ms, used), safety, said, skipped, offers)

    def on_the_way(trace: Trace, parts: Parts) -> None:
        if sum(map(len, parts)) <= LARGEST_REPLY:
            early(sealed_reply(trace, parts))

    return sealed_reply(*in_time(trace, ready, started + here().ready_seconds, on_the_way))


def remarks(trace: Trace, pasted: Pasted) -> list[str]:
    """What was left out of pasted text, what is other here than where it was written, and how the outputs that were
    posted with it compare with those of this run.
    """
    compared = compare(pasted, trace)
    absent = [(note.line, note.text) for note in pasted.notes]
    other = [
        (event.line, event.message) for event in trace.events if type(event) is Warned and event.category == "Note"
    ]
    notes = [f"Line {line}: {text}" for line, text in [*absent, *other]]
    return [*notes, *(compared.sentences if compared is not None else ())]


def mender_of(trace: Trace, run: Callable[..., Trace] = run, place: Place | None = None) -> Mender | None:
    """What finds the mends that can be tried in the time that `place`, or this one, has for it; none for a long run."""
    place = place or here()
    if len(trace.events) > place.mendable:
        return None
    limits = replace(place.limits, events=trial_events(trace), seconds=place.mending_seconds / 2)

    def again(source: str) -> Trace:
        return run(source, mode=trace.mode, limits=limits)

    return lambda trace, found: find_fixes(trace, again, place.mending_seconds, found)


def made_ready(
    trace: Trace,
    typed: Typed | None,
    want: str,
    mender: Mender | None = None,
    early: Callable[[Parts], None] | None = None,
) -> Parts:
    """What is asked for; of a run with something to mend `early` gets it without mends first."""
    # Half of a surrogate pair is no UTF-8; a backslash and its number is what JSON writes for it.
    text = trace.to_json().encode(errors="backslashreplace") if want in ("trace", "both") else b""
    record = gzip.compress(text, mtime=0) if text else b""
    scene = b""
    if want in ("scene", "both"):
        scene = payload(trace, typed, mender, None if early is None else lambda scene: early((scene, record)))
    return scene, record


def reply_to_halted(request: bytes, cause: str, line: int, safety: Sequence[str] = ()) -> bytes:
    """The reply for a run that had to be ended from outside at `line`: it says so, and shows the program.

    `cause` is a budget of HARD_LIMITS, or "signal" and the number of the one that ended it.
    """
    try:
        question = read(request)
    except Unusable as error:
        return refusal(str(error))
    line = max(line, 1)
    if cause in HARD_LIMITS:
        words, limit_at = HARD_LIMITS[cause]
        limit = limit_at(here())
        budget = "seconds" if cause == "late" else cause
        sentence = (UNSHOWN if cause == "late" else HALTED).format(line=line, limit=words.format(limit))
    else:
        budget, limit = "crash", int(cause.split()[1])
        sentence = CRASHED.format(line=line, signal=signal_name(int(limit)))
    events = (Stopped(budget, int(limit), line),)
    trace = Trace(question["source"], "script", Outcome("stopped", budget, sentence, line), events)
    return reply(asdict(trace.outcome), False, made_ready(trace, None, question["want"]), (0, 0), safety)


def signal_name(number: int) -> str:
    """A signal as people know it."""
    known = {each.value: f" ({each.name})" for each in signal.Signals}
    return f"signal {number}{known.get(number, '')}"


def read(request: bytes) -> dict[str, Any]:
    """The request, checked.

    Raises:
        Unusable: it is not JSON of that shape.
    """
    try:
        question = json.loads(request)
    except (ValueError, RecursionError):
        raise Unusable("The request is not JSON.") from None
    if not isinstance(question, dict) or not isinstance(question.get("source"), str):
        raise Unusable("The request holds no program.")
    question = {"mode": None, "values": None, "limits": None, "want": "scene", "expression": True, **question}
    if question["mode"] not in (None, "script", "transcript") or question["want"] not in WANTS:
        raise Unusable("The request asks for something that is not offered.")
    return question


class Run(NamedTuple):
    """A run, and the expression if the text was one: how it was read, and what may have been meant."""

    trace: Trace
    typed: Typed | None
    notes: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()


def perform(question: dict[str, Any], watch: Watch) -> Run:
    """Run the text: as an expression, if it may be one, else as a program."""
    limits = limits_of(question["limits"])
    source: str = question["source"]
    may_be_expression = question["expression"] is True and question["mode"] is None and len(source) <= limits.source
    answer = paste(source).answer if may_be_expression else None
    may_be_expression = may_be_expression and (answer is None or answer.kind in LIKE_FORMULAS)
    expression = propose_expression(source) if may_be_expression else None
    if expression is None:
        trace = run(
            source, mode=question["mode"], limits=limits, place=watch.place, during=watch.during, hear=watch.hear
        )
        hint = hint_for(source) if may_be_expression else None
        return Run(trace, None, (hint.sentence,), hint.offers) if hint is not None else Run(trace, None)
    values = usable_values(expression, question["values"])
    trace = run(
        expression.program(values),
        mode="script",
        limits=limits,
        place=watch.place,
        during=watch.during,
        hear=watch.hear,
    )
    used = {leaf.name: values.get(leaf.name, leaf.value) for leaf in expression.leaves}
    leaves = tuple(Leaf(name, value) for name, value in used.items())
    return Run(trace, Typed(expression.text, leaves, expression.ones), expression.notes, expression.offers)


def limits_of(given: Any) -> Limits:
    """The budgets asked for; never more than those of this place."""
    usual = here().limits
    if not isinstance(given, dict):
        return usual
    names = {field.name for field in fields(Limits)}
    lower = {k: v for k, v in given.items() if k in names and is_number(v) and 0 < v <= getattr(usual, k)}
    return replace(usual, **lower)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def usable_values(expression: Expression, values: Any) -> dict[str, Any]:
    """Those of the given values that leaves of the expression can have: finite numbers, nested alike."""
    if not isinstance(values, dict):
        return {}
    return {leaf.name: values[leaf.name] for leaf in expression.leaves if shape_of(values.get(leaf.name)) is not None}


def shape_of(value: Any, depth: int = 0) -> tuple[int, ...] | None:
    """The shape of nested lists of finite numbers, None for anything else."""
    if is_number(value):
        return () if abs(value) < 1e38 else None
    if not isinstance(value, list) or not 0 < len(value) <= 64 or depth == MOST_DIMENSIONS:
        return None
    shapes = {shape_of(part, depth + 1) for part in value}
    inner = shapes.pop()
    return None if shapes or inner is None else (len(value), *inner)


def reply(
    outcome: dict[str, Any],
    expression: bool,
    parts: Parts,
    took: tuple[float, float],
    safety: Sequence[str],
    remarks: Sequence[str] = (),
    skipped: Sequence[Sequence[object]] = (),
    offers: Sequence[str] = (),
) -> bytes:
    (scene, trace), (ms, cpu) = parts, took
    if len(scene) + len(trace) > LARGEST_REPLY:
        return refusal(TOO_LARGE)
    head = {
        "ok": True,
        "outcome": outcome,
        "expression": expression,
        "message": None,
        "again": False,
        "remarks": list(remarks),
        "skipped": list(skipped),
        "offers": list(offers),
        "ms": ms,
        "cpu": cpu,
        "safety": list(safety),
    }
    return encode_head({**head, "scene": len(scene), "trace": len(trace)}) + scene + trace


def refusal(message: str, again: bool = False) -> bytes:
    """A reply that holds only a sentence; `again`: the same request may well be answered next time."""
    nothing: dict[str, Any] = {
        "outcome": None,
        "expression": False,
        "remarks": [],
        "skipped": [],
        "offers": [],
        "scene": 0,
        "trace": 0,
        "ms": 0,
        "cpu": 0,
        "safety": [],
    }
    return encode_head({"ok": False, "message": message, "again": again, **nothing})


def encode_head(head: dict[str, Any]) -> bytes:
    return json.dumps(head, ensure_ascii=True, allow_nan=False).encode() + b"\n"


def split_reply(answer: bytes) -> tuple[dict[str, Any], bytes, bytes]:
    """Head, scene and trace (unzipped by nobody yet) of a reply."""
    line, _, body = answer.partition(b"\n")
    head: dict[str, Any] = json.loads(line)
    return head, body[: head["scene"]], body[head["scene"] : head["scene"] + head["trace"]]
