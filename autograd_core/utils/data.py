"""torch.utils.data: data sets, samplers and a loader, which works in this process alone."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import autograd_core

torch: Any = autograd_core
"""Nothing here knows how the engine works inside: torch is used as by any program."""

# ---- data sets


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


# ---- samplers


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def check_count(name: str, value: Any) -> None:
    if not is_count(value):
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def drawn_seed(generator: Any = None) -> int:
    seed: int = torch.empty((), dtype=torch.int64).random_(generator=generator).item()
    return seed


class Sampler:
    """Numbers of samples, in an order."""

    def __init__(self, data_source: Any = None) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def __class_getitem__(cls, kind: Any) -> Any:
        return cls


class SequentialSampler(Sampler):
    """All, one after the other."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """All in a random order, or so many of them, each again and again if with replacement."""

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._num_samples = num_samples
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        check_count("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n, generator = len(self.data_source), self.generator
        if generator is None:
            generator = torch.Generator()
            generator.manual_seed(drawn_seed())
        if self.replacement:
            for _ in range(self.num_samples // 32):
                yield from torch.randint(high=n, size=(32,), dtype=torch.int64, generator=generator).tolist()
            rest = self.num_samples % 32
            yield from torch.randint(high=n, size=(rest,), dtype=torch.int64, generator=generator).tolist()
            return
        for _ in range(self.num_samples // n):
            yield from torch.randperm(n, generator=generator).tolist()
        yield from torch.randperm(n, generator=generator).tolist()[: self.num_samples % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """These, in a random order."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        for i in torch.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """So many, each as likely as its weight says."""

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None) -> None:
        check_count("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = torch.as_tensor(weights, dtype=torch.double)
        if len(self.weights.shape) != 1:
            shape = tuple(self.weights.shape)
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {shape}")
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = torch.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of what a sampler gives."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        check_count("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        return batches(self.sampler, self.batch_size, self.drop_last)

    def __len__(self) -> int:
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else (n + self.batch_size - 1) // self.batch_size


def batches(items: Iterable[Any], size: int, drop_last: bool) -> Iterator[list[Any]]:
    """Lists of `size` items; the last has what is left over, unless it is dropped."""
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch and not drop_last:
        yield batch


# ---- making one batch of samples


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


# ---- the loader


ALONE = "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
OF_A_STREAM = "DataLoader with IterableDataset: expected unspecified {0} option, but got {0}={1}"
NO_BATCHES = "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
NO_WORKERS = "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
PREFETCH = (
    "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable multiprocessing, "
    "otherwise set prefetch_factor to None."
)


class DataLoader:
    """Batches of the samples of a data set, in the order of a sampler."""

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Any = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        if num_workers < 0:
            raise ValueError(NO_WORKERS)
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError(PREFETCH)
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        self.dataset, self.num_workers, self.pin_memory, self.timeout = dataset, num_workers, pin_memory, timeout
        self.worker_init_fn, self.generator, self.multiprocessing_context = worker_init_fn, generator, None
        self.prefetch_factor, self.persistent_workers, self.in_order = prefetch_factor, persistent_workers, in_order
        self._stream = isinstance(dataset, IterableDataset)
        if self._stream:
            for name, value, unsaid in (("shuffle", shuffle, not shuffle), ("sampler", sampler, sampler is None)):
                if not unsaid:
                    raise ValueError(OF_A_STREAM.format(name, value))
            if batch_sampler is not None:
                raise ValueError(OF_A_STREAM.format("batch_sampler", batch_sampler))
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(ALONE)
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError(NO_BATCHES)
        if sampler is None and not self._stream:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last, self.sampler, self.batch_sampler = (
            batch_size,
            drop_last,
            sampler,
            batch_sampler,
        )
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)

    def __iter__(self) -> Any:
        return _SingleProcessDataLoaderIter(self)

    def __len__(self) -> int:
        if not self._stream:
            return len(self.sampler) if self.batch_sampler is None else len(self.batch_sampler)
        length = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)


class _SingleProcessDataLoaderIter:
    """One pass over the batches of a loader."""

    def __init__(self, loader: DataLoader) -> None:
        self.loader = loader
        drawn_seed(loader.generator)  # torch draws one for workers, whether there are any or not
        self.batches = self.made()

    def made(self) -> Iterator[Any]:
        loader = self.loader
        dataset, collate = loader.dataset, loader.collate_fn
        if loader._stream and loader.batch_size is None:
            yield from map(collate, dataset)
        elif loader._stream:
            yield from map(collate, batches(dataset, loader.batch_size or 1, loader.drop_last))
        elif loader.batch_sampler is None:
            for index in loader.sampler:
                yield collate(dataset[index])
        else:
            for indices in loader.batch_sampler:
                yield collate([dataset[index] for index in indices])

    def __iter__(self) -> _SingleProcessDataLoaderIter:
        return self

    def __next__(self) -> Any:
        return next(self.batches)

    def __len__(self) -> int:
        return len(self.loader)


def get_worker_info() -> None:
    """What a worker knows of itself: there is none."""
    return None
