"""Storage: memory that tensors share, and how often it was written."""

from __future__ import annotations

from itertools import count
from typing import Any

from .. import errors
from ..engine.state import state

_addresses = count(1 << 40, 1 << 26)


class Storage:
    """Memory that tensors may share, and how often it was written (`version`).

    `boxed` is the array that took the place of a numpy scalar once something could alias it.
    """

    __slots__ = ("version", "boxed", "address_", "counts", "told", "__weakref__")
    inference = False

    version: int
    boxed: Any
    address_: int | None
    counts: bool
    told: int

    @property
    def address(self) -> int:
        """Where the memory lies, made up at the first question."""
        if self.address_ is None:
            self.address_ = next(_addresses)
        return self.address_

    @address.setter
    def address(self, value: int) -> None:
        self.address_ = value

    def count(self) -> int:
        """The version, or 0 where none is counted."""
        return self.version

    def shown(self) -> int:
        """What `_version` says of it."""
        return self.version

    def write(self, within: bool) -> None:
        """Note a write, `within` inference mode or not."""
        self.version += 1


class InferenceStorage(Storage):
    """Memory made in inference mode: it counts no writes, so no node can save it.

    One of a function that torch.func transforms can, for such a function sees what is outside of it as a tensor of its
    own.
    """

    __slots__ = ("depth", "kept")
    inference = True

    depth: int
    """How many functions were being transformed where it was made."""
    kept: bool
    """Whether a node has it."""

    def __init__(self) -> None:
        self.boxed, self.address_, self.counts = None, None, True
        self.depth, self.kept = transform_depth(), False

    @property
    def version(self) -> int:
        if not self.kept and transform_depth() <= self.depth:
            raise RuntimeError(errors.INFERENCE_SAVED)
        self.kept = True
        return 0

    @version.setter
    def version(self, value: int) -> None: ...

    def count(self) -> int:
        return 0

    def shown(self) -> int:
        raise RuntimeError("Inference tensors do not track version counter.")

    def write(self, within: bool) -> None:
        """Refuse a write, unless it is `within` inference mode.

        Raises:
            RuntimeError: it is not.
        """
        if not within:
            raise RuntimeError(errors.INFERENCE_IN_PLACE)


class OutsideStorage(InferenceStorage):
    """Such memory as `detach` and `.data` show it outside of inference mode: still not to be saved, but counting."""

    __slots__ = ("writes",)

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0

    def shown(self) -> int:
        return self.writes

    def write(self, within: bool) -> None:
        self.writes += not within


def transform_depth() -> int:
    """How many functions are being transformed."""
    return sum(level is not state.dual for level in state.levels)


def new_storage(version: int = 0) -> Storage:
    """A storage for memory that nothing shares yet."""
    storage = Storage()
    storage.version, storage.boxed, storage.address_, storage.counts = version, None, None, True
    return storage
