"""Grad modes: contexts that are decorators too."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Generator
from contextvars import ContextVar
from typing import Any

from ..errors import Unsupported
from .state import state, switch

CLASS_DECORATED = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
    "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method "
    "and nothing else."
)


new_mode: Any = object.__new__


class Mode:
    """A change of state for a block, or for every call of a decorated function."""

    def fresh(self) -> Mode:
        return type(self)()

    def __enter__(self) -> None:
        fields = state.__dict__
        self.before = fields["grad_enabled"], fields["inference"]
        self.change()

    def __exit__(self, *_: object) -> None:
        with_grad, state.inference = self.before
        state.grad_enabled = with_grad

    def change(self) -> None:
        raise NotImplementedError

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            warnings.warn(CLASS_DECORATED, FutureWarning, stacklevel=2)
        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def steps(*args: Any, **options: Any) -> Any:
                return (yield from self.stepwise(function(*args, **options)))

            return steps

        @functools.wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            with self.fresh():
                return function(*args, **options)

        return call

    def stepwise(self, inner: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """The steps of `inner`, each in this mode; what goes on between them is not."""
        act = functools.partial(inner.send, None)
        while True:
            try:
                with self.fresh():
                    given = act()
            except StopIteration as end:
                return end.value
            try:
                act = functools.partial(inner.send, (yield given))
            except GeneratorExit:
                with self.fresh():
                    inner.close()
                raise
            except BaseException as error:
                act = functools.partial(inner.throw, error)


class no_grad(Mode):
    """Results need no gradient."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        mode = new_mode(cls)
        return mode if function is None else mode(function)

    def __enter__(self) -> None:
        fields = state.__dict__
        self.with_grad = fields["grad_enabled"]
        if fields["levels"]:
            check_forward()
        switch(fields, False)

    def __exit__(self, *_: object) -> None:
        switch(state.__dict__, self.with_grad)


class enable_grad(no_grad):
    """Results need a gradient again, inside no_grad."""

    def __enter__(self) -> None:
        self.with_grad = state.grad_enabled
        switch(state.__dict__, not state.inference)


class set_grad_enabled(Mode):
    """Grad mode by a flag: at once when called, undone at the end of a block."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            kind = type(mode).__name__
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {kind}")
        self.mode = mode
        if not mode:
            check_forward()
        self.before = state.grad_enabled, state.inference
        state.grad_enabled = self.mode

    def fresh(self) -> Mode:
        return set_grad_enabled(self.mode)

    def __enter__(self) -> None:
        state.grad_enabled = self.mode

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        state.grad_enabled = self.before[0]
        return super().__call__(function)


class inference_mode(Mode):
    """no_grad, and the results can never be used in a graph."""

    def __new__(cls, mode: Any = True) -> Any:
        new = super().__new__(cls)
        new.mode = True
        return new if isinstance(mode, bool) else new(mode)

    def __init__(self, mode: Any = True) -> None:
        self.mode = not isinstance(mode, bool) or mode

    def fresh(self) -> Mode:
        return inference_mode(self.mode)

    def change(self) -> None:
        if self.mode:
            check_forward()
        state.inference = self.mode
        state.grad_enabled = not self.mode


def check_forward() -> None:
    """Refuse to leave the graph under forward mode, which has no say in it in torch, and is made of it here.

    Raises:
        NotImplementedError: a level of forward mode is under way.
    """
    if any(level.forward for level in state.levels):
        raise Unsupported(
            "no_grad inside of forward mode (dual_level, torch.func.jvp, jacfwd, hessian) is not supported"
        )


def is_grad_enabled() -> bool:
    return state.grad_enabled


def is_inference_mode_enabled() -> bool:
    return state.inference


_multithreading: ContextVar[bool] = ContextVar("multithreading", default=True)


def is_multithreading_enabled() -> bool:
    return _multithreading.get()


class set_multithreading_enabled(Mode):
    """Remembered, and otherwise without effect: backward has one thread here. Undone at the end of a block."""

    def __init__(self, mode: bool) -> None:
        self.mode, self.earlier = bool(mode), _multithreading.get()
        _multithreading.set(self.mode)

    def fresh(self) -> Mode:
        return set_multithreading_enabled(self.mode)

    def __enter__(self) -> None:
        """It holds since it was made."""

    def __exit__(self, *_: object) -> None:
        _multithreading.set(self.earlier)
