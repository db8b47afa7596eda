"""Mends for hooks: what they return, and what they may write into."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import enclosing, followed, grouped, stack_statements
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, Text, names_in
from .derived_attributes import local_names

Hook = ast.FunctionDef | ast.Lambda


@fix(hook_returned=1)
def returned_gradient(wanted: Wanted) -> Iterator[Proposal]:
    """A number that a hook returns becomes a factor of the gradient that it was given."""
    text = wanted.text
    for hook in hooks(text, "register_hook", 0):
        came = hook.args.args[0].arg if hook.args.args else None
        for value in results(hook):
            if came is None or is_none(value) or text.get(value) == came:
                continue
            factor = text.get(value).removesuffix(".item()")
            reads = came in names_in(value)
            made = (
                factor
                if reads and factor != text.get(value)
                else f"{came} * {text.get(value) if isinstance(value, ast.Constant) else grouped(text, value)}"
            )
            title = f"return a tensor: {made} on line {value.lineno}"
            yield wanted.proposal(title, "the gradient that came goes in", text.replaced(value, made))
            made = f"torch.full_like({came}, {text.get(value)})"
            title = f"return a tensor: {made} on line {value.lineno}"
            yield wanted.proposal(title, "the gradient that came is left out", text.replaced(value, made))


@fix(argument_missing=1)
def one_argument(wanted: Wanted) -> Iterator[Proposal]:
    """A hook on a tensor gets its gradient alone."""
    text = wanted.text
    for hook in hooks(text, "register_hook", 0):
        arguments = [arg.arg for arg in hook.args.args]
        body = hook.body if isinstance(hook, ast.Lambda) else ast.Module(hook.body, [])
        used = [name for name in arguments if name in names_in(body)] or arguments
        if len(arguments) > 1 and isinstance(hook, ast.Lambda):
            made = f"lambda {used[-1]}: {text.get(hook.body)}"
            title = f"a hook on a tensor gets its gradient alone: {made} on line {hook.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(hook, made))
        elif len(arguments) > 1 and isinstance(hook, ast.FunctionDef):
            first, last = hook.args.args[0], hook.args.args[-1]
            start = text.place(first.lineno, first.col_offset)
            end = text.place(last.end_lineno or last.lineno, last.end_col_offset or 0)
            title = f"a hook on a tensor gets its gradient alone: {used[-1]}, on line {hook.lineno}"
            yield wanted.proposal(title, FREE, Edit(*start, *end, used[-1]))


@fix(hook_shape=1)
def tuple_returned(wanted: Wanted) -> Iterator[Proposal]:
    """A hook on a module returns a tuple of gradients, one for each input."""
    text = wanted.text
    for hook in [*hooks(text, "register_full_backward_hook", 0), *hooks(text, "register_backward_hook", 0)]:
        edits = [text.replaced(value, f"({text.get(value)},)") for value in results(hook) if not is_tuple(value)]
        if edits:
            title = f"return a tuple, one gradient for each input, from the hook on line {hook.lineno}"
            yield wanted.proposal(title, FREE, *edits)


def is_tuple(value: ast.expr) -> bool:
    return isinstance(value, ast.Tuple) or is_none(value)


@fix(post_hook_result=1)
def nothing_returned(wanted: Wanted) -> Iterator[Proposal]:
    """A hook that runs when all is added up returns nothing: what it computes, it does."""
    text = wanted.text
    for hook in hooks(text, "register_post_accumulate_grad_hook", 0):
        edits = []
        for node in ast.walk(hook):
            if isinstance(node, ast.Return) and node.value is not None:
                edits.append(text.replaced(node, text.get(node.value)))
        if isinstance(hook, ast.Lambda):
            edits.append(text.replaced(hook.body, f"({text.get(hook.body)}, None)[1]"))
        if edits:
            yield wanted.proposal(f"return nothing from the hook on line {hook.lineno}", FREE, *edits)


@fix(unpacked=1)
def unpacked_tensor(wanted: Wanted) -> Iterator[Proposal]:
    """What `pack` kept is made a tensor again; a `pack` that keeps nothing keeps what it was given."""
    text = wanted.text
    for hook in hooks(text, "saved_tensors_hooks", 0):
        if hook.args.args and (values := results(hook)) and all(map(is_none, values)):
            came = hook.args.args[0].arg
            edits = [text.replaced(value, came) for value in values]
            yield wanted.proposal(f"keep the tensor: return {came} on line {values[0].lineno}", FREE, *edits)
    for hook in hooks(text, "saved_tensors_hooks", 1):
        for value in results(hook):
            for made in ("torch.as_tensor({})", "torch.tensor({})"):
                shown = made.format(text.get(value))
                title = f"give a tensor back: {shown} on line {value.lineno}"
                yield wanted.proposal(title, "one copy", text.replaced(value, shown))


@fix(packed=1)
def packed_copy(wanted: Wanted) -> Iterator[Proposal]:
    """A `pack` that writes works on a copy."""
    text = wanted.text
    for hook in hooks(text, "saved_tensors_hooks", 0):
        came = hook.args.args[0].arg if hook.args.args else None
        if isinstance(hook, ast.FunctionDef) and came is not None:
            title = f"work on a copy: {came} = {came}.clone() before line {hook.body[0].lineno}"
            yield wanted.proposal(
                title, "one tensor more in memory", text.before(hook.body[0], [f"{came} = {came}.clone()"])
            )
        elif isinstance(hook, ast.Lambda):
            for use in text.parts(hook.body, ast.Attribute):
                if use.attr.endswith("_") and text.get(use.value) == came:
                    title = f"{came}.{use.attr[:-1]}, which writes nothing, on line {use.lineno}"
                    yield wanted.proposal(
                        title, "one tensor more in memory", text.replaced(use, f"{came}.{use.attr[:-1]}")
                    )


@fix(resized=1)
def padded(wanted: Wanted) -> Iterator[Proposal]:
    """A longer tensor is computed, with zeros behind."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "resize_"):
        if len(call.args) == 1 and isinstance(call.func, ast.Attribute):
            shown = grouped(text, call.func.value)
            made = f"torch.nn.functional.pad({shown}, (0, {text.get(call.args[0])} - {shown}.numel()))"
            yield wanted.proposal(
                "a new tensor, with zeros behind", "one tensor more in memory", text.replaced(call, made)
            )


@fix(data_type=1)
def data_in_floats(wanted: Wanted) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    if isinstance(raised, ast.Assign):
        title = f"floating point numbers: .float() on line {raised.lineno}"
        yield wanted.proposal(title, "a converted copy", followed(text, raised.value, ".float()"))


def hooks(text: Text, register: str, place: int) -> list[Hook]:
    """The functions that are given to `register` at that place of its arguments."""
    given = [
        call.args[place]
        for call in text.parts(text.tree, ast.Call)
        if callee(call) == register and len(call.args) > place
    ]
    names = {part.id for part in given if isinstance(part, ast.Name)}
    written: list[Hook] = [part for part in text.parts(text.tree, ast.FunctionDef) if part.name in names]
    named = [
        node.value
        for node in text.parts(text.tree, ast.Assign)
        if isinstance(node.value, ast.Lambda) and names & names_in(node.targets[0])
    ]
    return [*(part for part in given if isinstance(part, ast.Lambda)), *named, *written]


def results(hook: Hook) -> list[ast.expr]:
    if isinstance(hook, ast.Lambda):
        return [hook.body]
    return [node.value for node in ast.walk(hook) if isinstance(node, ast.Return) and node.value is not None]


def is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


ONCE = "the hook runs once in each backward"


@fix(hooks_pile=1)
def register_once(wanted: Wanted) -> Iterator[Proposal]:
    """A hook that a loop registers in every turn is registered before the loop, or removed at the end of the turn."""
    text, built = wanted.text, wanted.at("built")
    home = enclosing(text, built, ast.FunctionDef) if built is not None else None
    if not isinstance(built, ast.Expr) or not text.alone(built):
        return
    read = names_in(built) - {part.arg for part in ast.walk(built) if isinstance(part, ast.arg)}
    local = local_names(home)
    for statement in stack_statements(wanted, "built"):
        loops = [node for node in text.around(statement) if isinstance(node, ast.For | ast.While)]
        for loop in reversed(loops):
            moved = next((node for node in (statement, *loops) if node in loop.body), None)
            free = [built] if statement is not built and not read & {*local, "self"} else []
            for one in [*([moved] if moved is not None and text.alone(moved) else []), *free]:
                title = f"once, before the loop: line {one.lineno} before line {loop.lineno}"
                yield wanted.proposal(title, ONCE, text.removed(one), text.before(loop, text.lines_of(one)))
            if moved is built:
                title = f"remove it at the end of the turn: handle.remove() after line {loop.body[-1].end_lineno}"
                start = text.place(built.lineno, built.col_offset)
                named = Edit(*start, *start, "handle = ")
                yield wanted.proposal(title, ONCE, named, text.after(loop.body[-1], ["handle.remove()"]))
    owner = enclosing(text, home, ast.ClassDef) if home is not None else None
    for init in text.parts(owner, ast.FunctionDef) if "self" in read and not read & local else ():
        if init.name == "__init__" and init is not home:
            title = f"once, in __init__: line {built.lineno} after line {init.body[-1].end_lineno}"
            yield wanted.proposal(title, ONCE, text.removed(built), text.after(init.body[-1], text.lines_of(built)))
