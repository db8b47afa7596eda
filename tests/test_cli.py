"""The command line: what is printed where, and the exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradreel.__main__ import main
from gradreel.trace import Trace

SECOND_BACKWARD = """\
import torch
a = torch.tensor([1., 2.], requires_grad=True)
loss = (a * a).sum()
loss.backward()
print(a.grad)
loss.backward()
"""
TRANSCRIPT = """\
>>> import torch
>>> a = torch.tensor([1., 2.], requires_grad=True)
>>> a += 1
>>> a
tensor([1., 2.], requires_grad=True)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return tmp_path / "program.py"


@pytest.mark.parametrize(
    ("source", "status", "out", "error"),
    [
        ("print(1 + 1)", 0, "2\n", ""),
        ("x + 1", 1, "", "NameError: name 'x' is not defined"),
        ("x = (", 2, "", "SyntaxError"),
        ("import os", 2, "", "`import os` is not possible here"),
        ("import torch\ntorch.zeros(10**12)", 3, "", "line 2"),
        (SECOND_BACKWARD, 1, "tensor([2., 4.])\n", "line 3"),
        (TRANSCRIPT, 1, "tensor([1., 2.], requires_grad=True)\n", "a leaf Variable that requires grad"),
    ],
)
def test_run(program: Path, capsys: pytest.CaptureFixture[str], source: str, status: int, out: str, error: str) -> None:
    program.write_text(source)
    assert main(["run", str(program)]) == status
    shown = capsys.readouterr()
    assert shown.out == out
    assert error in shown.err


def test_run_writes_the_trace(program: Path, tmp_path: Path) -> None:
    program.write_text(SECOND_BACKWARD)
    file = tmp_path / "trace.json"
    assert main(["run", str(program), "--json", str(file)]) == 1
    assert json.loads(file.read_text())["schema"] == "gradreel-trace/1"
    assert Trace.from_json(file.read_text()).source == SECOND_BACKWARD


def test_the_explanation_names_the_lines(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write_text(SECOND_BACKWARD)
    main(["run", str(program)])
    text = capsys.readouterr().err
    assert f'  File "{program}", line 6, in <module>' in text
    for line in ("line 3", "line 4"):
        assert line in text.partition("Trying to backward")[2]


def test_export_writes_one_page(program: Path, tmp_path: Path) -> None:
    program.write_text(SECOND_BACKWARD)
    file = tmp_path / "out.html"
    assert main(["export", str(program), "-o", str(file)]) == 1
    page = file.read_text()
    assert page.startswith("<!doctype html>") and "http://" not in page.partition("<body>")[0]


def test_a_missing_file_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "no such file.py"]) == 2
    assert "no such file.py cannot be read" in capsys.readouterr().err
