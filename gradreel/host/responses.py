"""Questions of a page and their responses: a program is run, or a file is made of it.

What a question holds came from a browser, so nothing in it is trusted beyond its shape.
"""

import gzip
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from gradreel.player.export import export_html
from gradreel.player.response import encode_response

from .settings import Settings, place_for, settings
from .work import split_reply

Run = Callable[[bytes], bytes]

LONGEST_SOURCE = 100_000
GRACE_SECONDS = 3.0
"""So much longer than its run and the wait for it an answer may be on its way."""
FARTHEST = 2**53
"""No run has so many steps, and nothing is asked so often; JavaScript has no larger whole numbers."""
FILES = {
    "html": ("gradreel.html", "text/html"),
    "trace": ("gradreel-trace.json", "application/json"),
}
SITE = re.compile(r"https?://[\w.:\[\]/~%-]{1,200}")
"""The address of a Lab, without a query."""
TOO_LONG = f"A program may have at most {LONGEST_SOURCE:,} characters."
EMPTY = "There is no program yet: type one, or take an example."
NOT_UNDERSTOOD = "The page asked for something that is not offered. Load it again."


def answer(question: Mapping[str, Any], head: Mapping[str, Any], run: Run, page: bytes = b"") -> bytes:
    """The response to a question `{kind, request, source, values, file, step, beside}`.

    `head` and `page` go into it as they are. `step` is where an exported page opens; `beside` is a second program,
    whose scene is to stand beside that of the first.
    """
    request = question.get("request")
    asked = request if isinstance(request, int) and abs(request) < FARTHEST else None
    head = {**head, "request": asked, "patience": patience(settings())}
    source, values, file = question.get("source"), question.get("values"), question.get("file")
    beside = question.get("beside")
    if source is None and page:
        return encode_response(head, page=page)
    if complaint := trouble(source, values) or (beside is not None and trouble(beside, None)):
        return encode_response({**head, "message": complaint}, page=page)
    wanted = "both" if file == "trace" else "scene"
    reply, scene, trace = split_reply(run(json.dumps({"source": source, "values": values, "want": wanted}).encode()))
    head |= {name: reply.get(name) for name in ("message", "again", "remarks", "skipped", "offers")}
    head |= {"source": source, "values": values}
    if beside is not None:
        other, second, _ = split_reply(
            run(json.dumps({"source": beside, "want": "scene", "expression": False}).encode())
        )
        head |= {"message": head["message"] or other.get("message"), "again": head["again"] or other.get("again")}
        return encode_response(head, scene, beside=second, page=page)
    if not isinstance(file, str) or file not in FILES or not scene:
        return encode_response(head, scene, page=page)
    name, kind = FILES[file]
    made = trace if file == "trace" else export_page(scene, question.get("step"), question.get("site"))
    return encode_response({**head, "file": {"name": name, "type": kind}}, scene, made, page=page)


def patience(settings: Settings) -> int:
    """The milliseconds after which no answer to a question is to be hoped for."""
    return round(1000 * (place_for(settings).hard_seconds + settings.waiting_seconds + GRACE_SECONDS))


def export_page(scene: bytes, step: Any, site: Any = None) -> bytes:
    """The offline page, gzipped; it opens at `step` and links to `site`, where they are such."""
    at = step if isinstance(step, int) and 0 <= step < FARTHEST else None
    home = site if isinstance(site, str) and SITE.fullmatch(site) else None
    return gzip.compress(export_html(scene, at, home).encode(), mtime=0)


def trouble(source: Any, values: Any) -> str | None:
    """What is wrong with a question, as a sentence."""
    if not isinstance(source, str) or not (values is None or isinstance(values, dict)):
        return NOT_UNDERSTOOD
    try:
        size = len(json.dumps(values, allow_nan=False))
    except (ValueError, TypeError, RecursionError):  # what no page of ours sends
        return NOT_UNDERSTOOD
    if len(source) > LONGEST_SOURCE or size > LONGEST_SOURCE:
        return TOO_LONG
    return None if source.strip() else EMPTY
