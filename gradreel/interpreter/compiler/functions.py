"""Functions and calls: def, lambda, arguments and their errors, method calls."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..builtins.namespace import super_of
from ..builtins.sequences import unpack_mapping
from ..runtime.attributes import DUNDERS, is_special, load
from ..runtime.calls import Signature, bind_arguments, call
from ..runtime.type_names import kind_name
from ..runtime.values import (
    OBJECTS,
    Bound,
    Builtin,
    Cell,
    Class,
    Error,
    Foreign,
    Frame,
    Function,
    Generator,
    Super,
    Type,
    Value,
)
from .assignment import bind
from .compiler import Compiler, Run, Step, compiles
from .expressions import Misfit, compile_parts
from .generators import generator_body
from .names import attribute_name, compile_annotations
from .scopes import Scope

# ---- making functions


@compiles(ast.FunctionDef)
def function_def(compiler: Compiler, node: ast.FunctionDef) -> Step:
    if compiler.scope.kind == "class" and is_special(node.name) and node.name not in DUNDERS:
        raise compiler.refuse(f"A class cannot define `{node.name}` here.", node)
    decorators = compiler.expressions(node.decorator_list)
    lines = [decorator.lineno for decorator in node.decorator_list]
    store = bind(compiler, node.name, node)
    make = compile_function(compiler, node, node.name, ast.get_docstring(node, clean=False))
    machine = compiler.machine

    def step(frame: Frame) -> None:
        ways = [decorator(frame) for decorator in decorators]
        made: Value = make(frame)
        for way, line in zip(reversed(ways), reversed(lines), strict=True):
            frame.line = line
            made = call(machine, way, [made], {})
        store(frame, made)

    return step


@compiles(ast.Lambda)
def lambda_(compiler: Compiler, node: ast.Lambda) -> Run:
    return compile_function(compiler, node, "<lambda>", None)


def compile_function(compiler: Compiler, node: ast.FunctionDef | ast.Lambda, name: str, doc: str | None) -> Run:
    """What makes the function when its definition is reached."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    names = tuple(argument.arg for argument in positional)
    defaults = list(
        zip(names[len(names) - len(arguments.defaults) :], compiler.expressions(arguments.defaults), strict=True)
    )
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            defaults.append((argument.arg, compiler.expression(default)))
    extras = [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
    for argument in [*positional, *arguments.kwonlyargs, *extras]:
        if is_special(argument.arg):
            raise compiler.refuse(f"A parameter cannot be called `{argument.arg}` here.", argument)
    title = title_of(compiler.scope, compiler.titles, name)
    signature = Signature(
        title,
        names,
        len(arguments.posonlyargs),
        tuple(argument.arg for argument in arguments.kwonlyargs),
        arguments.vararg.arg if arguments.vararg else None,
        arguments.kwarg.arg if arguments.kwarg else None,
    )
    places = None if extras or arguments.kwonlyargs else names
    outer, compiler.scope = compiler.scope, compiler.scopes.of[node]
    compiler.titles.append(title + ".<locals>")
    run = compile_body(compiler, node)
    compiler.titles.pop()
    scope, compiler.scope = compiler.scope, outer
    invoker = make_invoke(compiler, signature, scope, name, run)
    hints = compile_annotations(compiler, node)

    captured = sorted(scope.free, reverse=True)  # Python lets go of a closure from its last to its first

    def make(frame: Frame) -> Function:
        made = Function(name, doc)
        made.title = title
        cells = {free: frame.cells[free] for free in captured}
        given = {name: default(frame) for name, default in defaults}
        made.defaults = tuple(given[name] for name in names if name in given) or None
        made.places = places
        made.hints = hints(frame)
        made.parameters = signature, given
        invoker(made, given, cells)
        return made

    return make


def title_of(scope: Scope, titles: list[str], name: str) -> str:
    """The qualified name, as Python's messages say it: `Net.forward`, `outer.<locals>.inner`."""
    return f"{titles[-1]}.{name}" if titles else name


Body = Callable[[Frame], Value]


def compile_body(compiler: Compiler, node: ast.FunctionDef | ast.Lambda) -> Body:
    """What runs the body in a frame of its own and gives the result."""
    if compiler.scope.yields:
        return generator_body(compiler, node)
    if isinstance(node, ast.Lambda):
        outer, compiler.first = compiler.first, node.body.lineno
        value, line = compiler.expression(node.body), node.body.lineno
        compiler.first = outer

        def give(frame: Frame) -> Value:
            frame.line = line
            return value(frame)

        return give
    block = compiler.block(node.body)

    def run(frame: Frame) -> Value:
        block(frame)
        return frame.returned

    return run


def own_cells(signature: Signature, scope: Scope) -> tuple[str, ...]:
    """The variables that inner functions share, in the order in which Python lets go of them."""
    rest = [name for name in (signature.rest, signature.named) if name is not None]
    parameters = (*signature.positional, *signature.keyword, *rest)
    return (*(name for name in parameters if name in scope.cells), *sorted(scope.cells - {*parameters}))


def make_invoke(
    compiler: Compiler, signature: Signature, scope: Scope, name: str, run: Body
) -> Callable[[Function, dict[str, Value], dict[str, Cell]], None]:
    """Gives a new function its `invoke`."""
    machine, name_events, own = compiler.machine, compiler.name_events, own_cells(signature, scope)
    first = signature.positional[0] if signature.positional else signature.rest
    lazy, quiet = scope.yields, compiler.quiet

    def equip(made: Function, defaults: dict[str, Value], cells: dict[str, Cell]) -> None:
        home = made.home

        def invoke(args: list[Value], kwargs: dict[str, Value]) -> Value:
            names = bind_arguments(signature, defaults, args, kwargs)
            inner = Frame(names, cells, 0 if quiet else machine.new_scope(), name)
            inner.quiet = quiet
            if home:
                inner.owner, inner.this = home[0], names.get(first) if first else None
            if own:
                inner.cells = {**cells, **{wanted: Cell() for wanted in own}}
                for wanted in own:
                    if wanted in names:
                        inner.cells[wanted].value = names[wanted]
            frames, loops = machine.frames, machine.loops
            caller = machine.enter(name, inner)
            try:
                if not quiet and machine.records:
                    for wanted, value in names.items():
                        name_events.bind_name(inner.scope, wanted, value)
                    value = None
                for wanted in own:
                    names.pop(wanted, None)
                return run(inner)
            except BaseException as raised:
                machine.note(raised, inner)
                raise
            finally:
                inner.this = None
                if not quiet and machine.stopped is None:
                    name_events.leave_scope(inner.scope)
                machine.leave(caller, frames, loops)

        def start(args: list[Value], kwargs: dict[str, Value]) -> Value:
            names = bind_arguments(signature, defaults, args, kwargs)
            inner = Frame(names, {**cells, **{wanted: Cell() for wanted in own}}, machine.new_scope(), name)
            inner.quiet = quiet
            if home:
                inner.owner, inner.this = home[0], names.get(first) if first else None
            for wanted in own:
                if wanted in names:
                    inner.cells[wanted].value = names.pop(wanted)
            return Generator(made.title, run(inner))

        made.invoke = start if lazy else invoke

    return equip


# ---- calls


@compiles(ast.Call)
def call_(compiler: Compiler, node: ast.Call) -> Run:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and "super" not in compiler.scopes.module.bound:
        return super_(compiler, node)
    machine, items = compiler.machine, compile_parts(compiler, node.args)
    named = compile_keywords(compiler, node)
    if any(isinstance(arg, ast.Starred) for arg in node.args) or any(word.arg is None for word in node.keywords):
        return spread_call(compiler, node)
    if isinstance(node.func, ast.Attribute):
        owner, wanted = compiler.expression(node.func.value), attribute_name(compiler, node.func)
        if named is None:
            return lambda frame: call(machine, load(machine, owner(frame), wanted), items(frame), {})
        given = named
        return lambda frame: call(machine, load(machine, owner(frame), wanted), items(frame), given(frame))
    function = compiler.expression(node.func)
    if named is None:
        return lambda frame: call(machine, function(frame), items(frame), {})
    given = named
    return lambda frame: call(machine, function(frame), items(frame), given(frame))


def spread_call(compiler: Compiler, node: ast.Call) -> Run:
    """A call with `*` or `**`: what cannot be spread is an error that names the function."""
    machine, function = compiler.machine, compiler.expression(node.func)
    items, named = compile_parts(compiler, node.args), compile_keywords(compiler, node)

    def run(frame: Frame) -> Value:
        callee = function(frame)
        try:
            args = items(frame)
            given = {} if named is None else named(frame)
        except Misfit as error:
            raise TypeError(f"{spell_callee(callee)}{error}") from None
        return call(machine, callee, args, given)

    return run


def spell_callee(callee: Value) -> str:
    """The function as Python's messages about `*` and `**` name it."""
    if isinstance(callee, Bound):
        callee = callee.function
    if isinstance(callee, (Function, Class)):
        title = callee.title if isinstance(callee, Class) else f"__main__.{callee.title}"
        return f"{title}() "
    return f"{callee.name}() " if isinstance(callee, (Builtin, Foreign, Type)) else f"{kind_name(callee)} object "


def compile_keywords(compiler: Compiler, node: ast.Call) -> Callable[[Frame], dict[str, Value]] | None:
    if not node.keywords:
        return None
    machine = compiler.machine
    for keyword in node.keywords:
        if keyword.arg and is_special(keyword.arg):
            raise compiler.refuse(f"An argument cannot be called `{keyword.arg}` here.", keyword)
    pairs = [(keyword.arg, compiler.expression(keyword.value)) for keyword in node.keywords]

    def run(frame: Frame) -> dict[str, Value]:
        made: dict[str, Value] = {}
        for name, value in pairs:
            if name is not None:
                if name in made:
                    raise Misfit(f"got multiple values for keyword argument '{name}'")
                made[name] = value(frame)
                continue
            given = value(frame)
            more = unpack_mapping(machine, given)
            if more is None:
                raise Misfit(f"argument after ** must be a mapping, not {kind_name(given)}")
            machine.meter.length(len(more))
            for key in more:
                if not isinstance(key, str):
                    raise TypeError("keywords must be strings")
                if key in made:
                    raise Misfit(f"got multiple values for keyword argument '{key}'")
                made[key] = more[key]
        return made

    return run


def super_(compiler: Compiler, node: ast.Call) -> Run:
    """`super()`, `super(Class, self)` and `super(Class)`"""
    if node.keywords or len(node.args) > 2:
        raise compiler.refuse("`super` is supported as `super()`, `super(Class, self)` and `super(Class)`.", node)
    if node.args:
        given = compiler.expressions(node.args)
        return lambda frame: super_of(*[value(frame) for value in given])

    def run(frame: Frame) -> Value:
        if frame.owner is None or frame.this is None:
            raise RuntimeError("super(): no arguments")
        return Super(frame.owner, frame.this, class_of(frame.this))

    return run


def class_of(this: Value) -> Value:
    """The program's class that `this` is an object of; a class method's first argument is the class itself."""
    if isinstance(this, Error):
        return this.own
    return this.kind if isinstance(this, OBJECTS) else this
