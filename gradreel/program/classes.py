"""Class statements."""

from __future__ import annotations

import ast

from .calls import call, finish_class, kind_name
from .compiler import Compiler, Step, compiles
from .engine import torch
from .machine import Machine
from .refusal import Refusal
from .targets import bind
from .values import Class, ClassMethod, ExceptionType, Frame, Function, Property, StaticMethod, Type, Value


@compiles(ast.ClassDef)
def class_def(compiler: Compiler, node: ast.ClassDef) -> Step:
    if node.keywords:
        raise compiler.refuse("Classes with keywords (such as metaclass=) are not supported here.", node)
    machine, bases = compiler.machine, compiler.expressions(node.bases)
    decorators = compiler.expressions(node.decorator_list)
    store = bind(compiler, node.name, node)
    outer, compiler.scope = compiler.scope, compiler.scopes.of[node]
    compiler.titles.append(f"{compiler.titles[-1]}.{node.name}" if compiler.titles else node.name)
    body, scope = compiler.block(node.body), compiler.scope
    compiler.titles.pop()
    compiler.scope = outer

    def step(frame: Frame) -> None:
        parents = tuple(base(frame) for base in bases)
        inner = Frame({}, {free: frame.cells[free] for free in scope.free}, frame.scope, node.name)
        caller, machine.frame = machine.frame, inner
        try:
            body(inner)
        except BaseException as raised:
            machine.note(raised, inner)
            raise
        finally:
            machine.frame = caller
        made: Value = make_class(machine, node.name, parents, inner.names)
        for decorator in reversed([decorator(frame) for decorator in decorators]):
            made = call(machine, decorator, [made], {})
        store(frame, made)

    return step


def make_class(machine: Machine, name: str, bases: tuple[Value, ...], attributes: dict[str, Value]) -> Class:
    made = Class(name, bases, attributes, machine)
    for base in bases:
        if isinstance(base, Class):
            made.host = made.host or base.host
            made.exception = made.exception or base.exception
        elif isinstance(base, ExceptionType):
            made.exception = base
        elif isinstance(base, Type):
            if base.name != "object":
                made.host = extended(base)
        else:
            raise TypeError(f"a class cannot extend a value of type '{kind_name(base)}'")
    made.order = order(made)
    if made.exception is not None:
        made.exception = ExceptionType(name, made.exception, None)
    for value in attributes.values():
        for function in functions_in(value):
            if not function.home:
                function.home.append(made)
    finish_class(made)
    return made


def extended(base: Type) -> Type:
    """`base`, if classes of programs may extend it."""
    if base.hosts and issubclass(base.hosts[0], (torch.nn.Module, torch.autograd.Function)):
        return base
    raise Refusal(f"Classes that extend `{base.title}` are not supported here.")


def order(made: Class) -> tuple[Class, ...]:
    """Python's order of bases (C3)."""
    waiting = [list(base.order) for base in made.bases if isinstance(base, Class)]
    waiting.append([base for base in made.bases if isinstance(base, Class)])
    found = [made]
    while any(waiting):
        for row in waiting:
            if row and not any(row[0] in other[1:] for other in waiting):
                first = row[0]
                break
        else:
            raise TypeError("Cannot create a consistent method resolution order (MRO) for bases")
        found.append(first)
        for row in waiting:
            if row and row[0] is first:
                del row[0]
    return tuple(found)


def functions_in(value: Value) -> list[Function]:
    if isinstance(value, Function):
        return [value]
    if isinstance(value, (StaticMethod, ClassMethod)):
        return functions_in(value.function)
    if isinstance(value, Property):
        return [*functions_in(value.getter), *functions_in(value.setter)]
    return []
