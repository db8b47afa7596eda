"""Questions of a page, answered with letters: a program is run, or a file is made of it.

What a question holds came from a browser, so nothing in it is trusted beyond its shape.
"""

import gzip
import json
from collections.abc import Callable, Mapping
from typing import Any

from gradreel.player.export import export_html
from gradreel.player.letter import seal

from .work import opened

Run = Callable[[bytes], bytes]

LONGEST_SOURCE = 100_000
FILES = {
    "html": ("gradreel.html", "text/html"),
    "trace": ("gradreel-trace.json", "application/json"),
}
TOO_LONG = f"A program may have at most {LONGEST_SOURCE:,} characters."
EMPTY = "There is no program yet: type one, or take an example."
NOT_UNDERSTOOD = "The page asked for something that is not offered. Load it again."


def answer(question: Mapping[str, Any], head: Mapping[str, Any], run: Run) -> bytes:
    """The letter for a question `{kind, request, source, values, file, step}`; `head` goes into it as it is.

    `step` is where an exported page opens.
    """
    request = question.get("request")
    head = {**head, "request": request if isinstance(request, int) else None}
    source, values, file = question.get("source"), question.get("values"), question.get("file")
    step = question.get("step")
    if not isinstance(source, str) or not (values is None or isinstance(values, dict)):
        return seal({**head, "message": NOT_UNDERSTOOD})
    if len(source) > LONGEST_SOURCE:
        return seal({**head, "message": TOO_LONG})
    if not source.strip():
        return seal({**head, "message": EMPTY})
    wanted = "both" if file == "trace" else "scene"
    reply, scene, trace = opened(run(json.dumps({"source": source, "values": values, "want": wanted}).encode()))
    head |= {"message": reply.get("message"), "source": source, "values": values}
    if file not in FILES or not scene:
        return seal(head, scene)
    name, kind = FILES[file]
    made = (
        gzip.compress(export_html(scene, step if isinstance(step, int) else None).encode(), mtime=0)
        if file == "html"
        else trace
    )
    return seal({**head, "file": {"name": name, "type": kind}}, scene, made)
