"""Hand plain ES modules to a browser as one script, with no build chain.

Each module becomes a function that is called once and gives what the module exports; its imports read what others
gave. So a browser loads one file, where it would load a hundred one after another. A module goes by its path in the
folder, as in `lib/dom.js`, and names others by theirs, seen from where it lies: `./format.js`, `../scene/state.js`.
Data is a module, too: a JSON file, which has a default export alone. Our modules keep to what this needs: imports and
exports begin a line, what is exported is never assigned again, and no module awaits at its top.
"""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

PATH = r'"(?P<path>\.{1,2}/[\w./-]+\.(?:js|json))"(?:\s*with\s*\{[^{}]*\})?'
IMPORT_STATEMENT = re.compile(rf'^import\s*(?:(?P<what>[^"]*?)\s*from\s*)?{PATH};?', re.M)
EXPORT_LIST = re.compile(rf"(?:^|(?<=[;}}]))export\s*\{{(?P<what>[^}}]*)\}}(?:\s*from\s*{PATH})?;?", re.M)
EXPORT_DEFAULT = re.compile(r"^export\s+default\s+(?:(?=(?:async\s+)?function\s+(?P<name>\w+)))?", re.M)
EXPORT_DECLARATION = re.compile(r"^export\s+(?=(?:async\s+)?(?:function\*?|class|const)\s+(?P<name>\w+))", re.M)
OTHER_EXPORT = re.compile(r"^export\b.*", re.M)
ENDING = re.compile(r"<(?=/script|!--)", re.I)
"""What would end a script element, or hide the rest of it."""


def read(folder: Path) -> dict[str, str]:
    """The modules of a folder and of those in it, by their paths."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".js", ".json"))
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def link(modules: Mapping[str, str], entry: str) -> str:
    """One module script whose default export is that of `entry`; it carries what `entry` reaches, and no more.

    It may stand in a script element. In it, `$[path]` is what the module at that path exports.

    Raises:
        KeyError: a module imports one that is not among `modules`.
        graphlib.CycleError: modules import one another in a circle.
        ValueError: a module exports in a way that is not understood here.
    """
    parts = [f"$[{json.dumps(path)}] = {_evaluate(path, source)};" for path, source in _sort(modules, entry)]
    script = "\n".join(("const $ = Object.create(null);", *parts, f"export default $[{json.dumps(entry)}].default;\n"))
    return ENDING.sub(r"<\\", script)


def enclose(path: str, source: str) -> str:
    """The body of a function that does what the module at `path` does, and returns what it exports."""
    exports: dict[str, str] = {}

    def export_list(found: re.Match[str]) -> str:
        home = f"$[{json.dumps(resolve(path, found['path']))}]." if found["path"] else ""
        exports.update((outer, home + inner) for inner, outer in _pairs(found["what"]))
        return ""

    def export_default(found: re.Match[str]) -> str:
        exports["default"] = found["name"] or "$default"
        return "" if found["name"] else "const $default = "

    def export_declaration(found: re.Match[str]) -> str:
        exports[found["name"]] = found["name"]
        return ""

    body = IMPORT_STATEMENT.sub(lambda found: _declare(path, found), source)
    for pattern, rewrite in (
        (EXPORT_LIST, export_list),
        (EXPORT_DEFAULT, export_default),
        (EXPORT_DECLARATION, export_declaration),
    ):
        body = pattern.sub(rewrite, body)
    if other := OTHER_EXPORT.search(body):
        raise ValueError(f"not understood: {other[0][:80]}")
    names = ", ".join(outer if outer == inner else f"{json.dumps(outer)}: {inner}" for outer, inner in exports.items())
    return f"{body}\nreturn {{ {names} }};"


def resolve(importer: str, path: str) -> str:
    """The path in the folder of the module that `importer` names by `path`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), path))


def _evaluate(path: str, source: str) -> str:
    """An expression that gives what a module exports."""
    if path.endswith(".json"):
        return f"{{ default: {json.dumps(json.loads(source), separators=(',', ':'))} }}"
    return f"(() => {{\n{enclose(path, source)}\n}})()"


def _declare(importer: str, found: re.Match[str]) -> str:
    """An import as a declaration."""
    home, what = f"$[{json.dumps(resolve(importer, found['path']))}]", (found["what"] or "").strip()
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


def _sort(modules: Mapping[str, str], entry: str) -> list[tuple[str, str]]:
    """The modules that `entry` reaches, each after those it imports."""
    imports: dict[str, list[str]] = {}
    waiting = [entry]
    while waiting:
        path = waiting.pop()
        if path not in imports:
            source = "" if path.endswith(".json") else modules[path]
            found = [*IMPORT_STATEMENT.finditer(source), *EXPORT_LIST.finditer(source)]
            imports[path] = [resolve(path, each["path"]) for each in found if each["path"]]
            waiting += imports[path]
    return [(path, modules[path]) for path in TopologicalSorter(imports).static_order()]
