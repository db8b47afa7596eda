"""torch.utils.data, which the engine has, but that data sets that are made up fit themselves to their loaders."""

# ruff: noqa: F401

from torch.utils.data.collate import default_collate, default_convert
from torch.utils.data.dataloader import DataLoader as _DataLoader
from torch.utils.data.dataloader import get_worker_info
from torch.utils.data.dataset import ChainDataset, ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset
from torch.utils.data.dataset import random_split as _random_split
from torch.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)


class DataLoader(_DataLoader):
    def __init__(self, dataset, batch_size=1, *args, **options):
        if hasattr(dataset, "_fit"):
            dataset._fit(batch_size)
        super().__init__(dataset, batch_size, *args, **options)


def random_split(dataset, lengths, generator=None):
    if hasattr(dataset, "_fit") and sum(lengths) > len(dataset):
        first = [length * len(dataset) // sum(lengths) for length in lengths[:-1]]
        lengths = [*first, len(dataset) - sum(first)]  # the shares of a data set that is small
    return _random_split(dataset, lengths, generator)
