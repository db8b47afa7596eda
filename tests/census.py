"""`make census`: how large the house is, how its functions are called and where it imports in circles.

Counts, no judgement: `tests/test_layers.py` judges the circles.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from .import_graph import PACKAGES, ROOT, circles, edges, files_of, parsed

PARTICIPLE = re.compile(r"[a-z]+(ed|en|wn)")
IRREGULAR = set(
    """begun bent bought bound brought built caught dealt done felt found gone heard held kept laid left lent lost made
    meant met paid said sent sold sought spent spun stood struck stuck sung swept taught thought told understood undone
    won wound""".split()
)
OTHER_WORDS = set(
    """between children down embed even feed flatten happen listen need open own proceed seed shorten shutdown spawn
    speed token unflatten uneven when widen""".split()
)
"""Verbs and nouns that end as participles do."""


def functions(path: Path) -> Iterator[str]:
    return (node.name for node in ast.walk(parsed(path)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def is_participle(name: str) -> bool:
    """Whether a function is named by a participle and nothing else, as `found` or `_written`."""
    word = name.strip("_")
    if name.startswith("__") or word in OTHER_WORDS:
        return False
    return word in IRREGULAR or PARTICIPLE.fullmatch(word) is not None


def one_letter_aliases(path: Path) -> Iterator[str]:
    """What a module imports under one letter."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (f"{alias.name} as {alias.asname}" for alias in node.names if len(alias.asname or "") == 1)


def lines_of(paths: Iterable[Path]) -> list[int]:
    return [len(path.read_text(encoding="utf-8").splitlines()) for path in paths]


def row(package: str) -> list[object]:
    """What is counted of a package of ours, as `HEADS` names it."""
    files = files_of(package)
    names = [name for path in files for name in functions(path)]
    share = f"{100 * sum(map(is_participle, names)) / max(len(names), 1):.1f} %"
    every = edges(package)
    sizes = [sum(map(len, circles(kept))) for kept in ([edge for edge in every if not edge.lazy], every)]
    letters = sum(1 for path in files for _ in one_letter_aliases(path))
    lines = lines_of(files)
    return [package, len(files), sum(lines), max(lines), len(names), share, *sizes, letters]


HEADS = ("package", "files", "lines", "longest", "functions", "participles", "circles at top", "and lazy", "x as y")


def main() -> None:
    for first, *rest in [list(HEADS), *(row(package) for package in PACKAGES)]:
        cells = (f"{cell:>{len(head) + 2}}" for cell, head in zip(rest, HEADS[1:], strict=True))
        print(f"{first:18}{''.join(cells)}")
    core = ROOT / "autograd_core"
    top = [path for path in core.glob("*.py") if path.stem != "__init__"]
    print(f"\nautograd_core: {len(top)} modules at its top, {len(list(core.rglob('*.c')))} files in C")
    web = [path for path in (ROOT / "gradreel/player/web").rglob("*.js") if "vendor" not in path.parts]
    wide = sum(len(line) > 120 for path in web for line in path.read_text(encoding="utf-8").splitlines())
    print(f"gradreel/player/web: {len(web)} modules, {sum(lines_of(web))} lines, {wide} wider than 120 columns")
    tests = list((ROOT / "tests").rglob("*.py"))
    print(f"tests: {len(tests)} modules, {sum(lines_of(tests))} lines")


if __name__ == "__main__":
    main()
