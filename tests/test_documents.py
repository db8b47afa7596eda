"""What the documents name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "deploy" / "README.md"]
PATH = re.compile(r"`((?:autograd_core|gradreel|tests|deploy|docs|benchmarks|pages)/[\w./*-]*)`")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
TARGET = re.compile(r"`make (\w+)`|^ {4}make (\w+)", re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_paths_links_and_targets_that_a_document_names_are_there(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    gone = [path for path in PATH.findall(text) if not list(ROOT.glob(path.rstrip("/")))]
    gone += [link for link in LINK.findall(text) if not (document.parent / link).exists()]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {one or other for one, other in TARGET.findall(text)}
    gone += [f"make {name}" for name in targets if not re.search(rf"^{name}:", makefile, re.MULTILINE)]
    assert gone == []
