"""What was given is not what was asked for: a number for a tensor, a text for an index, a rate below 0."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...calls import callee, keyword, weights
from ...diagnostics.message_rules import MessageRule, anything, empty, is_tracked, message_rules, several
from ...fixes.edits import append_suffix, in_brackets, loads, same_number
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix

WEIGHTS = (
    "{code} {line}{turn} goes back from {name}, and what stands in the brackets is no tensor.",
    "There belongs a tensor that says of each entry of {name} how much it counts, in the shape {shape}.",
    "`torch.ones_like` makes one in which each counts 1.",
)

message_rules(
    "misgiven",
    MessageRule(
        re.compile(
            r"(?P<what>\w+)\(\): argument '(?P<slot>\w+)' \(position (?P<at>\d+)\) must be Tensor, "
            r"not (?:torch\.return_types\.)?(?P<got>\w+)"
        ),
        cause="not_a_tensor",
        title="A tensor was asked for",
        story=(
            "{code} {line}{turn} gives `{what}` {a_got} for `{slot}`.",
            "torch's functions compute with tensors alone, and only what they compute with tensors gets a gradient.",
            "{way}",
        ),
    ),
    MessageRule(
        re.compile(
            r"unsupported operand type\(s\) for (?P<what>\S+): "
            r"(?=.*'Tensor')(?:'Tensor' and )?"
            r"'(?P<got>list|tuple|str|dict|method|builtin_function_or_method)'"
        ),
        cause="operand",
        title="A tensor and something that is none",
        story=(
            "{code} {line}{turn} puts a tensor and {a_got} on the two sides of `{what}`.",
            "Beside a tensor there may stand another tensor or a plain number.",
            "{way}",
        ),
    ),
    MessageRule(
        re.compile(r"new\(\): invalid data type '(?P<got>str)'"),
        cause="tensor_of_text",
        title="A tensor cannot hold text",
        story=(
            "{code} {line}{turn} makes a tensor of a text.",
            "Tensors hold numbers; a text of digits is a text until `float()` has read it.",
        ),
        on_line=re.compile(r"\b(?:tensor|as_tensor)\("),
    ),
    MessageRule(
        re.compile(r"new\(\): invalid data type '(?P<got>str)'"),
        cause="index_by_text",
        title="A tensor has places, not names",
        fits=anything,
        story=(
            "{code} {line}{turn} looks for a name in {name}{made}.",
            "{Name} is a tensor, whose entries have numbers for places; names are looked up in a dict.",
        ),
    ),
    MessageRule(
        re.compile(r"are valid indices \(got (?P<got>float)\)"),
        cause="index_of_float",
        title="A place is a whole number",
        fits=anything,
        story=(
            "{code} {line}{turn} asks for a place that is a number with a point, in {name}{made}.",
            "`/` gives such a number even where it comes out even; `//` divides in whole numbers.",
        ),
    ),
    MessageRule(
        re.compile(r"(?:expected a non-empty list of Tensors|expects a non-empty TensorList)"),
        cause="joined_nothing",
        title="Nothing to put together",
        story=(
            "{code} {line}{turn} is given an empty list.",
            "Of no tensors nobody can tell which shape and type the result should have, so PyTorch makes none.",
            "Ask whether there is anything in the list, and say what should happen if not.",
        ),
    ),
    MessageRule(
        re.compile(r"expected sequence of length (?P<one>\d+) at dim (?P<dim>\d+) \(got (?P<other>\d+)\)"),
        cause="ragged",
        title="Rows of different lengths",
        story=(
            "{code} {line}{turn} makes a tensor of rows that differ in length: one has {one} entries, another {other}.",
            "A tensor is a full table, with as many entries in each row.",
            "`pad_sequence` fills the short rows up; a list of tensors keeps each its length.",
        ),
    ),
    MessageRule(
        re.compile(r"betas must be either both floats or both Tensors"),
        cause="betas",
        title="A share of the past that is no float",
        story=(
            "{code} {line}{turn} gives betas that are not both floats.",
            "They are shares: how much of the past each average keeps. Adam takes two floats or two tensors, and `0` "
            "is a whole number: `0.0` is the same as a float.",
        ),
    ),
    MessageRule(
        re.compile(r"Invalid beta parameter at index (?P<at>\d): (?P<got>\S+)$"),
        cause="setting",
        title="A setting out of its range",
        story=(
            "{code} {line}{turn} sets a beta to {got}, which is out of its range.",
            "It is a share, at least 0 and below 1: how much of the past an average keeps. With all of it nothing new "
            "would ever come in.",
        ),
    ),
    MessageRule(
        re.compile(r"Invalid (?P<what>[\w ]+?)(?: value| parameter at index \d)?: (?P<got>-?[\d.e+-]+)$"),
        cause="setting",
        title="A setting out of its range",
        story=(
            "{code} {line}{turn} sets the {what} to {got}, which is out of its range.",
            "An optimizer goes against the gradient by itself: a rate below 0 would climb, so PyTorch refuses it. "
            "To climb, take the negative of the loss, or `maximize=True`.",
        ),
    ),
    MessageRule(
        re.compile(r"unsupported format string passed to Tensor.__format__"),
        cause="format_of_many",
        title="One number can be written so, not many",
        fits=several,
        story=(
            "{code} {line}{turn} asks to write a tensor as a number with so many digits.",
            "{Name}, made {where}, has the shape {shape}: several numbers, and a format is for one.",
            "`mean()` or `sum()` makes one of them; without the format the tensor is written as it is.",
        ),
    ),
    MessageRule(
        re.compile(r"'Tensor' object has no attribute '(?P<got>\w+)'"),
        cause="no_such_attribute",
        title="Tensors have no such attribute",
        fits=anything,
        story=(
            "{code} {line}{turn} asks a tensor for `{got}`.",
            "Tensors have no attribute of that name: it may be misspelt, or come from another library.",
        ),
    ),
    MessageRule(
        re.compile(r"assigned grad expected to be a Tensor or None but got grad of type (?P<got>\w+)"),
        cause="grad_of_number",
        title="A gradient is a tensor or None",
        fits=anything,
        story=(
            "{code} {line}{turn} puts {a_got} in the place of a gradient.",
            "A gradient has one entry for each entry of its tensor; None says that there is none yet, and the next "
            "backward begins afresh.",
        ),
        on_line=re.compile(r"\.grad\s*="),
    ),
    MessageRule(
        re.compile(r"'(?:float|int)' object is not iterable|gradients can be either Tensors or None, but got"),
        cause="weight_of_number",
        title="A weight for backward is a tensor",
        fits=is_tracked,
        story=WEIGHTS,
        on_line=re.compile(r"\bbackward\("),
    ),
    MessageRule(
        re.compile(r"'(?P<got>[A-Z]\w*)' object is not iterable"),
        cause="grad_of_module",
        title="A gradient by a module",
        story=(
            "{code} {line}{turn} asks for gradients by a `{got}`, which is a module.",
            "Gradients are taken by tensors: by those that `parameters()` lists.",
        ),
        on_line=re.compile(r"\bgrad\("),
    ),
    MessageRule(
        re.compile(r"Boolean value of Tensor with no values is ambiguous"),
        cause="truth_of_none",
        title="Yes or no was asked of an empty tensor",
        fits=empty,
        story=(
            "{code} {line}{turn} needs one yes or no.",
            "{Name}, made {where}, has the shape {shape}: there is no entry that could say either.",
            "A list is true if anything is in it; of a tensor `numel() > 0` asks that.",
        ),
    ),
)


# ---- fixes


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
def give_tensor(wanted: FixContext) -> Iterator[Proposal]:
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
                    yield wanted.proposal(title, FREE, text.replaced(call, f"{in_brackets(text, given)} ** 0.5"))
                title = f"torch.tensor({shown}) on line {call.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(given, f"torch.tensor({shown})"))


@fix(operand=3)
def put_tensor_beside(wanted: FixContext) -> Iterator[Proposal]:
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
def read_number(wanted: FixContext) -> Iterator[Proposal]:
    """`torch.tensor("1.5")` becomes `torch.tensor(float("1.5"))`, of a list entry by entry."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "tensor", "as_tensor"):
        for given in call.args[:1]:
            shown = text.get(given)
            title = f"read the number in the text with float(), on line {call.lineno}"
            for made in (f"float({shown})", f"[float(part) for part in {shown}]"):
                yield wanted.proposal(title, FREE, text.replaced(given, made))


@fix(index_by_text=1)
def index_dict(wanted: FixContext) -> Iterator[Proposal]:
    """What may be a dict or a tensor is looked up only where it is a dict."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    for node in ast.walk(raised) if raised is not None else ():
        if isinstance(node, ast.Subscript) and text.get(node.value) == name:
            made = f"({text.get(node)} if isinstance({name}, dict) else {name})"
            title = f"take {name} itself where it is no dict, on line {node.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(node, made))


@fix(index_of_float=1)
def use_whole_place(wanted: FixContext) -> Iterator[Proposal]:
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
def test_for_any(wanted: FixContext) -> Iterator[Proposal]:
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
def fill_up(wanted: FixContext) -> Iterator[Proposal]:
    """Rows of different lengths are filled up with zeros."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "tensor", "as_tensor"):
        for given in call.args[:1]:
            rows = f"[torch.tensor(row) for row in {text.get(given)}]"
            made = f"torch.nn.utils.rnn.pad_sequence({rows}, batch_first=True)"
            title = f"fill the short rows up with zeros: pad_sequence on line {call.lineno}"
            yield wanted.proposal(title, "zeros that a mask may have to leave out", text.replaced(call, made))


@fix(setting=1)
def set_in_range(wanted: FixContext) -> Iterator[Proposal]:
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
def write_as_floats(wanted: FixContext) -> Iterator[Proposal]:
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
def format_one_number(wanted: FixContext) -> Iterator[Proposal]:
    """The mean is written, or the tensor without a format."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    formats = [node for node in ast.walk(raised) if isinstance(node, ast.FormattedValue)] if raised is not None else []
    for node in formats:
        if node.format_spec is None or (name or "") not in map(ast.unparse, ast.walk(node.value)):
            continue
        line, shown = node.value.lineno, text.get(node.value)
        for way, cost in ((".mean()", "one number for all"), (".sum()", "one number for all")):
            title = f"write its {way[1:-2]}: {shown}{way} on line {line}"
            yield wanted.proposal(title, cost, append_suffix(text, node.value, way))


@fix(no_such_attribute=1)
def use_torch_name(wanted: FixContext) -> Iterator[Proposal]:
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
def empty_gradient(wanted: FixContext) -> Iterator[Proposal]:
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
def convert_type(wanted: FixContext) -> Iterator[Proposal]:
    """`x.astype("float32")` becomes `x.to(torch.float32)`."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "astype"):
        if isinstance(call.func, ast.Attribute) and call.args:
            kind = ast.unparse(call.args[0]).strip("'\"").rpartition(".")[2]
            made = f"{in_brackets(text, call.func.value)}.to(torch.{TYPES.get(kind, kind)})"
            yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(call, made))


TYPES = {"float": "float32", "int": "int64", "double": "float64", "long": "int64"}


@fix(grad_of_number=1)
def clear_gradient(wanted: FixContext) -> Iterator[Proposal]:
    """`.grad = 0` becomes `.grad = None`."""
    text, raised = wanted.text, wanted.at("raised")
    if isinstance(raised, ast.Assign) and isinstance(goal := raised.targets[0], ast.Attribute):
        yield wanted.proposal(f"None on line {raised.lineno}", FREE, text.replaced(raised.value, "None"))
        made = f"torch.full_like({text.get(goal.value)}, {text.get(raised.value)})"
        title = f"a tensor of that number on line {raised.lineno}"
        yield wanted.proposal(title, "one tensor more in memory", text.replaced(raised.value, made))


@fix(weight_of_number=1)
def make_weight_tensor(wanted: FixContext) -> Iterator[Proposal]:
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
def test_for_content(wanted: FixContext) -> Iterator[Proposal]:
    """A tensor is asked how many entries it has."""
    text, raised, name = wanted.text, wanted.at("raised"), wanted.name("target")
    for use in loads(raised, name)[:1] if raised is not None and name else ():
        title = f"ask whether there is any entry: {name}.numel() > 0 on line {use.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(use, f"{name}.numel() > 0"))


@fix(grad_of_module=1)
def list_parameters(wanted: FixContext) -> Iterator[Proposal]:
    """`grad(loss, net)` becomes `grad(loss, list(net.parameters()))`."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "grad"):
        given = keyword(call, "inputs")
        inputs = given.value if given is not None else call.args[1] if len(call.args) > 1 else None
        if isinstance(inputs, ast.Name | ast.Attribute):
            made = f"list({text.get(inputs)}.parameters())"
            yield wanted.proposal(f"{made} on line {call.lineno}", "one for each", text.replaced(inputs, made))


@fix(not_a_tensor=2)
def take_one_state(wanted: FixContext) -> Iterator[Proposal]:
    """`fc((h_n, c_n))` becomes `fc(h_n)`: the first of what stands in brackets is what the layer shows."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised):
        for pair in call.args:
            if isinstance(pair, ast.Tuple) and len(pair.elts) == 2 and isinstance(pair.elts[0], ast.Name):
                first = text.get(pair.elts[0])
                title = f"{first} alone, and not the pair, on line {call.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(pair, first))
