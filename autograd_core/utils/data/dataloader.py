"""torch.utils.data.dataloader: batches of samples, made in this process alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler, batches, drawn_seed

ALONE = "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
OF_A_STREAM = "DataLoader with IterableDataset: expected unspecified {0} option, but got {0}={1}"
NO_BATCHES = "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
NO_WORKERS = "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
PREFETCH = (
    "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable multiprocessing, "
    "otherwise set prefetch_factor to None."
)

SETTLED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
"""What cannot be set any more once the loader is made."""


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

    def __setattr__(self, name: str, value: Any) -> None:
        if name in SETTLED and "collate_fn" in self.__dict__:  # the last that is set at first
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

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
