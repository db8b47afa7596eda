"""statistics, in Python: means and deviations of numbers."""

import math as _math


class StatisticsError(ValueError):
    pass


def _listed(data, name, least=1):
    data = list(data)
    if len(data) < least:
        what = f"{name} requires at least one data point" if least == 1 else f"{name} requires at least two data points"
        raise StatisticsError(what)
    return data


def _exactly(total, count):
    result = total / count
    return int(result) if isinstance(total, int) and total % count == 0 else result


def mean(data):
    data = _listed(data, "mean")
    whole = all(isinstance(x, int) for x in data)
    return _exactly(sum(data) if whole else _math.fsum(data), len(data))


def fmean(data):
    data = _listed(data, "fmean")
    return _math.fsum(data) / len(data)


def median(data):
    data = sorted(data)
    if not data:
        raise StatisticsError("no median for empty data")
    middle = len(data) // 2
    return data[middle] if len(data) % 2 else (data[middle - 1] + data[middle]) / 2


def mode(data):
    counts = {}
    for x in data:
        counts[x] = counts.get(x, 0) + 1
    if not counts:
        raise StatisticsError("no mode for empty data")
    return max(counts, key=counts.get)


def _squares(data):
    center = _math.fsum(data) / len(data)
    return _math.fsum([(x - center) ** 2 for x in data])


def variance(data, xbar=None):
    data = _listed(data, "variance", 2)
    return _squares(data) / (len(data) - 1)


def pvariance(data, mu=None):
    data = _listed(data, "pvariance")
    return _squares(data) / len(data)


def stdev(data, xbar=None):
    return _math.sqrt(variance(data))


def pstdev(data, mu=None):
    return _math.sqrt(pvariance(data))
