"""Which module of a package imports which, at its top or inside a function, and the circles in that.

`python -m tests.import_graph` prints the imports that close a circle.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = (
    "autograd_core",
    *(f"gradreel.{each.name}" for each in sorted((ROOT / "gradreel").iterdir()) if (each / "__init__.py").exists()),
)

Graph = Mapping[str, Iterable[str]]


@dataclass(frozen=True, order=True)
class Edge:
    """`source` imports `target`: at its top, or `lazy`, inside a function."""

    lazy: bool
    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}"


def name_of(path: Path) -> str:
    """The dotted name of a module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def files_of(package: str) -> list[Path]:
    return sorted((ROOT / package.replace(".", "/")).rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> tuple[tuple[bool, str, str], ...]:
    """What a module imports: whether inside a function, the module, and the name that is taken from it (or nothing)."""
    return tuple(find_imports(path))


def find_imports(path: Path) -> Iterator[tuple[bool, str, str]]:
    package = name_of(path).split(".")[: None if path.name == "__init__.py" else -1]
    todo: list[tuple[bool, ast.AST]] = [(False, parsed(path))]
    while todo:
        lazy, node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            todo += ((lazy, each) for each in node.orelse)
            continue
        if isinstance(node, ast.Import):
            yield from ((lazy, alias.name, "") for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((lazy, module, alias.name) for alias in node.names)
        inside = lazy or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        todo += ((inside, each) for each in ast.iter_child_nodes(node))


def edges(package: str) -> set[Edge]:
    """The imports of modules of `package` by others of it: what is imported both ways counts as at the top."""
    known = {name_of(path) for path in files_of(package)}
    found: dict[tuple[str, str], bool] = {}
    for path in files_of(package):
        source = name_of(path)
        for lazy, module, name in imports(path):
            target = f"{module}.{name}" if f"{module}.{name}" in known else module
            if target in known and target != source:
                found[source, target] = lazy and found.get((source, target), True)
    return {Edge(lazy, source, target) for (source, target), lazy in found.items()}


def graph_of(kept: Iterable[Edge]) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    for edge in kept:
        graph.setdefault(edge.source, set()).add(edge.target)
    return graph


def reaches(graph: Graph, start: str, goal: str) -> bool:
    seen, todo = {start}, [start]
    while todo:
        at = todo.pop()
        if at == goal:
            return True
        new = set(graph.get(at, ())) - seen
        seen |= new
        todo += new
    return False


def circles(kept: Iterable[Edge]) -> list[set[str]]:
    """The sets of modules of which each imports each other, over others or at once; the largest first."""
    graph = graph_of(kept)
    backwards = graph_of(Edge(edge.lazy, edge.target, edge.source) for edge in kept)
    left, found = set(graph) & set(backwards), []
    while left:
        start = min(left)
        both = component(graph, start) & component(backwards, start)
        left -= both | {start}
        if len(both) > 1:
            found.append(both)
    return sorted(found, key=lambda each: (-len(each), min(each)))


def component(graph: Graph, start: str) -> set[str]:
    seen, todo = {start}, [start]
    while todo:
        new = set(graph.get(todo.pop(), ())) - seen
        seen |= new
        todo += new
    return seen


def closing(all_edges: Iterable[Edge]) -> list[Edge]:
    """Imports without which there is no circle, inside functions where that is enough; none of them is too many."""
    graph: dict[str, set[str]] = {}
    found = []
    for edge in sorted(all_edges):
        if reaches(graph, edge.target, edge.source):
            found.append(edge)
        else:
            graph.setdefault(edge.source, set()).add(edge.target)
    return found


if __name__ == "__main__":
    for package in PACKAGES:
        for edge in closing(edges(package)):
            print(edge)
