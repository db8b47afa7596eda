"""`make bench`: the engine beside its peers and its goals, scenes, a run from request to reply, the player.

`python -m benchmarks engine`, `scenes`, `host` or `player` measures one of them; only when asked for, `pages` how soon
each page can be seen, `expressions` how soon a picture follows a slider, `stage` whether the player's stage shows what
it promises, and `load` what fifty people at once make of a server.
"""

from __future__ import annotations

import argparse
import sys

from . import engine, host, player, scenes
from .timing import ROUNDS

PARTS = ("engine", "scenes", "host", "player")
PAGES, LOAD, STAGE, EXPRESSIONS = "pages", "load", "stage", "expressions"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="part", help=f"what to measure: {' or '.join(PARTS)} (default: all)"
    )
    parser.add_argument("--only", default="", metavar="REGEX", help="of the engine's rows those whose name has this")
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, metavar="N", help="samples of each (default: %(default)s)"
    )
    parser.add_argument(
        "--torch",
        default=sys.executable,
        metavar="PYTHON",
        help="an interpreter with torch and torchviz, for the pictures of peers (default: this one)",
    )
    options = parser.parse_args()
    if unknown := set(options.parts) - {*PARTS, PAGES, LOAD, STAGE, EXPRESSIONS}:
        parser.error(f"no part is called {' or '.join(sorted(unknown))}")
    if "engine" in (options.parts or PARTS):
        engine.measure(options.only, options.rounds)
    if "scenes" in (options.parts or PARTS):
        scenes.measure()
    if "host" in (options.parts or PARTS):
        host.measure()
    if "player" in (options.parts or PARTS):
        player.measure(options.torch)
    if PAGES in options.parts:
        from . import pages  # needs Streamlit and a browser, as the others do not

        pages.measure()
    missed = False
    if EXPRESSIONS in options.parts:
        from . import expressions  # needs Streamlit and a browser

        missed |= not expressions.measure()
    if STAGE in options.parts:
        from . import stage  # needs a browser

        missed |= not stage.measure()
    if LOAD in options.parts:
        from . import load  # needs Streamlit, as the others do not

        missed |= load.measure() > 0
    sys.exit(missed)


if __name__ == "__main__":
    main()
