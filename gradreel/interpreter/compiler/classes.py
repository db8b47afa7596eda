"""Class statements."""

from __future__ import annotations

import ast

from ..runtime.calls import call
from ..runtime.classes import make_class
from ..runtime.values import (
    Cell,
    Frame,
    Value,
)
from .assignment import bind
from .compiler import Compiler, Step, compiles


@compiles(ast.ClassDef)
def class_def(compiler: Compiler, node: ast.ClassDef) -> Step:
    machine, bases = compiler.machine, compiler.expressions(node.bases)
    keywords = [(keyword.arg, compiler.expression(keyword.value)) for keyword in node.keywords]
    if any(name is None for name, _ in keywords):
        raise compiler.refuse("`**` among the bases of a class is not supported here.", node)
    decorators = compiler.expressions(node.decorator_list)
    lines = [decorator.lineno for decorator in node.decorator_list]
    store = bind(compiler, node.name, node)
    qualname = f"{compiler.titles[-1]}.{node.name}" if compiler.titles else node.name
    outer, compiler.scope = compiler.scope, compiler.scopes.of[node]
    compiler.titles.append(qualname)
    body, scope = compiler.block(node.body), compiler.scope
    compiler.titles.pop()
    compiler.scope = outer
    captured = sorted(scope.free)
    doc, module, own = ast.get_docstring(node), compiler.module, "__class__" in scope.cells

    def step(frame: Frame) -> None:
        ways = [decorator(frame) for decorator in decorators]
        parents = tuple(base(frame) for base in bases)
        given = {str(name): value(frame) for name, value in keywords}
        inner = Frame({}, {free: frame.cells[free] for free in captured}, frame.scope, node.name)
        inner.quiet = compiler.quiet
        if own:
            inner.cells["__class__"] = Cell()
        caller = machine.frame
        if not inner.quiet:
            machine.frame = inner
        try:
            body(inner)
        except BaseException as raised:
            machine.note(raised, inner)
            raise
        finally:
            machine.frame = caller
        if doc is not None:
            inner.names.setdefault("__doc__", doc)
        made: Value = make_class(machine, node.name, parents, inner.names, given, qualname, module)
        if own:
            inner.cells["__class__"].value = made
        for way, line in zip(reversed(ways), reversed(lines), strict=True):
            frame.line = line
            made = call(machine, way, [made], {})
        store(frame, made)

    return step
