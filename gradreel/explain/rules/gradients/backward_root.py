"""What backward cannot start from: several numbers without weights, or weights of another shape."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import replace

from ...calls import callee, calls_in, keyword, weights
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import find_mentioned, raising_statement, stands_for
from ...diagnostics.refusals import declare_refusal
from ...diagnostics.registry import rule
from ...fixes.edits import append_suffix, enclosing, in_brackets, set_keyword, value_of, with_argument, without_keyword
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, names_in, targets
from ...narration.words import code, code_label, label, name_of, on
from ...replay.states import Call, TensorState
from ...replay.world import World


@rule
def root_refused(world: World, failure: Failure) -> Diagnosis | None:
    message = failure.raised.message
    if message.startswith("grad can be implicitly created only for scalar"):
        return diagnose_not_scalar(world, failure)
    if message.startswith("grad can be implicitly created only for real scalar"):
        return diagnose_not_real(world, failure)
    if "to return a scalar" in message:
        return function_not_scalar(world, failure)
    if message.startswith("Mismatch in shape: grad_output"):
        return diagnose_gradient_shape(world, failure)
    if message.startswith("If `is_grads_batched=True`"):
        return diagnose_batched(world, failure)
    return None


def root_number(failure: Failure) -> int:
    """Which root the message speaks of, or element of what it was given."""
    found = re.search(r"(?:element |output\[|grad_output\[)(\d+)", failure.raised.message)
    return int(found.group(1)) if found else 0


def roots_of(world: World, failure: Failure) -> list[TensorState]:
    """The tensors that the failing call was asked to start from; if it came to no call, those that its line names."""
    call = call_of(world, failure)
    if call is not None and call.roots:
        return [world.tensors[number] for number in call.roots]
    return [tensor for _, tensor in find_mentioned(world, raising_statement(world, failure))]


def call_of(world: World, failure: Failure) -> Call | None:
    return world.calls.get(failure.call) if failure.call is not None else None


def root(world: World, failure: Failure) -> TensorState | None:
    roots = roots_of(world, failure)
    number = root_number(failure)
    return roots[number] if number < len(roots) else roots[0] if roots else None


def diagnose_not_scalar(world: World, failure: Failure) -> Diagnosis | None:
    roots = roots_of(world, failure)
    tensor = next((state for state in roots if math.prod(state.shape) != 1), None)
    if tensor is None:
        return None
    entries = math.prod(tensor.shape)
    call = call_of(world, failure)
    word = "`grad_outputs=`" if call is not None and call.called == "grad" else "`gradient=`"
    return Diagnosis(
        kind="not_scalar",
        title="Backward from more than one number",
        message=failure.raised.message,
        lines={"built": tensor.place.line, "raised": failure.raised.line},
        story=(
            f"{code_label(world, tensor.number)}, made {on(tensor.place.line)}, has {entries} entries.",
            "Backward starts from a single number, whose gradient with respect to itself is 1. For several it has to "
            "be told how much each of them counts.",
            f"Give those weights as {word}, or make one number of it, with `sum()` or `mean()`.",
        ),
        nodes=() if tensor.node is None else (tensor.node,),
        events={"raised": failure.number, "built": tensor.made},
        cause="not_scalar",
        names=known_names(root=label(world, tensor.number)),
    )


def diagnose_not_real(world: World, failure: Failure) -> Diagnosis | None:
    """Backward was to start from one number, and that is complex."""
    tensor = next((state for state in roots_of(world, failure) if state.dtype.startswith("complex")), None)
    if tensor is None:
        return None
    return Diagnosis(
        kind="not_scalar",
        title="Backward from a complex number",
        message=failure.raised.message,
        lines={"built": tensor.place.line, "raised": failure.raised.line},
        story=(
            f"{code_label(world, tensor.number)}, made {on(tensor.place.line)}, is a complex number.",
            "Backward starts from a real one: of two complex numbers neither is the smaller, so there is no way down.",
            "If its imaginary part is zero, or means nothing, take `.real`; if its size is meant, `.abs()`.",
        ),
        nodes=() if tensor.node is None else (tensor.node,),
        events={"raised": failure.number, "built": tensor.made},
        cause="not_real",
        names=known_names(root=label(world, tensor.number)),
    )


def function_not_scalar(world: World, failure: Failure) -> Diagnosis | None:
    """`func.grad` of a function that gives several numbers: told by the function's own `return`."""
    text = raising_statement(world, failure)
    functions = [node for node in world.source.nodes if isinstance(node, ast.FunctionDef)]
    named_here = [node for node in functions if re.search(rf"\b{node.name}\b", text)]
    made = [node for node in world.source.nodes if isinstance(node, ast.Assign) and "grad" in text_of_node(node)]
    named_here += [node for node in functions for by in made if re.search(rf"\b{node.name}\b", text_of_node(by))]
    returns = [node for node in ast.walk(named_here[0]) if isinstance(node, ast.Return)] if named_here else []
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    story = ["`grad` makes a function that gives the gradient of another, and that other has to give one number."]
    if returns:
        lines["built"] = returns[-1].lineno
        story.append(f"{code(named_here[0].name)} returns several {on(returns[-1].lineno)}.")
    story.append("Return their `sum()` or `mean()`, or take `vjp` with weights, or `jacrev` for all the rows.")
    message = failure.raised.message
    return Diagnosis(
        kind="not_scalar",
        title="The gradient of a function that gives several numbers",
        message=message,
        lines=lines,
        story=tuple(story),
        events={"raised": failure.number},
        cause="function_not_scalar",
        names=known_names(function=named_here[0].name if named_here else None),
    )


def text_of_node(node: ast.Assign) -> str:
    return ast.unparse(node.value)


def diagnose_gradient_shape(world: World, failure: Failure) -> Diagnosis | None:
    tensor = root(world, failure)
    if tensor is None:
        return None
    shapes = re.findall(r"torch\.Size\((\[[\d, ]*\])\)", failure.raised.message)
    given = shapes[0] if shapes else "another shape"
    story = (
        f"{code_label(world, tensor.number)}, made {on(tensor.place.line)}, has the shape {list(tensor.shape)}.",
        f"The gradient to start from must say for each of its entries how much it counts, so it needs that shape. The "
        f"one given {on(failure.raised.line)} has {given}.",
    )
    lines: dict[str, int | None] = {"built": tensor.place.line, "raised": failure.raised.line}
    events = {"raised": failure.number, "built": tensor.made}
    name = weights_name(world, failure)
    weighing = stands_for(world, name) or find_enclosed(world, name) if name is not None else None
    if weighing is not None:
        lines["saved"], events["saved"] = weighing.place.line, weighing.made
    return Diagnosis(
        kind="shape",
        title="A gradient of another shape",
        message=failure.raised.message,
        lines=lines,
        story=story,
        nodes=() if tensor.node is None else (tensor.node,),
        events=events,
        cause="gradient_shape",
        names=known_names(root=label(world, tensor.number), weights=name),
    )


def find_enclosed(world: World, name: str) -> TensorState | None:
    """The tensor that `name` stands for in a function that has ended and left another function behind."""
    return next((state for state in reversed(world.tensors.values()) if state.alive and state.called == name), None)


def weights_name(world: World, failure: Failure) -> str | None:
    """The name of the gradients given to the call, if they have one: what its line names besides roots and inputs."""
    for written in calls_in(raising_statement(world, failure)):
        given = weights(written) if callee(written) in ("backward", "grad") else None
        if isinstance(given, ast.Name | ast.Attribute):
            return ast.unparse(given)
    call = call_of(world, failure)
    known = set() if call is None else {*call.roots, *call.inputs}
    found = [
        name for name, tensor in find_mentioned(world, raising_statement(world, failure)) if tensor.number not in known
    ]
    return found[-1] if found else None


def diagnose_batched(world: World, failure: Failure) -> Diagnosis | None:
    """`is_grads_batched` takes the first dimension of the gradients for a batch of them."""
    found = [tensor for _, tensor in find_mentioned(world, raising_statement(world, failure))]
    start = next((tensor for tensor in found if tensor.node is not None), None)
    given = [tensor for tensor in found if tensor is not start and (start is None or tensor.shape == start.shape)]
    if start is None:
        return None
    lines: dict[str, int | None] = {"built": start.place.line, "raised": failure.raised.line}
    events = {"raised": failure.number, "built": start.made}
    story = [f"{code_label(world, start.number)}, made {on(start.place.line)}, has the shape {list(start.shape)}."]
    if given:
        lines["saved"], events["saved"] = given[-1].place.line, given[-1].made
        story.append(
            f"With `is_grads_batched=True`, {code_label(world, given[-1].number)} of shape {list(given[-1].shape)}, "
            f"made {on(given[-1].place.line)}, is read as {given[-1].shape[0] if given[-1].shape else 'several'} "
            "gradients, one a row."
        )
    story.append("Each of them would have to have the shape of the output, so the first dimension is one too many.")
    return Diagnosis(
        kind="shape",
        title="One gradient read as a batch of them",
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        nodes=() if start.node is None else (start.node,),
        events=events,
        cause="batched",
        names=known_names(root=label(world, start.number), weights=name_of(world, given[-1]) if given else None),
    )


declare_refusal(
    " tensors and ",
    cause="gradient_number",
    title="Not one gradient for each root",
    role="built",
    story=("{name} is one of several tensors to start from, and each of them needs a gradient of its own.",),
)


# ---- fixes


@fix(not_scalar=2)
def sum_root(wanted: FixContext) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised, "backward"):
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) not in ("autograd", "torch.autograd"):
            owner = call.func.value
            shown = in_brackets(text, owner)
            mean = wanted.proposal(
                f"backward of the mean, on line {call.lineno}",
                "each entry counts 1/n",
                append_suffix(text, owner, ".mean()"),
            )
            trains = "loss" in shown.lower() and bool(text.calls(text.tree, "step"))
            if f"{shown}.mean()" in text.source or trains:  # that is what the program calls its loss
                yield mean
            title = f"backward of the sum, on line {call.lineno}"
            yield wanted.proposal(title, "each entry counts 1", append_suffix(text, owner, ".sum()"))
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


@fix(not_real=1)
def not_real(wanted: FixContext) -> Iterator[Proposal]:
    """The real part of a complex loss, or its absolute value."""
    text = wanted.text
    ways = ((".real", "the imaginary part is left out"), (".abs()", "the size of the number counts"))
    for call in text.calls(wanted.at("raised"), "backward"):
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) not in ("autograd", "torch.autograd"):
            for way, cost in ways:
                title = f"backward of `{way}`, on line {call.lineno}"
                yield wanted.proposal(title, cost, append_suffix(text, call.func.value, way))
    for call in [*text.calls(wanted.at("raised"), "grad"), *text.calls(wanted.at("raised"), "backward")]:
        first = call.args[0] if call.args else None
        if first is not None and not isinstance(first, ast.List | ast.Tuple):
            for way, cost in ways:
                title = f"the gradient of `{way}`, on line {call.lineno}"
                yield wanted.proposal(title, cost, append_suffix(text, first, way))


@fix(not_scalar=1)
def use_known_option(wanted: FixContext) -> Iterator[Proposal]:
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
def reduce_where_made(wanted: FixContext) -> Iterator[Proposal]:
    """The loss is one number from the start, where others use it, too: the optimizer of a closure, or a print."""
    text, built, name = wanted.text, wanted.at("built"), wanted.name("root")
    value = value_of(built)
    if not isinstance(built, ast.Assign) or value is None or name not in targets(built):
        return
    for way, cost in (("mean", "each entry counts 1/n"), ("sum", "each entry counts 1")):
        title = f"one number from the start: .{way}() on line {built.lineno}"
        yield wanted.proposal(title, cost, append_suffix(text, value, f".{way}()"))


def of_sum(wanted: FixContext, call: ast.Call) -> Iterator[Proposal]:
    text = wanted.text
    first = call.args[0] if call.args else None
    if first is None:
        return
    title = f"take the gradient of the sum, on line {call.lineno}"
    if isinstance(first, ast.List | ast.Tuple):
        edits = [append_suffix(text, part, ".sum()") for part in first.elts]
        yield wanted.proposal(title, "each entry counts 1", *edits)
    else:
        yield wanted.proposal(title, "each entry counts 1", append_suffix(text, first, ".sum()"))


@fix(function_not_scalar=1)
def sum_function(wanted: FixContext) -> Iterator[Proposal]:
    """What the function returns is summed, or averaged; or all its rows are taken."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    if isinstance(built, ast.Return) and value is not None:
        for suffix in (".sum()", ".mean()"):
            title = f"return {suffix[1:]} on line {built.lineno}"
            yield wanted.proposal(title, "all entries count alike", append_suffix(text, value, suffix))
    for call in text.calls(wanted.at("raised"), "grad"):
        name = text.get(call.func)
        title = f"the gradient of each entry: jacrev on line {call.lineno}"
        made = f"torch.func.jacrev{text.get(call)[len(name) :]}"
        yield wanted.proposal(title, "one row for each entry", text.replaced(call, made))


@fix(gradient_shape=2, gradient_number=2)
def reshape_gradient(wanted: FixContext) -> Iterator[Proposal]:
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
            made = f"{in_brackets(text, given)}{part.format(shown)}"
            yield wanted.proposal(f"as many of the weights as {shown} has", FREE, text.replaced(given, made))
        if single and isinstance(given, ast.Name | ast.Attribute):  # weights of its own, which ones are not
            made = f"{in_brackets(text, given)}.expand_as({shown})"
            yield wanted.proposal(
                f"spread the weights over {shown}", "the same for each row", text.replaced(given, made)
            )
        if single:
            ones = wanted.proposal(title, "each entry counts 1", text.replaced(given, f"torch.ones_like({shown})"))
            if are_alike(text, given):
                yield ones
            made = f"{in_brackets(text, given)}.reshape({shown}.shape)"
            yield wanted.proposal(f"give the weights the shape of {shown}", FREE, text.replaced(given, made))
            made = f"{in_brackets(text, given)}.expand_as({shown})"
            yield wanted.proposal(f"spread the weights over {shown}", FREE, text.replaced(given, made))
            yield wanted.proposal("transpose the weights", FREE, append_suffix(text, given, ".t()"))
            if may_be_ones(text, given) and not are_alike(text, given):  # what they say is lost
                yield replace(ones, workaround=True)
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
        yield wanted.proposal(title, "each loss counts 1", *drop_argument(text, call, given))


def of_listed(wanted: FixContext, call: ast.Call, given: ast.expr) -> Iterator[Proposal]:
    """Of weights in a list, those that the error speaks of get the shape of the root that they stand beside."""
    at, roots = re.search(r"grad_output\[(\d+)\]", wanted.found.message), call.args[0] if call.args else None
    if at is None or not isinstance(given, ast.List | ast.Tuple) or not isinstance(roots, ast.List | ast.Tuple):
        return
    number, text = int(at[1]), wanted.text
    if number < len(given.elts) == len(roots.elts):
        shown, one = text.get(roots.elts[number]), given.elts[number]
        made = f"{in_brackets(text, one)}.reshape({shown}.shape)"
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
def match_cuts(wanted: FixContext) -> Iterator[Proposal]:
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


def drop_argument(text: Text, call: ast.Call, given: ast.expr) -> list[Edit]:
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
def drop_batched(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "grad"):
        edit = without_keyword(text, call, "is_grads_batched")
        if edit is not None:
            yield wanted.proposal("leave out is_grads_batched: it is one gradient", FREE, edit)
        given = weights(call)
        if given is not None:
            yield wanted.proposal("a batch of one: unsqueeze(0)", FREE, append_suffix(text, given, ".unsqueeze(0)"))


@fix(gradient_number=1)
def give_one_for_each(wanted: FixContext) -> Iterator[Proposal]:
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


@fix(gradient_shape=3)
def make_cotangent_like(wanted: FixContext) -> Iterator[Proposal]:
    """What `vjp` gave is given ones in the shape of the output that came with it."""
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(text.tree, ast.Assign):
        goal = node.targets[0]
        if callee(node.value) != "vjp" or not isinstance(goal, ast.Tuple) or len(goal.elts) != 2:
            continue
        output, pull = map(text.get, goal.elts)
        for call in text.calls(raised, pull):
            if len(call.args) == 1 and names_in(call.func):
                made = f"torch.ones_like({output})"
                title = f"ones of the shape of {output} on line {call.lineno}"
                yield wanted.proposal(title, "each entry counts 1", text.replaced(call.args[0], made))
