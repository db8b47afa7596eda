"""What is said to browsers with every page: a content security policy and its kin, as ASGI middleware.

The page runs its own modules as blobs, which the server itself hands out; nothing else is run, and nothing is loaded
from or sent to another place. deploy/nginx.conf says the same for a proxy, and a test compares the two.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Awaitable, Callable, MutableMapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

DIRECTIVES = {
    "default-src": "'none'",
    "script-src": "'self' blob: 'wasm-unsafe-eval'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "manifest-src": "'self'",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
}


def policy(embedders: str) -> str:
    """The policy; `embedders` may show the page inside their own."""
    scripts = " ".join([DIRECTIVES["script-src"], *inline(streamlit_page())])
    sources = {**DIRECTIVES, "script-src": scripts, "frame-ancestors": embedders}
    return "; ".join(f"{name} {allowed}" for name, allowed in sources.items())


def inline(page: str) -> list[str]:
    """What allows the scripts that stand in `page` itself, by their content, and no other."""
    found = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = [hashlib.sha256(script.encode()).digest() for script in found]
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def streamlit_page() -> str:
    """The page that Streamlit serves, found without importing it; empty where it is not installed."""
    spec = find_spec("streamlit")
    page = Path(spec.origin).parent / "static" / "index.html" if spec and spec.origin else None
    return page.read_text(encoding="utf-8") if page and page.is_file() else ""


def headers(embedders: str) -> dict[str, str]:
    return {
        "content-security-policy": policy(embedders),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "cross-origin-opener-policy": "same-origin",
    }


class Policy:
    """Adds the headers to every answer of `application`."""

    def __init__(self, application: Application, embedders: str) -> None:
        self.application = application
        self.added = [(name.encode(), value.encode()) for name, value in headers(embedders).items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        ours = {name for name, _ in self.added}

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                kept = [pair for pair in message.get("headers", []) if bytes(pair[0]).lower() not in ours]
                message["headers"] = [*kept, *self.added]
            await send(message)

        await self.application(scope, receive, with_headers)
