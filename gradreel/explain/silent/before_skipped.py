"""Gradients across turns that were left out of the recording: whether they are still the same."""

from __future__ import annotations

from collections.abc import Iterable

from gradreel.trace.events import Value

from ..replay.world import World


class BeforeSkipped:
    """What gradients were before turns were left out, to be compared when they are used next."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.gradients: dict[int, Value | None] = {}

    def note(self, tensors: Iterable[int]) -> None:
        """Turns are left out, and these `tensors` are watched."""
        for tensor in tensors:
            self.gradients.setdefault(tensor, self.world.tensors[tensor].grad)

    def differs(self, tensor: int, now: Value | None) -> bool:
        """Whether turns were left out since `tensor` was seen, and its gradient was another before them."""
        return tensor in self.gradients and self.gradients.pop(tensor) != now

    def forget(self, tensor: int) -> None:
        self.gradients.pop(tensor, None)
