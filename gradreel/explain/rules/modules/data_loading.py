"""Data sets and loaders: sizes that differ, parts that do not add up, methods that a set needs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, Failure
from ...diagnostics.message_rules import MessageRule, match_rules
from ...diagnostics.refusals import declare_refusal
from ...diagnostics.registry import rule
from ...fixes.edits import in_brackets, set_keyword, without_keyword
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Text, targets
from ...replay.world import World

TABLE: tuple[MessageRule, ...] = (
    MessageRule(
        re.compile(r"^Size mismatch between tensors$"),
        cause="set_sizes",
        title="Not one answer for each example",
        story=(
            "{code} {line}{turn} makes a set of tensors that are not equally long.",
            "Example number i is made of row i of each of them, so all need the same first size.",
        ),
        kind="shape",
    ),
    MessageRule(
        re.compile(r"^Sum of input lengths does not equal the length of the input dataset!$"),
        cause="split_sizes",
        title="Parts that do not add up to the whole",
        story=(
            "{code} {line}{turn} splits a set into parts whose lengths are not, together, its own.",
            "Every example has to go somewhere: whole numbers must add up to `len()` of the set, shares to 1. `int()` "
            "rounds down, so of two rounded parts one example may be left over.",
            "The last part can be what is left: the length without the other parts.",
        ),
        kind="shape",
    ),
    MessageRule(
        re.compile(r"^object of type '(?P<got>\w+)' has no len\(\)$"),
        cause="no_length",
        title="A set that does not say how long it is",
        story=(
            "{code} {line}{turn} needs to know how long a `{got}` is.",
            "`__len__` tells it: a loader asks it for the number of examples, in order to shuffle or to count them.",
        ),
    ),
    MessageRule(
        re.compile(r"^Subclasses of Dataset should implement __getitem__"),
        cause="no_item",
        title="A set that hands out no examples",
        story=(
            "{code} {line}{turn} asks a data set for an example, and its class has no `__getitem__`.",
            "`__getitem__(self, i)` gives example number i; the loader puts a batch together of what it gives.",
        ),
    ),
    MessageRule(
        re.compile(r"^default_collate: .*NoneType|^expected Tensor as element \d+ in argument 0, but got NoneType"),
        cause="no_example",
        title="An example that is None",
        story=(
            "{code} {line}{turn} puts a batch together, and one of its examples is None.",
            "An example is what `__getitem__` of the set returns; where it ends without a `return`, that is None.",
        ),
        on_line=re.compile(r"^for |\bnext\("),
    ),
)


@rule
def data_refused(world: World, failure: Failure) -> Diagnosis | None:
    """One of TABLE; an example that is None was made by the `__getitem__` of the program."""
    found = match_rules(TABLE, world, failure)
    if found is None or found.cause != "no_example":
        return found
    parts = [node for node in world.source.nodes if isinstance(node, ast.FunctionDef)]
    method = next((node for node in parts if node.name == "__getitem__"), None)
    return None if method is None else replace(found, lines={**found.lines, "built": method.lineno})


declare_refusal(
    "sampler option is mutually exclusive with shuffle",
    cause="shuffled_twice",
    title="A sampler already says the order",
    story=(
        "{code} {line} gives a sampler and asks to shuffle besides.",
        "A sampler says in which order the examples come; `shuffle=True` would make a sampler of its own.",
    ),
)
declare_refusal(
    "expected unspecified shuffle option",
    cause="shuffled_twice",
    title="What only goes forward cannot be shuffled",
    story=(
        "{code} {line} asks to shuffle an `IterableDataset`.",
        "Such a set hands out its examples one after another and has no places to choose from: it shuffles by "
        "itself, or not at all.",
    ),
)


# ---- fixes


@fix(set_sizes=1)
def cut_to_equal_length(wanted: FixContext) -> Iterator[Proposal]:
    """The longer tensor is cut to the length of the shorter one."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "TensorDataset"):
        for one in call.args:
            for other in call.args:
                if one is not other:
                    made = f"{in_brackets(text, one)}[:len({text.get(other)})]"
                    title = f"{made} on line {one.lineno}: the rows that both have"
                    yield wanted.proposal(title, "rows without an answer are left out", text.replaced(one, made))


@fix(split_sizes=1)
def split_whole(wanted: FixContext) -> Iterator[Proposal]:
    """One part is what the others leave: of the length, or of 1."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "random_split"):
        parts = call.args[1] if len(call.args) > 1 else None
        if not isinstance(parts, ast.List | ast.Tuple) or len(parts.elts) < 2:
            continue
        shares = [part.value for part in parts.elts if isinstance(part, ast.Constant) and isinstance(part.value, float)]
        whole = f"len({text.get(call.args[0])})"
        for at in (len(parts.elts) - 1, 0):
            part, others = parts.elts[at], [text.get(other) for other in parts.elts if other is not parts.elts[at]]
            made = " - ".join([whole, *(other if other.isidentifier() else f"({other})" for other in others)])
            if all(other.isidentifier() or other.isdigit() for other in others):
                made = " - ".join([whole, *others])
            if len(shares) == len(parts.elts):
                left = 1 - sum(share for share in shares) + shares[at]
                made = f"{left:.6g}"
                if left < 1e-6:
                    continue
            title = f"{made} for {text.get(part)} on line {part.lineno}: what the others leave"
            yield wanted.proposal(title, "a part of another size", text.replaced(part, made))


@fix(no_example=1)
def return_example(wanted: FixContext) -> Iterator[Proposal]:
    """`__getitem__` returns what it bound and did not use: `return x, y`."""
    text, method = wanted.text, wanted.at("built")
    if not isinstance(method, ast.FunctionDef) or any(isinstance(part, ast.Return) for part in ast.walk(method)):
        return
    last = method.body[-1]
    bound = [name for part in method.body for name in sorted(targets(part))]
    read = {part.id for part in text.parts(method, ast.Name) if isinstance(part.ctx, ast.Load)}
    names = [name for name in dict.fromkeys(bound) if name not in read]
    if names:
        made = f"return {', '.join(names)}"
        yield wanted.proposal(f"{made} behind line {last.lineno}", FREE, text.after(last, [made]))
    elif isinstance(last, ast.Expr):
        title = f"return what line {last.lineno} computes"
        yield wanted.proposal(title, FREE, text.replaced(last, f"return {text.get(last.value)}"))


@fix(no_example=2)
def skip_missing(wanted: FixContext) -> Iterator[Proposal]:
    """A batch is made of the examples that there are."""
    text = wanted.text
    for call in [node for node in text.parts(text.tree, ast.Call) if callee(node) == "DataLoader"]:
        made = "lambda batch: torch.utils.data.default_collate([one for one in batch if one is not None])"
        title = f"leave out the examples that are None: collate_fn on line {call.lineno}"
        yield wanted.proposal(title, "smaller batches", set_keyword(text, call, "collate_fn", made))


def item_source(text: Text, home: ast.ClassDef) -> str | None:
    """What a set keeps its items in: what its `__getitem__` takes them from, else what its `__init__` sets first."""
    methods = {node.name: node for node in home.body if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(methods["__getitem__"]) if "__getitem__" in methods else ():
        if isinstance(node, ast.Subscript) and text.get(node.value).startswith("self."):
            return text.get(node.value)
    for node in ast.walk(methods["__init__"]) if "__init__" in methods else ():
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            return text.get(node)
    return None


@fix(no_length=1, no_item=1)
def add_method(wanted: FixContext) -> Iterator[Proposal]:
    """The set gets the method that it lacks, which asks what keeps its items."""
    text, got = wanted.text, wanted.name("got")
    for home in ast.walk(text.tree):
        if not isinstance(home, ast.ClassDef) or (got and home.name != got):
            continue
        names = {node.name for node in home.body if isinstance(node, ast.FunctionDef)}
        source = item_source(text, home)
        if source is None or not names & {"__len__", "__getitem__"}:
            continue
        lines = ["def __len__(self):", f"    return len({source})"]
        if "__getitem__" not in names:
            lines = ["def __getitem__(self, i):", f"    return {source}[i]"]
        title = f"{lines[0][4:-1]} in {home.name}: {lines[1].strip()}"
        yield wanted.proposal(title, FREE, text.after(home.body[-1], lines))


@fix(shuffled_twice=1)
def drop_shuffle(wanted: FixContext) -> Iterator[Proposal]:
    """The order is left to the sampler, or to the set."""
    text = wanted.text
    for call in text.calls(wanted.at("raised")):
        edit = without_keyword(text, call, "shuffle")
        if edit is not None:
            yield wanted.proposal(f"without shuffle on line {call.lineno}", FREE, edit)
