"""Something is used as what it is not: a tuple as a tensor, a text as a number, a method as its result."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, Failure
from ...diagnostics.mentions import raising_code
from ...diagnostics.message_rules import METHODS, PAIRS, MessageRule, anything, match_rules
from ...diagnostics.registry import rule
from ...fixes.edits import in_brackets, same_number
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, targets
from ...narration.words import code, on
from ...replay.world import World
from ..modules.losses import classes_kept
from ..modules.recurrent import RECURRENT, named_layers
from ..tracking.plain_numbers import without_items

TABLE: tuple[MessageRule, ...] = (
    MessageRule(
        re.compile(r"expected Tensor as element (?P<at>\d+) in argument 0, but got (?P<got>\w+)"),
        cause="joined_numbers",
        title="Only tensors can be put together",
        story=(
            "{code} {line}{turn} puts the entries of a list together, and entry {at} is {a_got}.",
            "`torch.stack` and `torch.cat` join tensors, and the gradient goes back to each; of plain numbers "
            "`torch.tensor` makes a new one.",
        ),
    ),
    MessageRule(
        re.compile(
            r"(?P<what>stack|cat|concat)\(\): argument 'tensors' \(position 1\) must be tuple of Tensors, not Tensor"
        ),
        cause="not_listed",
        title="What is put together comes in a list",
        story=(
            "{code} {line}{turn} gives `{what}` a tensor where it takes a list of tensors.",
            "Square brackets make one list of all that is to be put together: `torch.{what}([a, b])`.",
        ),
    ),
    MessageRule(
        re.compile(r"'<=?' not supported between instances of '(?:float|int|(?P<got>str))' and '(?:float|int|str)'"),
        cause="number_as_text",
        title="A text stands where a number belongs",
        story=(
            "{code} {line}{turn} compares a text with a number, to see whether it is in its range.",
            "What stands in quotes is a text, and so is `1e-3` where it was read from a YAML file; `float()` reads it.",
        ),
        on_line=re.compile(r"\w\("),
    ),
    MessageRule(
        re.compile(r"^tuple indices must be integers or slices, not |^can't multiply sequence by non-int"),
        cause="tuple_as_tensor",
        title="A tuple, and not the tensor in it",
        story=(
            "{code} {line}{turn} uses a tuple as one would use a tensor.",
            "A recurrent layer gives a tuple: its output first, then its last state.",
        ),
    ),
    MessageRule(
        re.compile(r"'tuple' object has no attribute '(?P<what>\w+)'"),
        cause="tuple_as_tensor",
        title="A tuple, and not the tensor in it",
        story=(
            "{code} {line}{turn} asks a tuple for `{what}`, which its parts have.",
            "A recurrent layer gives a tuple: its output first, then its last state.",
        ),
    ),
    MessageRule(
        re.compile(r"'(?:builtin_function_or_method|method|function)' object has no attribute '(?P<what>\w+)'"),
        cause="uncalled",
        title="A method that was not called",
        story=(
            "{code} {line}{turn} asks a method for `{what}`, not what it gives.",
            "Brackets call it: `sum()`.",
        ),
    ),
    MessageRule(
        re.compile(r"'list' object has no attribute '(?P<what>backward)'"),
        cause="list_as_loss",
        title="Backward starts from one tensor",
        story=(
            "{code} {line}{turn} asks a list of tensors for `{what}`, which each of them has.",
            "A gradient of several losses is the gradient of their sum.",
        ),
    ),
    MessageRule(
        re.compile(r"'(?P<got>\w+Loss)' object has no attribute '(?P<what>backward|item)'"),
        cause="module_as_result",
        title="A module, and not what it gives",
        story=(
            "{code} {line}{turn} asks the module `{got}` for `{what}`, which its result has.",
            "`nn.{got}()` makes a function, and that gives the loss when it is called with scores and targets.",
        ),
    ),
    MessageRule(
        re.compile(r"params argument given to the optimizer should be an iterable of Tensors"),
        cause="parameter_alone",
        title="An optimizer takes a list",
        fits=anything,
        story=(
            "{code} {line}{turn} gives the optimizer a tensor alone.",
            "It goes through what it is given, one parameter after another: put {name} in a list.",
        ),
    ),
    MessageRule(
        re.compile(r"(?:Negation|Subtraction), the `-` operator, .* bool tensor"),
        cause="minus_of_truth",
        title="Truth values know no minus",
        story=(
            "{code} {line}{turn} subtracts truth values.",
            "`~` turns each of them over; `float()` makes 1. and 0. of them, with which one can compute.",
        ),
    ),
    MessageRule(
        re.compile(r"Module \[(?P<got>\w+)\] is missing the required"),
        cause="no_forward",
        title="A module without a forward",
        story=(
            "{code} {line}{turn} calls the module `{got}`, and to call a module is to run its `forward`.",
            "The class `{got}` has none: it may be misspelt, or indented into `__init__`.",
        ),
    ),
    MessageRule(
        re.compile(r"got an unexpected keyword argument '(?P<got>\w+)'"),
        cause="no_such_argument",
        title="There is no such argument",
        story=(
            "{code} {line}{turn} says `{got}=`, and what it calls has no argument of that name.",
            "It may be misspelt.",
        ),
        on_line=re.compile(r"\b(?:backward|grad|[A-Z]\w*)\("),
    ),
    MessageRule(
        re.compile(r"^name '(?P<got>\w+)' is not defined"),
        cause="misspelt",
        title="A name that stands for nothing",
        story=(
            "{code} {line}{turn} says `{got}`, and nothing has that name there.",
            "`{like}` is near it.",
        ),
    ),
)


@rule
def wrong_use(world: World, failure: Failure) -> Diagnosis | None:
    """One of TABLE; a name that is near no other says all in its message."""
    found = match_rules(TABLE, world, failure)
    if "multiply sequence" in failure.raised.message and not any(named_layers(world.source.tree, RECURRENT)):
        return None  # a list may well be meant: of a tuple it is told where a layer gives one
    if found is None or found.cause != "misspelt" or "like" in found.names:
        return found
    got, text = found.names["got"], code(raising_code(world, failure))
    if any(ast.unparse(node) == f"self.{got}" for node in world.source.nodes if isinstance(node, ast.Attribute)):
        story = (
            f"{text} {on(failure.raised.line)} says `{got}`, and nothing has that name there.",
            f"What an object keeps is reached through it: `self.{got}`.",
        )
        return replace(found, story=story, names={**found.names, "like": f"self.{got}"})
    if got == "device":
        story = (
            f"{text} {on(failure.raised.line)} says `device`, and no line of the program says which that is.",
            '`device = "cuda" if torch.cuda.is_available() else "cpu"` is the usual line; what is posted often begins '
            "behind it.",
        )
        return replace(found, cause="no_device", title="Which device, nobody said", story=story)
    return None


# ---- fixes


@fix(joined_numbers=1)
def make_of_numbers(wanted: FixContext) -> Iterator[Proposal]:
    """What was taken out of tensors stays in them; else the list of numbers becomes one tensor."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "stack", "cat", "concat"):
        given = call.args[0] if call.args else None
        if given is None:
            continue
        name = text.get(given)
        edits = without_items(text, name)
        if edits:
            yield wanted.proposal(f"keep the tensors in {name}: without item()", "their graphs are kept", *edits)
        title = f"torch.tensor({name}) on line {call.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(call, f"torch.tensor({name})"))


@fix(number_as_text=1)
def read_as_number(wanted: FixContext) -> Iterator[Proposal]:
    """A text among the arguments is read by `float()`; in quotes, it is written without them."""
    text = wanted.text
    for call in text.calls(wanted.at("raised")):
        for given in [*call.args, *(word.value for word in call.keywords)]:
            shown = text.get(given)
            if (
                isinstance(given, ast.Constant)
                and isinstance(given.value, str)
                and same_number(given.value, given.value)
            ):
                title = f"{given.value} without quotes, on line {given.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(given, given.value))
            elif isinstance(given, ast.Name | ast.Attribute | ast.Subscript):
                title = f"float({shown}) on line {given.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(given, f"float({shown})"))


@fix(tuple_as_tensor=2)
def take_first_part(wanted: FixContext) -> Iterator[Proposal]:
    """The first part of what a layer gave: taken where it was made, else where it is used."""
    text, raised = wanted.text, wanted.at("raised")
    names = used_names(raised) if raised is not None else []
    for name in names:
        for made in ast.walk(text.tree):
            if (
                isinstance(made, ast.Assign)
                and isinstance(made.value, ast.Call)
                and name.id in map(text.get, made.targets)
            ):
                title = f"take the first part: {name.id}, _ = … on line {made.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(made.targets[0], f"{name.id}, _"))
    for name in names:
        title = f"its first part: {name.id}[0] on line {name.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(name, f"{name.id}[0]"))


def used_names(statement: ast.stmt) -> list[ast.Name]:
    """The names whose things `statement` computes with: those that it reads, but for what it calls."""
    nodes = list(ast.walk(statement))
    functions = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    names = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return [node for node in names if id(node) not in functions and node.id not in MODULES]


MODULES = ("torch", "nn", "F", "self")


@fix(not_a_tensor=3, operand=1)
def give_tuple(wanted: FixContext) -> Iterator[Proposal]:
    """A tuple where a tensor was asked for: its first part may be meant."""
    if wanted.name("got") == "tuple":
        yield from take_output(wanted)
        yield from take_first_part(wanted)


@fix(not_a_tensor=1)
def take_part_of_pair(wanted: FixContext) -> Iterator[Proposal]:
    """Of a pair of values and places that which is asked for: `scores.max(1).indices`."""
    text, raised, got = wanted.text, wanted.at("raised"), wanted.name("got") or ""
    if raised is None or got not in PAIRS:
        return
    used = {name.id for name in used_names(raised)}
    makers = [node for node in text.parts(text.tree, ast.Assign) if used & targets(node)]
    for part in ("indices", "values") if wanted.name("slot") in ("indices", "index") else ("values", "indices"):
        for call in [call for node in (raised, *makers) for call in text.calls(node, got)]:
            title = f"its {part}: {text.get(call)}.{part} on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call, f"{text.get(call)}.{part}"))


@fix(not_a_tensor=4, operand=2)
def call_where_given(wanted: FixContext) -> Iterator[Proposal]:
    """A method where what it gives was asked for: it is called."""
    raised, text = wanted.at("raised"), wanted.text
    if raised is None or wanted.name("got") not in METHODS:
        return
    nodes = list(ast.walk(raised))
    used = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    used |= {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and id(node) not in used:
            shown = f"{text.get(node)}()"
            yield wanted.proposal(f"{shown} on line {node.lineno}", FREE, text.replaced(node, shown))


@fix(uncalled=1)
def call_at_last(wanted: FixContext) -> Iterator[Proposal]:
    """The method is called: where its result gets a name, or where it is used."""
    text, what = wanted.text, wanted.name("what")
    for node in ast.walk(wanted.at("raised") or text.tree):
        if not isinstance(node, ast.Attribute) or node.attr != what:
            continue
        methods = [node.value] if isinstance(node.value, ast.Attribute) else []
        if isinstance(node.value, ast.Name):
            methods += [
                made.value
                for made in ast.walk(text.tree)
                if isinstance(made, ast.Assign)
                and isinstance(made.value, ast.Attribute)
                and node.value.id in map(text.get, made.targets)
            ]
        for method in methods:
            shown = f"{text.get(method)}()"
            yield wanted.proposal(f"{shown} on line {method.lineno}", FREE, text.replaced(method, shown))


@fix(list_as_loss=1)
def sum_losses(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "backward"):
        if isinstance(call.func, ast.Attribute):
            shown = f"sum({text.get(call.func.value)})"
            title = f"{shown}.backward() on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call.func.value, shown))


@fix(module_as_result=2, loss_at_once=1)
def make_and_call(wanted: FixContext) -> Iterator[Proposal]:
    """`nn.MSELoss(out, target)` becomes `nn.MSELoss()(out, target)`."""
    text, got = wanted.text, wanted.name("got")
    every = (call for call in text.parts(text.tree, ast.Call) if callee(call).endswith(got or "Loss"))
    yield from made_first(wanted, [call for call in every if len(call.args) > 1])


@fix(module_as_result=1)
def keep_result(wanted: FixContext) -> Iterator[Proposal]:
    """`loss(out, y)` on a line of its own gives the loss, and `loss.backward()` asks the module: the result gets a
    name."""
    text, raised, target = wanted.text, wanted.at("raised"), wanted.name("target")
    for node in text.parts(text.tree, ast.Expr):
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or not call.args or raised is None:
            continue
        uses = [use for use in text.parts(raised, ast.Name) if use.id == call.func.id]
        if uses and target in (None, call.func.id):
            title = f"give the result a name: value = {text.get(call)} on line {node.lineno}"
            edits = [text.replaced(use, "value") for use in uses]
            yield wanted.proposal(title, FREE, text.replaced(node, f"value = {text.get(call)}"), *edits)


@fix(loss_class=1, module_as_result=3)
def make_class(wanted: FixContext) -> Iterator[Proposal]:
    """`criterion = nn.MSELoss` becomes `criterion = nn.MSELoss()`."""
    text, got = wanted.text, wanted.name("got") or ""
    for node in classes_kept(text.tree):
        if text.get(node.targets[0]) == wanted.name("target") or (got and text.get(node.value).endswith(got)):
            made = f"{text.get(node.value)}()"
            yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node.value, made))


def made_first(wanted: FixContext, calls: Iterable[ast.Call]) -> Iterator[Proposal]:
    """What each of `calls` makes is made with what is given by name, and called with the rest."""
    text = wanted.text
    for call in calls:
        if call.args:
            given = ", ".join(text.get(part) for part in call.args)
            words = ", ".join(f"{word.arg}={text.get(word.value)}" for word in call.keywords if word.arg)
            made = f"{text.get(call.func)}({words})({given})"
            title = f"make it, then call it: {made} on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call, made))


@fix(parameter_alone=1)
def list_parameter(wanted: FixContext) -> Iterator[Proposal]:
    """An optimizer gets a list of the one parameter."""
    text = wanted.text
    for call in text.calls(wanted.at("raised")):
        if call.args:
            made = f"[{text.get(call.args[0])}]"
            yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(call.args[0], made))


@fix(not_listed=1)
def list_together(wanted: FixContext) -> Iterator[Proposal]:
    """`torch.cat(a, b)` becomes `torch.cat([a, b])`; a tensor alone needs no joining."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "stack", "cat", "concat"):
        parts = [part for part in call.args if not isinstance(part, ast.Constant)]
        if parts:
            shown = f"[{', '.join(text.get(part) for part in parts)}]"
            rest = [text.get(part) for part in call.args if part not in parts]
            rest += [f"{word.arg}={text.get(word.value)}" for word in call.keywords]
            made = f"{text.get(call.func)}({', '.join([shown, *rest])})"
            yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(call, made))


@fix(truth_of_many=3, minus_of_truth=1)
def invert_truth(wanted: FixContext) -> Iterator[Proposal]:
    """`-mask` and `1 - mask` become `~mask`; other differences are taken of floats."""
    text, raised = wanted.text, wanted.at("raised")
    for node in ast.walk(raised) if raised is not None else ():
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
            yield from invert_mask(wanted, node, node.operand)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            if isinstance(node.left, ast.Constant):
                yield from invert_mask(wanted, node, node.right)
            parts = [part for part in (node.left, node.right) if not isinstance(part, ast.Constant)]
            title = f"subtract them as floats, on line {node.lineno}"
            edits = [text.replaced(part, f"{in_brackets(text, part)}.float()") for part in parts]
            yield wanted.proposal(title, "numbers instead of truth values", *edits)


def invert_mask(wanted: FixContext, whole: ast.expr, mask: ast.expr) -> Iterator[Proposal]:
    made = f"~{in_brackets(wanted.text, mask)}"
    yield wanted.proposal(f"{made} on line {whole.lineno}", FREE, wanted.text.replaced(whole, made))


@fix(no_forward=1)
def name_forward(wanted: FixContext) -> Iterator[Proposal]:
    """The method whose name is nearest to `forward` gets that name."""
    text, got = wanted.text, wanted.name("got")
    for home in ast.walk(text.tree):
        if not isinstance(home, ast.ClassDef) or home.name != got:
            continue
        methods = {node.name: node for node in ast.walk(home) if isinstance(node, ast.FunctionDef)}
        for name in difflib.get_close_matches("forward", methods, 1):
            line, column = methods[name].lineno, methods[name].col_offset + len("def ")
            title = f"forward instead of {name} on line {line}"
            yield wanted.proposal(title, FREE, Edit(line, column, line, column + len(name), "forward"))


ARGUMENTS = (
    *("retain_graph", "create_graph", "inputs", "gradient", "grad_outputs", "allow_unused", "is_grads_batched"),
    *("lr", "momentum", "weight_decay", "dampening", "nesterov", "betas", "eps", "maximize"),
    *("requires_grad", "dtype", "device", "dim", "keepdim", "reduction", "bias", "in_features", "out_features"),
)
"""Names of arguments that are misspelt now and then."""


@fix(no_such_argument=1)
def name_argument(wanted: FixContext) -> Iterator[Proposal]:
    """The argument whose name is nearest."""
    text, got = wanted.text, wanted.name("got") or ""
    for call in text.calls(wanted.at("raised")):
        for word in (word for word in call.keywords if word.arg == got):
            for name in difflib.get_close_matches(got, ARGUMENTS, 1):
                title = f"{name} instead of {got} on line {word.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(word, f"{name}={text.get(word.value)}"))


@fix(misspelt=1)
def correct_spelling(wanted: FixContext) -> Iterator[Proposal]:
    """The name that is near, wherever the other stands."""
    text, got, like = wanted.text, wanted.name("got"), wanted.name("like")
    uses = [node for node in ast.walk(text.tree) if isinstance(node, ast.Name) and node.id == got]
    if like is not None and uses:
        title = f"{like} instead of {got} on line {uses[0].lineno}"
        yield wanted.proposal(title, FREE, *(text.replaced(use, like) for use in uses))


@fix(no_device=1)
def name_device(wanted: FixContext) -> Iterator[Proposal]:
    """`device = "cpu"`, behind the imports."""
    text = wanted.text
    rest = [one for one in text.tree.body if not isinstance(one, ast.Import | ast.ImportFrom)]
    if rest:
        title = f'device = "cpu" before line {rest[0].lineno}'
        yield wanted.proposal(title, FREE, text.before(rest[0], ['device = "cpu"']))


@fix(module_as_result=4)
def make_layer_first(wanted: FixContext) -> Iterator[Proposal]:
    """`nn.ReLU(x)` becomes `nn.ReLU()(x)`."""
    yield from made_first(wanted, wanted.text.calls(wanted.at("built"), wanted.name("got") or ""))


@fix(tuple_as_tensor=1)
def take_output(wanted: FixContext) -> Iterator[Proposal]:
    """`relu(self.gru(x))` takes `self.gru(x)[0]`; in a Sequential, a small module takes the output out of the pair."""
    text, raised = wanted.text, wanted.at("raised")
    layers = set(named_layers(text.tree, RECURRENT))
    for call in text.calls(raised) if raised is not None else []:
        inside = isinstance(text.parents.get(call), ast.Call | ast.BinOp | ast.Attribute | ast.keyword)
        if inside and text.get(call.func) in layers:
            title = f"its output: {text.get(call)}[0] on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call, f"{text.get(call)}[0]"))
    for home in text.parts(text.tree, ast.Call):
        inner = [part for part in home.args if callee(part) in RECURRENT] if callee(home) == "Sequential" else []
        whole = next((node for node in text.tree.body if node.lineno <= home.lineno <= (node.end_lineno or 0)), None)
        if inner and whole is not None and isinstance(home.func, ast.Attribute):
            module = f"{text.get(home.func.value)}.Module"
            lines = [f"class Output({module}):", "    def forward(self, pair):", "        return pair[0]"]
            edits = [text.replaced(part, f"{text.get(part)}, Output()") for part in inner]
            title = f"a module behind it that takes the output out of the pair, on line {home.lineno}"
            yield wanted.proposal(title, FREE, text.before(whole, lines), *edits)
