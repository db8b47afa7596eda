"""Mends for windows of a convolution or a pool that are larger than the image that comes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..calls import callee, keyword
from ..fixes.edits import set_keyword
from ..fixes.proposal import Proposal, Wanted
from ..fixes.registry import fix_kind
from .sizes import counted

CONVOLVED = re.compile(r"input size per channel: \((?P<sizes>[\d x]+)\)\. Kernel size: \(")
POOLED = re.compile(r"Given input size: \(\d+x(?P<sizes>[\dx]+)\)\. Calculated output size:")
LAYERS = re.compile(r"(?P<of>[Cc]onv|[Mm]ax_?[Pp]ool|[Aa]vg_?[Pp]ool|[Ll][Pp]_?[Pp]ool)[123]d")


@fix_kind(shape=11)
def smaller(wanted: Wanted) -> Iterator[Proposal]:
    """The window becomes as large as the image; a pool may also hang over the edge."""
    text, message = wanted.text, wanted.found.message
    found = CONVOLVED.search(message) or POOLED.search(message)
    if found is None:
        return
    most = min(int(part) for part in re.findall(r"\d+", found["sizes"]))
    convolved = found.re is CONVOLVED
    calls = sorted(text.parts(text.tree, ast.Call), key=lambda call: (call.lineno, call.col_offset), reverse=True)
    for call in calls:  # behind the others the image is smallest
        kind = LAYERS.fullmatch(callee(call))
        if kind is None or (kind["of"].lower() == "conv") != convolved:
            continue
        at = 2 if convolved else 1 if callee(call).islower() else 0
        named = keyword(call, "kernel_size")
        given = named.value if named is not None else call.args[at] if len(call.args) > at else None
        size = counted(given) if given is not None else None
        if given is not None and size is not None and size > most > 0:
            title = f"a window of {most} on line {call.lineno}, as large as what it slides over"
            yield wanted.proposal(title, "a smaller window", text.replaced(given, str(most)))
        if not convolved and keyword(call, "ceil_mode") is None:
            title = f"a window that may reach over the edge: ceil_mode=True on line {call.lineno}"
            yield wanted.proposal(title, "a larger result", set_keyword(text, call, "ceil_mode", "True"))
