"""Sentences and diagnoses, read against what happened."""

import gzip
import json
import re
from pathlib import Path

import pytest

from gradreel.explain import beats, diagnose, sentences
from gradreel.explain.derivatives.lookup import operator
from gradreel.explain.narration.backward import fill
from gradreel.explain.narration.beats import PARTS
from gradreel.explain.narration.sentences import TELL
from gradreel.explain.narration.words import code
from gradreel.explain.replay.world import CHANGES
from gradreel.trace import KINDS
from tests.small_programs import SMALL

NONE = re.compile(r"(?<!was )(?<!was not )(?<!set to )\bNone\b")
"""What only a gradient may be said to be."""


def told(name: str) -> list[str]:
    return [sentence for _, sentence in sentences(SMALL[name]())]


@pytest.mark.parametrize("name", SMALL)
def test_beats_cover_all_events_in_order(name: str) -> None:
    trace = SMALL[name]()
    covered = [number for beat in beats(trace.events) for number in range(beat.start, beat.stop)]
    assert covered == list(range(len(trace.events)))


@pytest.mark.parametrize("name", SMALL)
def test_sentences_are_sentences(name: str) -> None:
    for sentence in told(name):
        assert re.match(r"[A-Z`*]", sentence) and re.search(r"[.”?]$", sentence), sentence
        assert not NONE.search(sentence) and "{" not in sentence and "nothing +" not in sentence, sentence
        assert sentence.count("`") % 2 == 0, sentence
        assert re.sub("`[^`]*`", "", sentence).count("**") % 2 == 0, sentence


def test_every_kind_of_event_has_a_part_and_every_beat_its_words() -> None:
    assert set(PARTS) == set(KINDS.values())
    leads = {part for part in PARTS.values() if isinstance(part, str) and part not in ("", "opener")}
    assert leads | {
        "node_made",
        "node_ran",
        "grad_added",
        "grad_stored",
        "grad_assigned",
        "backward_failed",
        "backward_refused",
    } == set(TELL)
    assert set(CHANGES) <= set(KINDS.values())


SAYS = {
    "diamond": [
        "Line 3: `a * a` builds **MulBackward0 #0**, which saves `a`: the gradient of each side needs the other.",
        "**ExpBackward0 #1** multiplies what came (1.0) by its saved result (54.6) and hands 54.6 to `b`.",
        "Gradients meet at **MulBackward0 #0**, whose result `b` was used twice: 1.0 + 54.6 = 55.6.",
        "`a.grad` was None; now it is 222.4.",
    ],
    "shared_in_a_loop": [
        "Line 7: iteration 2 of 2, `step` is `1`.",
        "**MeanBackward0 #5**, **PowBackward0 #4**, **SubBackward0 #3** and two more are released: `loss` was the "
        "last to hold them.",
        "**MvBackward0 #0** asks for `t`, but it was freed by `loss.backward()` on line 10, in iteration 1.\n"
        "PyTorch raises “Trying to backward through the graph a second time”.",
    ],
    "training": [
        "Line 6: `w.grad` is set to None, so the next backward starts afresh.",
        "Line 8: `opt` takes a step: it changes `w` in place, and its version goes up.",
    ],
    "accumulation": [
        "**MulBackward0 #0** retains `a` for another pass: `retain_graph` is set.",
        "`a.grad` was not None, so gradients add up, in place: 6.0 + 6.0 = 12.0.",
    ],
    "saved_modified": [
        "Line 6: `b.mul_(2)` writes into `b` in place: it is now 20.0, at version 2; what **MulBackward0 #1** saved of "
        "it is stale now.",
        "**MulBackward0 #1** asks for `b`, but it was changed: saved at version 0, now at version 2.\n"
        "PyTorch raises “one of the variables needed for gradient computation has been modified by an inplace "
        "operation”.",
    ],
}


@pytest.mark.parametrize("name", SAYS)
def test_it_says_why_with_names_and_numbers(name: str) -> None:
    said = told(name)
    assert [sentence for sentence in SAYS[name] if sentence not in said] == []


@pytest.mark.parametrize(
    "name, kind, lines",
    [
        ("shared_in_a_loop", "second_backward", {"built": 5, "freed_by": 10, "raised": 10}),
        ("saved_modified", "saved_modified", {"built": 4, "saved": 3, "changed": 5, "raised": 7}),
    ],
)
def test_a_diagnosis_names_the_lines(name: str, kind: str, lines: dict[str, int]) -> None:
    (diagnosis,) = diagnose(SMALL[name]())
    assert (diagnosis.kind, diagnosis.lines) == (kind, lines)
    assert len(diagnosis.story) <= 5


@pytest.mark.parametrize("name", ["diamond", "training", "accumulation"])
def test_where_nothing_is_wrong_nothing_is_diagnosed(name: str) -> None:
    assert diagnose(SMALL[name]()) == []


OPS = json.loads(gzip.decompress((Path(__file__).parent.parent / "data" / "ops.json.gz").read_bytes()))
NODES = sorted(set(re.findall(r"\b([A-Z]\w*?)Backward\d+\b", json.dumps(OPS))))


def test_every_operator_has_words_and_a_formula_for_each_input() -> None:
    missing = [kind for kind in NODES if operator(kind) is None]
    assert missing == []
    for kind in NODES:
        row = operator(kind)
        assert row is not None and row.why and row.ways
        for way in row.ways:
            assert way.name and way.formula and way.words
            assert not set(re.findall(r"{(\w+)}", way.words)) & {"grads", "out"}


def test_nobody_is_told_about_a_slot_by_its_braces() -> None:
    assert fill("multiplies {grad} by {batch2}, transposed", code) == "multiplies {grad} by `batch2`, transposed,"
