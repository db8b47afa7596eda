"""Mends for what backward starts from, for shapes, and for types of numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from ..calls import callee, keyword, weights
from ..fixes.edits import enclosing, followed, grouped, loads, set_keyword, value_of, with_argument, without_keyword
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix, fix_kind
from ..fixes.text import Edit, Text, names_in, targets

# ---- backward's start


@fix(not_scalar=2)
def not_scalar(wanted: Wanted) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised, "backward"):
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) not in ("autograd", "torch.autograd"):
            owner = call.func.value
            shown = grouped(text, owner)
            mean = wanted.proposal(
                f"backward of the mean, on line {call.lineno}",
                "each entry counts 1/n",
                followed(text, owner, ".mean()"),
            )
            trains = "loss" in shown.lower() and bool(text.calls(text.tree, "step"))
            if f"{shown}.mean()" in text.source or trains:  # that is what the program calls its loss
                yield mean
            title = f"backward of the sum, on line {call.lineno}"
            yield wanted.proposal(title, "each entry counts 1", followed(text, owner, ".sum()"))
            if not call.args:
                title = f"say how much each entry counts: gradient=ones, on line {call.lineno}"
                made = with_argument(text, call, f"torch.ones_like({shown})")
                yield wanted.proposal(title, "each entry counts 1", made)
            yield mean
        elif call.args:
            yield from of_sum(wanted, call)
    for call in text.calls(raised, "grad"):
        if call.args or keyword(call, "outputs"):
            first = call.args[0] if call.args else keyword(call, "outputs").value  # type: ignore[union-attr]
            if keyword(call, "grad_outputs") is None and not isinstance(first, ast.List | ast.Tuple):
                made = set_keyword(text, call, "grad_outputs", f"torch.ones_like({text.get(first)})")
                title = f"grad_outputs=ones on line {call.lineno}"
                yield wanted.proposal(title, "each entry counts 1", made)
            yield from of_sum(wanted, call)


@fix(not_scalar=1)
def known_option(wanted: Wanted) -> Iterator[Proposal]:
    """A loss that is reduced by an option, of which it was given a value that it does not know, is given one."""
    text, built = wanted.text, wanted.at("built")
    home = enclosing(text, built, ast.FunctionDef) if built is not None else None
    if not isinstance(home, ast.FunctionDef):
        return
    for option, values in reductions(text, home).items():
        best = max(values, key=lambda value: values[value])
        for given in option_values(text, option):
            shown = text.get(given)
            if isinstance(given, ast.Constant) and shown not in values and given.value not in ("none", None):
                title = f"{option}={best} on line {given.lineno}: {home.name} does not know {shown}"
                cost = "each entry counts 1/n" if values[best] else "each entry counts 1"
                yield wanted.proposal(title, cost, text.replaced(given, best))


def reductions(text: Text, home: ast.AST | None) -> dict[str, dict[str, bool]]:
    """By the name of an option the values that `home` compares it with to reduce something; whether to a mean."""
    known: dict[str, dict[str, bool]] = {}
    for test in text.parts(home, ast.If):
        compared = test.test
        value = compared.comparators[0] if isinstance(compared, ast.Compare) else None
        ways = [callee(call) for part in test.body for call in text.parts(part, ast.Call)]
        if isinstance(compared, ast.Compare) and isinstance(value, ast.Constant) and {"mean", "sum"} & set(ways):
            known.setdefault(text.get(compared.left).rpartition(".")[2], {})[text.get(value)] = "mean" in ways
    return known


def option_values(text: Text, option: str) -> list[ast.expr]:
    """What is given as `option`: in a call, in a dict of settings, or else where it is left out."""
    given = [word.value for call in text.parts(text.tree, ast.Call) for word in call.keywords if word.arg == option]
    for settings in text.parts(text.tree, ast.Dict):
        pairs = zip(settings.keys, settings.values, strict=True)
        given += [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == option]
    for function in text.parts(text.tree, ast.FunctionDef):
        names = [argument.arg for argument in function.args.args]
        defaults = zip(reversed(names), reversed(function.args.defaults), strict=False)
        given += [value for name, value in defaults if name == option]
    return given


@fix(not_scalar=3)
def reduced_where_made(wanted: Wanted) -> Iterator[Proposal]:
    """The loss is one number from the start, where others use it, too: the optimizer of a closure, or a print."""
    text, built, name = wanted.text, wanted.at("built"), wanted.name("root")
    value = value_of(built)
    if not isinstance(built, ast.Assign) or value is None or name not in targets(built):
        return
    for way, cost in (("mean", "each entry counts 1/n"), ("sum", "each entry counts 1")):
        title = f"one number from the start: .{way}() on line {built.lineno}"
        yield wanted.proposal(title, cost, followed(text, value, f".{way}()"))


def of_sum(wanted: Wanted, call: ast.Call) -> Iterator[Proposal]:
    text = wanted.text
    first = call.args[0] if call.args else None
    if first is None:
        return
    title = f"take the gradient of the sum, on line {call.lineno}"
    if isinstance(first, ast.List | ast.Tuple):
        edits = [followed(text, part, ".sum()") for part in first.elts]
        yield wanted.proposal(title, "each entry counts 1", *edits)
    else:
        yield wanted.proposal(title, "each entry counts 1", followed(text, first, ".sum()"))


@fix(function_not_scalar=1)
def function_summed(wanted: Wanted) -> Iterator[Proposal]:
    """What the function returns is summed, or averaged; or all its rows are taken."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    if isinstance(built, ast.Return) and value is not None:
        for suffix in (".sum()", ".mean()"):
            title = f"return {suffix[1:]} on line {built.lineno}"
            yield wanted.proposal(title, "all entries count alike", followed(text, value, suffix))
    for call in text.calls(wanted.at("raised"), "grad"):
        name = text.get(call.func)
        title = f"the gradient of each entry: jacrev on line {call.lineno}"
        made = f"torch.func.jacrev{text.get(call)[len(name) :]}"
        yield wanted.proposal(title, "one row for each entry", text.replaced(call, made))


@fix(gradient_shape=2, gradient_number=2)
def gradient_shape(wanted: Wanted) -> Iterator[Proposal]:
    """The weights given to backward get the shape of the root."""
    text, raised, root = wanted.text, wanted.at("raised"), wanted.name("root")
    for call in text.calls(raised, "backward", "grad"):
        given = weights(call)
        if given is None:
            continue
        owner = call.func.value if isinstance(call.func, ast.Attribute) and callee(call) == "backward" else None
        if owner is not None and ast.unparse(owner) in ("autograd", "torch.autograd"):
            owner = None
        shown = text.get(owner) if owner is not None else text.get(call.args[0]) if call.args else root
        single = shown is not None and not shown.startswith(("[", "("))
        yield from of_listed(wanted, call, given)
        title = f"ones of the shape of {shown} on line {call.lineno}"
        if single and (part := first_part(wanted.found.message)) is not None:
            made = f"{grouped(text, given)}{part.format(shown)}"
            yield wanted.proposal(f"as many of the weights as {shown} has", FREE, text.replaced(given, made))
        if single and isinstance(given, ast.Name | ast.Attribute):  # weights of its own, which ones are not
            made = f"{grouped(text, given)}.expand_as({shown})"
            yield wanted.proposal(
                f"spread the weights over {shown}", "the same for each row", text.replaced(given, made)
            )
        if single:
            ones = wanted.proposal(title, "each entry counts 1", text.replaced(given, f"torch.ones_like({shown})"))
            if are_alike(text, given):
                yield ones
            made = f"{grouped(text, given)}.reshape({shown}.shape)"
            yield wanted.proposal(f"give the weights the shape of {shown}", FREE, text.replaced(given, made))
            made = f"{grouped(text, given)}.expand_as({shown})"
            yield wanted.proposal(f"spread the weights over {shown}", FREE, text.replaced(given, made))
            yield wanted.proposal("transpose the weights", FREE, followed(text, given, ".t()"))
            if may_be_ones(text, given) and not are_alike(text, given):  # what they say is lost
                yield replace(ones, makeshift=True)
        for maker in ast.walk(given):
            if isinstance(maker, ast.Call) and callee(maker) in ("ones", "zeros", "rand", "randn", "full"):
                made = f"torch.{callee(maker)}(())" if callee(maker) != "full" else text.get(maker)
                yield wanted.proposal(
                    "weights without a dimension, as the losses are", FREE, text.replaced(maker, made)
                )
            if isinstance(maker, ast.Call) and callee(maker) in ("tensor", "FloatTensor") and maker.args:
                inner = maker.args[0]
                if isinstance(inner, ast.List) and len(inner.elts) == 1:
                    edit = text.replaced(maker, f"torch.tensor({text.get(inner.elts[0])})")
                    yield wanted.proposal("a weight without a dimension", FREE, edit)
        title = f"without weights: each loss counts 1, on line {call.lineno}"
        yield wanted.proposal(title, "each loss counts 1", *dropped(text, call, given))


def of_listed(wanted: Wanted, call: ast.Call, given: ast.expr) -> Iterator[Proposal]:
    """Of weights in a list, those that the error speaks of get the shape of the root that they stand beside."""
    at, roots = re.search(r"grad_output\[(\d+)\]", wanted.found.message), call.args[0] if call.args else None
    if at is None or not isinstance(given, ast.List | ast.Tuple) or not isinstance(roots, ast.List | ast.Tuple):
        return
    number, text = int(at[1]), wanted.text
    if number < len(given.elts) == len(roots.elts):
        shown, one = text.get(roots.elts[number]), given.elts[number]
        made = f"{grouped(text, one)}.reshape({shown}.shape)"
        yield wanted.proposal(f"give the weights the shape of {shown}", FREE, text.replaced(one, made))


def are_alike(text: Text, given: ast.expr) -> bool:
    """Whether all weights are the same number, as far as the text tells: `torch.ones(3)`, `torch.tensor([1., 1.])`."""
    name = given.id if isinstance(given, ast.Name) else ""
    makers = [node.value for node in text.parts(text.tree, ast.Assign) if name in targets(node)] or [given]
    return all(map(is_uniform, makers))


def is_uniform(made: ast.expr) -> bool:
    if isinstance(made, ast.Constant):
        return True
    if not isinstance(made, ast.Call):
        return False
    if callee(made) in ("ones", "ones_like", "full", "full_like"):
        return True
    listed = made.args[0] if callee(made) in ("tensor", "FloatTensor", "as_tensor") and made.args else None
    entries = {ast.unparse(part) for part in ast.walk(listed) if isinstance(part, ast.Constant)} if listed else set()
    plain = (ast.List, ast.Tuple, ast.Constant, ast.Load)
    return listed is not None and len(entries) == 1 and all(isinstance(part, plain) for part in ast.walk(listed))


def may_be_ones(text: Text, given: ast.expr) -> bool:
    """Whether the weights may have been meant to be ones: what a loop hands over, or what was read of a `.grad`, says
    of each entry how much it counts, and ones would bring another gradient."""
    name = given.id if isinstance(given, ast.Name) else ""
    loops = text.parts(text.tree, ast.For)
    if is_drawn(text, given) or any(name in names_in(loop.target) for loop in loops):
        return False
    makers = [node.value for node in text.parts(text.tree, ast.Assign) if name in targets(node)]
    return not any(part.attr == "grad" for made in (given, *makers) for part in text.parts(made, ast.Attribute))


@fix(gradient_shape=1)
def match_cuts(wanted: Wanted) -> Iterator[Proposal]:
    """Two that are gone through side by side are cut alike: `chunk(n)` makes n parts, `split(n)` parts of n."""
    text, raised = wanted.text, wanted.at("raised")
    loop = text.loop(raised) if raised is not None else None
    others = {callee(call) for call in text.calls(text.tree, "chunk", "split")}
    for call in text.calls(loop, "chunk", "split") if loop is not None and len(others) == 2 else ():
        other = "split" if callee(call) == "chunk" else "chunk"
        if isinstance(call.func, ast.Attribute):
            made = f"{text.get(call.func.value)}.{other}({', '.join(map(text.get, call.args))})"
            title = f"{other} as beside it, on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call, made))


def is_drawn(text: Text, given: ast.expr) -> bool:
    """Whether the weights are drawn at random, as for an estimate of a trace: ones would be no estimate."""
    name = given.id if isinstance(given, ast.Name) else ""
    makers = [node for node in text.parts(text.tree, ast.Assign) if name in targets(node)] if name else []
    parts = [given, *(node.value for node in makers)]
    return any(callee(call).startswith("rand") for part in parts for call in text.parts(part, ast.Call))


TWO_SHAPES = re.compile(
    r"has a shape of torch\.Size\(\[([\d, ]+)\]\) and output\[0\] has a shape of torch\.Size\(\[([\d, ]+)\]\)"
)


def first_part(message: str) -> str | None:
    """What takes of weights as much as a root has, whose last dimension alone is shorter."""
    found = TWO_SHAPES.search(message)
    one, two = ([int(size) for size in found[at].split(", ")] for at in (1, 2)) if found is not None else ([], [])
    alike = len(one) == len(two) > 0 and one[:-1] == two[:-1] and one[-1] > two[-1] > 1
    return "[..., :{}.shape[-1]]" if alike else None


def dropped(text: Text, call: ast.Call, given: ast.expr) -> list[Edit]:
    """`call` without the argument `given`."""
    word = next((word.arg for word in call.keywords if word.value is given and word.arg), None)
    if word is not None:
        edit = without_keyword(text, call, word)
        return [edit] if edit is not None else []
    at = call.args.index(given)
    if at + 1 < len(call.args) or call.keywords:
        return [text.replaced(given, "None")]
    if at == 0:
        return [text.replaced(given, "")]
    before = call.args[at - 1]
    start = text.place(before.end_lineno or 0, before.end_col_offset or 0)
    return [Edit(*start, *text.place(given.end_lineno or 0, given.end_col_offset or 0), "")]


@fix(batched=1)
def batched(wanted: Wanted) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "grad"):
        edit = without_keyword(text, call, "is_grads_batched")
        if edit is not None:
            yield wanted.proposal("leave out is_grads_batched: it is one gradient", FREE, edit)
        given = weights(call)
        if given is not None:
            yield wanted.proposal("a batch of one: unsqueeze(0)", FREE, followed(text, given, ".unsqueeze(0)"))


# ---- shapes


@fix(no_dimensions=2)
@fix_kind(shape=31)
def shapes(wanted: Wanted) -> Iterator[Proposal]:
    """Operands turned, given a dimension more or one less, until they fit; the run is the judge."""
    text, raised = wanted.text, wanted.at("raised")
    if raised is None:
        return
    for call in text.calls(raised, "view"):
        made = text.get(call).replace(".view(", ".reshape(", 1)
        yield wanted.proposal("reshape instead of view", "copies where it must", text.replaced(call, made))
    if "view size is not compatible" in wanted.found.message:
        return  # the entries are right, and in the right order
    operands = operands_of(raised)
    for suffix, what in (
        (".t()", "transpose"),
        (".squeeze()", "drop the dimension of size 1 of"),
        (".unsqueeze(1)", "add a last dimension to"),
        (".unsqueeze(0)", "add a first dimension to"),
        (".flatten()", "flatten"),
    ):
        for operand in operands:
            title = f"{what} {text.get(operand)} on line {operand.lineno}"
            yield wanted.proposal(
                title, "other entries meet: see that it is what you mean", followed(text, operand, suffix)
            )
    for one in operands:
        for two in operands:
            if one is not two:
                title = f"give {text.get(one)} the shape of {text.get(two)}"
                yield wanted.proposal(
                    title,
                    "the same numbers, in another order of places",
                    text.replaced(one, f"{grouped(text, one)}.reshape({text.get(two)}.shape)"),
                )


def operands_of(statement: ast.stmt) -> list[ast.expr]:
    """What the operators and calls of a statement work on, the later first."""
    found: list[ast.expr] = []
    for node in ast.walk(statement):
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp):
            parts = [node.right, node.left]
        elif isinstance(node, ast.Call):
            inside = [part for arg in node.args if isinstance(arg, ast.List | ast.Tuple) for part in arg.elts]
            parts = [*reversed(inside), *reversed(node.args)]
            if isinstance(node.func, ast.Attribute) and not ast.unparse(node.func.value).startswith(
                ("torch", "nn", "F")
            ):
                parts.append(node.func.value)
        found += [part for part in parts if isinstance(part, ast.Name | ast.Attribute | ast.Call | ast.Subscript)]
    return found[:6]


# ---- types of numbers


@fix(whole_numbers=1)
def whole_numbers(wanted: Wanted) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    cost = "floating point numbers: 2. instead of 2"
    flagged = [
        node
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Call) and callee(node) in ("tensor", "arange", "full", "as_tensor", "zeros", "ones")
    ]
    edits = [edit for call in flagged if is_int(call) for edit in floats(text, call)]
    mine = [edit for call in text.calls(raised) for edit in floats(text, call) if is_int(call)]
    built = wanted.at("built")
    yield from only_floats(wanted)
    made = [edit for call in text.calls(built) for edit in floats(text, call) if is_int(call)]
    line = raised.lineno if raised is not None else 0
    if mine:
        yield wanted.proposal(f"write the numbers of line {line} with a point", cost, *mine)
    if made and built is not None:
        yield wanted.proposal(f"write the numbers of line {built.lineno} with a point", cost, *made)
    if len(edits) > len(mine):
        yield wanted.proposal("write all these numbers with a point", cost, *edits)
    for role in ("raised", "built"):
        for call in text.calls(wanted.at(role)):
            if callee(call) in ("tensor", "arange", "full", "zeros", "ones", "as_tensor", "eye"):
                title = f"dtype=torch.float32 on line {call.lineno}"
                yield wanted.proposal(title, cost, set_keyword(text, call, "dtype", "torch.float32"))
    value = value_of(built)
    if built is not None and isinstance(built, ast.Assign) and value is not None:
        yield wanted.proposal(f".float() on line {built.lineno}", cost, followed(text, value, ".float()"))
    if raised is not None and isinstance(raised, ast.Expr | ast.Assign):
        if isinstance(raised, ast.Expr) or isinstance(raised.targets[0], ast.Attribute):
            title = f"leave out line {raised.lineno}: whole numbers need no gradient"
            yield wanted.proposal(title, "no gradient for them", text.removed(raised))
        for call in text.calls(raised):
            edit = without_keyword(text, call, "requires_grad")
            if edit is not None:
                title = f"leave out requires_grad on line {raised.lineno}"
                yield wanted.proposal(title, "no gradient for them", edit)
        name = wanted.name("target")
        set_on = goal_of(raised)
        for use in [use for use in loads(raised, name) if set_on is not use][:1] if name else []:
            title = f"{name}.float() on line {raised.lineno}"
            yield wanted.proposal(title, cost, followed(text, use, ".float()"))


def goal_of(statement: ast.stmt) -> ast.expr | None:
    """What `statement` sets an attribute of: a converted copy would have it for a moment only."""
    goal = statement.targets[0] if isinstance(statement, ast.Assign) else None
    return goal.value if isinstance(goal, ast.Attribute) else None


def only_floats(wanted: Wanted) -> Iterator[Proposal]:
    """In a loop over tensors of several types only those that can have a gradient are asked for one."""
    text, raised = wanted.text, wanted.at("raised")
    goal = raised.targets[0] if isinstance(raised, ast.Assign) else None
    if isinstance(raised, ast.Expr) and isinstance(raised.value, ast.Call):
        goal = raised.value.func
    if raised is None or text.loop(raised) is None or not isinstance(goal, ast.Attribute):
        return
    if goal.attr in ("requires_grad", "requires_grad_"):
        test = f"{text.get(goal.value)}.is_floating_point()"
        yield wanted.proposal(f"only those of floating point: if {test}", FREE, text.wrapped([raised], f"if {test}:"))


def is_int(call: ast.Call) -> bool:
    """Whether whole numbers are written in `call`, and no type is asked for."""
    constants = [node for arg in call.args for node in ast.walk(arg) if isinstance(node, ast.Constant)]
    return bool(constants) and all(type(node.value) is int for node in constants) and keyword(call, "dtype") is None


def floats(text: Text, call: ast.Call) -> list[Edit]:
    if callee(call) not in ("tensor", "full", "as_tensor", "arange"):
        return []
    args = call.args if callee(call) != "full" else call.args[1:]
    return [
        text.replaced(node, f"{node.value}.")
        for arg in args
        for node in ast.walk(arg)
        if isinstance(node, ast.Constant) and type(node.value) is int
    ]


@fix(mixed=1)
def mixed(wanted: Wanted) -> Iterator[Proposal]:
    """One of the operands is converted, or what it was made of."""
    text, raised = wanted.text, wanted.at("raised")
    if raised is None:
        return
    goal = raised.targets[0] if isinstance(raised, ast.Assign) else None
    for suffix in (".float()", ".double()", ".long()"):
        if isinstance(raised, ast.Assign) and isinstance(goal, ast.Attribute) and goal.attr == "grad":
            title = f"the gradient in the type of its tensor: {suffix} on line {raised.lineno}"
            yield wanted.proposal(title, "a converted copy", followed(text, raised.value, suffix))
            continue
        names = [wanted.name("target")] if wanted.name("target") else []
        for name in names:
            uses = loads(raised, str(name))
            if uses:
                title = f"{name}{suffix} on line {raised.lineno}"
                yield wanted.proposal(title, "a converted copy", followed(text, uses[0], suffix))
        for operand in operands_of(raised):
            title = f"{text.get(operand)}{suffix} on line {operand.lineno}"
            yield wanted.proposal(title, "a converted copy", followed(text, operand, suffix))
        if isinstance(raised, ast.AugAssign):
            made = f"{text.get(raised.target)} = {text.get(raised.target)}{suffix}"
            yield wanted.proposal(
                f"{made} before line {raised.lineno}", "a converted copy", text.before(raised, [made])
            )
        if isinstance(raised, ast.Expr) and isinstance(raised.value, ast.Call):
            func = raised.value.func
            if isinstance(func, ast.Attribute) and func.attr.endswith("_") and isinstance(func.value, ast.Name):
                made = f"{func.value.id} = {func.value.id}{suffix}"
                yield wanted.proposal(
                    f"{made} before line {raised.lineno}", "a converted copy", text.before(raised, [made])
                )


@fix(range=1)
def labels_in_range(wanted: Wanted) -> Iterator[Proposal]:
    """A loss of chances gets chances."""
    text, raised = wanted.text, wanted.at("raised")
    for operand in operands_of(raised) if raised is not None else []:
        of_labels = "of target" in wanted.found.message
        for suffix in (".clamp(0, 1)", ".sigmoid()") if of_labels else (".sigmoid()", ".clamp(0, 1)"):
            title = f"{text.get(operand)}{suffix} on line {operand.lineno}"
            yield wanted.proposal(title, "other numbers", followed(text, operand, suffix))
