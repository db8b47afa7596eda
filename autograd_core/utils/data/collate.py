"""Making one batch of samples."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping
from typing import Any

import autograd_core

torch: Any = autograd_core
"""Nothing here knows how the engine works inside: torch is used as by any program."""


NO_BATCH = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def is_array(value: Any) -> bool:
    """Whether it is one of numpy's, or a number of one."""
    return hasattr(value, "dtype") and hasattr(value, "tolist") and not isinstance(value, torch.Tensor)


def default_collate(batch: Any) -> Any:
    """Samples of one kind together: tensors stacked, numbers as a tensor, the parts of others by themselves.

    Raises:
        TypeError: they are of another kind.
        RuntimeError: lists of different lengths.
    """
    first = batch[0]
    if isinstance(first, torch.Tensor):
        return torch.stack(batch, 0)
    if is_array(first):
        if getattr(first, "ndim", 0) and getattr(first.dtype, "kind", "f") in "USOV":
            raise TypeError(NO_BATCH.format(first.dtype))
        return default_collate([torch.as_tensor(one) for one in batch]) if first.ndim else torch.as_tensor(batch)
    if isinstance(first, float):
        return torch.tensor(batch, dtype=torch.float64)
    if isinstance(first, int):
        return torch.tensor(batch)
    if isinstance(first, str):
        return batch
    if isinstance(first, MutableMapping):
        together = copy.copy(first)
        together.update({key: default_collate([one[key] for one in batch]) for key in first})
        return together
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*[default_collate(parts) for parts in zip(*batch, strict=True)])
    if isinstance(first, (list, tuple)):
        if any([len(one) != len(first) for one in batch]):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(parts) for parts in zip(*batch, strict=True)]
    raise TypeError(NO_BATCH.format(type(first)))


def default_convert(data: Any) -> Any:
    """Arrays as tensors, also inside dictionaries and lists; all else as it is."""
    if is_array(data):
        return torch.as_tensor(data)
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [default_convert(part) for part in data]
    return data
