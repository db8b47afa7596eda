"""What the server sends to a page: one line of JSON, the scene as gzipped JSON, and perhaps a file to be saved."""

import json
from collections.abc import Mapping
from typing import Any


def seal(head: Mapping[str, Any], scene: bytes = b"", file: bytes = b"") -> bytes:
    """A letter; `letter.js` opens it."""
    line = json.dumps({**head, "scene": len(scene)}, ensure_ascii=True, allow_nan=False)
    return b"%b\n%b%b" % (line.encode(), scene, file)
