"""torch.func and vmap: what the functions give, the dimensions to go along, choices that vmap cannot make."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from ..calls import callee, keyword
from ..diagnostics.diagnosis import Diagnosis, Failure
from ..diagnostics.mentions import find_mentioned, raising_statement
from ..diagnostics.message_rules import MessageRule, match_rules, message_rules
from ..diagnostics.refusals import declare_refusal
from ..diagnostics.registry import rule
from ..fixes.edits import (
    append_suffix,
    copies,
    enclosing,
    in_brackets,
    join_names,
    needed_before,
    returns,
    set_keyword,
    with_argument,
    without_keyword,
)
from ..fixes.proposal import FREE, FixContext, Proposal
from ..fixes.registry import fix
from ..fixes.text import Edit, Text, names_in, targets
from ..replay.world import World
from .inplace.out_of_place import written_name

NUMBER = (
    "{code} {line} hands a function over to be differentiated, and what that gives is no tensor.",
    "`item()`, `float()` and `tolist()` take numbers out of the graph; a derivative is taken of the tensor itself.",
)

declare_refusal(
    "to return a Tensor, got <class 'tuple'>",
    cause="auxiliary",
    title="A function with more than one result",
    story=(
        "{code} {line} differentiates a function that gives a tuple, and the gradient is of one tensor.",
        "With `has_aux=True` the first part is differentiated, and the others are handed on as they are.",
    ),
)
declare_refusal(
    "to return a Tensor, got",
    cause="function_result",
    title="A derivative of what is no tensor",
    story=NUMBER,
)
declare_refusal(
    "The outputs of the user-provided function given to",
    cause="function_result",
    title="A derivative of what is no tensor",
    story=NUMBER,
)
declare_refusal(
    "that would mutate a captured Tensor",
    cause="captured_write",
    title="A write that a transform would lose",
    story=(
        "{code} {line} runs under a transform of `torch.func`, and writes into what belongs to no example.",
        "A batch norm that trains does so: it counts each batch into its running mean and variance. It normalizes "
        "each example by all the others, so a gradient for each example has no meaning with it.",
        "A group norm looks at one example alone; a batch norm without running statistics writes nothing.",
    ),
)
declare_refusal(
    "backward() called inside a functorch transform",
    cause="backward_in_transform",
    title="No backward inside of a transform",
    story=(
        "{code} {line} goes backward inside of `vmap` or another transform of `torch.func`, where `.grad` belongs "
        "to no example.",
        "The transforms can be nested: `torch.func.grad` of the function gives the gradient, and `vmap` of that "
        "one for each example.",
    ),
)
declare_refusal(
    "The vector v can only be None",
    cause="no_vector",
    title="A product with a vector that was not given",
    story=(
        "{code} {line} multiplies a Jacobian by a vector, and the function gives several numbers.",
        "Of one number the vector may be left out, and is 1; of several it has to be given, in their shape.",
    ),
)
declare_refusal(
    "v has invalid size",
    cause="vector_shape",
    title="A vector of another shape",
    story=(
        "{code} {line} multiplies a Jacobian by a vector that has another shape than what it goes with.",
        "`vjp` takes one in the shape of the output, `jvp`, `hvp` and `vhp` one in the shape of the input.",
    ),
)


WAYS = "`in_dims` says of each argument along which dimension its examples lie: 0 unless said, and None for what is "
WAYS += "the same for all examples."

TABLE: tuple[MessageRule, ...] = (
    MessageRule(
        re.compile(
            r"^vmap: Expected all tensors to have the same size in the mapped dimension, got sizes (?P<got>.*?) for"
        ),
        cause="mapped_sizes",
        title="Not as many examples in one as in the other",
        story=(
            "{code} {line}{turn} takes the examples of several tensors side by side, and their numbers differ: {got}.",
            WAYS,
        ),
        kind="shape",
    ),
    MessageRule(
        re.compile(r"in_dims is not compatible with the structure of `inputs`"),
        cause="mapped_structure",
        title="Not one entry of in_dims for each argument",
        story=("{code} {line}{turn} has another number of entries in `in_dims` than there are arguments.", WAYS),
    ),
    MessageRule(
        re.compile(r"Got in_dim=(?P<dim>-?\d+) for an input but the input is of type <class '(?P<got>[\w.]+)'>"),
        cause="mapped_number",
        title="What is no tensor has no examples",
        story=("{code} {line}{turn} goes along dimension {dim} of {a_got}, which has no dimensions.", WAYS),
    ),
    MessageRule(
        re.compile(
            r"Got in_dim=(?P<dim>-?\d+) for some input, but that input is a Tensor of dimensionality (?P<rank>\d+)"
        ),
        cause="mapped_dimension",
        title="There is no such dimension to go along",
        story=(
            "{code} {line}{turn} goes along dimension {dim} of a tensor that has {rank} of them; the first is 0.",
            WAYS,
        ),
        kind="shape",
    ),
    MessageRule(
        re.compile(r"must only return Tensors, got type <class '(?P<got>[\w.]+)'>"),
        cause="mapped_result",
        title="Under vmap a function gives tensors",
        story=(
            "{code} {line}{turn} runs a function for all examples that gives {a_got}.",
            "Of the results `vmap` makes one tensor, so each must be a tensor: `torch.tensor` makes one of a number.",
        ),
    ),
)


@rule
def mapped_wrongly(world: World, failure: Failure) -> Diagnosis | None:
    """One of TABLE, with the number of dimensions of each tensor that the line names."""
    found = match_rules(TABLE, world, failure)
    if found is None:
        return None
    ranks = {name: str(len(tensor.shape)) for name, tensor in find_mentioned(world, raising_statement(world, failure))}
    return replace(found, names={**found.names, **{f"rank of {name}": rank for name, rank in ranks.items()}})


message_rules(
    "transform_refused",
    MessageRule(
        re.compile(r"\bin strict mode"),
        cause="strict",
        title="In strict mode nothing may be independent",
        story=(
            "{code} {line}{turn} says `strict=True`, and between an output of the function and one of its inputs there "
            "is no way for a gradient.",
            "It may be meant, or come of a `detach()` or an input that is not used; that is why strict mode raises.",
            "Without it such a derivative is a tensor of zeros.",
        ),
        on_line=re.compile(r"\bstrict\b"),
    ),
    MessageRule(
        re.compile(r"vmap: called random operation while in randomness error mode"),
        cause="vmap_random",
        title="Random numbers under vmap",
        story=(
            "{code} {line}{turn} draws random numbers in a function that `vmap` runs for all examples at once.",
            "It cannot know whether each example is to have numbers of its own or all of them the same; "
            '`randomness="different"` or `"same"` says so.',
        ),
    ),
    MessageRule(
        re.compile(r"vmap: It looks like you're .*calling \.item\(\)"),
        cause="vmap_item",
        title="Under vmap there is no single number",
        story=(
            "{code} {line}{turn} takes a number out of a tensor, in what `vmap` runs for all examples at once.",
            "The tensor stands for one number of each example; it can be computed with, but none can be taken out.",
            "What is to be seen of each example is returned beside the result, and read when `vmap` is done.",
        ),
        on_line=re.compile(r"^(?!(?:if|elif|while|assert)\b).*(?:\.item\(\)|\.tolist\(\)|\bfloat\(|\bint\()"),
    ),
    MessageRule(
        re.compile(r"vmap: It looks like you're .*attempting to use a Tensor in some data-dependent control flow"),
        cause="vmap_choice",
        title="Under vmap nothing can be decided",
        story=(
            "{code} {line}{turn} asks a tensor for yes or no, in what `vmap` runs for all examples at once.",
            "One example may say yes and the next no, and there is one run for all of them: it cannot go both ways.",
            "`torch.where` computes both ways and takes for each example the one that it asks for.",
        ),
    ),
    MessageRule(
        re.compile(r"vmap: It looks like you're calling \.item\(\)"),
        cause="vmap_item",
        title="Under vmap there is no single number",
        story=(
            "{code} {line}{turn} takes a number out of a tensor, in what `vmap` runs for all examples at once.",
            "The tensor stands for one number of each example; it can be computed with, but none can be taken out.",
            "What is to be seen of each example is returned beside the result, and read when `vmap` is done.",
        ),
    ),
    MessageRule(
        re.compile(r"vmap: (?P<what>.+?)\(self, \*extra_args\) is not possible because there exists a Tensor `other`"),
        cause="vmap_write",
        title="Under vmap there is one row, and many values for it",
        story=(
            "{code} {line}{turn} writes values of each example into a tensor that there is once for all of them.",
            "`vmap` runs the function for all examples at once; what it makes of plain sizes, as `torch.zeros(3)`, "
            "does not know of them.",
            "`torch.zeros_like(x)` and `x.new_zeros(3)` make one for each example, if `x` is of each example.",
        ),
    ),
    MessageRule(
        re.compile(r"vmap: We do not support batching operators that can support dynamic shape.*boolean mask"),
        cause="vmap_mask",
        title="Under vmap all results are of one size",
        story=(
            "{code} {line}{turn} picks by a mask, in what `vmap` runs for all examples at once.",
            "How many it picks would differ from example to example, and a tensor has rows of one length.",
            "`torch.where` keeps the size, with something harmless, as 0, in the place of what is not picked.",
        ),
    ),
    MessageRule(
        re.compile(r"The Tensor returned by the function given to (?P<what>\w+) should contain a single element"),
        cause="not_of_one",
        title="This derivative is of one number",
        story=(
            "{code} {line}{turn} asks `{what}` for derivatives of a function that returns several numbers.",
            "A second derivative is taken of one number: return a sum or a mean, or take the function of one entry.",
        ),
    ),
)


declare_refusal(
    "inside of a function being transformed by a functorch transform",
    cause="in_transform",
    title="Leaves cannot be made inside of a transform",
    story=(
        "{code} {line} asks for a leaf of its own. It runs inside of `vmap` or another transform of "
        "`torch.func`, where nothing may change its flag.",
        "The transforms can be nested: `torch.func.jacrev`, `hessian` and `grad` do the same there.",
    ),
)
declare_refusal(
    "does not have vmap support",
    cause="no_vmap_rule",
    title="A Function that vmap does not know",
    story=(
        "{code} {line} runs a Function of your own for all examples at once.",
        "PyTorch has to be told how: by a `vmap` method, or by `generate_vmap_rule = True` in the class. The "
        "latter does where forward and backward are made of torch's own operators.",
    ),
)


# ---- fixes


def mapped_calls(text: Text) -> Iterator[tuple[ast.Call, list[str]]]:
    """The calls of vmap, each with the arguments that are given to what it makes."""
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Call) and callee(node) == "vmap":
            outer = text.parents.get(node)
            if isinstance(outer, ast.Call) and outer.func is node:
                yield node, [text.get(part) for part in outer.args]
                continue
            names = [text.get(goal) for goal in outer.targets] if isinstance(outer, ast.Assign) else []
            uses = [use for use in ast.walk(text.tree) if isinstance(use, ast.Call) and text.get(use.func) in names]
            yield node, [text.get(part) for part in uses[0].args] if uses else []


@fix(mapped_sizes=1, mapped_structure=1, mapped_number=1, mapped_dimension=1)
def set_in_dims(wanted: FixContext) -> Iterator[Proposal]:
    """All arguments along their first dimension; then one of them the same for all examples, of the fewest dimensions
    first; or all but one."""
    text = wanted.text
    for call, given in mapped_calls(text):
        many = len(given)
        by_rank = sorted(reversed(range(many)), key=lambda at: int(wanted.name(f"rank of {given[at]}") or 0))
        patterns = [["0"] * many]
        patterns += [["None" if at == left else "0" for at in range(many)] for left in by_rank]
        patterns += [["0" if at == along else "None" for at in range(many)] for along in range(many)]
        for pattern in patterns if many else []:
            made = f"({', '.join(pattern)}{',' if many == 1 else ''})"
            title = f"in_dims={made} on line {call.lineno}"
            cost = FREE if "None" not in pattern else "one value for all examples"
            yield wanted.proposal(title, cost, set_keyword(text, call, "in_dims", made))


@fix(mapped_result=1)
def return_tensors(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for call, _ in mapped_calls(text):
        for part in returns(text, text.get(call.args[0])) if call.args else ():
            if part.value is not None:
                made = f"torch.tensor({text.get(part.value)})"
                yield wanted.proposal(f"{made} on line {part.lineno}", FREE, text.replaced(part.value, made))


NUMBERS = ("item", "tolist")
MAKERS = (
    "grad",
    "grad_and_value",
    "value_and_grad",
    "vjp",
    "jvp",
    "jacrev",
    "jacfwd",
    "hessian",
    "jacobian",
    "hvp",
    "vhp",
)
Function = ast.FunctionDef | ast.Lambda


def functions(text: Text) -> list[Function]:
    """The functions of the text that a transform is given."""
    calls = [call for call in text.parts(text.tree, ast.Call) if callee(call) in (*MAKERS, "vmap") and call.args]
    names = {part.id for call in calls for part in text.parts(call.args[0], ast.Name)}
    plain = [part for call in calls for part in text.parts(call.args[0], ast.Lambda)]
    return [*plain, *(node for node in text.parts(text.tree, ast.FunctionDef) if node.name in names)]


@fix(function_result=1)
def return_tensor(wanted: FixContext) -> Iterator[Proposal]:
    """The function gives the tensor itself, and no number taken out of it."""
    text = wanted.text
    for function in functions(text):
        for call in text.parts(function, ast.Call):
            if callee(call) in NUMBERS and isinstance(call.func, ast.Attribute):
                title = f"leave out .{callee(call)}() on line {call.lineno}"
                yield wanted.proposal(title, "the graph stays", text.replaced(call, text.get(call.func.value)))
            if callee(call) in ("float", "int") and len(call.args) == 1:
                title = f"leave out {callee(call)}() on line {call.lineno}"
                yield wanted.proposal(title, "the graph stays", text.replaced(call, in_brackets(text, call.args[0])))


@fix(auxiliary=1)
def set_has_aux(wanted: FixContext) -> Iterator[Proposal]:
    """`grad(f)` becomes `grad(f, has_aux=True)`."""
    text = wanted.text
    for call in text.parts(text.tree, ast.Call):
        if callee(call) in MAKERS and keyword(call, "has_aux") is None and call.args:
            title = f"has_aux=True on line {call.lineno}"
            cost = "the result is a pair: the gradient, and what else the function gives"
            yield wanted.proposal(title, cost, with_argument(text, call, "has_aux=True"))


@fix(vmap_item=2)
def log_outside(wanted: FixContext) -> Iterator[Proposal]:
    """What a function under `vmap(grad(f))` appends to a log, it returns beside its result; the log gets it outside."""
    text, raised = wanted.text, wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    adding = raised.value if isinstance(raised, ast.Expr) else None
    if not isinstance(home, ast.FunctionDef) or not isinstance(adding, ast.Call) or callee(adding) != "append":
        return
    shown = adding.args[0] if len(adding.args) == 1 else None
    if not isinstance(shown, ast.Call) or callee(shown) not in ("item", "float") or raised is None:
        return
    one = text.get(shown.func.value) if isinstance(shown.func, ast.Attribute) else text.get(shown.args[0])
    last = home.body[-1]
    for grad in [call for call in text.parts(text.tree, ast.Call) if callee(call) == "grad" and call.args]:
        outer = next((node for node in text.around(grad) if isinstance(node, ast.Assign)), None)
        if text.get(grad.args[0]).rpartition(".")[2] != home.name or outer is None or keyword(grad, "has_aux"):
            continue
        if not isinstance(last, ast.Return) or last.value is None or not isinstance(outer.targets[0], ast.Name):
            continue
        extra = f"{one if one.isidentifier() else 'value'}_of_each"
        edits = [text.removed(raised), text.replaced(last.value, f"{text.get(last.value)}, {one}")]
        edits.append(with_argument(text, grad, "has_aux=True"))
        edits.append(text.replaced(outer.targets[0], f"{text.get(outer.targets[0])}, {extra}"))
        assert isinstance(adding.func, ast.Attribute)
        edits.append(text.after(outer, [f"{text.get(adding.func.value)}.extend({extra}.tolist())"]))
        title = f"return {one} as well, with has_aux=True, and log it outside, after line {outer.end_lineno}"
        yield wanted.proposal(title, FREE, *edits)


@fix(no_vector=1, vector_shape=1)
def give_vector(wanted: FixContext) -> Iterator[Proposal]:
    """A vector of ones, in the shape of what it goes with."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "vjp", "jvp", "hvp", "vhp"):
        if len(call.args) < 2:
            continue
        function, point = text.get(call.args[0]), text.get(call.args[1])
        function = function if function.isidentifier() else f"({function})"
        shape = f"{function}({point})" if callee(call) == "vjp" else point
        given = keyword(call, "v")
        old = given.value if given is not None else call.args[2] if len(call.args) > 2 else None
        made = f"torch.ones_like({shape})"
        title = f"a vector of ones in that shape: {made} on line {call.lineno}"
        edit = with_argument(text, call, made) if old is None else text.replaced(old, made)
        yield wanted.proposal(title, "each entry counts 1", edit)


@fix(backward_in_transform=1)
def differentiate_function(wanted: FixContext) -> Iterator[Proposal]:
    """A function that goes backward inside of a transform becomes `torch.func.grad` of what it went back from."""
    text, raised = wanted.text, wanted.at("raised")
    home = next((node for node in text.around(raised) if isinstance(node, ast.FunctionDef)), None) if raised else None
    calls = text.calls(raised, "backward")
    if home is None or len(calls) != 1 or not isinstance(calls[0].func, ast.Attribute) or raised not in home.body:
        return
    last = home.body[-1]
    if not isinstance(last, ast.Return) or last.value is None or not text.get(last.value).endswith(".grad"):
        return
    if text.get(last.value).removesuffix(".grad") != home.args.args[0].arg:
        return
    root = text.get(calls[0].func.value)
    edits = [text.removed(raised), text.replaced(last.value, root)]
    for call in text.parts(text.tree, ast.Call):
        for given in call.args:
            if isinstance(given, ast.Name) and given.id == home.name:
                edits.append(text.replaced(given, f"torch.func.grad({home.name})"))
    title = f"let {home.name} give {root}, and take torch.func.grad of it"
    yield wanted.proposal(title, FREE, *edits)


@fix(in_transform=2)
def drop_flag(wanted: FixContext) -> Iterator[Proposal]:
    """Inside of a transform nothing has to be asked for a gradient."""
    text, raised = wanted.text, wanted.at("raised")
    if raised is None:
        return
    shown = text.get(raised)
    if isinstance(raised, ast.Expr) and ".requires_grad_(" in shown:
        title = f"leave out line {raised.lineno}: the transform follows its input anyway"
        yield wanted.proposal(title, FREE, text.removed(raised))
    for call in text.calls(raised, "requires_grad_"):
        if isinstance(call.func, ast.Attribute) and not isinstance(raised, ast.Expr):
            title = f"leave out .requires_grad_() on line {call.lineno}: the transform follows its input anyway"
            yield wanted.proposal(title, FREE, text.replaced(call, text.get(call.func.value)))


@fix(in_transform=1)
def grad_by_transform(wanted: FixContext) -> Iterator[Proposal]:
    """`z.requires_grad_()` and `autograd.grad(energy, z)` within a transform become `torch.func.grad` of a function
    that computes the energy: transforms can be nested."""
    text, raised = wanted.text, wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    block = text.block(raised) if raised is not None else []
    if home is None or raised is None or not text.alone(raised):
        return
    for step in block[block.index(raised) + 1 :]:
        for call in text.calls(step, "grad"):
            given = [*call.args, *(word.value for word in call.keywords if word.arg in ("outputs", "inputs"))]
            if len(given) >= 2 and isinstance(given[1], ast.Name) and "func.grad" not in text.get(call.func):
                yield from nest_transform(wanted, call, given[0], given[1].id)


def nest_transform(wanted: FixContext, call: ast.Call, root: ast.expr, leaf: str) -> Iterator[Proposal]:
    """`call`, which asks for the gradient of `root` at `leaf`, as a transform of its own."""
    text, raised = wanted.text, wanted.at("raised")
    step = next(node for node in text.around(call) if isinstance(node, ast.stmt))
    block = text.block(step)
    if raised is None or raised not in block:
        return
    steps = needed_before(text, step, block[block.index(raised) + 1]) if block.index(raised) + 1 < len(block) else []
    steps = [part for part in steps if targets(part) & names_in(root) or needs(steps, part, root)]
    value = f"{in_brackets(text, root)}.sum()" if is_weighted(call) else text.get(root)
    single = steps[-1] if len(steps) == 1 and isinstance(steps[0], ast.Assign) else None
    edits = [*remove_flag(text, raised, leaf)]
    later = set().union(*(names_in(part) for part in block[block.index(step) + 1 :]))
    if isinstance(root, ast.Name) and isinstance(single, ast.Assign) and text.get(single.targets[0]) == root.id:
        shown = in_brackets(text, single.value) if is_weighted(call) else text.get(single.value)
        function = f"lambda {leaf}: {shown}{'.sum()' if is_weighted(call) else ''}"
        if isinstance(single.value, ast.Call) and shown == f"{text.get(single.value.func)}({leaf})":
            function = text.get(single.value.func) if not is_weighted(call) else function
        edits += [] if root.id in later else [text.removed(single)]
    elif steps:
        function = f"{root.id}_of_{leaf}" if isinstance(root, ast.Name) else f"value_of_{leaf}"
        head = [f"def {function}({leaf}):", *(f"    {line}" for line in copies(text, steps)), f"    return {value}"]
        edits.append(text.before(step, head))
        edits += [text.removed(part) for part in steps if not targets(part) & later]
    else:
        function = f"lambda {leaf}: {value}"
    outer = text.parents.get(call)
    whole = outer if isinstance(outer, ast.Subscript) else call
    edits.append(text.replaced(whole, f"torch.func.grad({function})({leaf})"))
    if whole is call and isinstance(step, ast.Assign) and isinstance(step.targets[0], ast.Tuple):
        edits.append(text.replaced(step.targets[0], text.get(step.targets[0].elts[0])))
    title = f"torch.func.grad in the place of autograd.grad on line {call.lineno}: transforms can be nested"
    yield wanted.proposal(title, FREE, *edits)


def needs(steps: list[ast.stmt], part: ast.stmt, root: ast.expr) -> bool:
    """Whether what computes `root` reads, from name to name, what `part` binds."""
    wanted = names_in(root)
    for step in reversed(steps):
        if targets(step) & wanted:
            wanted |= names_in(step)
    return bool(targets(part) & wanted)


def is_weighted(call: ast.Call) -> bool:
    """Whether `grad_outputs` are given: of several numbers the gradient is that of their sum."""
    return len(call.args) > 2 or keyword(call, "grad_outputs") is not None


def remove_flag(text: Text, raised: ast.stmt, leaf: str) -> list[Edit]:
    """The line that asks for a leaf goes; under another name it hands on what it was made of."""
    source = raised.value if isinstance(raised, ast.Assign | ast.Expr) else None
    while isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and callee(source) in OF_LEAF:
        source = source.func.value
    if source is None or (isinstance(source, ast.Name) and source.id == leaf) or isinstance(raised, ast.Expr):
        return [text.removed(raised)]
    return [text.replaced(raised, f"{leaf} = {text.get(source)}")]


OF_LEAF = ("requires_grad_", "detach", "clone")


@fix(captured_write=1)
def normalize_alone(wanted: FixContext) -> Iterator[Proposal]:
    """A batch norm becomes a group norm, or keeps no running statistics."""
    text = wanted.text
    calls = [call for call in text.parts(text.tree, ast.Call) if callee(call) in BATCH_NORMS and call.args]
    if not calls:
        return
    lines = join_names([str(call.lineno) for call in calls])
    edits = []
    for call in calls:
        size, function = call.args[0], text.get(call.func)
        whole = isinstance(size, ast.Constant) and isinstance(size.value, int)
        groups = 2 if whole and int(ast.literal_eval(size)) % 2 == 0 else 1
        made = f"{function.removesuffix(callee(call))}GroupNorm({groups}, {text.get(size)})"
        edits.append(text.replaced(call, made))
    yield wanted.proposal(f"a group norm in the place of the batch norm, on line {lines}", ALONE, *edits)
    plain = [set_keyword(text, call, "track_running_stats", "False") for call in calls]
    cost = "each example is normalized by itself, in evaluation too"
    yield wanted.proposal(f"track_running_stats=False on line {lines}", cost, *plain)


BATCH_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")
ALONE = "each example is normalized by itself, over groups of its channels"


BOTH = "both ways are computed for every example"


@fix(truth_of_many=4, vmap_choice=2)
def use_where(wanted: FixContext) -> Iterator[Proposal]:
    """`if c: return a` and `return b` become `return torch.where(c, a, b)`; assignments and `a if c else b` alike."""
    text, raised = wanted.text, wanted.at("raised")
    if raised is None:
        return
    for node in ast.walk(raised):
        if isinstance(node, ast.IfExp):
            made = choose_by_where(text, node.test, text.get(node.body), text.get(node.orelse))
            yield wanted.proposal(f"torch.where on line {node.lineno}", BOTH, text.replaced(node, made))
    if not isinstance(raised, ast.If) or len(raised.body) != 1:
        return
    title = f"torch.where instead of if, on line {raised.lineno}"
    first, block = raised.body[0], text.block(raised)
    after = block[block.index(raised) + 1] if raised is not block[-1] else None
    other = raised.orelse[0] if len(raised.orelse) == 1 else after if not raised.orelse else None
    if isinstance(first, ast.Return) and isinstance(other, ast.Return) and first.value and other.value:
        made = f"return {choose_by_where(text, raised.test, text.get(first.value), text.get(other.value))}"
        gone = [text.removed(other)] if other is after else []
        yield wanted.proposal(title, BOTH, text.replaced(raised, made), *gone)
        return
    one = assigned_value(text, first)
    two = assigned_value(text, raised.orelse[0]) if len(raised.orelse) == 1 else None
    if one is not None and (two is not None or not raised.orelse):
        name, value = one
        rest = two[1] if two is not None and two[0] == name else name if not raised.orelse else None
        if rest is not None:
            made = f"{name} = {choose_by_where(text, raised.test, value, rest)}"
            yield wanted.proposal(title, BOTH, text.replaced(raised, made))


def assigned_value(text: Text, statement: ast.stmt) -> tuple[str, str] | None:
    """The name that gets a value, and the value: `x + 1` for `x += 1`, too."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return text.get(statement.targets[0]), text.get(statement.value)
    if isinstance(statement, ast.AugAssign):
        whole = ast.BinOp(ast.Name(ast.unparse(statement.target)), statement.op, statement.value)
        return text.get(statement.target), ast.unparse(whole)
    return None


def choose_by_where(text: Text, test: ast.expr, one: str, two: str) -> str:
    return f"torch.where({of_entries(text, test)}, {one}, {two})"


def of_entries(text: Text, test: ast.expr) -> str:
    """A condition entry by entry: `and` becomes `&`, `a < b < c` becomes `(a < b) & (b < c)`."""
    if isinstance(test, ast.BoolOp):
        sign = " & " if isinstance(test.op, ast.And) else " | "
        return sign.join(f"({of_entries(text, part)})" for part in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return f"~({of_entries(text, test.operand)})"
    if isinstance(test, ast.Compare) and len(test.ops) > 1:
        sides = [test.left, *test.comparators]
        pairs = [
            ast.unparse(ast.Compare(left, [sign], [right]))
            for left, sign, right in zip(sides, test.ops, sides[1:], strict=False)
        ]
        return " & ".join(f"({pair})" for pair in pairs)
    return text.get(test) if isinstance(test, ast.Compare) else f"{in_brackets(text, test)} != 0"


@fix(vmap_choice=1, vmap_item=1)
def count_turns(wanted: FixContext) -> Iterator[Proposal]:
    """`while x.item() > c: x = x - p` takes as many `p` away at once as it takes: `p * torch.ceil((x - c) / p)`."""
    text, raised = wanted.text, wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    made = [(loop, stepped_at_once(text, loop)) for loop in text.parts(home, ast.While)] if home is not None else []
    if raised not in [loop for loop, one in made if one is not None]:
        return
    edits = [text.replaced(loop, one) for loop, one in made if one is not None]
    lines = [str(loop.lineno) for loop, one in made if one is not None]
    title = f"count the turns instead of making them, on line{'s'[: len(lines) > 1]} {join_names(lines)}"
    yield wanted.proposal(title, "the number of turns is computed for every example", *edits)


def stepped_at_once(text: Text, loop: ast.While) -> str | None:
    """What `loop` does to the number that it moves by steps of one size up to a limit."""
    test, step = loop.test, loop.body[0]
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or len(loop.body) != 1 or loop.orelse:
        return None
    left, limit = test.left, in_brackets(text, test.comparators[0])
    if isinstance(left, ast.Call) and callee(left) == "item" and isinstance(left.func, ast.Attribute):
        left = left.func.value
    name, down = text.get(left), isinstance(test.ops[0], ast.Gt | ast.GtE)
    if isinstance(step, ast.AugAssign):
        goal, sign, size = step.target, step.op, step.value
    elif isinstance(step, ast.Assign) and isinstance(step.value, ast.BinOp) and text.get(step.value.left) == name:
        goal, sign, size = step.targets[0], step.value.op, step.value.right  # type: ignore[assignment]
    else:
        return None
    if text.get(goal) != name or not isinstance(sign, ast.Sub if down else ast.Add):
        return None
    if not down and not isinstance(test.ops[0], ast.Lt | ast.LtE):
        return None
    shown = in_brackets(text, size)
    way = f"{name}.detach() - {limit}" if down else f"{limit} - {name}.detach()"
    turns = f"torch.ceil(({way}) / {shown})"
    if isinstance(test.ops[0], ast.GtE | ast.LtE):
        turns = f"(torch.floor(({way}) / {shown}) + 1)"
    return f"{name} = {name} {'-' if down else '+'} {shown} * {turns}.clamp(min=0)"


@fix(truth_of_many=1, vmap_choice=3)
def take_larger_or_smaller(wanted: FixContext) -> Iterator[Proposal]:
    """`max(a, b)` and `min(a, b)` of Python have names of their own in torch."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised, "max", "min"):
        if isinstance(call.func, ast.Name) and len(call.args) == 2:
            one, two = (
                f"torch.tensor({text.get(arg)})" if isinstance(arg, ast.Constant) else text.get(arg)
                for arg in call.args
            )
            made = f"torch.{call.func.id}imum({one}, {two})"
            yield wanted.proposal(f"{made} on line {call.lineno}", "costs nothing", text.replaced(call, made))


@fix(vmap_choice=4)
def one_by_one(wanted: FixContext) -> Iterator[Proposal]:
    """The examples go through one after another, each its own way."""
    text = wanted.text
    for call in ast.walk(text.tree):
        if not isinstance(call, ast.Call) or callee(call.func) != "vmap" or call.keywords or not call.args:
            continue
        inner = call.func
        if not isinstance(inner, ast.Call) or len(inner.args) != 1 or inner.keywords:
            continue
        function = in_brackets(text, inner.args[0])
        given = [text.get(arg) for arg in call.args]
        each = f"{function}(one) for one in {given[0]}"
        if len(given) > 1:
            each = f"{function}(*one) for one in zip({', '.join(given)})"
        title = f"one example after another, without vmap, on line {call.lineno}"
        yield wanted.workaround(title, "slower: a run for each example", text.replaced(call, f"torch.stack([{each}])"))


@fix(strict=1)
def allow_independent(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised")):
        edit = without_keyword(text, call, "strict")
        if edit is not None:
            title = f"without strict=True on line {call.lineno}"
            yield wanted.proposal(title, "zeros where nothing depends on an input", edit)


@fix(vmap_random=1)
def draw_for_each(wanted: FixContext) -> Iterator[Proposal]:
    """`vmap` is told whose random numbers they are."""
    text = wanted.text
    for call in ast.walk(text.tree):
        if isinstance(call, ast.Call) and callee(call) == "vmap" and keyword(call, "randomness") is None:
            for way, words in (
                ("different", "each example draws its own"),
                ("same", "all examples share what is drawn"),
            ):
                title = f'randomness="{way}" on line {call.lineno}: {words}'
                yield wanted.proposal(title, words, with_argument(text, call, f'randomness="{way}"'))


@fix(vmap_item=3)
def keep_tensor(wanted: FixContext) -> Iterator[Proposal]:
    """`x.item()` becomes `x`."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "item"):
        if isinstance(call.func, ast.Attribute):
            title = f"the tensor itself, without item(), on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call, in_brackets(text, call.func.value)))


@fix(vmap_write=1)
def make_for_each(wanted: FixContext) -> Iterator[Proposal]:
    """`torch.zeros(3)`, which is written into, becomes `x.new_zeros(3)`: like `x`, there is one for each example."""
    text, raised = wanted.text, wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    if raised is None or not isinstance(home, ast.FunctionDef):
        return
    name = written_name(raised)
    yield from joined(wanted, home, name)
    for part in ast.walk(home):
        if not isinstance(part, ast.Assign) or name not in targets(part):
            continue
        for call in text.calls(part, "zeros", "ones", "empty", "full"):
            for parameter in [parameter.arg for parameter in home.args.args if parameter.arg != "self"]:
                made = f"{parameter}.new_{callee(call)}"
                title = f"{made} on line {part.lineno}: one for each example"
                yield wanted.proposal(title, FREE, text.replaced(call.func, made))


def joined(wanted: FixContext, home: ast.FunctionDef, name: str | None) -> Iterator[Proposal]:
    """What is written part by part, `e[0:2] = a` and `e[2:4] = b`, is joined of the parts: `torch.cat([a, b])`."""
    text = wanted.text
    makes = [
        part for part in text.parts(home, ast.Assign) if name in targets(part) and text.calls(part, "zeros", "empty")
    ]
    writes = [part for part in text.parts(home, ast.Assign) if written_name(part) == name and part not in makes]
    block = text.block(writes[0]) if writes else []
    end = 0
    for write in writes:
        goal = write.targets[0]
        if not isinstance(goal, ast.Subscript) or write not in block or not text.alone(write):
            return
        at, stop = goal.slice, end
        if isinstance(at, ast.Constant) and at.value == end:
            stop = end + 1
        elif isinstance(at, ast.Slice) and at.step is None:
            low, high = (part.value if isinstance(part, ast.Constant) else None for part in (at.lower, at.upper))
            starts = (0 if at.lower is None else low) == end
            last = write is writes[-1]
            stop = (
                high if starts and isinstance(high, int) else end + 1 if starts and at.upper is None and last else end
            )
        if stop <= end:
            return
        end = stop
    if len(makes) != 1 or len(writes) < 2 or not text.alone(makes[0]):
        return
    single = [isinstance(write.targets[0].slice, ast.Constant) for write in writes]  # type: ignore[attr-defined]
    if any(single) and not all(single):
        return
    function, parts = "stack" if any(single) else "cat", ", ".join(text.get(write.value) for write in writes)
    line = f"{name} = torch.{function}([{parts}])"
    title = f"join the parts, torch.{function}([{parts}]), on line {writes[-1].lineno}"
    edits = [text.removed(part) for part in (*makes, *writes[:-1])]
    yield wanted.proposal(title, FREE, *edits, text.replaced(writes[-1], line))


@fix(vmap_mask=1)
def put_zeros(wanted: FixContext) -> Iterator[Proposal]:
    """`x[mask]` becomes `torch.where(mask, x, 0)`, if the mask is for the last dimensions."""
    text = wanted.text
    for node in ast.walk(wanted.at("raised") or text.tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            *before, mask = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if all(isinstance(part, ast.Slice | ast.Constant) and text.get(part) in (":", "...") for part in before):
                made = f"torch.where({text.get(mask)}, {text.get(node.value)}, 0)"
                title = f"zeros in the place of what is not picked, on line {node.lineno}"
                yield wanted.proposal(title, "the result keeps the size", text.replaced(node, made))


@fix(not_of_one=1)
def return_one_number(wanted: FixContext) -> Iterator[Proposal]:
    """The function whose second derivative is taken gives a sum."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), wanted.name("what") or ""):
        function = call.args[0] if call.args else None
        results: list[ast.expr] = [function.body] if isinstance(function, ast.Lambda) else []
        if isinstance(function, ast.Name):
            results = [part.value for part in returns(text, function.id) if part.value is not None]
        if results:
            edits = [append_suffix(text, result, ".sum()") for result in results]
            title = f"the sum of what the function gives, on line {results[0].lineno}"
            yield wanted.proposal(title, "the second derivatives of all entries, added up", *edits)


@fix(no_vmap_rule=1)
def generate_vmap_rule(wanted: FixContext) -> Iterator[Proposal]:
    """PyTorch makes the rule for vmap out of forward and backward."""
    text = wanted.text
    named = re.search(r"vmap over (\w+),", wanted.found.message)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.ClassDef) and named is not None and node.name == named[1]:
            title = f"generate_vmap_rule = True in {node.name}"
            yield wanted.proposal(title, FREE, text.before(node.body[0], ["generate_vmap_rule = True"]))


TRANSFORMS = {"jacobian": "jacrev", "hessian": "hessian"}


@fix(in_transform=3)
def use_transform(wanted: FixContext) -> Iterator[Proposal]:
    """Inside of vmap and its kind, torch.func has the same by another name."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), *TRANSFORMS):
        if len(call.args) == 2:
            name = f"torch.func.{TRANSFORMS[callee(call)]}"
            made = f"{name}({text.get(call.args[0])})({text.get(call.args[1])})"
            yield wanted.proposal(f"{name} on line {call.lineno}", FREE, text.replaced(call, made))
