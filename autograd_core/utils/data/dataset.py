"""torch.utils.data.dataset: samples by their number, or one after the other."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import autograd_core

torch: Any = autograd_core
"""Nothing here knows how the engine works inside: torch is used as by any program."""


class Dataset:
    """Samples by their number; what derives from it has `__getitem__`, and most have `__len__`."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Any) -> Any:
        return ConcatDataset([self, other])

    def __class_getitem__(cls, kind: Any) -> Any:
        return cls


class IterableDataset(Dataset):
    """Samples one after the other."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Any) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """The rows of tensors of one length."""

    def __init__(self, *tensors: Any) -> None:
        assert all(tensors[0].size(0) == tensor.size(0) for tensor in tensors), "Size mismatch between tensors"
        self.tensors = tensors

    def __getitem__(self, index: Any) -> Any:
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self) -> int:
        length: int = self.tensors[0].size(0)
        return length


class StackDataset(Dataset):
    """The samples of some data sets side by side, as a tuple or by their names."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given."
            )
        if not (args or kwargs):
            raise ValueError("At least one dataset should be passed")
        self.datasets: Any = args or kwargs
        lengths = [len(one) for one in (args or kwargs.values())]
        if len(set(lengths)) > 1:
            raise ValueError("Size mismatch between datasets")
        self._length = lengths[0]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: one[index] for name, one in self.datasets.items()}
        return tuple([one[index] for one in self.datasets])

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset):
    """The samples of some data sets in a row."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        assert len(self.datasets) > 0, "datasets should not be an empty iterable"
        self.cumulative_sizes: list[int] = []
        for one in self.datasets:
            assert not isinstance(one, IterableDataset), "ConcatDataset does not support IterableDataset"
            self.cumulative_sizes.append(len(self) + len(one))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1] if self.cumulative_sizes else 0

    def __getitem__(self, index: Any) -> Any:
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        nr = sum([1 for size in self.cumulative_sizes if size <= index])
        before = self.cumulative_sizes[nr - 1] if nr else 0
        return self.datasets[nr][index - before]


class ChainDataset(IterableDataset):
    """The samples of some data sets that are iterated over, one set after the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for one in self.datasets:
            assert isinstance(one, IterableDataset), "ChainDataset only supports IterableDataset"
            yield from one

    def __len__(self) -> int:
        return sum([len(one) for one in self.datasets])


class Subset(Dataset):
    """Some of the samples of a data set."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Parts of these lengths, or of these shares, that have no sample in common.

    Raises:
        ValueError: the lengths do not add up to that of the data set, or a share is none.
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = whole_lengths(len(dataset), lengths)
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = torch.randperm(sum(lengths), generator=generator or torch.default_generator).tolist()
    parts, start = [], 0
    for length in lengths:
        parts.append(Subset(dataset, order[start : start + int(length)]))
        start += int(length)
    return parts


def whole_lengths(total: int, shares: Sequence[float]) -> list[int]:
    """How many of `total` each share has: what is left over goes to the first ones."""
    lengths = []
    for i, share in enumerate(shares):
        if share < 0 or share > 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
        lengths.append(math.floor(total * share))
    for i in range(total - sum(lengths)):
        lengths[i % len(lengths)] += 1
    for i, length in enumerate(lengths):
        if length == 0:
            warnings.warn(f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=3)
    return lengths
