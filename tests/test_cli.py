"""The command line prints and raises what PyTorch does and explains it; its exit status tells how a program ended."""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from gradreel import build, encode, explain, run
from gradreel.__main__ import CLEAR, FINISHED, RAISED, STOPPED, UNUSABLE, complaints, main, show_progress, visible
from gradreel.trace import Trace

from .interpreter.recorded import programs
from .nightly import sample
from .printing import same_text
from .small_programs import SMALL

ROOT = Path(__file__).parents[1]
BY_HAND = {p.name: p for p in programs() if re.match(r"s\d_|x_", p.name)}
"""The recorded programs that were written for this: four stories and some extras. All run in `tests/interpreter`."""

TWICE = """\
import torch
a = torch.ones(2, requires_grad=True)
b = (a * a).sum()
b.backward()
print(a.grad)
b.backward()
"""
TRANSCRIPT = """\
>>> import torch
>>> a = torch.tensor([1., 2.], requires_grad=True)
>>> a += 1
>>> a
tensor([1., 2.], requires_grad=True)
"""
RANDOM = """\
import torch
torch.manual_seed(0)
x = torch.rand(3, requires_grad=True)
(x ** 2).sum().backward()
print(x.grad)
"""
Write = Callable[[str], str]
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def program(tmp_path: Path) -> Write:
    """Writes a program to a file; gives its path."""

    def write(source: str) -> str:
        path = tmp_path / "program.py"
        path.write_text(source, encoding="utf-8")
        return str(path)

    return write


@pytest.fixture(autouse=True)
def in_public(monkeypatch: pytest.MonkeyPatch) -> None:
    """The budgets are those of the process that the tests run in, which others share: what is spent is spent soon."""
    monkeypatch.setattr("gradreel.__main__.settle_here", lambda *given: None)


def test_there_are_programs_to_run() -> None:
    assert len(BY_HAND) == 56


@pytest.mark.parametrize("name", sample(list(BY_HAND), 11))
def test_prints_and_raises_what_pytorch_does(name: str, program: Write, capsys: Captured) -> None:
    recorded = BY_HAND[name]
    path = program(recorded.source)
    status = main(["run", path])
    out, err = capsys.readouterr()
    assert same_text(recorded.stdout, out, recorded.values), out
    assert status == (RAISED if recorded.exceptions else FINISHED)
    at = 0
    for kind, message, line in recorded.exceptions:
        where = err.index(f'  File "{path}", line {line}', at)
        at = err.index(f"{kind}: {message}" if message else kind, where)


DIVISION = "line 2, in <module>\n    1 / 0\nZeroDivisionError: division by zero"
LEAF = "a leaf Variable that requires grad"
STATUS = [
    ("finishes", "print(1)\n", [], FINISHED, "1\n", ""),
    ("is empty", "", [], FINISHED, "", ""),
    ("raises", "print(1)\n1 / 0\n", [], RAISED, "1\n", DIVISION),
    ("uses a name that is not there", "x + 1", [], RAISED, "", "NameError: name 'x' is not defined"),
    ("is a transcript", TRANSCRIPT, [], RAISED, "tensor([1., 2.], requires_grad=True)\n", LEAF),
    ("goes on as a transcript", "1 / 0\nprint(2)\n", ["--transcript"], RAISED, "2\n", "ZeroDivisionError"),
    ("stops as a script", "1 / 0\nprint(2)\n", ["--script"], RAISED, "", "ZeroDivisionError"),
    ("does not parse", "print(1)\nx = = 2\n", [], UNUSABLE, "", "line 2: SyntaxError"),
    (
        "imports what is not offered",
        "x = 1\nimport socket\n",
        [],
        UNUSABLE,
        "",
        "line 2: `import socket` is not possible here",
    ),
    ("never ends", "n = 0\nwhile True:\n    n += 1\n", [], STOPPED, "", "line"),
    ("wants too much memory", "import torch\nprint(1)\ntorch.zeros(10**12)\n", [], STOPPED, None, "line 3"),
    ("prints half a pair", "print('\\ud800')", [], FINISHED, "\\ud800\n", ""),
]


@pytest.mark.parametrize(
    ("source", "options", "status", "out", "err"), [x[1:] for x in STATUS], ids=[x[0] for x in STATUS]
)
def test_a_program_that(
    source: str, options: list[str], status: int, out: str | None, err: str, program: Write, capsys: Captured
) -> None:
    assert main(["run", program(source), *options]) == status
    printed, complained = capsys.readouterr()
    assert out is None or printed == out
    assert err in complained


ACTING = "\x1b]52;c;Y3VybA==\x07\x9b5m\x7f\r\u202e"
SHOWN = r"\x1b]52;c;Y3VybA==\x07\u009b5m\u007f\x0d\u202e"
SAYING = {
    "an error": f"raise ValueError({ascii(ACTING)})",
    "a key": f"class X:\n    def __repr__(self): return {ascii(ACTING)}\n{{}}[X()]",
    "a class": f"raise type({ascii(ACTING)}, (Exception,), {{}})",
    "a warning": f"import warnings\nwarnings.warn({ascii(ACTING)})",
    "a category": f"import warnings\nwarnings.warn('a', type({ascii(ACTING)}, (Warning,), {{}}))",
    "a name": f"globals()[{ascii(ACTING)}]",
    "output": f"print({ascii(ACTING)})",
    "the source": f"x = 'a{ACTING}'",
}


@pytest.mark.parametrize("what", SAYING)
@pytest.mark.parametrize("command", [["run"], ["explain"], ["explain", "--json"]])
def test_nothing_that_a_terminal_acts_on_leaves(
    what: str, command: list[str], program: Write, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    main([*command, program(SAYING[what])])
    told = "".join(capsys.readouterr())
    assert not [letter for letter in told if letter not in "\n\t" and unicodedata.category(letter) in ("Cc", "Cf")]
    assert SHOWN in told or what != "an error" or "--json" in command


def test_what_is_made_visible_is_the_same_json() -> None:
    assert json.loads(visible(json.dumps(ACTING + "\n", ensure_ascii=False))) == ACTING + "\n"


def test_a_file_gets_what_the_program_prints(program: Write, capsys: Captured) -> None:
    assert main(["run", program(SAYING["output"])]) == FINISHED
    assert capsys.readouterr().out == ACTING + "\n"


def test_a_name_of_a_file_is_shown_as_it_may_be(capsys: Captured) -> None:
    assert main(["run", ACTING]) == UNUSABLE
    assert SHOWN in capsys.readouterr().err


def test_a_file_that_is_not_there_is_unusable(capsys: Captured) -> None:
    assert main(["run", "no-such-program.py"]) == UNUSABLE
    assert "no-such-program.py cannot be read" in capsys.readouterr().err


def test_bytes_that_are_no_text_are_unusable(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "program.py"
    path.write_bytes(b"x = '\xff\xfe'\n")
    assert main(["run", str(path)]) == UNUSABLE
    assert "cannot be read" in capsys.readouterr().err


def test_standard_input_is_a_program_too(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("print(6 * 7)\n"))
    assert main(["run", "-"]) == FINISHED
    assert capsys.readouterr().out == "42\n"


def test_an_error_of_autograd_is_explained_with_its_lines(program: Write, capsys: Captured) -> None:
    assert main(["run", program(TWICE)]) == RAISED
    out, err = capsys.readouterr()
    assert out == "tensor([2., 2.])\n"
    error, _, story = err.partition("\n\n")
    assert "RuntimeError: Trying to backward through the graph a second time" in error
    assert all(f"line {line}" in story for line in (3, 4, 6))
    assert "**" not in story


def test_turns_that_are_left_out_are_told() -> None:
    (told,) = (line for line in complaints(SMALL["turns_skipped"](), "p.py", "") if "left out" in line)
    assert told.startswith("p.py: Line 4: turns 2 to 7 of this loop are left out")


def test_the_trace_can_be_written(program: Write, tmp_path: Path) -> None:
    target = tmp_path / "trace.json"
    assert main(["run", program(TWICE), "--json", str(target)]) == RAISED
    trace = Trace.from_json(target.read_text())
    assert trace.source == TWICE
    assert (trace.outcome.kind, trace.outcome.line) == ("raised", 6)
    assert trace.to_json() == target.read_text()


def test_the_same_program_gives_the_same_trace(program: Write, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert main(["run", program(RANDOM), "--json", str(tmp_path / name)]) == FINISHED
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_an_export_is_one_file_that_asks_the_network_for_nothing(program: Write, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    assert main(["export", program(RANDOM), "-o", str(target)]) == FINISHED
    page = target.read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert not re.search(r"""<(?:script|img|iframe|link)[^>]*(?:src|href)\s*=\s*["']?(?:https?:)?//""", page)


def test_an_output_that_cannot_be_written_is_a_clear_error(program: Write, tmp_path: Path, capsys: Captured) -> None:
    assert main(["export", program("print(1)\n"), "-o", str(tmp_path)]) == UNUSABLE
    assert "cannot be written" in capsys.readouterr().err


def test_as_a_module_from_anywhere(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("print('hello')\nraise ValueError('no')\n")
    environment = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "gradreel", "run", "p.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (RAISED, "hello\n")
    assert done.stderr.endswith("line 2, in <module>\n    raise ValueError('no')\nValueError: no\n")


def test_help_tells_the_exit_status() -> None:
    command = [sys.executable, "-m", "gradreel", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert "exit status" in done.stdout


def test_the_trace_is_what_a_page_gets() -> None:
    scene = json.loads(gzip.decompress(encode(build(run(TWICE)))))
    assert (scene["source"], scene["outcome"]["kind"]) == (TWICE, "raised")


def test_explain_prints_causes_with_mends_as_json(program: Write, capsys: Captured) -> None:
    assert main(["explain", program(TWICE), "--json"]) == RAISED
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["kind"] == "second_backward" and entry["lines"] == {"built": 3, "freed_by": 4, "raised": 6}
    titles = [mend["title"] for mend in entry["mends"]]
    assert titles[:2] == ["keep the graph: retain_graph=True on line 4", "compute b again before line 6"]
    assert run(entry["mends"][0]["source"]).outcome.kind == "finished"


def test_a_power_in_a_story_stays(program: Write, capsys: Captured) -> None:
    main(["explain", program("import torch\nx = torch.ones(2, requires_grad=True)\n(x**2).backward()"), "--json"])
    [told] = json.loads(capsys.readouterr().out)
    assert "`x ** 2`" in told["story"] and "**" not in told["story"].replace("`x ** 2`", "")


def test_explain_of_a_program_that_is_fine_is_an_empty_list(program: Write, capsys: Captured) -> None:
    assert main(["explain", program(RANDOM), "--json"]) == FINISHED
    assert json.loads(capsys.readouterr().out) == []


def test_explain_names_an_error_that_it_knows_nothing_of(program: Write, capsys: Captured) -> None:
    assert main(["explain", program("x = 1\nprint(x + nowhere)\n")]) == RAISED
    assert capsys.readouterr().out.startswith("Line 2 raises `NameError: name 'nowhere' is not defined`.")
    assert main(["explain", program("x = 1\n")]) == FINISHED
    assert capsys.readouterr().out == "Nothing is wrong with this program.\n"


PROGRESS = [
    (31, 2000, "loss\n0.5", "turn 31 of 2,000 of the loop on line 7, 8 s: loss 0.5"),
    (31, None, "", "turn 31 of the loop on line 7, 8 s"),
    (None, None, "\x1b[2J", "line 7, 8 s: \\x1b[2J"),
]


@pytest.mark.parametrize(("turn", "total", "printed", "text"), PROGRESS)
def test_a_terminal_is_told_how_far_a_run_has_come(
    turn: int | None, total: int | None, printed: str, text: str, capsys: Captured
) -> None:
    show_progress({"line": 7, "turn": turn, "total": total, "seconds": 8.2, "printed": printed})
    assert capsys.readouterr().err == CLEAR + text


def test_explains_what_came_before_a_stop(program: Write, capsys: Captured) -> None:
    source = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\ny.sum().backward()\nprint(y.grad)\n"
    assert main(["explain", program(source + "torch.zeros(10**12)\n"), "--json"]) == STOPPED
    out, err = capsys.readouterr()
    assert [(found["kind"], found["lines"]["shows"]) for found in json.loads(out)] == [("grad_none", 5)]
    assert "line 6" in err


def test_explain_mends_a_transcript_and_keeps_its_prompts() -> None:
    (entry,) = explain(run(TRANSCRIPT))
    assert entry["lines"]["raised"] == 3
    assert any(">>> a = a.clone()\n>>> a += 1\n>>> a\ntensor" in mend["source"] for mend in entry["mends"])
