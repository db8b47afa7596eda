"""deque and defaultdict of programs: nested as deep as one likes, they end no process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from gradreel.interpreter.runtime.values import DefaultDict, Deque


@pytest.mark.parametrize("nest", [lambda inner: Deque([inner]), lambda inner: DefaultDict(None, {1: inner})])
def test_what_lies_in_one_another_is_freed_on_a_small_stack(nest: Callable[[Any], Any]) -> None:
    """CPython's own deques and defaultdicts take 20,000 pieces of the stack here, and end the process."""

    def nested() -> None:
        held: Any = None
        for _ in range(20_000):
            held = nest(held)
        del held
        freed.append(True)

    freed: list[bool] = []
    before = threading.stack_size(512 << 10)
    thread = threading.Thread(target=nested)
    thread.start()
    threading.stack_size(before)
    thread.join()
    assert freed
