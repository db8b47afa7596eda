"""What is made of the table at import is kept in a file, and made anew when that file is not for these sources."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType

import pytest

from autograd_core.dispatch.codegen.cache import SIZE, Kept, mark_of
from autograd_core.dispatch.codegen.generator import Code
from autograd_core.dispatch.registry import TABLE

ONE, OTHER = b"1" * SIZE, b"2" * SIZE


def make() -> tuple[str, CodeType]:
    return "1 + 1", compile("1 + 1", "<operator>", "eval")


def never() -> None:
    raise AssertionError("it was kept")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where one part is kept under the mark ONE."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file = tmp_path / "below" / "kept.bin"
    keep(file)
    return file


def keep(file: Path) -> None:
    kept = Kept(file, ONE)
    kept.get("code", "add", make)
    kept.close()


def test_what_was_kept_is_not_made_again(file: Path) -> None:
    source, code = Kept(file, ONE).get("code", "add", never)
    assert source == "1 + 1" and eval(code) == 2
    assert [path.name for path in file.parent.iterdir()] == ["kept.bin"]


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def damage(file: Path) -> None:
    contents = file.read_bytes()
    file.write_bytes(contents[:-3] + b"???")


def empty(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize("harm", [cut, damage, empty, Path.unlink])
def test_a_file_that_is_not_whole_is_made_anew(file: Path, harm: Callable[[Path], None]) -> None:
    harm(file)
    assert Kept(file, ONE).parts == {}
    keep(file)
    Kept(file, ONE).get("code", "add", never)


def test_what_other_sources_made_is_left_aside(file: Path) -> None:
    assert Kept(file, OTHER).parts == {}


def test_nothing_is_written_where_python_was_told_so_or_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    keep(tmp_path / "kept.bin")
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "taken").write_text("a file, where a folder should be")
    keep(tmp_path / "taken" / "kept.bin")


def test_later_operators_are_not_mistaken_for_those_that_were_kept(file: Path) -> None:
    kept = Kept(file, ONE)
    kept.close()
    assert kept.get("code", "add", lambda: "another") == "another"


def test_every_change_of_a_source_changes_the_mark(tmp_path: Path) -> None:
    (tmp_path / "ops").mkdir()
    marks = set()
    for text in ("a = 1", "a = 2", ""):
        (tmp_path / "ops" / "table.py").write_text(text)
        marks.add(mark_of(tmp_path))
    assert len(marks) == 3


@pytest.mark.parametrize("name", list(TABLE)[::20])
def test_the_code_that_runs_is_that_of_the_entry(name: str) -> None:
    assert TABLE[name].source == Code(TABLE[name]).source()
