"""The work itself: a request in, a reply out. Pure; it runs in a process of its own.

A request is JSON: {source, mode, values, limits, want, expression}. `want` is "scene", "trace" or "both"; with
`expression` (so unless told otherwise) a line like `sin(x*y) + x**2` is made a program, its leaves having the `values`
given. A reply is one line of JSON {ok, outcome, expression, message, scene, trace, ms, safety}, then the scene and the
trace as gzipped JSON, whose lengths the line tells; `safety` names the layers that held the run.
"""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from gradreel.program import Expression, Limits, propose_expression, run
from gradreel.scene import Expression as Typed
from gradreel.scene import Leaf, build, encode
from gradreel.trace import Outcome, Trace
from gradreel.trace.events import LineReached

WANTS = ("scene", "trace", "both")
LARGEST_REPLY = 16_000_000
"""Bytes that a reply may have; a larger one is replaced by a sentence."""

TOO_LARGE = "The recording of this run is too large to be sent. Fewer iterations or smaller tensors make it smaller."
BROKEN = "This program met a fault of Gradreel itself. It would help us to see it: please report the program."


READY_SECONDS = 7.2
"""When a reply should be ready, counted from its request: before the process is killed."""

SAMPLE = 10_000
"""Events of a long trace that are made ready first, to see how long that takes on this machine just now."""

CUT = "This program recorded {all:,} events, more than can be made ready in time. The first {kept:,} are shown."

Parts = tuple[bytes, bytes]
"""Scene and trace, gzipped; empty where not asked for."""


class Unusable(Exception):
    """A request that is no request; the text says why."""


def work(request: bytes, safety: Sequence[str] = ()) -> bytes:
    """The reply to `request`. Never raises for anything in it."""
    started = time.perf_counter()
    try:
        question = read(request)
    except Unusable as error:
        return refusal(str(error))
    trace, typed = performed(question)
    want = question["want"]

    def ready(trace: Trace) -> Parts:
        scene = encode(build(trace, typed)) if want in ("scene", "both") else b""
        # Half of a surrogate pair is no UTF-8; a backslash and its number is what JSON writes for it.
        text = trace.to_json().encode(errors="backslashreplace") if want in ("trace", "both") else b""
        return scene, gzip.compress(text, mtime=0) if text else b""

    trace, parts = in_time(trace, ready, started + READY_SECONDS)
    ms = round((time.perf_counter() - started) * 1000, 1)
    return reply(asdict(trace.outcome), typed is not None, parts, ms, safety)


def in_time(trace: Trace, ready: Callable[[Trace], Parts], deadline: float) -> tuple[Trace, Parts]:
    """The trace, or as much of its beginning as can be made ready until `deadline`, and that made ready."""
    if len(trace.events) <= 2 * SAMPLE:
        return trace, ready(trace)
    start = time.perf_counter()
    first = beginning(trace, SAMPLE)
    parts = ready(first)
    now = time.perf_counter()
    affordable = int(SAMPLE * (deadline - now) / (now - start) * 0.7)
    if affordable <= SAMPLE:
        return first, parts
    shown = beginning(trace, affordable)
    return shown, ready(shown)


def beginning(trace: Trace, most: int) -> Trace:
    """The trace up to `most` events; one that was not stopped before is so then."""
    if len(trace.events) <= most:
        return trace
    outcome = trace.outcome
    if outcome.kind != "stopped":
        message = CUT.format(all=len(trace.events), kept=most)
        line = next((event.line for event in reversed(trace.events[:most]) if isinstance(event, LineReached)), None)
        outcome = Outcome("stopped", "events", message, line)
    return replace(trace, events=trace.events[:most], outcome=outcome)


def read(request: bytes) -> dict[str, Any]:
    """The request, checked.

    Raises:
        Unusable: it is not JSON of that shape.
    """
    try:
        question = json.loads(request)
    except ValueError:
        raise Unusable("The request is not JSON.") from None
    if not isinstance(question, dict) or not isinstance(question.get("source"), str):
        raise Unusable("The request holds no program.")
    question = {"mode": None, "values": None, "limits": None, "want": "scene", "expression": True, **question}
    if question["mode"] not in (None, "script", "transcript") or question["want"] not in WANTS:
        raise Unusable("The request asks for something that is not offered.")
    return question


def performed(question: dict[str, Any]) -> tuple[Trace, Typed | None]:
    """The run, and the expression if the text was one."""
    limits = limits_of(question["limits"])
    source: str = question["source"]
    may_be_expression = question["expression"] is True and question["mode"] is None and len(source) <= limits.source
    expression = propose_expression(source) if may_be_expression else None
    if expression is None:
        return run(source, mode=question["mode"], limits=limits), None
    values = usable_values(expression, question["values"])
    trace = run(expression.program(values), mode="script", limits=limits)
    used = {leaf.name: values.get(leaf.name, leaf.value) for leaf in expression.leaves}
    leaves = tuple(Leaf(name, value, is_number(value)) for name, value in used.items())
    return trace, Typed(expression.text, leaves, expression.ones)


def limits_of(given: Any) -> Limits:
    """The budgets asked for; never more than the usual ones."""
    usual = Limits()
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


def shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape of nested lists of finite numbers, None for anything else."""
    if is_number(value):
        return () if abs(value) < 1e38 else None
    if not isinstance(value, list) or not 0 < len(value) <= 64:
        return None
    shapes = {shape_of(part) for part in value}
    inner = shapes.pop()
    return None if shapes or inner is None or len(inner) > 2 else (len(value), *inner)


def reply(outcome: dict[str, Any], expression: bool, parts: Parts, ms: float, safety: Sequence[str]) -> bytes:
    scene, trace = parts
    if len(scene) + len(trace) > LARGEST_REPLY:
        return refusal(TOO_LARGE)
    head = {"ok": True, "outcome": outcome, "expression": expression, "message": None, "ms": ms, "safety": list(safety)}
    return sealed({**head, "scene": len(scene), "trace": len(trace)}) + scene + trace


def refusal(message: str) -> bytes:
    """A reply that holds only a sentence."""
    nothing: dict[str, Any] = {"outcome": None, "expression": False, "scene": 0, "trace": 0, "ms": 0, "safety": []}
    return sealed({"ok": False, "message": message, **nothing})


def sealed(head: dict[str, Any]) -> bytes:
    return json.dumps(head, ensure_ascii=True, allow_nan=False).encode() + b"\n"


def opened(answer: bytes) -> tuple[dict[str, Any], bytes, bytes]:
    """Head, scene and trace (unzipped by nobody yet) of a reply."""
    line, _, body = answer.partition(b"\n")
    head: dict[str, Any] = json.loads(line)
    return head, body[: head["scene"]], body[head["scene"] : head["scene"] + head["trace"]]
