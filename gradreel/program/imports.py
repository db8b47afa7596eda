"""Import statements."""

from __future__ import annotations

import ast

from .compiler import Compiler, Step, compiles
from .library import importable, member
from .targets import Store, bind
from .values import Frame, Value


@compiles(ast.Import)
def import_(compiler: Compiler, node: ast.Import) -> Step:
    stores = []
    for alias in node.names:
        found = importable(alias.name, node.lineno)
        if alias.asname is None:
            found = importable(alias.name.partition(".")[0], node.lineno)
        stores.append((bind(compiler, alias.asname or alias.name.partition(".")[0], node), found))
    return storing(stores)


def storing(stores: list[tuple[Store, Value]]) -> Step:
    def step(frame: Frame) -> None:
        for store, found in stores:
            store(frame, found)

    return step


@compiles(ast.ImportFrom)
def import_from(compiler: Compiler, node: ast.ImportFrom) -> Step:
    if node.module == "__future__":
        return lambda frame: None
    if node.level or node.module is None:
        raise compiler.refuse("Relative imports are not supported here.", node)
    stores = []
    for alias in node.names:
        if alias.name == "*":
            raise compiler.refuse(f"`from {node.module} import *` is not supported here: name what you need.", node)
        found = member(node.module, alias.name, node.lineno)
        stores.append((bind(compiler, alias.asname or alias.name, node), found))
    return storing(stores)
