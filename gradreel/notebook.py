"""Showing a run in a notebook: the player in a frame of its own."""

from __future__ import annotations

import html
from functools import partial
from pathlib import Path

from .host.places import PLACES
from .host.work import mender_of
from .isolated import run
from .player.export import export_html
from .scene import payload
from .trace import Trace

HEIGHT = 680
"""Pixels that the player takes in a notebook."""


class Shown:
    """A run as a notebook displays it; `html` is the whole page, `save` writes it to a file."""

    def __init__(self, page: str, height: int) -> None:
        self.html = page
        self.height = height

    def _repr_html_(self) -> str:
        style = f"width: 100%; height: {self.height}px; border: 0"
        return f'<iframe srcdoc="{html.escape(self.html)}" style="{style}" title="Gradreel"></iframe>'

    def save(self, path: str | Path) -> None:
        """Write the page to a file that opens in any browser, offline."""
        Path(path).write_text(self.html, encoding="utf-8")


def show(trace: Trace, *, height: int = HEIGHT, isolated: bool = False) -> Shown:
    """The player for `trace`, to be the last value of a notebook's cell; what went wrong is told with its mends.

    They are edited programs that were run: in this process, or with `isolated` in locked-down ones, as `run` does it.
    """
    place = PLACES["public" if isolated else "own"]
    return Shown(export_html(payload(trace, mender=mender_of(trace, partial(run, isolated=isolated), place))), height)
