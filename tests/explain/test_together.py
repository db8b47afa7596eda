"""A mend of several edits tells each thing once."""

from __future__ import annotations

import pytest

from gradreel.explain.fixes.runner import together

CASES = [
    ("keep a copy: .clone() on line 5", "keep a copy: .clone() on line 5"),
    ("a copy on line 5; a copy on line 8", "a copy on lines 5 and 8"),
    ("a copy: line 5; a copy: line 8; a copy: line 9", "a copy: lines 5, 8 and 9"),
    ("a copy on line 5; leave out line 7; a copy on line 8", "a copy on lines 5 and 8; leave out line 7"),
    ("line 4 after line 5; line 4 after line 6", "line 4 after lines 5 and 6"),
    ("memory for one tensor; memory for one tensor", "memory for one tensor"),
    ("a copy on line 5; a copy on line 5", "a copy on line 5"),
    ("memory; time", "memory; time"),
]


@pytest.mark.parametrize(("joined", "told"), CASES)
def test_each_thing_is_told_once(joined: str, told: str) -> None:
    assert together(joined) == told
