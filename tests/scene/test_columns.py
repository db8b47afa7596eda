"""Columns give back what was written, whatever it was, and say much in little."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradreel.explain.replay.graph_queries import flat
from gradreel.scene.columns import decimals, round_digits, turns, write
from gradreel.scene.reading import read

NUMBERED = st.builds(
    "{}{}{}".format, st.sampled_from(["n", "w", "", "0", "-", "1."]), st.integers(0, 120), st.text("[.e5]")
)
SIMPLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 9),
    st.floats(allow_nan=False, allow_infinity=False),
    NUMBERED,
    st.text(max_size=4),
)
NEAR = st.integers(-(2**20), 2**20)
LISTS = st.lists(SIMPLE, max_size=3)
TUPLES = st.lists(SIMPLE, max_size=3).map(tuple)
RECORDS = st.fixed_dictionaries({"name": NUMBERED, "shape": TUPLES}, optional={"more": SIMPLE})
THINGS = st.one_of(
    *(
        st.lists(sort, max_size=24)
        for sort in (SIMPLE, st.integers(), st.none() | st.integers(), NEAR, NUMBERED, LISTS, TUPLES, RECORDS)
    ),
    st.lists(st.one_of(SIMPLE, LISTS, TUPLES, RECORDS, st.lists(TUPLES, max_size=2).map(tuple)), max_size=12),
)


@given(THINGS)
def test_what_was_written_is_read(things: list[Any]) -> None:
    text = json.dumps(write(things), allow_nan=False)
    assert json.dumps(read(json.loads(text))) == json.dumps(things)


@pytest.mark.parametrize(
    ("things", "column"),
    [
        ([], []),
        ([3, 1, 4, 1], [3, 1, 4, 1]),
        ([4, 6, 8, 10], {"from": 4, "by": 2, "n": 4}),
        ([3, 1, 4, 1] * 16, {"letters": ["%#&#" * 16], "least": 1}),
        ([0, 57, 400, 1] * 16, {"letters": ["#$*#" * 16, "##$$" * 16], "least": 0}),
        ([0, 57**5] * 32, [0, 57**5] * 32),
        ([7, *range(9, 72)], {"step": [2, *[1] * 62], "first": 7}),
        ([7, *range(9, 73)], {"step": {"letters": ["$" + "#" * 63], "least": 1}, "first": 7}),
        ([2**53 + 1, 0] * 8, [2**53 + 1, 0] * 8),
        ([None] * 9, {"all": None, "n": 9}),
        (
            [5, 6, 7, None, 8],
            {"sorts": [{"from": 5, "by": 1, "n": 4}, {"all": None, "n": 1}], "at": [0, 0, 0, 1, 0]},
        ),
        (
            ["n1", "n2", "n3"],
            {"text": [["n", ""]], "at": {"all": 0, "n": 3}, "holes": [[{"from": 1, "by": 1, "n": 3}]]},
        ),
        (["on", "off", "on", "off"], {"of": ["on", "off"], "at": [0, 1, 0, 1]}),
        (
            ["a 1 b 0.5", "a 2 b 0.5", "a 3 b 0.5"],
            {
                "text": [["a ", " b ", ""]],
                "at": {"all": 0, "n": 3},
                "holes": [[{"from": 1, "by": 1, "n": 3}, {"all": "0.5", "n": 3}]],
            },
        ),
        ([[1], [], [2, 3]], {"lengths": [1, 0, 2], "items": {"from": 1, "by": 1, "n": 3}}),
        ([{"a": 1}, {"a": 1}], {"rows": {"a": {"all": 1, "n": 2}}}),
        ([1, "a"], {"sorts": [{"all": 1, "n": 1}, {"all": "a", "n": 1}], "at": {"from": 0, "by": 1, "n": 2}}),
    ],
)
def test_the_forms(things: list[Any], column: Any) -> None:
    assert write(things) == column
    assert read(column) == things


@given(st.lists(SIMPLE, max_size=12), st.integers(1, 4))
def test_what_comes_by_turns_is_read(things: list[Any], every: int) -> None:
    whole = things[: len(things) // every * every]
    assert json.dumps(read(turns(whole, every))) == json.dumps(whole)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.floats(-1e6, 1e6), min_size=64, max_size=70),
    st.integers(3, 8),
)
def test_floats_of_few_digits_are_read(things: list[float], digits: int) -> None:
    text = json.dumps(decimals(np.array(things, np.float64), digits), allow_nan=False)
    assert json.dumps(read(json.loads(text))) == json.dumps([round_digits(thing, digits) for thing in things])


@pytest.mark.parametrize(
    ("shapes", "tensors"),
    [
        ([[], []], [1.5, 2.5]),
        ([[2], [0], [1, 2]], [[1, 2], [], [[3, 4]]]),
        ([[2, 0], [0, 2]], [[[], []], []]),
    ],
)
def test_tensors_are_read_by_their_shapes(shapes: list[list[int]], tensors: list[Any]) -> None:
    assert read({"nested": [number for tensor in tensors for number in flat(tensor)], "shape": shapes}) == tensors


@pytest.mark.parametrize("things", [["n1", "2n3"], ["n1", ""], ["n1n2", "n"], ["n1", "n02"]])
def test_what_only_looks_like_numbered_texts_is_read(things: list[str]) -> None:
    assert read(write(things)) == things


def test_what_json_does_not_know_is_refused() -> None:
    with pytest.raises(TypeError, match="a scene holds no complex"):
        write([1j])
