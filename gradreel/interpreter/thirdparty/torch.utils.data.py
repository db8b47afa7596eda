"""Behind the engine's module: data sets that are made up fit themselves to their loaders."""

# ruff: noqa: F821

_Loader, _begin, _parts_of = DataLoader, DataLoader.__init__, random_split


class DataLoader:
    def __init__(self, dataset, batch_size=1, *args, **options):
        if hasattr(dataset, "_fit"):
            dataset._fit(batch_size)
        _begin(self, dataset, batch_size, *args, **options)


_Loader.__init__ = DataLoader.__init__
DataLoader = _Loader


def random_split(dataset, lengths, generator=None):
    if hasattr(dataset, "_fit") and sum(lengths) > len(dataset):
        first = [length * len(dataset) // sum(lengths) for length in lengths[:-1]]
        lengths = [*first, len(dataset) - sum(first)]  # the shares of a data set that is small
    return _parts_of(dataset, lengths, generator)
