"""`record` plays native Python: the same facts as the interpreter tells of the same text."""

import types
from collections.abc import Callable
from pathlib import Path

import pytest

import autograd_core
from gradreel import build, encode, record, run
from gradreel.trace import Trace, events
from gradreel.trace.rules import validate

LOOP = """\
import torch

def main():
    w = torch.ones(2, requires_grad=True)
    y = w * 3
    for step in range(3):
        loss = (
            y * w
        ).sum()
        loss.backward(
            retain_graph=step < 1
        )
        print(step)
    return w

{call}
"""
NESTED = """\
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def forward(self, x):
        h = self.layer(x)
        return h.tanh()

def main():
    net = Net()
    best = torch.optim.SGD(net.parameters(), lr=0.1)
    n = 2
    while n:
        best.zero_grad()
        out = net(torch.ones(1, 2))
        parts = [p for p in out.unbind()]
        parts[0].sum().backward()
        best.step()
        n -= 1
    del out
    last = net.layer.weight.grad

{call}
"""
PROGRAMS = {"loop": LOOP, "nested": NESTED}


def native(text: str, folder: Path) -> Callable[[], object]:
    """The function `main` of a file with this text, in which torch is the engine."""
    path = folder / "own.py"
    path.write_text(text.replace("import torch\n", "import autograd_core as torch\n"), encoding="utf-8")
    module = types.ModuleType("own")
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)
    return module.main


def story(trace: Trace) -> list[tuple[object, ...]]:
    """What the program did inside `main`: lines with their turns, and the graph's facts, without numbers of things."""
    told: list[tuple[object, ...]] = []
    for event in trace.events:
        match event:
            case events.LineReached():
                told.append(("line", event.line, tuple((at, turn) for at, turn, _ in event.loops)))
            case events.NodeMade():
                told.append(("made", event.op))
            case events.NodeRan():
                told.append(("ran", event.node))
            case events.NodeReleased() | events.TensorReleased():
                told.append((type(event).__name__,))
            case events.GradStored():
                told.append(("stored", event.how))
            case events.SlotFreed():
                told.append(("freed", event.slot))
            case events.OptimizerStepped():
                told.append((event.optimizer, event.phase))
            case events.Raised():
                told.append((event.type, event.message, event.line))
            case events.Printed():
                told.append(("printed",))
    return told


@pytest.mark.parametrize("name", PROGRAMS)
def test_native_code_is_told_as_the_interpreter_tells_it(name: str, tmp_path: Path) -> None:
    own = record(native(PROGRAMS[name].format(call=""), tmp_path))
    read = run(PROGRAMS[name].format(call="main()"))
    first = next(nr for nr, event in enumerate(story(own)) if event[0] == "line")
    assert validate(own) == []
    ours, theirs = story(own)[first:], story(read)
    start = theirs.index(ours[0])
    assert lines(ours) == lines(theirs[start:])
    for kind in ("made", "ran", "stored", "freed", "SGD", "RuntimeError", "printed"):
        assert count(ours, kind) == count(theirs, kind), kind
    assert own.outcome == read.outcome


def lines(told: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return [event for event in told if event[0] == "line"]


def count(told: list[tuple[object, ...]], kind: str) -> int:
    return sum(event[0] == kind for event in told)


def test_names_are_told_and_let_go(tmp_path: Path) -> None:
    body = ("a = torch.ones(1, requires_grad=True)", "b = a * a", "b = b * a", "del b", "c = 1")
    trace = record(native("import torch\ndef main():\n" + "".join(f"    {line}\n" for line in body), tmp_path))
    bound = [(event.name, event.text) for event in trace.events if isinstance(event, events.NameBound)]
    assert [name for name, _ in bound] == ["a", "b", "b", "c"]
    assert [event.name for event in trace.events if isinstance(event, events.NameUnbound)] == ["b"]
    assert sum(isinstance(event, events.NodeReleased) for event in trace.events) >= 2
    assert encode(build(trace))


def test_what_names_stand_for_at_the_end_is_still_there(tmp_path: Path) -> None:
    body = ("a = torch.ones(1, requires_grad=True)", "b = a * a", "b.backward()", "return b")
    trace = record(native("import torch\ndef main():\n" + "".join(f"    {line}\n" for line in body), tmp_path))
    released = {event.tensor for event in trace.events if isinstance(event, events.TensorReleased)}
    assert not released & {event.tensor for event in trace.events if isinstance(event, events.NameBound)}
    assert not any(isinstance(event, events.NodeReleased) for event in trace.events)


def test_the_program_sees_its_own_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(native("import torch\n\ndef main():\n    print('seen')\n", tmp_path))
    assert capsys.readouterr().out == "seen\n"


def test_arguments_are_passed_and_the_engine_is_left_as_it_was() -> None:
    def scaled(x: autograd_core.Tensor, by: float) -> None:
        (x * by).sum().backward()

    x = autograd_core.ones(2, requires_grad=True)
    trace = record(scaled, x, by=3.0)
    assert trace.outcome.kind == "finished"
    assert x.grad.tolist() == [3.0, 3.0]
    assert any(isinstance(event, events.BackwardFinished) for event in trace.events)


@pytest.mark.parametrize("thing", [len, 3, int], ids=repr)
def test_what_is_no_python_function_is_refused(thing: object) -> None:
    with pytest.raises(TypeError, match="takes a Python function"):
        record(thing)  # type: ignore[arg-type]
