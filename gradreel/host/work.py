"""The work itself: a request in, a reply out. Pure; it runs in a process of its own.

A request is JSON: {source, mode, values, limits, want, expression}. `want` is "scene", "trace" or "both"; with
`expression` (so unless told otherwise) a line like `sin(x*y) + x**2` is made a program, its leaves having the `values`
given. A reply is one line of JSON {ok, outcome, expression, message, scene, trace, ms}, then the scene and the trace as
gzipped JSON, whose lengths the line tells.
"""

from __future__ import annotations

import gzip
import json
import time
from dataclasses import asdict, fields, replace
from typing import Any

from gradreel.program import Expression, Limits, propose_expression, run
from gradreel.scene import Expression as Typed
from gradreel.scene import Leaf, build, encode
from gradreel.trace import Trace

WANTS = ("scene", "trace", "both")
LARGEST_REPLY = 16_000_000
"""Bytes that a reply may have; a larger one is replaced by a sentence."""

TOO_LARGE = "The recording of this run is too large to be sent. Fewer iterations or smaller tensors make it smaller."
BROKEN = "This program met a fault of Gradreel itself. It would help us to see it: please report the program."


class Unusable(Exception):
    """A request that is no request; the text says why."""


def work(request: bytes) -> bytes:
    """The reply to `request`. Never raises for anything in it."""
    started = time.perf_counter()
    try:
        question = read(request)
        trace, typed = performed(question)
        want = question["want"]
        scene = encode(build(trace, typed)) if want in ("scene", "both") else b""
        record = gzip.compress(trace.to_json().encode(), mtime=0) if want in ("trace", "both") else b""
    except Unusable as error:
        return refusal(str(error))
    ms = round((time.perf_counter() - started) * 1000, 1)
    return reply(asdict(trace.outcome), typed is not None, scene, record, ms)


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


def reply(outcome: dict[str, Any] | None, expression: bool, scene: bytes, trace: bytes, ms: float) -> bytes:
    if len(scene) + len(trace) > LARGEST_REPLY:
        return refusal(TOO_LARGE)
    head = {"ok": True, "outcome": outcome, "expression": expression, "message": None, "ms": ms}
    return sealed({**head, "scene": len(scene), "trace": len(trace)}) + scene + trace


def refusal(message: str) -> bytes:
    """A reply that holds only a sentence."""
    nothing = {"outcome": None, "expression": False, "scene": 0, "trace": 0, "ms": 0}
    return sealed({"ok": False, "message": message, **nothing})


def sealed(head: dict[str, Any]) -> bytes:
    return json.dumps(head, ensure_ascii=True, allow_nan=False).encode() + b"\n"


def opened(answer: bytes) -> tuple[dict[str, Any], bytes, bytes]:
    """Head, scene and trace (unzipped by nobody yet) of a reply."""
    line, _, body = answer.partition(b"\n")
    head: dict[str, Any] = json.loads(line)
    return head, body[: head["scene"]], body[head["scene"] : head["scene"] + head["trace"]]
