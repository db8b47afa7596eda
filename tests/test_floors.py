"""A floor rests only on those below it and never looks up; outside packages come in where the design says."""

import ast
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

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
NUMPY = {"autograd_core", "gradreel.interpreter"}
STREAMLIT = {"app.py", "gradreel/player/mount.py", "gradreel/host/serve.py"}


def modules(floor: str) -> list[Path]:
    return sorted((ROOT / floor.replace(".", "/")).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """The absolute names that the file imports."""
    package = ".".join(path.relative_to(ROOT).with_suffix("").parts[:-1])
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            names.add(".".join([*parts, node.module] if node.module else parts))
    return names


def floor_of(name: str) -> str | None:
    return next((floor for floor in RESTS_ON if name == floor or name.startswith(floor + ".")), None)


@pytest.mark.parametrize("floor", RESTS_ON)
def test_a_floor_rests_only_on_those_below(floor: str) -> None:
    for path in modules(floor):
        for name in imported(path):
            target = floor_of(name)
            assert target in {None, floor} | RESTS_ON[floor], f"{path.relative_to(ROOT)} looks up to {name}"


NUMPY = ("autograd_core/", "gradreel/interpreter/", "gradreel/scene/")


def test_numpy_and_streamlit_come_in_where_the_design_says() -> None:
    for path in [*ROOT.glob("*.py"), *(ROOT / "gradreel").rglob("*.py"), *(ROOT / "autograd_core").rglob("*.py")]:
        here = path.relative_to(ROOT).as_posix()
        for name in imported(path):
            top = name.partition(".")[0]
            if top == "numpy":
                assert here.startswith(("autograd_core/", "gradreel/interpreter/", "gradreel/scene/")), (
                    f"{here} imports numpy"
                )
            if top == "streamlit":
                assert here in STREAMLIT, f"{here} imports streamlit"


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
