"""What is not offered is refused with the line and a sentence, before anything runs where that can be known."""

from __future__ import annotations

import pytest

from gradreel.interpreter import run
from gradreel.trace.events import Printed, Warned

BEFORE: dict[str, tuple[int, str]] = {
    "print(1)\nx = x +": (2, "cut off in line 2"),
    "x = x +\nprint(1)": (1, "invalid syntax"),
    "print(1)\nbreak": (2, "'break' outside loop"),
    "print(1)\nimport subprocess": (2, "import subprocess"),
    "import pandas as pd\npd.read_csv('f')": (1, "only PyTorch and a small NumPy"),
    "from transformers import AutoModel, pipeline\npipeline": (1, "no downloads"),
    "import ctypes": (1, "access to this machine"),
    "print(1)\nimport mth": (2, "Did you mean `math`?"),
    "eval('1')": (1, "write the expression itself"),
    "import torch\nn = int(input('epochs? '))": (2, "write the value itself in its place"),
    "exec('x = 1')": (1, "write its statements themselves"),
    "f = compile('1', '', 'eval')": (1, "write it as a function"),
    "x = 1\nbreakpoint()": (2, "leave `breakpoint()` out"),
    "help(print)": (1, "leave the call out"),
    "memoryview(3)": (1, "a slice of a tensor"),
    "x = bytes(3)": (1, "as a list or as a tensor"),
    "__import__('math')": (1, "__import__"),
    "from . import model": (1, "paste what you import above"),
    "().__class__.__subclasses__()": (1, "__subclasses__"),
    "x = (lambda: 0).__globals__": (1, "__globals__"),
    "class A:\n    def __del__(self): pass": (2, "__del__"),
    "async def f(): pass": (1, "leave `async` out"),
    "x = b'a'": (1, "Bytes"),
    "try: pass\nexcept* ValueError: pass": (1, "except*"),
    "__builtins__": (1, "__builtins__"),
    "def f(__class__): pass": (1, "parameter"),
    "a = 1\na.__class__ = 2": (2, "cannot be set"),
    "x = '\u202e'": (1, "invisible"),
    "(" * 300 + ")" * 300: (1, "parentheses"),
    "x = 1" + " + 1" * 1000: (1, "nested"),
}

WHILE_RUNNING: dict[str, tuple[int, str]] = {
    "import torch\ntorch.lobpcg(1)": (2, "exists in PyTorch"),
    "import torch\nx = torch.ones(2)\nx.geqrf()": (3, "exists in PyTorch"),
    "x = 2\nprint('{0.real.__class__}'.format(x))": (2, "give the value itself"),
    "print('{0[__class__]}'.format({'__class__': 1}))": (1, "give the value itself"),
    "print('ä'.encode())": (1, "`encode` of a str is not supported here"),
    "x = dict.fromkeys('ab', 0)\nprint('%s' % 'a'.isprintable())": (2, "`isprintable` of a str"),
    "print(getattr(1, '__sub' + 'classes__'))": (1, "not offered"),
    "import os\nos.system('ls')": (2, "no processes"),
    "open('f', 'wb').write('a')": (1, "Bytes"),
    "open('f', 'w').write('a')\nimport torch\ntorch.load('f')": (3, "written as text"),
    "import torch\ntorch.save(1, 'f')\nopen('f')": (3, "`torch.load` reads it"),
    "class M(type): pass": (1, "extend `type`"),
    "class A(metaclass=print): pass": (1, "ABCMeta"),
    "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1])\nprint(ax)": (4, "does nothing here"),
}


NOTHING_TO_USE = """\
len(images)
images + 1
torch.tensor(images)
torch.unsqueeze(images, 0)
torch.stack([torch.ones(2), images[0]])
torch.nn.Linear(2, 2)(images.data)
"%d" % images
print(type(images))
for image, label in torch.utils.data.DataLoader(images, batch_size=4): pass
""".splitlines()
"""What cannot be done with what a library would give that has no part here."""


@pytest.mark.parametrize("line", NOTHING_TO_USE)
def test_what_a_library_would_give_is_refused_where_it_is_used(line: str) -> None:
    outcome = run(f"import torch\nimport visdom\nimages = visdom.images()\nprint(images is None)\n{line}").outcome
    assert (outcome.kind, outcome.line) == ("refused", 5)
    assert (outcome.message or "").startswith("`visdom.images") and "in its place" in (outcome.message or "")


@pytest.mark.parametrize("source", BEFORE)
def test_it_is_refused_before_anything_runs(source: str) -> None:
    trace = run(source)
    line, words = BEFORE[source]
    assert trace.outcome.kind == "refused" and trace.outcome.line == line
    assert words in (trace.outcome.message or "")
    assert not any(isinstance(event, Printed) for event in trace.events)


@pytest.mark.parametrize("source", WHILE_RUNNING)
def test_it_is_refused_where_it_is_reached(source: str) -> None:
    outcome = run(source).outcome
    line, words = WHILE_RUNNING[source]
    assert (outcome.kind, outcome.line) == ("refused", line)
    assert words in (outcome.message or "")


UNUSED = """\
import zipfile, torch
from tempfile import TemporaryFile as Path
def f(p: Path):
    import pandas as pd
print(zipfile)
"""


@pytest.mark.parametrize("value", ["''", "(1)", "[]", "print", "len.__class__"])
def test_what_pythons_own_classes_extend_is_not_told(value: str) -> None:
    outcome = run(f"print({value}.__class__.__mro__)").outcome
    assert (outcome.kind, outcome.type) == ("raised", "AttributeError"), outcome


def test_a_library_that_is_not_used_is_left_out_with_a_remark() -> None:
    trace = run(UNUSED.replace("print(zipfile)", "f(1)"))
    assert trace.outcome.kind == "finished"
    notes = [(event.line, event.message.split()[3]) for event in trace.events if isinstance(event, Warned)]
    assert notes == [(1, "zipfile"), (2, "tempfile"), (4, "pandas")]


def test_a_library_that_is_used_is_not() -> None:
    assert run(UNUSED).outcome.line == 1


def test_a_program_that_is_ready_for_a_missing_library_gets_its_error() -> None:
    source = "try:\n    import pandas\nexcept ImportError as error:\n    print(error)"
    (printed,) = [event.text for event in run(source).events if isinstance(event, Printed)]
    assert printed == "No module named 'pandas'\n"


NEVER_CAUGHT = """
try:
    getattr(1, '__subclasses__')
except BaseException:
    print('caught')
finally:
    print('finally')
"""


def test_no_handler_sees_a_refusal() -> None:
    trace = run(NEVER_CAUGHT)
    assert trace.outcome.kind == "refused"
    assert not any(isinstance(event, Printed) for event in trace.events)


def test_an_empty_program_finishes() -> None:
    assert run("").outcome.kind == run("# nothing\n").outcome.kind == "finished"


EXIT = "import sys\nprint(1)\nsys.exit(0)\nprint(2)"


def test_sys_exit_ends_the_program() -> None:
    trace = run(EXIT)
    assert trace.outcome.kind == "finished"
    assert [event.text for event in trace.events if isinstance(event, Printed)] == ["1\n"]


LIMITS = {
    "nn.Embedding(4, 2, sparse=True)": "sparse=True",
    "nn.EmbeddingBag(4, 2, sparse=True)": "sparse=True",
    "F.embedding(torch.tensor([0]), torch.ones(2, 2), sparse=True)": "sparse=True",
    "torch.zeros(2, dtype=torch.complex32)": "complex64",
    "torch.cdist(torch.ones(2, 1, 2), torch.ones(1, 2))": "expand",
    "torch.utils.checkpoint.checkpoint(torch.sin, torch.ones(1), debug=True, use_reentrant=False)": "debug=True",
}


@pytest.mark.parametrize("call", LIMITS)
def test_what_the_engine_does_not_do_is_no_error_that_a_program_could_handle(call: str) -> None:
    head = "import torch, torch.utils.checkpoint\nfrom torch import nn\nimport torch.nn.functional as F\n"
    body = f"def f():\n    with torch.no_grad():\n        {call}\ntry:\n    f()\nexcept Exception:\n    print(1)\n"
    outcome = run(head + body).outcome
    assert (outcome.kind, outcome.type, outcome.line) == ("refused", "Unsupported", 6)
    assert LIMITS[call] in (outcome.message or "")
