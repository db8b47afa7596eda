"""Everything the browser needs, gathered from disk once: our modules, our styles, the editor and vis-network.

vis-network is the file that pyvis brings along; it is found on disk, for importing pyvis would pull in half of IPython.
"""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from . import linker

WEB = Path(__file__).parent / "web"
STYLES = ("player.css", "page.css", "narrow.css", "material.css", "share.css")
VIS = Path("lib", "vis-9.1.2", "vis-network.min.js")

# The file looks for CommonJS first; given an `exports` of its own it leaves the global scope alone.
COMMONJS = "const exports = {{}}, module = {{ exports }};\n{}\nexport default exports;\n"


@cache
def modules() -> dict[str, str]:
    """All modules by the paths under which others import them."""
    return {
        **linker.read(WEB),
        "styles.js": f"export default {json.dumps(styles())};\n",
        "vis.js": COMMONJS.format(vis_network()),
    }


@cache
def styles() -> str:
    """The styles of the player and of the page around it."""
    return "\n".join(text(name) for name in STYLES)


def text(name: str) -> str:
    """A file of the page as it is."""
    return (WEB / name).read_text(encoding="utf-8")


@cache
def script(entry: str) -> str:
    """The modules that `entry` reaches as one script."""
    return linker.link(modules(), entry)


def deferred_module(name: str) -> str:
    """A module that gives what the script `name` beside it gives, once the page is seen."""
    return f"""import {{ firstPaint }} from "./app/first_paint.js";
export default firstPaint.then(() => import({json.dumps(f"./{name}")})).then((given) => given.default);
"""


def vis_network() -> str:
    """The source of vis-network out of the installed pyvis.

    Raises:
        FileNotFoundError: pyvis is not installed, or ships another version.
    """
    spec = find_spec("pyvis")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (path := Path(folder) / VIS).is_file():
            return path.read_text(encoding="utf-8")
    raise FileNotFoundError(f"{VIS.as_posix()} of pyvis 0.3.2 is not installed; requirements.txt names it")
