"""Wrong calls: what torch refuses is refused in its words, and what it takes is done as it does it.

tests/data/refusals.json.gz has calls that torch's argument parser refused, made at random from its signatures.
tests/data/wrong_calls.json.gz has, for each call of ops.json, what torch answered once one thing of it was changed: an
argument left out, too many, under an unknown name, of another type, dtype or shape.
tests/data/wrong_arguments.json.gz has what Python says where layers, optimizers, schedulers and distributions are made
with the wrong arguments, and of their methods: it names the class that has the method in torch.
"""

import math
import re
import warnings
from typing import Any

import numpy as np
import pytest

import autograd_core as torch
from autograd_core.engine.state import isolated

from .oracle import alike, constant, entries
from .stored import load


class Foo:
    """Nothing that torch knows."""


MATRIX = [[0.5, 0.25, 1.0], [2.0, 1.5, 3.0]]
REFUSALS = load("refusals")
WRONG = load("wrong_calls")
ARGUMENTS = load("wrong_arguments")
ENTRIES = entries()


def raised(code: str, names: dict[str, Any]) -> str | None:
    try:
        eval(code, names)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


NAMES = re.compile(r"(?<=keyword arguments: )\w+(?:, \w+)*|(?<=keywords were incorrect: )\w+(?:, \w+)*")
KEYWORD = r"!?\w+=(?:\w+ of [(\[][^)\]]*[)\]]|[\w.]+)!?"
KEYWORDS = re.compile(f"{KEYWORD}(?:, {KEYWORD})+")


def in_any_order(text: Any) -> Any:
    """`text`, with the keywords that it lists sorted: torch takes them in the order of a hash table. The rest stays."""
    if not isinstance(text, str):
        return text
    text = NAMES.sub(lambda found: ", ".join(sorted(found[0].split(", "))), text)
    return KEYWORDS.sub(lambda found: ", ".join(sorted(re.findall(KEYWORD, found[0]))), text)


def test_only_the_order_of_keywords_is_free() -> None:
    one = "f() received an invalid combination of arguments - got (int, b=list of [int, str], !a=str!, )"
    other = "f() received an invalid combination of arguments - got (int, !a=str!, b=list of [int, str], )"
    assert one != other and in_any_order(one) == in_any_order(other)
    for changed in (
        other.replace("int, !a", "str, !a"),
        other.replace(", )", ")"),
        other.replace("[int, str]", "[str]"),
    ):
        assert in_any_order(one) != in_any_order(changed)


def tensors() -> dict[str, Any]:
    kinds = {"x": torch.float32, "xi": torch.int64, "xb": torch.bool}
    names: dict[str, Any] = {name: torch.ones(2, 3, dtype=kind) for name, kind in kinds.items()}
    names |= {"i0": torch.tensor(1), "i1": torch.tensor([1]), "f0": torch.tensor(1.0), "foo": Foo()}
    return names | {"g0": torch.tensor(1.0, requires_grad=True), "torch": torch, "F": torch.nn.functional}


@pytest.mark.parametrize("part", range(8))
def test_what_the_argument_parser_of_torch_refuses_is_refused_in_its_words(part: int) -> None:
    with isolated(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = {code: in_any_order(raised(code, tensors())) for code, _ in REFUSALS[part::8]}
    assert got == {code: in_any_order(text) for code, text in REFUSALS[part::8]}


@pytest.mark.parametrize("part", range(4))
def test_python_names_the_class_that_has_the_method_in_torch(part: int) -> None:
    with isolated(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = {code: raised(code, {"torch": torch}) for code, _ in ARGUMENTS[part::4]}
    assert got == dict(ARGUMENTS[part::4])


def names_of(entry: dict[str, Any]) -> dict[str, Any]:
    """The tensors of a call of ops.json, and what was put in the place of one of its arguments."""
    names: dict[str, Any] = {"torch": torch, "F": torch.nn.functional, "foo": Foo()}
    names |= {
        "ti": torch.tensor([[1, 0, 2], [2, 1, 0]]),
        "tb": torch.tensor([[True, False, True], [False, True, True]]),
    }
    names |= {"big": torch.tensor([[0.5] * 5] * 7, dtype=torch.float64), "f32": torch.tensor(MATRIX)}
    names |= {"v5": torch.tensor([0.1, 0.2, 0.3, 0.4, 0.5], dtype=torch.float64)}
    names["s0"] = torch.tensor(0.5, dtype=torch.float64)
    for name, value in entry["leaves"].items():
        names[name] = torch.tensor(value, dtype=torch.float64, requires_grad=True)
    names |= {name: constant(value) for name, value in entry["consts"].items()}
    if entry["group"] == "inplace" and re.search(r"\bx\b", entry["code"]):
        names["x"] = names["a"].clone()
    torch.manual_seed(0)
    return names


def shown(result: Any) -> Any:
    """A result as the recording has it: dtype, shape, node and the first elements."""
    if isinstance(result, torch.Tensor):
        first = result.detach().reshape(-1).tolist()[:12]
        numbers = [str(x) if isinstance(x, float) and not math.isfinite(x) else x for x in first]
        return [str(result.dtype), list(result.shape), type(result.grad_fn).__name__, numbers]
    if isinstance(result, tuple | list):
        return [shown(part) for part in result]
    return result if isinstance(result, int | float | None) else str(result)


def answer(code: str, names: dict[str, Any]) -> Any:
    try:
        return shown(eval(code, names))
    except Exception as error:
        return re.sub(r"0x[0-9a-f]{6,}", "0x...", f"{type(error).__name__}: {error}")


def same(got: Any, expected: Any) -> bool:
    if isinstance(expected, list):
        return isinstance(got, list) and len(got) == len(expected) and all(map(same, got, expected))
    if isinstance(expected, str | bool | None) or isinstance(got, str | bool | None):
        return bool(in_any_order(got) == in_any_order(expected))
    return alike(got, expected, 2e-5)


@pytest.mark.parametrize("group", sorted({entry["group"] for entry in ENTRIES}))
def test_a_call_changed_in_one_thing_is_answered_as_torch_does(group: str) -> None:
    known, unexpected, mended = set(WRONG["differ"]), {}, []
    with isolated(), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for i, calls in WRONG["calls"].items():
            if ENTRIES[int(i)]["group"] != group:
                continue
            for code, expected in calls:
                got = answer(code, names_of(ENTRIES[int(i)]))
                if same(got, expected) and f"{i} {code}" in known:
                    mended.append(code)
                elif not same(got, expected) and f"{i} {code}" not in known:
                    unexpected[code] = got, expected
    assert not unexpected
    assert not mended, "these agree now: take them out of the record's list of those that differ"


def test_thousands_of_wrong_calls_are_answered_as_torch_does(capsys: pytest.CaptureFixture[str]) -> None:
    every = sum(map(len, WRONG["calls"].values()))
    with capsys.disabled():
        print(f"\n{every - len(WRONG['differ'])} of {every} changed calls and {len(REFUSALS)} refusals as in torch")
    assert every > 17_000
    assert len(WRONG["differ"]) < every / 5
