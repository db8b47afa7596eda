"""Import statements.

What is not offered is refused before anything runs, except where the program is ready for it: inside `try` it gets
the ImportError that Python would raise, inside a function or branch it is refused where it is reached. A library that
is imported and never used is let go by, with a remark.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..library import find_module, is_dispensable, load_member, missing_name, public_names, refuse_import
from ..refusal import Refusal
from ..runtime.errors import ERRORS, raise_error
from ..runtime.values import MISSING, Error, Frame, Namespace, Value
from .assignment import bind
from .compiler import Compiler, Step, compiles

Found = Callable[[], Value]


@compiles(ast.Import)
def import_(compiler: Compiler, node: ast.Import) -> Step:
    stores = []
    for alias in node.names:
        if skip_import(compiler, alias.name, [alias], node):
            continue
        found = find_or_raise(compiler, alias.name, node)
        if alias.asname is None and "." in alias.name:
            found = find_or_raise(compiler, alias.name.partition(".")[0], node, found)
        stores.append((bind(compiler, alias.asname or alias.name.partition(".")[0], node), found))

    def step(frame: Frame) -> None:
        for store, found in stores:
            store(frame, found())

    return step


def find_or_raise(compiler: Compiler, name: str, node: ast.stmt, before: Found | None = None) -> Found:
    """What finds the module `name`, after `before`."""
    found = find_module(compiler.machine, name, node.lineno, compiler.quiet)
    if found is None:
        return missing(compiler, name, node)

    def give() -> Value:
        if before is not None:
            before()
        return found

    return give


def skip_import(compiler: Compiler, name: str, names: list[ast.alias], node: ast.stmt) -> bool:
    """Whether the program can do without the module: it is a library, and nothing that is bound by `names` is used."""
    bound = {(alias.asname or alias.name).partition(".")[0] for alias in names}
    if compiler.trying or not is_dispensable(name) or bound & compiler.scopes.needed:
        return False
    compiler.left_out |= bound
    message = f"There is no {name} here; nothing in this program uses it, so it is left out."
    compiler.machine.remark(message, node.lineno)
    return True


def missing(compiler: Compiler, name: str, node: ast.stmt) -> Found:
    """What says that there is no module `name`: at once, or when it is reached."""
    refusal = refuse_import(name, node.lineno)
    if compiler.trying:
        record = Error(ERRORS["ModuleNotFoundError"], (f"No module named '{name}'",))
        record.attributes["name"] = name
        return raise_at_import(lambda: raise_error(record, str(record.args[0])))
    if compiler.scope.kind == "module" and not compiler.branches:
        raise refusal
    return raise_at_import(lambda: refusal)


def raise_at_import(error: Callable[[], BaseException]) -> Found:
    def give() -> Value:
        raise error()

    return give


@compiles(ast.ImportFrom)
def import_from(compiler: Compiler, node: ast.ImportFrom) -> Step:
    if node.module == "__future__":
        return lambda frame: None
    if node.level or node.module is None:
        raise compiler.refuse(
            "Relative imports are not supported in one file: paste what you import above.",
            node,
        )
    machine, space = compiler.machine, find_module(compiler.machine, node.module, node.lineno, compiler.quiet)
    if space is None and skip_import(compiler, node.module, node.names, node):
        return lambda frame: None
    if space is None:
        give = missing(compiler, node.module, node)
        for alias in node.names:
            bind(compiler, alias.asname or alias.name, node)
        return lambda frame: give()
    if node.names[0].name == "*":
        return import_all(compiler, space, node)
    stores = []
    for alias in node.names:
        found = load_member(machine, space, alias.name)
        if found is MISSING:
            stores.append(
                (bind(compiler, alias.asname or alias.name, node), import_missing(compiler, space, alias.name, node))
            )
        else:
            stores.append((bind(compiler, alias.asname or alias.name, node), import_found(found)))

    def step(frame: Frame) -> None:
        for store, found in stores:
            store(frame, found())

    return step


def import_found(found: Value) -> Found:
    return lambda: found


def import_missing(compiler: Compiler, space: Namespace, name: str, node: ast.stmt) -> Found:
    """What says that the module has no such name."""
    error = missing_name(space, name)
    if not isinstance(error, Refusal):
        text = f"cannot import name '{name}' from '{space.name}' (unknown location)"
        record = Error(ERRORS["ImportError"], (text,))
        record.attributes["name"] = space.name
        return raise_at_import(lambda: raise_error(record, text))
    error.line = node.lineno
    if compiler.scope.kind == "module" and not compiler.branches and not compiler.trying:
        raise error
    return raise_at_import(lambda: error)


def import_all(compiler: Compiler, space: Namespace, node: ast.ImportFrom) -> Step:
    """`from module import *`: names that are not used in the program are left out."""
    if compiler.scope.kind != "module":
        raise compiler.refuse("import * only allowed at module level", node)
    machine, used = compiler.machine, compiler.scopes.every()
    stores = [(bind(compiler, name, node), name) for name in public_names(machine, space) if name in used]

    def step(frame: Frame) -> None:
        for store, name in stores:
            store(frame, load_member(machine, space, name))

    return step
