"""The catalogue of operators, made from the table of the engine: what it knows is not typed again here.

Beside the table stand only the miniatures (miniatures.txt): for each operator a few lines that reach it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from autograd_core.dispatch.op import Op
from autograd_core.dispatch.registry import TABLE
from gradreel.explain.derivatives.lookup import kind_of_node, operator

from .formula_words import in_words
from .reading import HERE

NAMED = re.compile(r"^\[(?P<name>[\w.]+)\]$", re.MULTILINE)
SLOT = re.compile(r"\{(\w+)\}")
HEAD = "import torch\n"
FUNCTIONAL = "import torch.nn.functional as F\n"


@dataclass(frozen=True)
class Kept:
    """What a node keeps under a name, a tensor or a plain value; `when` names the inputs one of which must want a
    gradient for that, empty if it is kept in any case."""

    name: str
    tensor: bool
    when: tuple[str, ...]


@dataclass(frozen=True)
class Way:
    """The gradient of one input: the formula as it stands in the table, and in words."""

    input: str
    formula: str
    words: str


@dataclass(frozen=True)
class Entry:
    """An operator. `node` is torch's name for its backward node, None where it has no derivative."""

    name: str
    family: str
    node: str | None
    forward: str | None
    outputs: tuple[str, ...]
    view: bool
    ways: tuple[Way, ...]
    kept: tuple[Kept, ...]
    why: str
    source: str

    @property
    def again(self) -> str:
        """Whether it survives a second backward: "always" if it keeps no tensor, "never" if it keeps one whichever
        input wants a gradient, "depends" if only for some of them, "none" if it has no backward."""
        if self.node is None:
            return "none"
        tensors = [kept for kept in self.kept if kept.tensor]
        if not tensors:
            return "always"
        sure = all(any(not kept.when or way.input in kept.when for kept in tensors) for way in self.ways)
        return "never" if sure else "depends"


LONGEST = 90
"""Letters of a formula read aloud; one that takes more is understood sooner by looking at it."""
CALL = re.compile(r"(\w+)\(")


@cache
def operators() -> tuple[Entry, ...]:
    """All operators of the engine, in the order of the table."""
    programs = miniatures()
    return tuple(entry(op, programs[name]) for name, op in TABLE.items())


def entry(op: Op, source: str) -> Entry:
    node = op.node_class.__name__ if op.node_class else None
    known = operator(kind_of_node(re.sub(r"Backward\d+$", "", node), op.name)) if node else None
    said = {way.name: way.words for way in known.ways} if known else {}
    return Entry(
        op.name,
        op.forward.__module__.rpartition(".")[2].replace("_", " "),
        node,
        op.body,
        op.outputs,
        bool(op.view),
        tuple(Way(name, formula(op, name), words(op, name, said)) for name in op.inputs),
        tuple(kept_when(op, name, users) for name, users in op.kept().items()),
        known.why if known else "",
        source,
    )


def formula(op: Op, name: str) -> str:
    """The formula of an input; where all inputs share one, what it calls, and of that the part for this input."""
    if name in op.texts:
        return op.texts[name]
    called = op.formulas[name].__code__.co_names[0]
    return f"{called}({', '.join(op.needs[name])}).{name}"


def words(op: Op, name: str, said: dict[str, str]) -> str:
    """The formula in words: those of the explanations if they know it, else the formula read aloud."""
    if name in said and {slot for slot in SLOT.findall(said[name])} <= {"grad", *op.kept()}:
        return SLOT.sub(lambda slot: "what came" if slot[1] == "grad" else f"`{slot[1]}`", said[name])
    text = formula(op, name)
    if name in op.texts and len(read := in_words(text)) <= LONGEST:
        return read
    called = next(found for found in CALL.findall(text) if found in op.formulas[name].__code__.co_names)
    return f"computed as one piece: `{called}` takes what came and what the node saved"


def kept_when(op: Op, name: str, users: list[str]) -> Kept:
    """When the node keeps `name`: the conditions of `autograd_core.dispatch.codegen.make_node`, as data."""
    tensor = op.is_tensor(name)
    alone = len(users) == 1 and len(op.inputs) > 1 and name not in op.outputs
    sparing = bool(op.traits.get("sparing")) and name in op.tensors
    return Kept(name, tensor, tuple(users) if alone or sparing else ())


@cache
def miniatures() -> dict[str, str]:
    """A small program for each operator, by its name."""
    _, *parts = NAMED.split((HERE / "miniatures.txt").read_text(encoding="utf-8"))
    return {name: program(body.strip()) for name, body in zip(parts[::2], parts[1::2], strict=True)}


def program(lines: str) -> str:
    return HEAD + (FUNCTIONAL if re.search(r"\bF\.", lines) else "") + lines + "\n"
