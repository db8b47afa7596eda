"""Mends for what was given in the place of something else: numbers, texts and lists where tensors belong."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee, keyword, weights
from ..fixes.edits import followed, grouped, loads, same_number, without_keyword
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text
from .wrong_tensor import leaves

OTHERS = {
    "copy": "clone",
    "astype": "to",
    "concatenate": "cat",
    "transpose_": "t_",
    "length": "numel",
    "len": "numel",
    "pow2": "square",
    "assign": "copy_",
    "tolst": "tolist",
    "gradient": "grad",
    "backprop": "backward",
    "back": "backward",
}
"""What other libraries call it, and what torch does."""

ROOTS = ("math", "np", "numpy")


@fix(not_a_tensor=5)
def given_tensor(wanted: Wanted) -> Iterator[Proposal]:
    """What was given is made a tensor: lists of tensors are stacked, texts are read, numbers wrapped."""
    text, got = wanted.text, wanted.name("got")
    what = wanted.name("what")
    for call in text.calls(wanted.at("raised"), *([what] if what else [])):
        for given in call.args[:1]:
            shown = text.get(given)
            if got in ("list", "tuple"):
                stacked = f"torch.stack({shown})"
                title = f"torch.stack of the list, on line {call.lineno}"
                yield wanted.proposal(title, "one tensor more in memory", text.replaced(given, stacked))
                title = f"a tensor of the list, on line {call.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(given, f"torch.tensor({shown})"))
            elif got == "str":
                title = f"read the number where {shown} is a text, on line {call.lineno}"
                made = f"torch.tensor(float({shown})) if isinstance({shown}, str) else {shown}"
                yield wanted.proposal(title, "no gradient for what was read", text.replaced(given, made))
                title = f"read the number in the text: float({shown}) on line {call.lineno}"
                yield wanted.proposal(
                    title, "no gradient for what was read", text.replaced(given, f"torch.tensor(float({shown}))")
                )
            else:
                if what == "sqrt":
                    title = f"the root of a plain number: {shown} ** 0.5 on line {call.lineno}"
                    yield wanted.proposal(title, FREE, text.replaced(call, f"{grouped(text, given)} ** 0.5"))
                title = f"torch.tensor({shown}) on line {call.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(given, f"torch.tensor({shown})"))


@fix(operand=3)
def beside_tensor(wanted: Wanted) -> Iterator[Proposal]:
    """A list beside a tensor becomes one; a text beside it is printed with it."""
    text, raised, got = wanted.text, wanted.at("raised"), wanted.name("got")
    sums = [node for node in ast.walk(raised) if isinstance(node, ast.BinOp)] if raised is not None else []
    for node in sums:
        for side in (node.right, node.left):
            shown = text.get(side)
            if got in ("list", "tuple") and not isinstance(side, ast.BinOp | ast.Constant):
                title = f"torch.tensor({shown}) on line {node.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(side, f"torch.tensor({shown})"))
                title = f"torch.stack of {shown} on line {node.lineno}"
                made = f"torch.stack(list({shown}))"
                yield wanted.proposal(title, "one tensor more in memory", text.replaced(side, made))
        if got == "str" and isinstance(node.op, ast.Add):
            made = f"str({text.get(node.left)}) + str({text.get(node.right)})"
            call = text.parents.get(node)
            if isinstance(call, ast.Call) and callee(call) == "print" and node in call.args:
                title = f"print both, one after the other, on line {node.lineno}"
                parts = f"{text.get(node.left)}, {text.get(node.right)}"
                yield wanted.proposal(title, FREE, text.replaced(node, parts))
            yield wanted.proposal(f"put the texts together on line {node.lineno}", FREE, text.replaced(node, made))
        elif got == "str":
            for side in (node.right, node.left):
                title = f"read the number in the text: float({text.get(side)}) on line {node.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(side, f"float({text.get(side)})"))


@fix(tensor_of_text=1)
def number_read(wanted: Wanted) -> Iterator[Proposal]:
    """`torch.tensor("1.5")` becomes `torch.tensor(float("1.5"))`, of a list entry by entry."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "tensor", "as_tensor"):
        for given in call.args[:1]:
            shown = text.get(given)
            title = f"read the number in the text with float(), on line {call.lineno}"
            for made in (f"float({shown})", f"[float(part) for part in {shown}]"):
                yield wanted.proposal(title, FREE, text.replaced(given, made))


@fix(index_by_text=1)
def itself_or_by_name(wanted: Wanted) -> Iterator[Proposal]:
    """What may be a dict or a tensor is looked up only where it is a dict."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    for node in ast.walk(raised) if raised is not None else ():
        if isinstance(node, ast.Subscript) and text.get(node.value) == name:
            made = f"({text.get(node)} if isinstance({name}, dict) else {name})"
            title = f"take {name} itself where it is no dict, on line {node.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(node, made))


@fix(index_of_float=1)
def whole_place(wanted: Wanted) -> Iterator[Proposal]:
    """A place is divided in whole numbers, or made one."""
    text, raised = wanted.text, wanted.at("raised")
    for node in ast.walk(raised) if raised is not None else ():
        if not isinstance(node, ast.Subscript):
            continue
        for part in ast.walk(node.slice):
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
                made = f"{text.get(part.left)} // {text.get(part.right)}"
                yield wanted.proposal(f"// for / on line {part.lineno}", FREE, text.replaced(part, made))
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for place in places:
            if not isinstance(place, ast.Slice):
                shown = text.get(place)
                title = f"int({shown}) on line {place.lineno}: what stands behind the point is dropped"
                yield wanted.proposal(title, FREE, text.replaced(place, f"int({shown})"))


@fix(joined_nothing=1)
def if_any(wanted: Wanted) -> Iterator[Proposal]:
    """Where there is nothing to put together, a tensor without entries stands for it."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "cat", "concat", "stack"):
        for given in call.args[:1]:
            made = f"{text.get(call)} if {text.get(given)} else torch.zeros(0)"
            parent = text.parents.get(call)
            made = made if isinstance(parent, ast.Return | ast.Assign) else f"({made})"
            title = f"a tensor without entries where there is nothing to join, on line {call.lineno}"
            yield wanted.proposal(title, "no gradient where there is nothing", text.replaced(call, made))


@fix(ragged=1)
def filled_up(wanted: Wanted) -> Iterator[Proposal]:
    """Rows of different lengths are filled up with zeros."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "tensor", "as_tensor"):
        for given in call.args[:1]:
            rows = f"[torch.tensor(row) for row in {text.get(given)}]"
            made = f"torch.nn.utils.rnn.pad_sequence({rows}, batch_first=True)"
            title = f"fill the short rows up with zeros: pad_sequence on line {call.lineno}"
            yield wanted.proposal(title, "zeros that a mask may have to leave out", text.replaced(call, made))


@fix(setting=1)
def in_range(wanted: Wanted) -> Iterator[Proposal]:
    """The number that was written below 0 is written above; else its absolute value is taken."""
    text, got = wanted.text, wanted.name("got")
    if got is None or not got.startswith("-"):
        return
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.UnaryOp) or not isinstance(node.op, ast.USub):
            continue
        shown = text.get(node.operand)
        if isinstance(node.operand, ast.Constant) and same_number(shown, got[1:]):
            title = f"{shown} for {text.get(node)} on line {node.lineno}"
            yield wanted.proposal(title, "steps downhill", text.replaced(node, shown))
    for call in text.calls(wanted.at("raised")):
        given = keyword(call, "lr")
        if given is not None and isinstance(given.value, ast.Name):
            title = f"abs({text.get(given.value)}) on line {given.value.lineno}"
            yield wanted.proposal(title, "steps downhill", text.replaced(given.value, f"abs({text.get(given.value)})"))


@fix(betas=1)
def as_floats(wanted: Wanted) -> Iterator[Proposal]:
    """Whole numbers among the betas are written as floats, where they stand or where they are given."""
    text = wanted.text
    for call in text.calls(wanted.at("raised")):
        given = keyword(call, "betas")
        if given is None:
            continue
        whole = [part for part in getattr(given.value, "elts", ()) if is_whole(part)]
        if whole:
            title = f"betas as floats on line {whole[0].lineno}"
            yield wanted.proposal(title, FREE, *(text.replaced(part, f"{text.get(part)}.0") for part in whole))
        else:
            shown = f"tuple(map(float, {text.get(given.value)}))"
            yield wanted.proposal(
                f"betas as floats on line {given.value.lineno}", FREE, text.replaced(given.value, shown)
            )


def is_whole(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and type(part.value) is int


@fix(format_of_many=1)
def one_number_written(wanted: Wanted) -> Iterator[Proposal]:
    """The mean is written, or the tensor without a format."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    formats = [node for node in ast.walk(raised) if isinstance(node, ast.FormattedValue)] if raised is not None else []
    for node in formats:
        if node.format_spec is None or (name or "") not in map(ast.unparse, ast.walk(node.value)):
            continue
        line, shown = node.value.lineno, text.get(node.value)
        for way, cost in ((".mean()", "one number for all"), (".sum()", "one number for all")):
            title = f"write its {way[1:-2]}: {shown}{way} on line {line}"
            yield wanted.proposal(title, cost, followed(text, node.value, way))


@fix(no_such_attribute=1)
def as_torch_says(wanted: Wanted) -> Iterator[Proposal]:
    """The attribute that was meant."""
    text, got = wanted.text, wanted.name("got")
    meant = [name for name in (OTHERS.get(got or ""), wanted.name("like")) if name]
    for node in ast.walk(wanted.at("raised") or text.tree):
        if isinstance(node, ast.Attribute) and node.attr == got:
            for name in meant:
                made = f"{text.get(node.value)}.{name}"
                title = f"{name} instead of {got} on line {node.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(node, made))


@fix(no_such_attribute=2)
def emptied(wanted: Wanted) -> Iterator[Proposal]:
    """`w.zero_grad()` becomes `w.grad = None`; of a loss, the optimizer's is meant."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised, "zero_grad"):
        if not isinstance(call.func, ast.Attribute) or not isinstance(raised, ast.Expr):
            continue
        for node in ast.walk(text.tree):
            if isinstance(node, ast.Assign) and keyword_of(node.value, "lr"):
                made = f"{text.get(node.targets[0])}.zero_grad()"
                yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(call, made))
        made = f"{text.get(call.func.value)}.grad = None"
        yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(call, made))


def keyword_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and keyword(node, name) is not None


@fix(no_such_attribute=3)
def of_type(wanted: Wanted) -> Iterator[Proposal]:
    """`x.astype("float32")` becomes `x.to(torch.float32)`."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "astype"):
        if isinstance(call.func, ast.Attribute) and call.args:
            kind = ast.unparse(call.args[0]).strip("'\"").rpartition(".")[2]
            made = f"{grouped(text, call.func.value)}.to(torch.{TYPES.get(kind, kind)})"
            yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(call, made))


TYPES = {"float": "float32", "int": "int64", "double": "float64", "long": "int64"}


@fix(grad_of_number=1)
def cleared(wanted: Wanted) -> Iterator[Proposal]:
    """`.grad = 0` becomes `.grad = None`."""
    text, raised = wanted.text, wanted.at("raised")
    if isinstance(raised, ast.Assign) and isinstance(goal := raised.targets[0], ast.Attribute):
        yield wanted.proposal(f"None on line {raised.lineno}", FREE, text.replaced(raised.value, "None"))
        made = f"torch.full_like({text.get(goal.value)}, {text.get(raised.value)})"
        title = f"a tensor of that number on line {raised.lineno}"
        yield wanted.proposal(title, "one tensor more in memory", text.replaced(raised.value, made))


@fix(weight_of_number=1)
def weight_tensor(wanted: Wanted) -> Iterator[Proposal]:
    """`backward(1.0)` becomes `backward(torch.full_like(y, 1.0))`."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "backward"):
        if not isinstance(call.func, ast.Attribute):
            continue
        shown = text.get(call.func.value)
        given = weights(call)
        if given is not None:
            one = isinstance(given, ast.Constant) and given.value == 1
            made = f"torch.ones_like({shown})" if one else f"torch.full_like({shown}, {text.get(given)})"
            if not isinstance(given, ast.Constant):
                made = f"torch.as_tensor({text.get(given)}, dtype={shown}.dtype)"
            title = f"{made} on line {call.lineno}"
            yield wanted.proposal(title, "each entry counts that much", text.replaced(given, made))


@fix(truth_of_none=1)
def anything_in_it(wanted: Wanted) -> Iterator[Proposal]:
    """A tensor is asked how many entries it has."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    for use in loads(raised, name)[:1] if raised is not None and name else ():
        title = f"ask whether there is any entry: {name}.numel() > 0 on line {use.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(use, f"{name}.numel() > 0"))


@fix(no_return_here=1)
def returned_always(wanted: Wanted) -> Iterator[Proposal]:
    """Where no case fits, a function gives what its last `return` gives."""
    text, name = wanted.text, wanted.name("function")
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.FunctionDef) or node.name != name:
            continue
        for part in ast.walk(node):
            if isinstance(part, ast.Return) and part.value is not None:
                made = text.get(part)
                title = f"{made} at the end of {name}, for all other cases"
                yield wanted.proposal(title, "see that it is what you mean there", text.after(node.body[-1], [made]))


# ---- settings of autograd's calls


@fix(materialize=1)
def not_both(wanted: Wanted) -> Iterator[Proposal]:
    """`materialize_grads=True` alone: it allows what is unused and gives zeros."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "grad"):
        for name, title in (
            ("allow_unused", "leave out allow_unused=False: zeros for what was not used"),
            ("materialize_grads", "leave out materialize_grads=True"),
        ):
            edit = without_keyword(text, call, name)
            if edit is not None:
                yield wanted.proposal(f"{title}, on line {call.lineno}", FREE, edit)


@fix(no_inputs=1)
def everyone(wanted: Wanted) -> Iterator[Proposal]:
    """Without `inputs=` every leaf gets its gradient; `grad` is told the parameters of a module, or the leaves."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "backward"):
        edit = without_keyword(text, call, "inputs")
        if edit is not None:
            title = f"leave out inputs=: every leaf gets its gradient, on line {call.lineno}"
            yield wanted.proposal(title, "a gradient for each leaf", edit)
    for call in text.calls(wanted.at("raised"), "grad"):
        for name in modules(text):
            if len(call.args) > 1:
                made = text.replaced(call.args[1], f"list({name}.parameters())")
                title = f"by all parameters of {name}, on line {call.lineno}"
                yield wanted.proposal(title, "a gradient for each parameter", made)
        if len(call.args) > 1 and (names := leaves(text)):
            shown = f"[{', '.join(names)}]"
            title = f"by the leaves: {shown} on line {call.lineno}"
            yield wanted.proposal(title, "a gradient for each leaf", text.replaced(call.args[1], shown))


@fix(grad_of_module=1)
def parameters_listed(wanted: Wanted) -> Iterator[Proposal]:
    """`grad(loss, net)` becomes `grad(loss, list(net.parameters()))`."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "grad"):
        given = keyword(call, "inputs")
        inputs = given.value if given is not None else call.args[1] if len(call.args) > 1 else None
        if isinstance(inputs, ast.Name | ast.Attribute):
            made = f"list({text.get(inputs)}.parameters())"
            yield wanted.proposal(f"{made} on line {call.lineno}", "one for each", text.replaced(inputs, made))


def modules(text: Text) -> list[str]:
    """The names in the text whose parameters are asked for."""
    found: dict[str, None] = {}
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Attribute) and node.attr in ("parameters", "named_parameters"):
            found[text.get(node.value)] = None
    return list(found)


@fix(gradient_number=1)
def one_for_each(wanted: Wanted) -> Iterator[Proposal]:
    """As many gradients to start from as there are roots; or none, where each root is a single number."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "backward", "grad"):
        roots = call.args[0] if call.args else None
        given = weights(call)
        if given is None or roots is None:
            continue
        shown = text.get(roots)
        made = f"[torch.ones_like(root) for root in {shown}]"
        title = f"ones for each of {shown}, on line {call.lineno}"
        yield wanted.proposal(title, "each entry counts 1", text.replaced(given, made))


@fix(swapped=1)
def turned_round(wanted: Wanted) -> Iterator[Proposal]:
    """The scores first, and then the targets."""
    text, one, two = wanted.text, wanted.name("first"), wanted.name("second")
    for call in text.calls(wanted.at("raised") or wanted.at("built")):
        if [ast.unparse(arg) for arg in call.args[:2]] == [one, two]:
            first, second = call.args[:2]
            title = f"the other way round on line {call.lineno}"
            edits = text.replaced(first, text.get(second)), text.replaced(second, text.get(first))
            yield wanted.proposal(title, FREE, *edits)
