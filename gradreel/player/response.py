"""What the server sends to a page: one line of JSON, then the scene as gzipped JSON, and perhaps more.

More is a second scene to stand beside the first, the data of the page itself (both gzipped JSON), or a file to save.
"""

import json
from collections.abc import Mapping
from typing import Any


def encode_response(
    head: Mapping[str, Any], scene: bytes = b"", file: bytes = b"", *, beside: bytes = b"", page: bytes = b""
) -> bytes:
    """A response; `web/app/server.js` decodes it."""
    lengths = {"scene": len(scene), "beside": len(beside), "page": len(page)}
    line = json.dumps({**head, **lengths}, ensure_ascii=True, allow_nan=False)
    return b"\n".join((line.encode(), scene + beside + page + file))
