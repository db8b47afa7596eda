"""Mends for graphs that were cut or never begun, for flags, and for gradients that are None."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .common import followed, grouped, loads, set_keyword, value_of, with_argument, without_keyword
from .graphs import stack_statements
from .proposal import FREE, Proposal, Wanted
from .text import Edit, Text, called, keyword

TRACKS = "a gradient is computed and kept for it"
MAKERS = frozenset(
    (
        *(
            "tensor",
            "ones",
            "zeros",
            "empty",
            "full",
            "rand",
            "randn",
            "arange",
            "linspace",
            "logspace",
            "eye",
            "normal",
        ),
        *("ones_like", "zeros_like", "rand_like", "randn_like", "full_like"),
    )
)
OUT = frozenset(("item", "tolist", "numpy", "detach", "cpu"))


def cut_off(wanted: Wanted) -> Iterator[Proposal]:
    """A root has no graph: by how it was lost."""
    how = wanted.name("how") or "plain"
    for way in CUTS.get(how, ()):
        yield from way(wanted)
    if how not in ("plain",):
        yield from tracked_at_cut(wanted)
    yield from skipped(wanted)


def tracked_at_cut(wanted: Wanted) -> Iterator[Proposal]:
    """The data requires a gradient."""
    text = wanted.text
    for role in ("cut", "built"):
        statement = wanted.at(role)
        if statement is None:
            continue
        for call in text.calls(statement):
            if (
                called(call) in MAKERS
                and keyword(call, "requires_grad") is None
                and isinstance(call.func, ast.Attribute)
            ):
                title = f"requires_grad=True on line {call.lineno}"
                yield wanted.proposal(title, TRACKS, with_argument(text, call, "requires_grad=True"))
                break
        value = value_of(statement)
        if isinstance(statement, ast.Assign) and value is not None and not isinstance(value, ast.Tuple):
            title = f"ask for a gradient: .requires_grad_() on line {statement.lineno}"
            yield wanted.proposal(title, TRACKS, followed(text, value, ".requires_grad_()"))
        name = wanted.name("cut")
        if name and name.isidentifier() and isinstance(statement, ast.Assign):
            title = f"ask for a gradient of {name} after line {statement.lineno}"
            yield wanted.proposal(title, TRACKS, text.after(statement, [f"{name}.requires_grad_()"]))


def all_tracked(wanted: Wanted) -> Iterator[Proposal]:
    """Every call of the program that wraps data in Variable, or the makers on the line, require a gradient."""
    text = wanted.text
    calls = [node for node in ast.walk(text.tree) if isinstance(node, ast.Call) and called(node) == "Variable"]
    bare = [call for call in calls if keyword(call, "requires_grad") is None]
    if bare:
        yield wanted.proposal(
            "requires_grad=True for every Variable",
            TRACKS,
            *(with_argument(text, call, "requires_grad=True") for call in bare),
        )


def flag_left(wanted: Wanted) -> Iterator[Proposal]:
    """The line that said no gradient is wanted is left out."""
    text, statement = wanted.text, wanted.at("cut")
    if statement is None:
        return
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
        target = text.get(statement.targets[0])
        if isinstance(value_of(statement), ast.Constant):
            title = f"leave it free: {target} = True on line {statement.lineno}"
            yield wanted.proposal(title, TRACKS, text.replaced(statement.value, "True"))
    for call in text.calls(statement, "requires_grad_"):
        edits = [text.replaced(arg, "True") for arg in call.args] or [
            text.replaced(word.value, "True") for word in call.keywords
        ]
        if edits:
            yield wanted.proposal(f"leave it free on line {call.lineno}", TRACKS, *edits)
    for call in text.calls(statement, "detach_"):
        yield wanted.proposal(f"leave out detach_() on line {call.lineno}", TRACKS, text.removed(statement))


def undetached(wanted: Wanted) -> Iterator[Proposal]:
    """`.detach()` or `.data` is left out where it cut."""
    text, statement = wanted.text, wanted.at("cut")
    if statement is None:
        return
    nodes: list[ast.expr] = [
        node
        for part in [statement]
        for node in ast.walk(part)
        if (isinstance(node, ast.Attribute) and node.attr == "data")
        or (
            isinstance(node, ast.Call)
            and called(node) in ("detach", "detach_")
            and isinstance(node.func, ast.Attribute)
        )
    ]
    for node in nodes:
        inner = node.value if isinstance(node, ast.Attribute) else node.func.value  # type: ignore[attr-defined]
        word = ".data" if isinstance(node, ast.Attribute) else ".detach()"
        if (
            isinstance(statement, ast.Assign)
            and statement.value is node
            and ast.unparse(inner) == ast.unparse(statement.targets[0])
        ):
            title = f"leave out line {statement.lineno}"
            yield wanted.proposal(title, "the gradient goes on back", text.removed(statement))
        else:
            title = f"leave out {word} on line {node.lineno}"
            yield wanted.proposal(title, "the gradient goes on back", text.replaced(node, text.get(inner)))
    value = value_of(statement)
    if isinstance(statement, ast.Assign) and value is not None:
        title = f"make it a new leaf: .requires_grad_() on line {statement.lineno}"
        cost = "the gradient stops there, in its .grad"
        yield wanted.proposal(title, cost, followed(text, value, ".requires_grad_()"))


def recording_on(wanted: Wanted) -> Iterator[Proposal]:
    """no_grad is taken off what is differentiated later."""
    text = wanted.text
    for statement in (*stack_statements(wanted, "cut"), wanted.at("cut")):
        if statement is None:
            continue
        for outer in (statement, *text.around(statement)):
            if (
                isinstance(outer, ast.With)
                and any("no_grad" in ast.unparse(item) or "inference_mode" in ast.unparse(item) for item in outer.items)
                and text.alone(outer)
            ):
                title = f"leave out the no_grad of line {outer.lineno}"
                yield wanted.proposal(title, "what it saves is kept for the backward", text.unwrapped(outer))
            if isinstance(outer, ast.FunctionDef):
                for mark in outer.decorator_list:
                    if "no_grad" in ast.unparse(mark) or "inference_mode" in ast.unparse(mark):
                        edit = Edit(mark.lineno, 0, mark.lineno + 1, 0, "")
                        title = f"leave out the no_grad of line {mark.lineno}"
                        yield wanted.proposal(title, "what it saves is kept for the backward", edit)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Call) and called(node) == "set_grad_enabled" and node.args:
            arg = node.args[0]
            if isinstance(arg, ast.Constant) and arg.value is False:
                title = f"switch recording on: line {node.lineno}"
                yield wanted.proposal(title, "what it saves is kept", text.replaced(arg, "True"))
    yield from enabled(wanted)


def enabled(wanted: Wanted) -> Iterator[Proposal]:
    """What is differentiated inside a hook or a backward is computed under enable_grad."""
    text, built, raised = wanted.text, wanted.at("built"), wanted.at("raised")
    if built is None:
        return
    title = f"record it: torch.enable_grad() around line {built.lineno}"
    cost = "the graph of this part is kept"
    yield wanted.proposal(title, cost, text.wrapped([built], "with torch.enable_grad():"))
    block = text.block(built)
    if raised in block and raised is not None:
        group = block[block.index(built) : block.index(raised)]
        if len(group) > 1:
            yield wanted.proposal(title, cost, text.wrapped(group, "with torch.enable_grad():"))


def with_create_graph(wanted: Wanted) -> Iterator[Proposal]:
    """The first gradient is recorded."""
    text = wanted.text
    for role in ("cut", "built"):
        for call in text.calls(wanted.at(role), "grad", "backward"):
            title = f"record the first gradient: create_graph=True on line {call.lineno}"
            cost = "the backward is recorded, too: about twice the memory"
            yield wanted.proposal(title, cost, set_keyword(text, call, "create_graph", "True"))


def from_tensors(wanted: Wanted) -> Iterator[Proposal]:
    """torch.tensor over tensors becomes torch.stack; over one tensor, the tensor itself."""
    text = wanted.text
    for role in ("cut", "built"):
        for call in text.calls(wanted.at(role), "tensor", "as_tensor", "Tensor", "FloatTensor"):
            if not call.args:
                continue
            given = call.args[0]
            cost = "the graph of every entry stays"
            if isinstance(given, ast.List | ast.Tuple):
                title = f"torch.stack instead of torch.{called(call)} on line {call.lineno}"
                yield wanted.proposal(title, cost, text.replaced(call, f"torch.stack({stacked(text, given)})"))
                title = f"torch.cat instead of torch.{called(call)} on line {call.lineno}"
                yield wanted.proposal(title, cost, text.replaced(call, f"torch.cat({text.get(given)})"))
            else:
                title = f"torch.stack instead of torch.{called(call)} on line {call.lineno}"
                yield wanted.proposal(title, cost, text.replaced(call, f"torch.stack(list({text.get(given)}))"))
                title = f"use the tensor itself on line {call.lineno}"
                yield wanted.proposal(title, cost, text.replaced(call, grouped(text, given)))


def stacked(text: Text, given: ast.List | ast.Tuple) -> str:
    """A list of tensors and lists of them, each list stacked; plain numbers are made tensors."""
    parts = []
    for part in given.elts:
        if isinstance(part, ast.List | ast.Tuple):
            parts.append(f"torch.stack({stacked(text, part)})")
        elif isinstance(part, ast.Constant) or (
            isinstance(part, ast.UnaryOp) and isinstance(part.operand, ast.Constant)
        ):
            parts.append(f"torch.tensor({float(ast.literal_eval(part))})")
        else:
            parts.append(text.get(part))
    return f"[{', '.join(parts)}]"


def without_numbers(wanted: Wanted) -> Iterator[Proposal]:
    """`.item()`, `.tolist()`, `.numpy()` are left out, and what wraps the numbers again with them."""
    text = wanted.text
    cost = "the graph stays, and the gradient goes on back"
    source = wanted.name("source")
    for role in ("built", "cut"):
        for call in text.calls(wanted.at(role), "tensor", "as_tensor", "from_numpy", "Tensor", "FloatTensor"):
            if source is not None:
                yield wanted.proposal(f"use {source} itself on line {call.lineno}", cost, text.replaced(call, source))
            if call.args:
                inner = Plain().visit(ast.parse(text.get(call.args[0]), mode="eval").body)
                shown = ast.unparse(inner)
                if isinstance(inner, ast.List | ast.ListComp | ast.Tuple | ast.GeneratorExp):
                    shown = f"torch.stack({shown})"
                yield wanted.proposal(
                    f"use the tensor itself on line {call.lineno}", cost, text.replaced(call, f"({shown})")
                )
    cut = wanted.at("cut")
    edits = []
    for call in text.calls(cut, *OUT):
        if isinstance(call.func, ast.Attribute):
            edits.append(text.replaced(call, ast.unparse(Plain().visit(ast.parse(text.get(call), mode="eval").body))))
    for edit in edits[:1]:
        assert cut is not None
        yield wanted.proposal(f"keep the tensor on line {cut.lineno}", cost, edit)
        rewraps = [call for call in text.calls(wanted.at("built"), "tensor", "as_tensor", "stack") if call.args]
        for call in rewraps:
            if call.lineno != cut.lineno:
                given = text.get(call.args[0])
                for made in (given, f"torch.stack({given})"):
                    yield wanted.proposal(
                        f"keep the tensor on line {cut.lineno} and use it on line {call.lineno}",
                        cost,
                        edit,
                        text.replaced(call, made),
                    )


class Plain(ast.NodeTransformer):
    """An expression without the calls that take numbers out of tensors."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in OUT and not node.args:
            return node.func.value
        if isinstance(node.func, ast.Name) and node.func.id == "float" and len(node.args) == 1:
            return node.args[0]
        return node


def straight_through(wanted: Wanted) -> Iterator[Proposal]:
    """What was rounded keeps its value and takes the gradient of what it was made of."""
    text, statement = wanted.text, wanted.at("cut")
    value = value_of(statement)
    source = wanted.name("source")
    if isinstance(statement, ast.Assign) and value is not None and source is not None:
        made = f"{source} + ({text.get(value)} - {source}).detach()"
        title = f"let the gradient pass straight through line {statement.lineno}"
        yield wanted.proposal(title, "a made-up gradient: that of doing nothing", text.replaced(value, made))
    if value is not None and source is not None and statement is not None:
        title = f"use {source} itself on line {statement.lineno}"
        yield wanted.proposal(title, "other numbers: they are not rounded", text.replaced(value, source))


def not_reentrant(wanted: Wanted) -> Iterator[Proposal]:
    """The checkpoint that records by itself."""
    text = wanted.text
    calls = [c for c in ast.walk(text.tree) if isinstance(c, ast.Call) and called(c).startswith("checkpoint")]
    if calls:
        edits = [set_keyword(text, call, "use_reentrant", "False") for call in calls]
        yield wanted.proposal("use_reentrant=False for the checkpoint", FREE, *edits)


def skipped(wanted: Wanted) -> Iterator[Proposal]:
    """Go backward only where there is a graph."""
    text, raised, root = wanted.text, wanted.at("raised"), wanted.name("root")
    if raised is None or isinstance(raised, ast.For | ast.While | ast.With | ast.If | ast.FunctionDef | ast.Return):
        return
    if isinstance(raised, ast.Expr) and root is not None:
        title = f"go backward only if there is a graph: line {raised.lineno}"
        header = f"if {root}.requires_grad:" if root.isidentifier() else None
        if header:
            yield wanted.makeshift(title, "nothing is computed where nothing can be", text.wrapped([raised], header))


def nonlinear(wanted: Wanted) -> Iterator[Proposal]:
    """The gradient of something linear is constant: its own gradient is nothing, which can be said by zeros."""
    yield from skipped(wanted)


CUTS = {
    "plain": (all_tracked, tracked_at_cut),
    "flag": (flag_left,),
    "detach": (undetached, enabled),
    "tensor": (from_tensors, without_numbers),
    "numbers": (without_numbers, from_tensors, undetached),
    "rounded": (straight_through, recording_on),
    "no_grad": (recording_on,),
    "no_create_graph": (with_create_graph,),
    "linear": (nonlinear,),
    "checkpoint": (not_reentrant, tracked_at_cut),
}


# ---- what is asked of the wrong tensor


def unused_input(wanted: Wanted) -> Iterator[Proposal]:
    """No way leads from the output to an input."""
    text = wanted.text
    how = wanted.name("how")
    if how:
        for way in CUTS.get(how, ()):
            yield from way(wanted)
    raised = wanted.at("raised")
    for call in text.calls(raised, "grad"):
        allow = set_keyword(text, call, "allow_unused", "True")
        cost = "None, or zeros, stand where there is no gradient"
        if keyword(call, "allow_unused") is None:
            both = with_argument(text, call, "allow_unused=True, materialize_grads=True")
            yield wanted.makeshift("allow_unused=True, with zeros for what was not used", cost, both)
            yield wanted.makeshift("allow_unused=True", cost, allow)
        else:
            yield wanted.makeshift(
                "materialize_grads=True: zeros for what was not used",
                cost,
                with_argument(text, call, "materialize_grads=True"),
            )
        source, target = wanted.name("source"), wanted.name("target")
        if source and target:
            for use in loads(call, target):
                title = f"differentiate by {source}, which was used"
                yield wanted.proposal(title, FREE, text.replaced(use, source))
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.Call) or called(node) != "grad" or keyword(node, "allow_unused") is None:
            continue
        if keyword(node, "materialize_grads") is None:
            title = f"zeros instead of None: materialize_grads=True on line {node.lineno}"
            yield wanted.makeshift(title, FREE, with_argument(text, node, "materialize_grads=True"))


def flag_on_result(wanted: Wanted) -> Iterator[Proposal]:
    """Only a leaf can change its flag."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    if raised is None or name is None:
        return
    on = "True" in ast.unparse(raised)
    cost = "no gradient goes back beyond this point"
    if not on and isinstance(raised, ast.Assign | ast.Expr):
        yield wanted.proposal(
            f"{name} = {name}.detach() on line {raised.lineno}",
            cost,
            text.replaced(raised, f"{name} = {name}.detach()"),
        )
    built = wanted.at("built")
    value = value_of(built)
    if isinstance(built, ast.Assign) and value is not None and not isinstance(value, ast.Tuple):
        title = f"detach it where it is made, on line {built.lineno}"
        yield wanted.proposal(title, cost, followed(text, value, ".detach()"))
    yield wanted.proposal(
        f"{name} = {name}.detach() before line {raised.lineno}",
        cost,
        text.before(raised, [f"{name} = {name}.detach()"]),
    )
    if on:
        title = f"leave out line {raised.lineno}: a result of tracked tensors requires a gradient anyway"
        yield wanted.proposal(title, FREE, text.removed(raised))


def detached_numpy(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "numpy"):
        if isinstance(call.func, ast.Attribute):
            title = f".detach().numpy() on line {call.lineno}"
            made = grouped(text, call.func.value) + ".detach().numpy()"
            yield wanted.proposal(title, "the array knows of no graph", text.replaced(call, made))
    raised, name = wanted.at("raised"), wanted.name("target")
    if raised is not None and name is not None:
        for use in loads(raised, name)[:1]:
            title = f"{name}.detach() on line {raised.lineno}"
            yield wanted.proposal(title, "the array knows of no graph", followed(text, use, ".detach()"))


def leaf_last(wanted: Wanted) -> Iterator[Proposal]:
    """Compute first, ask for the gradient last: `(randn(3) / 2).requires_grad_()`."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    if built is None or value is None or not isinstance(built, ast.Assign) or isinstance(value, ast.Tuple):
        return
    removals = [
        edit for call in text.calls(built) if (edit := without_keyword(text, call, "requires_grad")) is not None
    ]
    marks = [call for call in text.calls(built, "requires_grad_") if isinstance(call.func, ast.Attribute)]
    title = f"compute first and ask for the gradient last, on line {built.lineno}"
    cost = "the gradient is that of the result, not of what it was made from"
    end = text.place(value.end_lineno or 0, value.end_col_offset or 0)
    start = text.place(value.lineno, value.col_offset)
    if removals or marks:
        simple = isinstance(value, ast.Call | ast.Name | ast.Attribute)
        edits = list(removals)
        for call in marks:
            assert isinstance(call.func, ast.Attribute)
            inner = text.place(call.func.value.end_lineno or 0, call.func.value.end_col_offset or 0)
            edits.append(Edit(*inner, *text.place(call.end_lineno or 0, call.end_col_offset or 0), ""))
        opening = Edit(*start, *start, "" if simple else "(")
        closing = Edit(*end, *end, ("" if simple else ")") + ".requires_grad_()")
        if not any((edit.end_line, edit.end_column) == end for edit in edits):
            yield wanted.proposal(title, cost, opening, *edits, closing)
    title = f"make it a leaf: .detach().requires_grad_() on line {built.lineno}"
    yield wanted.proposal(title, cost, followed(text, value, ".detach().requires_grad_()"))


def deep_copy(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "deepcopy"):
        if call.args:
            title = f".detach().clone() on line {call.lineno}"
            made = grouped(text, call.args[0]) + ".detach().clone()"
            yield wanted.proposal(title, "the copy has no graph", text.replaced(call, made))
            made = grouped(text, call.args[0]) + ".clone()"
            yield wanted.proposal(
                f".clone() on line {call.lineno}", "the copy stays in the graph", text.replaced(call, made)
            )


def hook_on_result(wanted: Wanted) -> Iterator[Proposal]:
    text, name = wanted.text, "register_post_accumulate_grad_hook"
    for call in text.calls(wanted.at("raised"), name):
        shown = text.get(call).replace(name, "register_hook", 1)
        yield wanted.proposal(
            "register_hook instead", "the hook gets the gradient, not the tensor", text.replaced(call, shown)
        )
