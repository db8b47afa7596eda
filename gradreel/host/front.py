"""The way in: a page is on the screen before Streamlit is ready for it.

Streamlit's page loads Streamlit first, then asks for the script's answer, and only that brings our code. Here the same
page names our code in its head, as a file that a browser keeps, and the code fetches its first letter over HTTP while
Streamlit is still loading. When Streamlit comes, it takes over what is shown (see early.js).
"""

from __future__ import annotations

import hashlib
import html
from functools import cache
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from gradreel.player import bundle, mount

from .pages import LANDINGS, ROOMS, titled
from .patience import patient
from .policy import streamlit_page

CODE = "/gradreel/code-{name}.js"
LETTER = "/gradreel/letter"
TITLE = "<title>Streamlit</title>"
FOR_GOOD = "public, max-age=31536000, immutable"


def routes() -> list[Route]:
    """Every page by its address, the code, and the first letters; empty where Streamlit's page is not as we know it."""
    if TITLE not in streamlit_page():
        return []
    mount.fetched(f".{code_path()}")
    pages = [Route(f"/{quote(name)}", entrance) for name in LANDINGS]
    return [*pages, Route(code_path(), code), Route(LETTER, letter)]


@cache
def script() -> bytes:
    return bundle.script("early.js").encode()


@cache
def code_path() -> str:
    return CODE.format(name=hashlib.sha256(script()).hexdigest()[:16])


@cache
def page(name: str) -> str:
    """Streamlit's page with our code in its head, and the title of the page `name`."""
    title = html.escape(titled(LANDINGS[name][0]))
    ours = f'<title>{title}</title>\n    <script type="module" async src=".{code_path()}"></script>'
    return streamlit_page().replace(TITLE, ours)


async def entrance(request: Request) -> Response:
    return HTMLResponse(page(request.url.path.rpartition("/")[2]), headers={"cache-control": "no-cache"})


async def code(request: Request) -> Response:
    return Response(script(), media_type="text/javascript", headers={"cache-control": FOR_GOOD})


async def letter(request: Request) -> Response:
    """The first letter of the page `?page=`, opened at `?at=`; it depends on nothing else."""
    name = request.query_params.get("page", "")
    if name not in LANDINGS:
        return Response(status_code=404)
    place, at = LANDINGS[name]
    sealed = await run_in_threadpool(first_letter, place, at or request.query_params.get("at"))
    return Response(sealed, media_type="application/octet-stream", headers={"cache-control": "no-store"})


def first_letter(place: str, at: str | None) -> bytes:
    opened = ROOMS[place](patient(lambda: None), at)
    return opened.answer(opened.first)
