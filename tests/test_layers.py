"""A layer imports only those below it, no package imports in a circle, and outside packages come in where they may."""

import shutil
import subprocess
from pathlib import Path

import pytest

from .import_graph import PACKAGES, ROOT, closing, edges, files_of, graph_of, imports, reaches

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
CIRCLES = ROOT / "tests" / "data" / "circles.txt"
"""The imports that close a circle today. A line may only go; `python -m tests.import_graph` prints what is left."""


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


def excused(package: str) -> set[str]:
    """The imports of `package` that close a circle and are listed."""
    lines = CIRCLES.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if f"{line.partition(' ')[0]}.".startswith(f"{package}.")}


def test_what_is_listed_is_of_a_package() -> None:
    assert set(CIRCLES.read_text(encoding="utf-8").splitlines()) == set().union(*map(excused, PACKAGES))


@pytest.mark.parametrize("package", PACKAGES)
def test_no_package_imports_in_a_circle(package: str) -> None:
    """At the top of a module or in a function, but for the imports that are listed; none of these is listed in vain."""
    listed = excused(package)
    found = {str(edge): edge for edge in edges(package)}
    allowed = [edge for name, edge in found.items() if name in listed]
    rest = [edge for name, edge in found.items() if name not in listed]
    new = [str(edge) for edge in closing(rest)]
    assert not new, f"these close a circle: {new}"
    graph = graph_of(rest)
    needed = {str(edge) for edge in allowed if reaches(graph, edge.target, edge.source)}
    assert listed == needed, f"no longer in a circle, to be taken out of {CIRCLES.name}: {sorted(listed - needed)}"


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
