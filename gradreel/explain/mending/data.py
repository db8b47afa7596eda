"""Mends for data sets and loaders: equal lengths, parts that add up, the methods of a set, batches of unequal items."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee, keyword
from ..fixes.edits import grouped, set_keyword, with_argument
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix, fix_kind
from ..fixes.text import Text, targets


@fix(set_sizes=1)
def equally_long(wanted: Wanted) -> Iterator[Proposal]:
    """The longer tensor is cut to the length of the shorter one."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "TensorDataset"):
        for one in call.args:
            for other in call.args:
                if one is not other:
                    made = f"{grouped(text, one)}[:len({text.get(other)})]"
                    title = f"{made} on line {one.lineno}: the rows that both have"
                    yield wanted.proposal(title, "rows without an answer are left out", text.replaced(one, made))


@fix(split_sizes=1)
def added_to_whole(wanted: Wanted) -> Iterator[Proposal]:
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
def example_returned(wanted: Wanted) -> Iterator[Proposal]:
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
def those_there(wanted: Wanted) -> Iterator[Proposal]:
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
def method_added(wanted: Wanted) -> Iterator[Proposal]:
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


PAD = "torch.nn.utils.rnn.pad_sequence({0}, batch_first=True)"


@fix_kind(shape=13)
def padded(wanted: Wanted) -> Iterator[Proposal]:
    """A loader fills the short items of a batch up with zeros, or hands out one item at a time."""
    text = wanted.text
    if "stack expects" not in wanted.found.message:
        return
    for call in ast.walk(text.tree):
        if not isinstance(call, ast.Call) or callee(call) != "DataLoader" or keyword(call, "collate_fn") is not None:
            continue
        first = PAD.format("[one[0] for one in batch]")
        pair = f"({first}, torch.utils.data.default_collate([one[1] for one in batch]))"
        for made in (pair, PAD.format("batch")):
            title = f"fill short items up with zeros: collate_fn on line {call.lineno}"
            cost = "zeros stand behind short items"
            yield wanted.proposal(title, cost, with_argument(text, call, f"collate_fn=lambda batch: {made}"))
