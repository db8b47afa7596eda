"""The image for hosting is made of files that are there, and of all that the app needs."""

import ast
import json
import shlex
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCKERFILE = ROOT / "deploy" / "Dockerfile"


def instructions(name: str) -> list[str]:
    """What follows `name` in the Dockerfile, continued lines joined."""
    lines = DOCKERFILE.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    return [line.partition(" ")[2] for line in lines if line.startswith(f"{name} ")]


def copied() -> list[str]:
    return [source for line in instructions("COPY") for source in shlex.split(line)[:-1] if not source.startswith("--")]


@pytest.mark.parametrize("source", copied())
def test_what_is_copied_is_there_and_sent_to_the_builder(source: str) -> None:
    assert (ROOT / source).exists()
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert not any(fnmatch(source, pattern.strip("/")) for pattern in ignored)


def test_the_image_holds_what_the_app_imports() -> None:
    needed = {"app.py", "pages"}
    for path in [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "gradreel").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            needed |= {name.partition(".")[0] for name in names if (ROOT / name.partition(".")[0]).is_dir() and name}
    assert needed <= set(copied())


def test_it_starts_the_app_and_installs_its_requirements() -> None:
    (command,) = instructions("CMD")
    assert "app.py" in json.loads(command)
    assert any("-r requirements.txt" in line for line in instructions("RUN")) and "requirements.txt" in copied()
