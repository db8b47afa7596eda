"""Pasted text becomes the program in it, on the lines where it was seen; outputs are compared with those of today."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradreel.interpreter import compare, paste, run
from gradreel.interpreter.pasting import Pasted
from gradreel.trace.events import Printed

ONES = "tensor([1., 1.])\n"

NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": ["# A title\n", "and words"]},
            {
                "cell_type": "code",
                "execution_count": 7,
                "source": ["%matplotlib inline\n", "import torch\n", "x = torch.ones(2)\n", "print(x)\n", "x"],
                "outputs": [
                    {"output_type": "stream", "name": "stdout", "text": ["tensor([1., 1.])\n"]},
                    {"output_type": "execute_result", "data": {"text/plain": ["tensor([1., 1.])"]}},
                    {"output_type": "display_data", "data": {"image/png": "AAAA"}},
                ],
            },
            {
                "cell_type": "code",
                "source": "!pip install torch\nx.view(3)",
                "outputs": [{"output_type": "error", "ename": "RuntimeError", "evalue": "wrong", "traceback": []}],
            },
        ],
        "nbformat": 4,
    },
    indent=1,
)

TEXTS: dict[str, tuple[str, str]] = {
    "smart quotes": ("print(\u2018it is\u2019, \u201cit\u2019s\u201d, 3 \u2013 1)", "it is it\u2019s 2\n"),
    "quotes in proper strings stay": ("print('\u201cyes\u201d')", "\u201cyes\u201d\n"),
    "blanks that do not break": ("if True:\n\u00a0\u00a0\u00a0\u00a0print(1)\u200b", "1\n"),
    "full width": ("print\uff081\uff0c 2\uff09", "1 2\n"),
    "a mark of order and other line ends": ("\ufeffx = 1\r\nprint(x)\rprint(2)", "1\n2\n"),
    "an indented whole": ("    import torch\n    if True:\n        print(1)", "1\n"),
    "tabs and blanks mixed": ("for i in range(2):\n\tx = i\n        print(x)", "0\n1\n"),
    "line numbers": ("1  for i in range(2):\n2      print(i)\n3\n4  print('end')", "0\n1\nend\n"),
    "line numbers with points": ("1. x = 1\n2. y = 2\n3. print(x + y)", "3\n"),
    "fences": ("Why?\n\n```python\nx = 1\nprint(x)\n```\n\nand\n\n```\nprint(x + 1)\n```\nThanks!", "1\n2\n"),
    "a fence in a list": ("1. do\n   ```py\n   print(1)\n   ```\n2. done", "1\n"),
    "a fence of output": ("```python\nprint(1)\n```\n```text\n1\n```", "1\n"),
    "a quoted fence": ("> ```python\n> print(1)\n> ```", "1\n"),
    "a fence with prompts": ("Look:\n```\n>>> 1 + 1\n2\n```", "2\n"),
    "prompts": (">>> x = 2\n>>> x\n2\n>>> for i in range(2):\n...     print(i)\n...\n0\n1", "2\n0\n1\n"),
    "prompts of a terminal": (
        "In [1]: x = 2\n\nIn [2]: for i in range(2):\n   ...:     print(i)\n   ...: \n0\n1",
        "0\n1\n",
    ),
    "prompts of a notebook": ("In [1]:\nx = 2\nx + 1\nOut[1]:\n3\nIn [2]:\nprint(x)\n2", "3\n2\n"),
    "only the last of a cell is shown": ("In [1]:\n1\n2\nOut[1]: 2\nIn [2]: 5\nOut[2]: 5", "2\n5\n"),
    "magics": ("%matplotlib inline\n!pip install torch\nprint(1)\n%%time\nlen?\nif True:\n    %pdb on\n", "1\n"),
    "a percent that is no magic": ("print('%d'\n% 3)", "3\n"),
    "output behind": ("import torch\nprint(torch.ones(2))\n\ntensor([1., 1.])", ONES),
    "output behind, labelled": ("x = 1\nprint(x)\n\nOutput:\n1", "1\n"),
    "an error behind": (
        'print(1)\n1 / 0\n\nTraceback (most recent call last):\n  File "a.py", line 2\nZeroDivisionError: no',
        "1\n",
    ),
    "a notebook": (NOTEBOOK, ONES + ONES),
    "words above and below": (
        "Dear list,\nthis prints one:\n\nprint(1)\n\nIt doesn't help me.\n\nCheers,\nAda L",
        "1\n",
    ),
    "words between": ("First I make it:\nx = 1\nand then I print it:\n\nprint(x)\nWhy is that?", "1\n"),
    "words that begin as statements do": ("if I try the following\n\nprint(1)\n\nfor all of my models it is 1", "1\n"),
    "words that quote code": ("It works for most of my own tensors with requires_grad = True.\n\nprint(1)", "1\n"),
    "a title alone": ("Forward And Backward\n\nprint(1)\n\nMore Of This\n\nprint(2)", "1\n2\n"),
    "words around an indented block": (
        "Here is my code:\n\n    x = 1\n    if x:\n        print(x)\n\nAny idea?",
        "1\n",
    ),
    "words around numbered lines": ("See this one\n\n1  x = 1\n2  if x:\n3      print(x)\n\nAny idea at all?", "1\n"),
    "words of a docstring stay": (
        'Look at this:\n\ndef f():\n    """\nwords side by side\n    """\nprint(f.__doc__)',
        "\nwords side by side\n    \n",
    ),
    "an error between": (
        "My code:\n\nprint(1)\n\nTraceback (most recent call last):\n  File 'a.py', line 1\n    print(1)\n"
        "RuntimeError: an error of old\n\nso I tried instead\n\nprint(2)",
        "1\n2\n",
    ),
    "an error behind words": (
        "I did:\n\n    x = 1\n    x.y\n\nand it says\n\n"
        "    AttributeError: 'int' object has no attribute 'y'\n\nWhat is wrong with it?",
        "",
    ),
    "a heading behind the output of a cell": (
        "In [1]:\nx = 2\nprint(x)\n2\n\n# 2. More\nand some words\nIn [2]: x\nOut[2]: 2\n\nThat is the value",
        "2\n2\n",
    ),
}


def printed(text: str) -> str:
    return "".join(event.text for event in run(text).events if isinstance(event, Printed))


@pytest.mark.parametrize("name", TEXTS)
def test_the_program_in_a_text_runs(name: str) -> None:
    text, expected = TEXTS[name]
    assert printed(text) == expected


@pytest.mark.parametrize("name", TEXTS)
def test_lines_keep_their_places_and_pasting_again_changes_nothing(name: str) -> None:
    pasted = paste(TEXTS[name][0])
    assert pasted.program.count("\n") == pasted.text.count("\n")
    again = paste(pasted.text)
    assert (again.program, again.posted, again.cells) == (pasted.program, pasted.posted, pasted.cells)


def test_errors_name_the_line_that_is_seen() -> None:
    assert run("Look:\n\n```python\nx = 1\ny = x.foo\n```").outcome.line == 5
    assert run("    x = 1\n    print(y)").outcome.line == 2
    assert (run("print(1)\nx = = 2").outcome.message, run("print(1)\nx = = 2").outcome.line) == ("invalid syntax", 2)


def test_what_was_left_out_is_said() -> None:
    notes = [(note.line, note.text) for note in paste(TEXTS["magics"][0]).notes]
    assert notes[:2] == [
        (1, "`%matplotlib` is for IPython or the shell, and was left out"),
        (2, "`!pip` is for IPython or the shell, and was left out"),
    ]


def compared(text: str) -> list[str]:
    found = compare(paste(text), run(text))
    return [] if found is None else list(found.sentences)


def test_outputs_that_are_the_same_are_counted() -> None:
    assert compared(">>> import torch\n>>> torch.ones(2)\ntensor([1., 1.])\n>>> 1\n1") == [
        "2 of 2 outputs are what was posted."
    ]
    error = "Traceback (most recent call last):\n  File 'x'\nRuntimeError: shape '[3]' is invalid for"
    assert compared(f">>> import torch\n>>> torch.ones(2).view(3)\n{error}") == ["1 of 1 output is what was posted."]
    for name in ("output behind", "an error behind words"):
        assert compared(TEXTS[name][0]) == ["1 of 1 output is what was posted."]
    assert compared(TEXTS["a heading behind the output of a cell"][0]) == ["2 of 2 outputs are what was posted."]
    assert compared("print(1)") == []


REASONS: dict[str, tuple[str, str]] = {
    ">>> import torch\n>>> torch.ones(1, requires_grad=True) * 2\ntensor([2.], grad_fn=<MulBackward>)": (
        "Line 2 printed `tensor([2.], grad_fn=<MulBackward>)` then and prints `tensor([2.], grad_fn=<MulBackward0>)`",
        "number of their overload",
    ),
    ">>> import torch\n>>> torch.ones(2)\nVariable containing:\n 1\n 1\n[torch.FloatTensor of size 2]": (
        "Line 2",
        "before PyTorch 0.4",
    ),
    ">>> import torch\n>>> torch.rand(1)\ntensor([0.1234])": ("Line 2", "without a seed"),
    ">>> import torch\n>>> torch.ones(1).cuda()\ntensor([1.], device='cuda:0')": ("Line 2", "ran on a GPU"),
    ">>> import torch\n>>> torch.ones(2).view(3)\nRuntimeError: invalid argument 2": ("Line 2", "words of this error"),
    ">>> import torch\n>>> torch.ones(2).view(3)\ntensor([1., 1., 1.])": ("Line 2", "raises a RuntimeError there now"),
    ">>> import torch\n>>> torch.ones(2).view(2)\nRuntimeError: no": ("Line 2", "no longer does"),
    ">>> import torch\n>>> torch.ones(2).sum()\n2.0": ("Line 2", "tensor without dimensions"),
    ">>> import torch\n>>> torch.tensor([0.1, 0.2]).sum()\ntensor(0.30001)": ("Line 2", "other digits"),
    ">>> import torch\n>>> g = torch.manual_seed(0)\n>>> torch.rand(1)\ntensor([0.9])": (
        "Line 3",
        "same seed gave others",
    ),
}


@pytest.mark.parametrize("text", REASONS)
def test_a_difference_has_a_reason(text: str) -> None:
    _, line = compared(text)
    begins, reason = REASONS[text]
    assert line.startswith(begins) and "in PyTorch 2.13, because" in line and reason in line, line


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from(">.In [1]:Out`~\n\t x=1%!?#\u201c\u2019(){}'\"\\tensor,"), max_size=120))
def test_any_text_can_be_pasted(text: str) -> None:
    pasted = paste(text)
    assert isinstance(pasted, Pasted) and pasted.program.count("\n") == pasted.text.count("\n")
    assert run(text).outcome.kind in ("finished", "raised", "refused", "stopped")


BROKEN = ["a = (not 3.append(a))", "loss = (x.sum()", "y = 3 * x x", "for i in range 3:", "if x equals y:", "print x y"]


@pytest.mark.parametrize("line", [*BROKEN, "def f():\n    retrun the loss"])
def test_a_broken_last_line_is_no_output(line: str) -> None:
    assert run(f"x = 3\n{line}").outcome.kind == "refused"


def test_a_cell_that_ends_in_a_drawing_or_a_semicolon_shows_nothing() -> None:
    cells = (
        "In [1]:\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nIn [2]:\n1 + 1;\nIn [3]:\nplt.show()\nIn [4]:\n3"
    )
    assert printed(cells) == "3\n"


GPU = {
    "import torch\nx = torch.ones(2).cuda()\nprint(x.device)": "cpu\n",
    "import torch\nprint(torch.ones(1).to('cuda'))": "tensor([1.])\n",
    "import torch\nprint(torch.ones(1, device='cuda:0').device)": "cpu\n",
    "import torch\nd = torch.device('cuda')\nprint(torch.nn.Linear(1, 1).to(d).weight.device)": "cpu\n",
    "import torch\nprint(torch.nn.Linear(1, 1).cuda().bias.device)": "cpu\n",
    "import torch\ntorch.set_num_threads(2)\nprint(1)": "1\n",
    "import torch\ntorch.backends.cudnn.benchmark = True\nprint(torch.backends.cudnn.benchmark)": "False\n",
    "import torch\n@torch.compile\ndef f(x): return x + 1\nprint(f(torch.ones(1)))": "tensor([2.])\n",
    "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1], [2])\nplt.show()\nprint(1)": "1\n",
    "from tqdm import tqdm\nfor i in tqdm(range(2), desc='x'): print(i)": "0\n1\n",
    "from torch.utils.tensorboard import SummaryWriter\nw = SummaryWriter()\nw.add_scalar('a', 1, 2)\nprint(1)": "1\n",
}


@pytest.mark.parametrize("source", GPU)
def test_what_cannot_change_the_result_is_taken_with_a_remark(source: str) -> None:
    trace = run(source)
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)) == GPU[source]
    assert [event.category for event in trace.events if type(event).__name__ == "Warned"] == ["Note"]


ELSEWHERE = {
    "from matplotlib_inline import backend_inline as b\nb.set_matplotlib_formats('svg')\nprint(1)": "1\n",
    "from matplotlib.figure import Figure\nimport matplotlib.dates\nfigure = Figure()\nprint(1)": "1\n",
    "import pytest, psutil, torchdiffeq\ndef test(): pass\nprint(1)": "1\n",
}
"""Of other libraries, what no result depends on."""


@pytest.mark.parametrize("source", ELSEWHERE)
def test_other_libraries_do_not_stand_in_the_way(source: str) -> None:
    trace = run(source)
    assert trace.outcome.kind == "finished", trace.outcome.message
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)) == ELSEWHERE[source]


ASKED = {
    "import torch\nd = 'cuda' if torch.cuda.is_available() else 'cpu'\nprint(torch.ones(1).to(d))": "tensor([1.])\n",
    "import torch\na = torch.accelerator\nd = a.current_accelerator() if a.is_available() else torch.device('cpu')\n"
    "print(torch.ones(1).to(d), a.device_count())": "tensor([1.]) 0\n",
}


@pytest.mark.parametrize("source", ASKED)
def test_asking_whether_there_is_a_gpu_needs_no_remark(source: str) -> None:
    trace = run(source)
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)) == ASKED[source]
    assert [type(event).__name__ for event in trace.events].count("Warned") == 0


SUGGESTED = {
    "total = 1\nprint(totl)": "name 'totl' is not defined. Did you mean: 'total'?",
    "def f():\n    value = 1\n    return valu\nf()": "name 'valu' is not defined. Did you mean: 'value'?",
    "[].apend(1)": "'list' object has no attribute 'apend'. Did you mean: 'append'?",
    "class A:\n    def run(self): pass\nA().rum()": "'A' object has no attribute 'rum'. Did you mean: 'run'?",
    "import torch\ntorch.ones(1).requires_grd": (
        "'Tensor' object has no attribute 'requires_grd'. Did you mean: 'requires_grad'?"
    ),
    "import torch\ntorch.nn.Linaer(1, 2)": "module 'torch.nn' has no attribute 'Linaer'. Did you mean: 'Linear'?",
    "import torch\ntorch.zzz": "module 'torch' has no attribute 'zzz'",
    "from torch import zzz": "cannot import name 'zzz' from 'torch' (unknown location)",
    "import torch\ntorch.lobpcg(1)": (
        "`torch.lobpcg` exists in PyTorch, but is not supported here. Near to it: log, long, log_."
    ),
}


@pytest.mark.parametrize("source", SUGGESTED)
def test_a_wrong_name_gets_a_suggestion(source: str) -> None:
    assert run(source).outcome.message == SUGGESTED[source]
