"""Startup: a page is on the screen before Streamlit is ready for it.

Streamlit's page loads Streamlit first, then asks for the script's answer, and only that brings our code. Here the same
page holds its heading and its text from the start (see prerender.py), names our code in its head, as a file that a
browser keeps, and has the first response fetched while that loads. Streamlit begins when our page is seen, and takes
it over (see early.js).
"""

from __future__ import annotations

import gzip
import hashlib
import html
import re
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from gradreel.player import bundle, linker, mount, preview

from . import prerender
from .pages import LANDINGS, PAGES, describe, page_title
from .policy import streamlit_page
from .wait import patient

RESPONSE = "/gradreel/letter"
TITLE = "<title>Streamlit</title>"
BODY = "<body>"
BEGIN = re.compile(r'<script type="module"[^>]*></script>')
HEAVY = re.compile(rf'\s*(?:{BEGIN.pattern}|<link\s+rel="(?:modulepreload|stylesheet|preload)"[^>]*>)')
"""What Streamlit's page loads, and among it what begins it."""
SITE = "site:gradreel"
"""What stands for the address of the site in a page that is kept."""
HOST = re.compile(r"[\w.-]+(?::\d{1,5})?|\[[\da-fA-F:.]+\](?::\d{1,5})?")
FOR_GOOD = "public, max-age=31536000, immutable"
AROUND = """
body { margin: 0 }
[data-elsewhere] [data-opened] { visibility: hidden }
[data-apart] #gr-first { display: none }
"""

HEAD = """\
<title>{title}</title>
    {tags}
    <link rel="stylesheet" href=".{styles}">
    <link id="gr-letter" as="fetch" crossorigin href=".{letter}">
    <script src=".{before}"></script>
    <script type="module" async fetchpriority="high" src=".{code}"></script>
    <template id="gr-later">{later}</template>"""


@dataclass(frozen=True)
class File:
    """A file that a browser keeps for good, for its path changes with what is in it."""

    path: str
    type: str
    content: bytes
    packed: bytes

    async def answer(self, request: Request) -> Response:
        headers = {"cache-control": FOR_GOOD, "vary": "Accept-Encoding"}
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(self.content, media_type=self.type, headers=headers)
        return Response(self.packed, media_type=self.type, headers={**headers, "content-encoding": "gzip"})


def file(name: str, kind: str, content: bytes) -> File:
    path = f"/gradreel/{name}-{hashlib.sha256(content).hexdigest()[:16]}.{kind}"
    types = {"js": "text/javascript", "css": "text/css", "png": "image/png"}
    return File(path, types[kind], content, gzip.compress(content, mtime=0))


@cache
def files() -> dict[str, File]:
    """What the pages name: the code, vis-network that it fetches later, what runs before it, the styles, a picture."""
    vis = file("vis", "js", bundle.modules()["vis.js"].encode())
    modules = {**bundle.modules(), "vis.js": bundle.deferred_module(vis.path.rpartition("/")[2])}
    return {
        "vis": vis,
        "code": file("code", "js", linker.link(modules, "early.js").encode()),
        "before": file("first", "js", bundle.text("first.js").encode()),
        "styles": file("styles", "css", (bundle.styles() + AROUND).encode()),
        "picture": file("preview", "png", (bundle.WEB / "preview.png").read_bytes()),
    }


def routes() -> list[Route]:
    """Every page by its address, the files, the first responses; none where Streamlit's page is not as we know it."""
    known = streamlit_page()
    if TITLE not in known or BODY not in known or not BEGIN.search(known):
        return []
    mount.serve_code_from(f".{files()['code'].path}")
    pages = [Route(f"/{quote(name)}", entrance) for name in LANDINGS]
    return [*pages, *(Route(each.path, each.answer) for each in files().values()), Route(RESPONSE, respond)]


@cache
def page(name: str, at: str | None) -> str:
    """Streamlit's page with ours in it, opened at `at`; where SITE stands, the address of the site belongs."""
    known = streamlit_page()
    place, own = LANDINGS[name]
    asked = f"?{urlencode({'step': at})}" if at else ""
    head = HEAD.format(
        title=html.escape(page_title(place)),
        tags=preview.build_tags(
            *describe(place, own or at), f"{SITE}/{quote(name)}{asked}", SITE + files()["picture"].path
        ),
        letter=html.escape(f"{RESPONSE}?{urlencode({'page': name, 'at': at or ''})}"),
        later="".join(HEAVY.findall(known)),
        **{name: each.path for name, each in files().items()},
    )
    return HEAVY.sub("", known).replace(TITLE, head).replace(BODY, f"{BODY}\n    {prerender.frame(name, at)}")


async def entrance(request: Request) -> Response:
    name, asked = request.url.path.rpartition("/")[2], request.query_params.get("step")
    known = asked if asked in prerender.names(LANDINGS[name][0]) else None  # so there are only so many pages to keep
    return HTMLResponse(page(name, known).replace(SITE, find_site(request)), headers={"cache-control": "no-cache"})


def find_site(request: Request) -> str:
    """The address of the site as whoever asks has it: what stands in a preview has to be absolute."""
    host = request.headers.get("host", "")
    if not HOST.fullmatch(host):
        return ""
    outside = request.headers.get("x-forwarded-proto", "")
    return f"{outside if outside in ('http', 'https') else request.url.scheme}://{host}"


async def respond(request: Request) -> Response:
    """The first response of the page `?page=`, opened at `?at=`; it depends on nothing else."""
    name = request.query_params.get("page", "")
    if name not in LANDINGS:
        return Response(status_code=404)
    place, at = LANDINGS[name]
    body = await run_in_threadpool(first_response, place, at or request.query_params.get("at"))
    return Response(body, media_type="application/octet-stream", headers={"cache-control": "no-store"})


def first_response(place: str, at: str | None) -> bytes:
    opened = PAGES[place](patient(lambda: None), at)
    return opened.answer(opened.first)
