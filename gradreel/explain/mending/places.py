"""Mends for places that are not there: past the end, without a class or a row, told by numbers that are not whole."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee, keyword
from ..fixes.edits import followed, grouped, loads
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import names_in
from .sizes import counted, resized


@fix(past_the_end=1)
def past_the_end(wanted: Wanted) -> Iterator[Proposal]:
    """A loop stops at the last place there is."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    if raised is None:
        return
    used = names_in(raised)
    for loop in text.around(raised):
        if not isinstance(loop, ast.For) or not names_in(loop.target) & used or not isinstance(loop.iter, ast.Call):
            continue
        if callee(loop.iter) == "range" and loop.iter.args and name is not None:
            stop = loop.iter.args[0 if len(loop.iter.args) == 1 else 1]
            made = f"{name}.shape[{wanted.name('dim') or 0}]"
            title = f"let the loop on line {loop.lineno} stop at {made}"
            yield wanted.proposal(title, "fewer turns", text.replaced(stop, made))
    index = wanted.name("index")
    for node in ast.walk(raised):
        if isinstance(node, ast.Constant) and str(node.value) == index and type(node.value) is int:
            title = f"the last place, -1, instead of {index} on line {node.lineno}"
            yield wanted.proposal(title, "another entry", text.replaced(node, "-1"))


@fix(too_few=1)
def at_most(wanted: Wanted) -> Iterator[Proposal]:
    """`topk(5)` of three entries takes as many as there are."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "topk"):
        method = isinstance(call.func, ast.Attribute) and text.get(call.func.value) != "torch"
        parts = [call.func.value, *call.args] if method and isinstance(call.func, ast.Attribute) else call.args
        named, along = keyword(call, "k"), keyword(call, "dim")
        count = named.value if named is not None else parts[1] if len(parts) > 1 else None
        if count is None or not parts:
            continue
        dim = text.get(along.value) if along is not None else text.get(parts[2]) if len(parts) > 2 else "-1"
        made = f"min({text.get(count)}, {grouped(text, parts[0])}.size({dim}))"
        title = f"{made} on line {call.lineno}: as many as there are, at most"
        yield wanted.proposal(title, "fewer entries", text.replaced(count, made))


@fix(class_missing=1)
def class_missing(wanted: Wanted) -> Iterator[Proposal]:
    """The last layer gets one output per class."""
    index, size = wanted.name("index"), wanted.name("size")
    if index is not None and size is not None and int(index) >= 0:
        yield from resized(wanted, ("Linear",), 1, "out_features", int(size), int(index) + 1)
    yield from counted_from_0(wanted)


def counted_from_0(wanted: Wanted) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised, "cross_entropy", "nll_loss"):
        if len(call.args) > 1:
            title = f"count the classes from 0: {text.get(call.args[1])} - 1 on line {call.lineno}"
            made = text.replaced(call.args[1], f"{grouped(text, call.args[1])} - 1")
            yield wanted.proposal(title, "other classes are meant", made)


@fix(classes_beyond=1)
def enough_classes(wanted: Wanted) -> Iterator[Proposal]:
    """As many columns as the largest class plus 1."""
    text, most = wanted.text, wanted.name("most")
    for call in text.calls(wanted.at("raised"), "one_hot"):
        given = keyword(call, "num_classes")
        place = given.value if given is not None else call.args[1] if len(call.args) > 1 else None
        if place is not None and most is not None:
            made = str(int(most) + 1)
            title = f"{made} classes on line {call.lineno}"
            yield wanted.proposal(title, "more columns", text.replaced(place, made))


@fix(row_missing=1)
def row_missing(wanted: Wanted) -> Iterator[Proposal]:
    """The table gets one row for each number."""
    size, most = wanted.name("size"), wanted.name("most")
    if size is not None and most is not None:
        layers, more = ("Embedding", "EmbeddingBag"), int(most) + 1 - int(size)
        yield from resized(wanted, layers, 0, "num_embeddings", int(size), int(most) + 1)
        for node in ast.walk(wanted.text.tree):
            if isinstance(node, ast.Call) and callee(node) in layers and node.args and counted(node.args[0]) is None:
                shown = f"{wanted.text.get(node.args[0])} + {more}"
                title = f"{callee(node)} with {shown} rows on line {node.lineno}"
                yield wanted.proposal(title, "more weights", wanted.text.replaced(node.args[0], shown))


@fix(dimension_missing=1)
def dimension_missing(wanted: Wanted) -> Iterator[Proposal]:
    """The last dimension, however many there are."""
    text, raised, dim = wanted.text, wanted.at("raised"), wanted.name("dim")
    for call in text.calls(raised):
        parts = [*(word.value for word in call.keywords if word.arg in ("dim", "axis")), *call.args]
        for part in parts:
            if ast.unparse(part) == dim:
                title = f"-1, the last dimension, instead of {dim} on line {part.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(part, "-1"))


@fix(index_type=1)
def index_type(wanted: Wanted) -> Iterator[Proposal]:
    yield from index_changed(wanted, ".long()", "whole numbers; what stood behind the point is dropped")


@fix(index_shape=1)
def index_shape(wanted: Wanted) -> Iterator[Proposal]:
    yield from index_changed(wanted, ".unsqueeze(1)", "a column of results")
    yield from index_changed(wanted, ".unsqueeze(0)", "a row of results")


def index_changed(wanted: Wanted, suffix: str, cost: str) -> Iterator[Proposal]:
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    for use in loads(raised, name)[:1] if name and raised is not None else []:
        yield wanted.proposal(f"{name}{suffix} on line {use.lineno}", cost, followed(text, use, suffix))
