"""Functions of machines that have a graphics card, on one that has none: they say so, whatever they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

Answer = TypeVar("Answer")


def answering(answer: Answer) -> Callable[..., Answer]:
    """A function that gives `answer`."""

    def function(*args: object, **kwargs: object) -> Answer:
        return answer

    return function


def refusing(error: type[Exception], sentence: str) -> Callable[..., NoReturn]:
    """A function that raises `error`."""

    def function(*args: object, **kwargs: object) -> NoReturn:
        raise error(sentence)

    return function
