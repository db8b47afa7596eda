"""Targets: what stands left of `=`, behind `for` and `as`, and after `del`.

A name is told before it is bound anew: what it stood for may be released by the binding.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..builtins.iteration import iterate
from ..builtins.operators import make_binary
from ..builtins.subscripts import assign, fetch, remove
from ..runtime.attributes import DUNDERS, delete, is_special, load, store
from ..runtime.type_names import kind_name
from ..runtime.values import MISSING, Frame, Stub, Value
from .compiler import Compiler
from .names import BINDABLE, attribute_name, unbound_local_error

Store = Callable[[Frame, Value], None]

UNSETTABLE = ("__class__", "__dict__", "__bases__", "__mro__", "__traceback__", "__slots__", "__self__", "__func__")
"""Special attributes that programs may read but not set."""


def compile_target(compiler: Compiler, node: ast.expr, told: bool = True) -> Store:
    """What puts a value where `node` says."""
    machine = compiler.machine
    match node:
        case ast.Name(id=wanted):
            return bind(compiler, wanted, node, told)
        case ast.Attribute(value=value):
            owner, name = compiler.expression(value), attribute_name(compiler, node)
            if name in UNSETTABLE:
                raise compiler.refuse(f"The attribute `{name}` cannot be set here.", node)
            again = retell(compiler, value)

            def set_attribute(frame: Frame, value: Value) -> None:
                store(machine, owner(frame), name, value)
                again(frame)

            return set_attribute
        case ast.Subscript(value=value, slice=index):
            holder, at = compiler.expression(value), compiler.expression(index)
            again = retell(compiler, value)

            def set_item(frame: Frame, value: Value) -> None:
                assign(machine, holder(frame), at(frame), value)
                again(frame)

            return set_item
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return unpack(compiler, elements, told)
        case ast.Starred(value=value):
            return compile_target(compiler, value, told)
    raise compiler.refuse_syntax(node)


def bind(compiler: Compiler, wanted: str, node: ast.AST, told: bool = True) -> Store:
    """Binds a name, in the scope that Python's rules say."""
    wanted = compiler.scope.mangle(wanted)
    if is_special(wanted) and wanted not in (DUNDERS if compiler.scope.kind == "class" else BINDABLE):
        raise compiler.refuse(f"The name `{wanted}` cannot be given here.", node)
    meaning = compiler.scope.meaning(wanted)
    bound = compiler.name_events.bind_name if told and compiler.scope.kind != "class" else None
    if meaning == "global":
        names = compiler.names

        def set_global(frame: Frame, value: Value) -> None:
            if bound is not None:
                bound(0, wanted, value)
            names[wanted] = value

        return set_global
    if meaning == "cell":
        own = wanted in compiler.scope.cells

        def set_cell(frame: Frame, value: Value) -> None:
            if bound is not None and own:
                bound(frame.scope, wanted, value)
            frame.cells[wanted].value = value

        return set_cell

    def set_local(frame: Frame, value: Value) -> None:
        if bound is not None:
            bound(frame.scope, wanted, value)
        frame.names[wanted] = value

    return set_local


def root(node: ast.expr) -> ast.Name | None:
    """The name that a chain of attributes and subscripts begins with."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def retell(compiler: Compiler, node: ast.expr) -> Callable[[Frame], None]:
    """Tells the parts of the variable that `node` is a part of once more, if it is a local or global one.

    A local one may be used by an inner function, too.
    """
    name = root(node)
    if name is None or compiler.scope.kind == "class":
        return lambda frame: None
    wanted, meaning = compiler.scope.mangle(name.id), compiler.scope.meaning(name.id)
    bound, names = compiler.name_events.bind_name, compiler.names

    def again(frame: Frame) -> None:
        scope, held = (0, names) if meaning == "global" else (frame.scope, frame.names)
        value = held.get(wanted, MISSING)
        if value is not MISSING:
            bound(scope, wanted, value)

    def again_of_cell(frame: Frame) -> None:
        value = frame.cells[wanted].value
        if value is not MISSING:
            bound(frame.scope, wanted, value)

    if meaning == "cell":
        return again_of_cell if wanted in compiler.scope.cells else lambda frame: None
    return again if meaning in ("global", "local") else lambda frame: None


def unpack(compiler: Compiler, elements: list[ast.expr], told: bool) -> Store:
    machine = compiler.machine
    stores = [compile_target(compiler, element, told) for element in elements]
    starred = [nr for nr, element in enumerate(elements) if isinstance(element, ast.Starred)]
    count = len(stores)
    if len(starred) > 1:
        raise compiler.refuse("multiple starred expressions in assignment", elements[0])

    def items_of(value: Value) -> list[Value]:
        if type(value) is Stub:
            return [value] * count
        try:
            source = iterate(machine, value)
        except TypeError as error:
            if not str(error).endswith("object is not iterable"):
                raise
            raise TypeError(f"cannot unpack non-iterable {kind_name(value)} object") from None
        items: list[Value] = []
        for item in source:
            machine.meter.charge()
            items.append(item)
            if not starred and len(items) > count:
                raise ValueError(f"too many values to unpack (expected {count})")
        return items

    def exact(frame: Frame, value: Value) -> None:
        items = items_of(value)
        value = None
        if len(items) < count:
            raise ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
        items.reverse()
        for put in stores:
            put(frame, items.pop())

    def spread(frame: Frame, value: Value) -> None:
        items = items_of(value)
        value = None
        before, after = starred[0], count - starred[0] - 1
        if len(items) < before + after:
            raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(items)})")
        items[before : len(items) - after] = [items[before : len(items) - after]]
        items.reverse()
        for put in stores:
            put(frame, items.pop())

    return spread if starred else exact


def compile_deletion(compiler: Compiler, node: ast.expr) -> Callable[[Frame], None]:
    """What `del node` does."""
    machine = compiler.machine
    match node:
        case ast.Name(id=wanted):
            return unbind(compiler, wanted)
        case ast.Attribute(value=value):
            owner, name = compiler.expression(value), attribute_name(compiler, node)
            again = retell(compiler, value)

            def drop_attribute(frame: Frame) -> None:
                delete(machine, owner(frame), name)
                again(frame)

            return drop_attribute
        case ast.Subscript(value=value, slice=index):
            holder, at = compiler.expression(value), compiler.expression(index)
            again = retell(compiler, value)

            def drop_item(frame: Frame) -> None:
                remove(machine, holder(frame), at(frame))
                again(frame)

            return drop_item
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            drops = [compile_deletion(compiler, element) for element in elements]

            def drop_each(frame: Frame) -> None:
                for drop in drops:
                    drop(frame)

            return drop_each
    raise compiler.refuse_syntax(node)


def unbind(compiler: Compiler, wanted: str) -> Callable[[Frame], None]:
    wanted = compiler.scope.mangle(wanted)
    meaning, names, told = compiler.scope.meaning(wanted), compiler.names, compiler.name_events

    def drop(frame: Frame) -> None:
        if meaning == "cell":
            if frame.cells[wanted].value is MISSING:
                raise unbound_local_error(wanted)
            told.unbind_name(frame.scope, wanted)
            frame.cells[wanted].value = MISSING
            return
        scope, held = (0, names) if meaning == "global" else (frame.scope, frame.names)
        if wanted not in held:
            raise unbound_local_error(wanted) if meaning == "local" else NameError(f"name '{wanted}' is not defined")
        told.unbind_name(scope, wanted)
        del held[wanted]

    return drop


def augment_target(compiler: Compiler, node: ast.AugAssign) -> Callable[[Frame], None]:
    """`target op= value`: the target is read, changed in place where its type can, and bound again."""
    machine = compiler.machine
    apply = make_binary(machine, type(node.op), inplace=True)
    value = compiler.expression(node.value)
    match node.target:
        case ast.Name():
            read = compiler.expression(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
            put = compile_target(compiler, node.target)

            def change_name(frame: Frame) -> None:
                put(frame, apply(read(frame), value(frame)))

            return change_name
        case ast.Attribute(value=owner_node):
            owner, name, again = (
                compiler.expression(owner_node),
                attribute_name(compiler, node.target),
                retell(compiler, owner_node),
            )

            def change_attribute(frame: Frame) -> None:
                this = owner(frame)
                store(machine, this, name, apply(load(machine, this, name), value(frame)))
                again(frame)

            return change_attribute
        case ast.Subscript(value=holder_node, slice=index):
            holder, at, again = (
                compiler.expression(holder_node),
                compiler.expression(index),
                retell(compiler, holder_node),
            )

            def change_item(frame: Frame) -> None:
                this, where = holder(frame), at(frame)
                assign(machine, this, where, apply(fetch(machine, this, where), value(frame)))
                again(frame)

            return change_item
    raise compiler.refuse_syntax(node.target)
