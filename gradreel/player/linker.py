"""Hand plain ES modules to a browser as one script, with no build chain.

Each module becomes a blob URL of its own, and the imports that name it are pointed there when the script starts.
"""

import json
import re
from collections.abc import Mapping
from graphlib import TopologicalSorter
from pathlib import Path

IMPORT = re.compile(r'\b(?:from|import)\s*"\./([\w.-]+\.js)"')

LOADER = """\
const urls = Object.create(null);
const pointed = (source) => source.replace(/\\b(from|import)(\\s*)"\\.\\/([\\w.-]+\\.js)"/g,
  (_, keyword, space, name) => `${keyword}${space}"${urls[name]}"`);
for (const [name, source] of %s) {
  const text = `${pointed(source)}\\n//# sourceURL=gradreel/${name}`;
  urls[name] = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
}
export default (await import(urls[%s])).default;
"""


def read(folder: Path) -> dict[str, str]:
    """The modules of a flat folder by file name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.js"))}


def link(modules: Mapping[str, str], entry: str) -> str:
    """One module script whose default export is that of `entry`; it carries what `entry` reaches, and no more.

    Raises:
        KeyError: a module imports one that is not among `modules`.
        graphlib.CycleError: modules import one another in a circle.
    """
    return LOADER % (_literal(_ordered(modules, entry)), _literal(entry))


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


def _literal(value: object) -> str:
    """A JavaScript literal that may stand in a script element too: nothing in it ends the element or a line."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
