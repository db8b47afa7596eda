"""Behind the engine's module: data sets that are made up fit themselves to their loaders."""

# ruff: noqa: F821

_Loader, _parts_of = DataLoader, random_split


class DataLoader(_Loader):
    def __init__(self, dataset, batch_size=1, *args, **options):
        if hasattr(dataset, "_fit"):
            dataset._fit(batch_size)
        super().__init__(dataset, batch_size, *args, **options)


def random_split(dataset, lengths, generator=None):
    if hasattr(dataset, "_fit") and sum(lengths) > len(dataset):
        first = [length * len(dataset) // sum(lengths) for length in lengths[:-1]]
        lengths = [*first, len(dataset) - sum(first)]  # the shares of a data set that is small
    return _parts_of(dataset, lengths, generator)
