"""One HTML file with the player and a scene in it: it opens from disk and asks nobody for anything."""

import base64
import hashlib
from html import escape

from . import bundle, preview

PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>Gradreel</title>
{tags}
<style>html, body {{ margin: 0; height: 100% }} .gr-root {{ height: 100vh }}
{styles}</style>
</head>
<body>
<div class="gr-root"></div>
<script id="scene" type="text/plain"{at}>{scene}</script>
<script type="module">{script}</script>
</body>
</html>
"""

TITLE = "A PyTorch program, frame by frame"
DESCRIPTION = "Watch its graph grow, its gradients meet and add up, and its saved tensors go."
"""What is told where the file is posted: it has no address, so no picture goes with it."""
START = '\nawait $["standalone.js"].default();\n'


def export_html(payload: bytes, step: int | None = None, site: str | None = None) -> str:
    """The page for an encoded scene (gzipped JSON, as `gradreel.scene.encode` gives it).

    It opens at `step`, at the end where that is None; `#12` behind its address opens it at step 12. `site` is where the
    Lab is, for links to the program.
    """
    script = bundle.script("standalone.js") + START
    return PAGE.format(
        policy=policy(script),
        tags=preview.build_tags(TITLE, DESCRIPTION),
        styles=bundle.styles(),
        at=("" if step is None else f' data-step="{int(step)}"') + (f' data-site="{escape(site)}"' if site else ""),
        scene=base64.b64encode(payload).decode("ascii"),
        script=script,
    )


def policy(script: str) -> str:
    """Nothing but this script, by its hash; no connection to anywhere."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
