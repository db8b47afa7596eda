"""The counts of writes that nodes check, set by hand: for writes that a program knows to be harmless."""

from __future__ import annotations

from collections.abc import Sequence

from ..tensor.tensor import Tensor


def _unsafe_set_version_counter(tensors: Sequence[Tensor], versions: Sequence[int]) -> None:
    """Let each of `tensors` have been written as often as `versions` say.

    Raises:
        RuntimeError: there are not as many of both, or one is negative.
    """
    if len(tensors) != len(versions):
        raise RuntimeError(f"tensors_len={len(tensors)}, versions_len={len(versions)}")
    for tensor, version in zip(tensors, versions, strict=True):
        if version < 0:
            raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
        tensor.shared_storage().version = version


class _unsafe_preserve_version_counter:
    """Writes to these tensors in the block are not counted."""

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, tensors: Tensor | tuple[Tensor, ...]) -> None:
        self.tensors = (tensors,) if isinstance(tensors, Tensor) else tensors
        self.versions = tuple(tensor._version for tensor in self.tensors)

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        _unsafe_set_version_counter(self.tensors, self.versions)
