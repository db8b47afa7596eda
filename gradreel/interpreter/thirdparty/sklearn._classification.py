"""Clouds of points at the corners of a cube, some of whose coordinates tell nothing: make_classification."""

import numpy as _np
from sklearn.utils import _without_replacement
from sklearn.utils import check_random_state as _stream
from sklearn.utils import shuffle as _shuffle


def _corners(count, dimensions, generator):
    """So many different corners of a cube, as rows of 0 and 1."""
    if dimensions > 30:
        first = generator.randint(2, size=(count, dimensions - 30))
        return _np.hstack([first, _corners(count, 30, generator)])
    numbers = _without_replacement(2**dimensions, count, generator).tolist()
    return _np.array([[number >> place & 1 for place in reversed(range(dimensions))] for number in numbers])


def _sizes(n_samples, weights, n_classes, per_class):
    """How many points each cloud has."""
    if weights is None:
        weights = [1.0 / n_classes] * n_classes
    elif len(weights) not in (n_classes, n_classes - 1):
        raise ValueError("Weights specified but incompatible with number of classes.")
    weights = list(weights) + [1.0 - sum(weights)] * (len(weights) == n_classes - 1)
    sizes = [int(n_samples * weights[nr % n_classes] / per_class) for nr in range(n_classes * per_class)]
    for nr in range(n_samples - sum(sizes)):
        sizes[nr % len(sizes)] += 1
    return sizes


def make_classification(
    n_samples=100, n_features=20, *, n_informative=2, n_redundant=2, n_repeated=0, n_classes=2, n_clusters_per_class=2,
    weights=None, flip_y=0.01, class_sep=1.0, hypercube=True, shift=0.0, scale=1.0, shuffle=True, random_state=None,
):  # fmt: skip
    generator, told = _stream(random_state), n_informative
    if told + n_redundant + n_repeated > n_features:
        raise ValueError(
            "Number of informative, redundant and repeated features must sum to less than the number of total features"
        )
    if told < _np.log2(n_classes * n_clusters_per_class):
        raise ValueError(
            f"n_classes({n_classes}) * n_clusters_per_class({n_clusters_per_class}) must be smaller or equal "
            f"2**n_informative({told})={2**told}"
        )
    sizes = _sizes(n_samples, weights, n_classes, n_clusters_per_class)
    X, y = _np.zeros((n_samples, n_features)), _np.zeros(n_samples, dtype=int)
    centers = _corners(len(sizes), told, generator).astype(float) * (2 * class_sep) - class_sep
    if not hypercube:
        centers *= generator.uniform(size=(len(sizes), 1))
        centers *= generator.uniform(size=(1, told))
    X[:, :told] = generator.standard_normal(size=(n_samples, told))
    stop = 0
    for nr, size in enumerate(sizes):
        start, stop = stop, stop + size
        y[start:stop] = nr % n_classes
        turned = 2 * generator.uniform(size=(told, told)) - 1
        X[start:stop, :told] = _np.dot(X[start:stop, :told], turned) + centers[nr]
    _fill(X, told, n_redundant, n_repeated, generator)
    if flip_y >= 0.0:
        flipped = generator.uniform(size=n_samples) < flip_y
        y[flipped] = generator.randint(n_classes, size=int(flipped.sum()))
    X += 2 * class_sep * generator.uniform(size=n_features) - class_sep if shift is None else shift
    X *= 1 + 100 * generator.uniform(size=n_features) if scale is None else scale
    if shuffle:
        X, y = _shuffle(X, y, random_state=generator)
        places = _np.arange(n_features)
        generator.shuffle(places)
        X[:, :] = X[:, places]
    return X, y


def _fill(X, told, redundant, repeated, generator):
    """The columns that follow from others, repeat them, or are noise."""
    if redundant:
        X[:, told : told + redundant] = _np.dot(X[:, :told], 2 * generator.uniform(size=(told, redundant)) - 1)
    known = told + redundant
    if repeated:
        places = ((known - 1) * generator.uniform(size=repeated) + 0.5).astype(int)
        X[:, known : known + repeated] = X[:, places]
    noise = X.shape[1] - known - repeated
    if noise:
        X[:, -noise:] = generator.standard_normal(size=(X.shape[0], noise))
