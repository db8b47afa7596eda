"""Errors of Python itself, on values that are no tensors: places in lists, parts to unpack, types."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from ...calls import callee, parse_code
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import begin_story, find_mentioned, raising_statement
from ...diagnostics.message_rules import MessageRule, match_rules
from ...diagnostics.registry import rule
from ...fixes.edits import enclosing, in_brackets, with_argument
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Text, names_in, targets
from ...narration.words import code, listing, on
from ...replay.world import World

WHOLE = (
    "{code} {line}{turn} needs a whole number, and is given one with a point.",
    "`/` gives a number with a point even where it comes out even, as 64 / 2 gives 32.0. `//` divides in whole "
    "numbers, and `int()` leaves out what is behind the point.",
)

TABLE: tuple[MessageRule, ...] = (
    MessageRule(
        re.compile(r"^(?:(?P<got>list|tuple|string) index out of range|pop from empty list)$"),
        cause="list_end",
        title="The list has no such place",
        story=(
            "{code} {line}{turn} asks for a place that is not there.",
            "Places are counted from 0, so the last of three is 2; -1 means the last one, however many there are.",
            "In a loop, the number of turns must go by the list that is asked: `range(len(...))` of that one.",
        ),
    ),
    MessageRule(
        re.compile(
            r"^(?:float |integer )?(?:division|modulo|division or modulo|floor division)(?: or modulo)? by zero$"
        ),
        cause="by_zero",
        title="Plain numbers cannot be divided by 0",
        story=(
            "{code} {line}{turn} divides by 0.",
            "It is mostly a count of what never came: an empty list, or a loop that made no turn.",
            "Tensors would give inf or NaN here; Python's own numbers raise.",
        ),
    ),
    MessageRule(
        re.compile(r"^not enough values to unpack \(expected (?P<want>\d+), got (?P<has>\d+)\)$"),
        cause="too_few_parts",
        title="More names than parts",
        story=(
            "{code} {line}{turn} has {want} names for what comes in {has}.",
            "A name takes one part; a part that is a tuple itself, as the state (h, c) of an LSTM, takes names in "
            "brackets: `out, (h, c)`.",
        ),
    ),
    MessageRule(
        re.compile(r"^too many values to unpack \(expected (?P<want>\d+)"),
        cause="too_many_parts",
        title="More parts than names",
        story=(
            "{code} {line}{turn} has {want} names, and there come more parts than that.",
            "A tensor comes apart along its first dimension, a list in its entries; `*_` takes what is left over.",
        ),
    ),
    MessageRule(
        re.compile(r'^can only concatenate str \(not "(?P<got>[\w.]+)"\) to str$'),
        cause="text_plus",
        title="A text and something that is none",
        story=(
            "{code} {line}{turn} puts a text and {a_got} together with `+`.",
            "Beside a text `+` takes texts alone; `str()` makes one of anything, and so does an f-string.",
        ),
    ),
    MessageRule(
        re.compile(r'^can only concatenate list \(not "(?P<got>[\w.]+)"\) to list$'),
        cause="list_plus",
        title="A list and something that is none",
        story=(
            "{code} {line}{turn} puts a list and {a_got} together with `+`, which beside a list takes lists alone.",
            "`[...]` makes a list of one, and `append` puts one thing at the end.",
        ),
    ),
    MessageRule(
        re.compile(r"^unsupported operand type\(s\) for \+: 'generator' and 'generator'$"),
        cause="generators",
        title="Two generators cannot be added",
        story=(
            "{code} {line}{turn} adds what `parameters()` gives, which is no list: it gives its parts one by one.",
            "`[*one.parameters(), *two.parameters()]` is a list of both.",
        ),
    ),
    MessageRule(
        re.compile(r"^unsupported operand type\(s\) for (?P<what>\S+): 'list' and '(?P<got>list|float|int)'$"),
        cause="list_of_numbers",
        title="Lists do not compute",
        story=(
            "{code} {line}{turn} computes with a list as if it were a tensor.",
            "A list only holds things; `torch.tensor` makes numbers of it that can be computed with, entry by entry.",
        ),
    ),
    MessageRule(
        re.compile(r"^'float' object cannot be interpreted as an integer$"),
        cause="whole_number",
        title="A whole number was asked for",
        story=WHOLE,
    ),
    MessageRule(
        re.compile(
            r"^(?:randn|rand|zeros|ones|empty|full|randint|view|reshape|expand|repeat)\(\)"
            r".*(?:but found element of type|got |\(|, )float\b"
        ),
        cause="whole_number",
        title="A size is a whole number",
        story=WHOLE,
    ),
    MessageRule(
        re.compile(r"^'NoneType' object has no attribute '(?P<what>\w+)'$"),
        cause="list_lost",
        title="What a list was told to do gives None",
        story=(
            "{code} {line}{turn} gives the name of the list to what `{what}` gave, and that is None.",
            "`append` and its kind change the list itself and give nothing back: from the second time on there is no "
            "list any more.",
        ),
        on_line=re.compile(r"^(\w+) = \1\.(?:append|extend|insert|sort|reverse|update|add)\("),
    ),
    MessageRule(
        re.compile(r"^(?P<what>max|min)\(\) (?:arg is an empty sequence|iterable argument is empty)$"),
        cause="most_of_nothing",
        title="Of nothing there is no largest and no smallest",
        story=(
            "{code} {line}{turn} asks for the `{what}` of something in which there is nothing.",
            "Ask first whether there is anything in it, or say with `default=` what to give if not.",
        ),
    ),
    MessageRule(
        re.compile(r"^invalid literal for int\(\) with base 10: (?P<got>.*)$"),
        cause="int_of_text",
        title="No whole number stands in the text",
        story=(
            "{code} {line}{turn} reads a whole number out of a text in which there is none.",
            "`int()` reads digits alone; a number with a point is read by `float()`.",
        ),
    ),
    MessageRule(
        re.compile(r"^'(?P<got>[\w.]+)' object is not callable$"),
        cause="not_a_function",
        title="What is called is no function",
        story=(
            "{code} {line}{turn} puts brackets behind something of type `{got}`, which Python takes for a call.",
            "Places are asked for in square brackets, and a product needs its `*`. A name that was given to something "
            "else, as `sum` or `max`, stands for that from then on.",
        ),
    ),
    MessageRule(
        re.compile(r"^'(?P<got>builtin_function_or_method|method|function)' object is not subscriptable$"),
        cause="method_places",
        title="A method has no places",
        story=(
            "{code} {line}{turn} asks a method for a place, not what it gives.",
            "Round brackets call it: `size(0)`; `shape[0]` is the same without a call.",
        ),
    ),
    MessageRule(
        re.compile(r"^'DataLoader' object is not subscriptable$"),
        cause="loader_places",
        title="A loader has no places",
        story=(
            "{code} {line}{turn} asks a loader for one of its batches by number.",
            "A loader hands out its batches one after another: `for batch in loader`, or `next(iter(loader))` for one. "
            "Its data set has places.",
        ),
    ),
    MessageRule(
        re.compile(r"^'type' object does not support the context manager protocol$"),
        cause="with_class",
        title="A class stands where `with` needs what it makes",
        story=(
            "{code} {line}{turn} gives `with` a class.",
            "Brackets make one of its kind: `torch.no_grad()`.",
        ),
    ),
    MessageRule(
        re.compile(r"^cannot access local variable '(?P<got>\w+)' where it is not associated with a value$"),
        cause="not_yet_local",
        title="A name of the function that stands for nothing yet",
        story=(
            "{code} {line}{turn} reads `{got}`, and no line of this function has given it a value so far.",
            "A name to which a function gives a value is its own in all of its lines, even where the program "
            "has that name outside.",
            "`global {got}` says that the outer one is meant; else give it a value first, on every way there.",
        ),
    ),
    MessageRule(
        re.compile(r"^'(?P<got>bool)' object has no attribute '(?P<what>backward|sum|grad|mean)'$"),
        cause="flag_read",
        title="The flag was read, not set",
        story=(
            "{code} {line}{turn} asks yes or no for `{what}`, as if it were a tensor.",
            "`x.requires_grad` tells whether `x` wants a gradient; `x.requires_grad_()` says that it does, and gives "
            "`x` back.",
        ),
    ),
)


@rule
def of_python(world: World, failure: Failure) -> Diagnosis | None:
    """One of TABLE; else what the program raised itself."""
    return match_rules(TABLE, world, failure) or own_check(world, failure)


def own_check(world: World, failure: Failure) -> Diagnosis | None:
    """A `raise` or an `assert` of the program: what it says, and what its names stand for."""
    text = raising_statement(world, failure)
    word = next((word for word in ("raise", "assert") if re.match(rf"{word}\b", text)), None)
    if word is None:
        return None
    test = f": {code(text.removeprefix('assert ').partition(',')[0])} does not hold" if word == "assert" else ""
    story = [f"**Line {failure.raised.line}** is the program's own check{test}; PyTorch has nothing against it."]
    pairs = list(find_mentioned(world, text))[:3]
    if word == "raise" and not pairs:  # its message says all
        return None
    if pairs:
        shapes = [
            f"{code(name)}, made {on(tensor.place.line)}, has the shape {list(tensor.shape)}" for name, tensor in pairs
        ]
        story.append(f"{listing(shapes)}.")
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    events = {"raised": failure.number}
    if pairs:
        lines["built"], events["built"] = pairs[0][1].place.line, pairs[0][1].made
    return Diagnosis(
        title="The program raised this itself",
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        events=events,
        cause="own_check",
    )


@rule
def of_comma(world: World, failure: Failure) -> Diagnosis | None:
    """Told where what raised speaks of a name that got such a tuple."""
    if failure.raised.type not in ("TypeError", "AttributeError"):
        return None
    here = parse_code(raising_statement(world, failure).strip())
    if here is None:
        return None
    read = {ast.unparse(node) for node in ast.walk(here) if isinstance(node, ast.Name | ast.Attribute)}
    found = next((node for node in commas(world.source.tree) if kept_as(node) in read), None)
    if found is None:
        return None
    name, text = kept_as(found), world.source.text(found.lineno, found.end_lineno)
    title, names = "A comma made a tuple", known_names(target=name)
    return Diagnosis(
        title=title,
        message=failure.raised.message,
        lines={"built": found.lineno, "raised": failure.raised.line},
        story=(
            f"{begin_story(world, failure)} takes {code(name)} for one thing, and it is a tuple that has one thing in "
            "it.",
            f"{code(text)} {on(found.lineno)} ends with a comma, and a comma makes a tuple, with brackets or without.",
        ),
        events={"raised": failure.number},
        cause="comma",
        names=names,
    )


def commas(tree: ast.AST) -> list[ast.Assign]:
    """The assignments whose value is a tuple by its comma alone, which no bracket begins."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Tuple)
        and len(node.value.elts) == 1
        and place(node.value) == place(node.value.elts[0])
    ]


def place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def kept_as(node: ast.Assign) -> str:
    return ast.unparse(node.targets[0])


# ---- fixes


@fix(list_end=1)
def change_place(wanted: FixContext) -> Iterator[Proposal]:
    """The loop goes by the list that is asked; a place that is written becomes the last one."""
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.Subscript):
        if isinstance(node.slice, ast.Slice):
            continue
        shown = text.get(node.value)
        for loop in text.around(node):
            if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and callee(loop.iter) == "range":
                if not names_in(loop.target) & names_in(node.slice) or not loop.iter.args:
                    continue
                stop = loop.iter.args[0 if len(loop.iter.args) == 1 else 1]
                title = f"let the loop on line {loop.lineno} stop at len({shown})"
                yield wanted.proposal(title, "fewer turns", text.replaced(stop, f"len({shown})"))
        if isinstance(node.slice, ast.Constant):
            title = f"the last one, {shown}[-1], on line {node.lineno}"
            yield wanted.proposal(title, "another entry", text.replaced(node.slice, "-1"))
        yield from length_of(wanted, node)


def length_of(wanted: FixContext, node: ast.Subscript) -> Iterator[Proposal]:
    """A data set says how long the list is in which its items stand."""
    text = wanted.text
    home, method = enclosing(text, node, ast.ClassDef), enclosing(text, node, ast.FunctionDef)
    if not isinstance(home, ast.ClassDef) or not isinstance(method, ast.FunctionDef) or method.name != "__getitem__":
        return
    for part in ast.walk(home):
        inside = enclosing(text, part, ast.FunctionDef)
        if isinstance(part, ast.Return) and isinstance(inside, ast.FunctionDef) and inside.name == "__len__":
            made = f"return len({text.get(node.value)})"
            yield wanted.proposal(f"{made} on line {part.lineno}", "fewer items", text.replaced(part, made))


@fix(by_zero=1)
def divide_by_one_at_least(wanted: FixContext) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.BinOp):
        if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
            made = f"max({text.get(node.right)}, 1)"
            title = f"{made} on line {node.lineno}: nothing divided by 1 is nothing"
            yield wanted.proposal(title, "0 where there was nothing", text.replaced(node.right, made))


def goals(wanted: FixContext) -> Iterator[tuple[ast.stmt, ast.Tuple]]:
    """The names that the raising line wants to fill: of an assignment or a loop."""
    raised = wanted.at("raised")
    nodes = raised.targets if isinstance(raised, ast.Assign) else [raised.target] if isinstance(raised, ast.For) else []
    for goal in nodes:
        if isinstance(goal, ast.Tuple) and raised is not None:
            yield raised, goal


@fix(too_few_parts=1, too_many_parts=1)
def name_parts(wanted: FixContext) -> Iterator[Proposal]:
    """As many names as there are parts: the last of them in brackets, or left out; what is left over to `*_`."""
    text = wanted.text
    for raised, goal in goals(wanted):
        names = [text.get(part) for part in goal.elts]
        bare = not text.get(goal).startswith("(")
        if wanted.found.cause == "too_many_parts":
            made = ", ".join([*names, "*_"])
            title = f"{made} on line {raised.lineno}: the others are left out"
            yield wanted.proposal(
                title, "what is left over is dropped", text.replaced(goal, made if bare else f"({made})")
            )
            continue
        has = int(wanted.name("has") or 0)
        if 1 < has < len(names):
            made = ", ".join([*names[: has - 1], f"({', '.join(names[has - 1 :])})"])
            title = f"{made} on line {raised.lineno}: the last part has parts of its own"
            yield wanted.proposal(title, FREE, text.replaced(goal, made if bare else f"({made})"))
        if 0 < has < len(names):
            made = ", ".join(names[:has]) + ("," if has == 1 else "")
            title = f"{made} on line {raised.lineno}: only what comes"
            brackets = isinstance(raised, ast.For) and has == 1
            yield wanted.proposal(title, FREE, text.replaced(goal, f"({made})" if brackets or not bare else made))
            if has == 1 and isinstance(raised, ast.Assign):
                title = f"one name, {names[0]}, on line {raised.lineno}"
                yield wanted.proposal(title, FREE, text.replaced(goal, names[0]))


@fix(text_plus=1)
def join_as_text(wanted: FixContext) -> Iterator[Proposal]:
    """What stands beside a text is made one."""
    text, raised, got = wanted.text, wanted.at("raised"), wanted.name("got")
    for node in text.parts(raised, ast.BinOp):
        if isinstance(node.op, ast.Add) and not literal(node.right):
            made = f"{in_brackets(text, node.right)}.item()" if got == "Tensor" else text.get(node.right)
            title = f"str({made}) on line {node.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(node.right, f"str({made})"))


def literal(node: ast.expr) -> bool:
    """Whether it is a text as it stands: one that is written, or what `str` gives."""
    return (
        isinstance(node, ast.JoinedStr)
        or callee(node) == "str"
        or (isinstance(node, ast.Constant) and isinstance(node.value, str))
    )


@fix(list_plus=1)
def join_as_list(wanted: FixContext) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.BinOp):
        if isinstance(node.op, ast.Add):
            made = f"[{text.get(node.right)}]"
            yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node.right, made))


@fix(generators=1)
def list_both(wanted: FixContext) -> Iterator[Proposal]:
    """`a.parameters() + b.parameters()` and `[a.parameters(), b.parameters()]` become a list of both."""
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.expr):
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [node.left, node.right]
        elif isinstance(node, ast.List):
            parts = node.elts
        if len(parts) > 1 and all(callee(part) == "parameters" for part in parts):
            made = f"[{', '.join(f'*{text.get(part)}' for part in parts)}]"
            yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node, made))


@fix(list_of_numbers=1)
def make_tensors_of_lists(wanted: FixContext) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.BinOp):
        sides = [side for side in (node.left, node.right) if not isinstance(side, ast.Constant)]
        edits = [text.replaced(side, f"torch.tensor({text.get(side)})") for side in sides]
        title = f"tensors of the lists, on line {node.lineno}"
        yield wanted.proposal(title, "tensors instead of lists", *edits)


@fix(one_of_many=3, whole_number=1)
def make_whole_number(wanted: FixContext) -> Iterator[Proposal]:
    """`//` for the `/` that the number comes from; else `int()` around it."""
    text, raised = wanted.text, wanted.at("raised")
    if raised is None:
        return
    names = names_in(raised) | {ast.unparse(node) for node in text.parts(raised, ast.Attribute)}
    for node in text.parts(text.tree, ast.BinOp):
        home = enclosing(text, node, ast.stmt)
        if not isinstance(node.op, ast.Div) or not isinstance(home, ast.stmt):
            continue
        if home is raised or targets(home) & names or ast.unparse(getattr(home, "target", node)) in names:
            made = f"{text.get(node.left)} // {text.get(node.right)}"
            yield wanted.proposal(f"{made} on line {node.lineno}", "whole numbers", text.replaced(node, made))
    for call in text.calls(raised):
        for given in call.args:
            if not isinstance(given, ast.Constant | ast.Starred):
                made = f"int({text.get(given)})"
                yield wanted.proposal(f"{made} on line {given.lineno}", "whole numbers", text.replaced(given, made))


@fix(int_of_text=1)
def read_as_float(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "int"):
        if call.args:
            shown = text.get(call.args[0])
            title = f"float({shown}) on line {call.lineno}"
            yield wanted.proposal(title, "a number with a point", text.replaced(call, f"float({shown})"))


@fix(not_a_function=1)
def drop_call(wanted: FixContext) -> Iterator[Proposal]:
    """Square brackets for a place, `*` for a product, another name for what hides a function of Python's."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised):
        shown = text.get(call.func)
        if isinstance(call.func, ast.Name) and hasattr(builtins, shown):
            uses = [node for node in ast.walk(text.tree) if isinstance(node, ast.Name) and node.id == shown]
            others = [use for use in uses if use is not call.func and not is_called(text, use)]
            title = f"another name, {shown}_, for what hides Python's own {shown}"
            yield wanted.proposal(title, FREE, *(text.replaced(use, f"{shown}_") for use in others))
        if len(call.args) == 1 and not call.keywords:
            given = text.get(call.args[0])
            place = isinstance(call.args[0], ast.Constant | ast.Name) and wanted.name("got") != "Tensor"
            ways = [f"{shown}[{given}]", f"{shown} * ({given})"]
            for made in ways if place else ways[::-1]:
                yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(call, made))
        if not call.args and not call.keywords:
            title = f"{shown} without brackets on line {call.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(call, shown))


def is_called(text: Text, node: ast.expr) -> bool:
    outer = text.parents.get(node)
    return isinstance(outer, ast.Call) and outer.func is node


@fix(method_places=1)
def use_round_brackets(wanted: FixContext) -> Iterator[Proposal]:
    """`x.size[0]` becomes `x.size(0)`."""
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.Subscript):
        if isinstance(node.value, ast.Attribute):
            owner, place = text.get(node.value), text.get(node.slice)
            for made in (f"{owner}({place})", f"{owner}()[{place}]"):
                yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node, made))


@fix(loader_places=1)
def take_next_batch(wanted: FixContext) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for node in text.parts(raised, ast.Subscript):
        made = f"next(iter({text.get(node.value)}))"
        yield wanted.proposal(f"{made} on line {node.lineno}", "the first batch", text.replaced(node, made))


@fix(with_class=1)
def add_brackets(wanted: FixContext) -> Iterator[Proposal]:
    text, raised = wanted.text, wanted.at("raised")
    for item in raised.items if isinstance(raised, ast.With) else ():
        if not isinstance(item.context_expr, ast.Call):
            made = f"{text.get(item.context_expr)}()"
            title = f"{made} on line {item.context_expr.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(item.context_expr, made))


@fix(not_yet_local=1)
def declare_nonlocal(wanted: FixContext) -> Iterator[Proposal]:
    """`global total` at the head of the function, or `nonlocal` in a function of a function."""
    text, got, raised = wanted.text, wanted.name("got"), wanted.at("raised")
    home = enclosing(text, raised, ast.FunctionDef) if raised is not None else None
    if not isinstance(home, ast.FunctionDef):
        return
    for word in ("nonlocal", "global"):
        if (word == "nonlocal") == (enclosing(text, home, ast.FunctionDef) is not None):
            title = f"{word} {got} at the head of {home.name}"
            yield wanted.proposal(
                title, "the function changes what is outside", text.before(home.body[0], [f"{word} {got}"])
            )


@fix(list_lost=1)
def keep_list(wanted: FixContext) -> Iterator[Proposal]:
    """`xs = xs.append(x)` becomes `xs.append(x)`."""
    text, raised = wanted.text, wanted.at("raised")
    if isinstance(raised, ast.Assign):
        made = text.get(raised.value)
        title = f"{made} alone, without giving a name to None, on line {raised.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(raised, made))


@fix(most_of_nothing=1)
def give_default(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "max", "min"):
        made = with_argument(text, call, "default=0")
        yield wanted.proposal(f"default=0 on line {call.lineno}", "0 where there is nothing", made)


@fix(flag_read=1)
def set_flag(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Attribute) and node.attr == "requires_grad" and isinstance(node.ctx, ast.Load):
            title = f"requires_grad_() on line {node.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(node, f"{text.get(node.value)}.requires_grad_()"))


@fix(comma=1)
def drop_comma(wanted: FixContext) -> Iterator[Proposal]:
    """`lr = 0.1,` becomes `lr = 0.1`."""
    text = wanted.text
    for node in commas(text.tree):
        if kept_as(node) == wanted.name("target") and isinstance(node.value, ast.Tuple):
            title = f"without the comma at the end of line {node.value.end_lineno}"
            yield wanted.proposal(title, FREE, text.replaced(node.value, text.get(node.value.elts[0])))
