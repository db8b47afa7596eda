"""Hand plain ES modules to a browser as one script, with no build chain.

Each module becomes a function that is called once and gives what the module exports; its imports read what others gave.
So a browser loads one file, where it would load a hundred one after another. Our modules keep to what this needs:
imports and exports begin a line, what is exported is never assigned again, and no module awaits at its top.
"""

import json
import re
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

IMPORT = re.compile(r'\b(?:from|import)\s*"\./([\w.-]+\.js)"')
IMPORTING = re.compile(r'^import\s*(?:(?P<what>[^"]*?)\s*from\s*)?"\./(?P<name>[\w.-]+\.js)";?', re.M)
LISTING = re.compile(r'(?:^|(?<=[;}]))export\s*\{(?P<what>[^}]*)\}(?:\s*from\s*"\./(?P<name>[\w.-]+\.js)")?;?', re.M)
DEFAULT = re.compile(r"^export\s+default\s+(?:(?=(?:async\s+)?function\s+(?P<name>\w+)))?", re.M)
DECLARING = re.compile(r"^export\s+(?=(?:async\s+)?(?:function\*?|class|const)\s+(?P<name>\w+))", re.M)
OTHER = re.compile(r"^export\b.*", re.M)
ENDING = re.compile(r"<(?=/script|!--)", re.I)
"""What would end a script element, or hide the rest of it."""


def read(folder: Path) -> dict[str, str]:
    """The modules of a flat folder by file name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.js"))}


def link(modules: Mapping[str, str], entry: str) -> str:
    """One module script whose default export is that of `entry`; it carries what `entry` reaches, and no more.

    It may stand in a script element. In it, `$[name]` is what the module of that name exports.

    Raises:
        KeyError: a module imports one that is not among `modules`.
        graphlib.CycleError: modules import one another in a circle.
        ValueError: a module exports in a way that is not understood here.
    """
    parts = [
        f"$[{json.dumps(name)}] = (() => {{\n{enclosed(source)}\n}})();" for name, source in _ordered(modules, entry)
    ]
    script = "\n".join(("const $ = Object.create(null);", *parts, f"export default $[{json.dumps(entry)}].default;\n"))
    return ENDING.sub(r"<\\", script)


def enclosed(source: str) -> str:
    """The body of a function that does what the module does, and returns what it exports."""
    exports: dict[str, str] = {}

    def listing(found: re.Match[str]) -> str:
        home = f"$[{json.dumps(found['name'])}]." if found["name"] else ""
        exports.update((outer, home + inner) for inner, outer in _pairs(found["what"]))
        return ""

    def default(found: re.Match[str]) -> str:
        exports["default"] = found["name"] or "$default"
        return "" if found["name"] else "const $default = "

    def declaring(found: re.Match[str]) -> str:
        exports[found["name"]] = found["name"]
        return ""

    body = IMPORTING.sub(_imported, source)
    for pattern, rewrite in ((LISTING, listing), (DEFAULT, default), (DECLARING, declaring)):
        body = pattern.sub(rewrite, body)
    if strange := OTHER.search(body):
        raise ValueError(f"not understood: {strange[0][:80]}")
    given = ", ".join(outer if outer == inner else f"{json.dumps(outer)}: {inner}" for outer, inner in exports.items())
    return f"{body}\nreturn {{ {given} }};"


def _imported(found: re.Match[str]) -> str:
    """An import as a declaration."""
    home, what = f"$[{json.dumps(found['name'])}]", (found["what"] or "").strip()
    if not what:
        return ""
    if what.startswith("{"):
        names = ", ".join(inner if inner == outer else f"{inner}: {outer}" for inner, outer in _pairs(what.strip("{}")))
        return f"const {{ {names} }} = {home};"
    if what.startswith("*"):
        return f"const {what.split()[-1]} = {home};"
    default, _, more = what.partition(",")
    names = ", ".join(f"{inner}: {outer}" for inner, outer in (("default", default), *_pairs(more.strip(" {}"))))
    return f"const {{ {names} }} = {home};"


def _pairs(names: str) -> Iterator[tuple[str, str]]:
    """`a as b, c`: what each is there, and what it is called here."""
    for each in names.split(","):
        if words := each.split():
            yield words[0], words[-1]


def _ordered(modules: Mapping[str, str], entry: str) -> list[tuple[str, str]]:
    """The modules that `entry` reaches, each after those it imports."""
    imports: dict[str, list[str]] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in imports:
            imports[name] = IMPORT.findall(modules[name])
            waiting += imports[name]
    return [(name, modules[name]) for name in TopologicalSorter(imports).static_order()]
