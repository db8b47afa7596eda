"""A layer imports only those below it, no package imports in a circle, and outside packages come in where they may."""

import shutil
import subprocess
from pathlib import Path

import pytest

from .import_graph import PACKAGES, ROOT, closing, edges, files_of, imports

RESTS_ON = {
    "autograd_core": set(),
    "gradreel.trace": {"autograd_core"},
    "gradreel.interpreter": {"autograd_core", "gradreel.trace"},
    "gradreel.explain": {"gradreel.trace"},
    "gradreel.scene": {"gradreel.trace", "gradreel.explain"},
    "gradreel.material": {"autograd_core", "gradreel.explain"},
    "gradreel.player": {"gradreel.scene", "gradreel.explain", "gradreel.trace"},
    "gradreel.host": {
        "gradreel.material",
        "gradreel.player",
        "gradreel.scene",
        "gradreel.explain",
        "gradreel.trace",
        "gradreel.interpreter",
    },
}
NUMPY = ("autograd_core/", "gradreel/interpreter/", "gradreel/scene/")
STREAMLIT = ("app.py", "gradreel/player/mount.py", "gradreel/host/serve.py")


def imported(path: Path) -> set[str]:
    return {module for _, module, _ in imports(path)}


def layer_of(name: str) -> str | None:
    return next((layer for layer in RESTS_ON if name == layer or name.startswith(layer + ".")), None)


@pytest.mark.parametrize("layer", RESTS_ON)
def test_a_layer_imports_only_those_below(layer: str) -> None:
    for path in files_of(layer):
        for name in imported(path):
            target = layer_of(name)
            assert target in {None, layer} | RESTS_ON[layer], f"{path.relative_to(ROOT)} looks up to {name}"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_package_imports_in_a_circle(package: str) -> None:
    """At the top of a module or in a function."""
    found = [str(edge) for edge in closing(edges(package))]
    assert not found, f"these close a circle: {found}"


def test_numpy_and_streamlit_come_in_where_they_may() -> None:
    for path in [*ROOT.glob("*.py"), *files_of("gradreel"), *files_of("autograd_core")]:
        here = path.relative_to(ROOT).as_posix()
        tops = {name.partition(".")[0] for name in imported(path)}
        assert "numpy" not in tops or here.startswith(NUMPY), f"{here} imports numpy"
        assert "streamlit" not in tops or here in STREAMLIT, f"{here} imports streamlit"


@pytest.mark.skipif(shutil.which("git") is None or not (ROOT / ".git").exists(), reason="not a checkout")
def test_nothing_is_kept_that_is_made_here() -> None:
    """What .gitignore names, as `.venv`, is made where the checkout stands; kept, it would take the place of that."""
    found = subprocess.run(
        ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout == ""
