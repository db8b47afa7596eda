"""Transcripts: statements as one types them at a prompt, with what PyTorch showed after each.

    ## title of a block
    >>> a = torch.ones(2, requires_grad=True)
    >>> a + 1
    tensor([2., 2.], grad_fn=<AddBackward0>)

A block is played in names of its own. What a statement shows is what it prints, the repr of an expression, `[warning]`
lines, and an exception as `!!! Type: text`; in it, what cannot be the same twice (addresses, places in sources) is
dropped.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import io
import linecache
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .naming import under_the_name_of_torch


@dataclass
class Statement:
    code: str
    shown: str


@dataclass
class Block:
    title: str
    statements: list[Statement] = field(default_factory=list)


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a file of transcripts."""
    block = Block("")
    for line in text.splitlines():
        if line.startswith("## "):
            if block.statements:
                yield block
            block = Block(line[3:])
        elif line.startswith(">>> "):
            block.statements.append(Statement(line[4:], ""))
        elif line.startswith("... ") and block.statements:
            block.statements[-1].code += "\n" + line[4:]
        elif block.statements:
            block.statements[-1].shown += line + "\n"
    if block.statements:
        yield block


def written(block: Block, shown: list[str]) -> str:
    """`block` as text, with what its statements show now."""
    lines = [f"## {block.title}"]
    for statement, output in zip(block.statements, shown, strict=True):
        first, *rest = statement.code.split("\n")
        lines += [f">>> {first}", *(f"... {line}" for line in rest)]
        if output:
            lines.append(output)
    return "\n".join(lines) + "\n"


def play(block: Block, torch: Any) -> list[str]:
    """What each statement of `block` shows with `torch` in the place of PyTorch."""
    nn = torch.nn
    names: dict[str, Any] = {"torch": torch, "nn": nn, "F": nn.functional, "__name__": "transcript"}
    with under_the_name_of_torch(torch), collected_apart():
        return [normal(shown_by(statement.code, names, block.title)) for statement in block.statements]


@contextlib.contextmanager
def collected_apart() -> Iterator[None]:
    """Cycles that a block leaves go before or after it, and what they then say is not of any statement.

    What stays then stays for good: the next block need not look at it.
    """
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        with contextlib.redirect_stdout(io.StringIO()):
            gc.collect()


def shown_by(code: str, names: dict[str, Any], title: str) -> str:
    out = io.StringIO()

    def warned(message: Any, category: type[Warning], *_: Any) -> None:
        out.write(f"[warning] {category.__name__}: {message}\n")

    file = f"<{title}>"
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)
    before, hook = warnings.showwarning, sys.displayhook
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = warned
        sys.displayhook = lambda value: None if value is None else print(repr(value))
        try:
            for piece in ast.parse(code).body:
                exec(compile(ast.Interactive([piece]), file, "single"), names)  # the statements are our own
        except Exception as error:
            out.write(f"!!! {type(error).__name__}: {error}\n")
        finally:
            warnings.showwarning, sys.displayhook = before, hook
    return out.getvalue()


def normal(text: str) -> str:
    """`text` without what is never the same twice."""
    text = re.sub(r"0x[0-9a-f]{5,}", "0x...", text)
    text = re.sub(r" \(Triggered internally at .*?\)", "", text)
    text = re.sub(r'(?m)^ +File ".*\n(?: {4}.*\n)*', "", text)
    return "\n".join(line.rstrip() for line in text.rstrip("\n").split("\n"))
