"""What a notebook shows of a run: the player in a frame, with all that the page tells, mends included."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from pathlib import Path

import pytest

from gradreel import run, show

TWICE = """\
import torch
a = torch.ones(2, requires_grad=True)
b = (a * a).sum()
b.backward()
b.backward()
"""


@pytest.mark.parametrize("isolated", [False, True])
def test_a_run_is_shown_with_what_mends_it(isolated: bool, tmp_path: Path) -> None:
    shown = show(run(TWICE, isolated=isolated), height=500, isolated=isolated)
    frame = shown._repr_html_()
    assert 'style="width: 100%; height: 500px' in frame
    page = html.unescape(frame.partition('srcdoc="')[2].rpartition('" style=')[0])
    assert page == shown.html
    found = re.search(r'<script id="scene"[^>]*>([^<]*)<', page)
    assert found is not None
    scene = json.loads(gzip.decompress(base64.b64decode(found[1])))
    assert "retain_graph=True" in json.dumps(scene["diagnoses"][0]["mends"])
    shown.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
