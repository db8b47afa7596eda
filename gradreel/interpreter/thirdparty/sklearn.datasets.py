"""sklearn.datasets, in Python: points on curves and in clouds, lines with noise, and Fisher's irises."""

import numpy as _np
from sklearn._classification import make_classification as make_classification
from sklearn.utils import _without
from sklearn.utils import check_random_state as _stream
from sklearn.utils import shuffle as _shuffle


def _two_parts(n_samples):
    """How many points are on the outer curve, and how many on the inner one."""
    if isinstance(n_samples, (tuple, list)):
        if len(n_samples) != 2:
            raise ValueError("`n_samples` can be either an int or a two-element tuple.")
        return n_samples
    return n_samples // 2, n_samples - n_samples // 2


def _two_curves(outer, inner, shuffle, noise, generator):
    """The points of both curves, each given by its two coordinates, and which curve they are on."""
    X = _np.vstack([_np.append(outer[0], inner[0]), _np.append(outer[1], inner[1])]).T
    y = _np.hstack([_np.zeros(len(outer[0]), dtype=_np.int64), _np.ones(len(inner[0]), dtype=_np.int64)])
    if shuffle:
        X, y = _shuffle(X, y, random_state=generator)
    if noise is not None:
        X += generator.normal(scale=noise, size=X.shape)
    return X, y


def make_moons(n_samples=100, *, shuffle=True, noise=None, random_state=None):
    n_out, n_in = _two_parts(n_samples)
    out, within = _np.linspace(0, _np.pi, n_out), _np.linspace(0, _np.pi, n_in)
    outer = _np.cos(out), _np.sin(out)
    inner = 1 - _np.cos(within), 1 - _np.sin(within) - 0.5
    return _two_curves(outer, inner, shuffle, noise, _stream(random_state))


def make_circles(n_samples=100, *, shuffle=True, noise=None, random_state=None, factor=0.8):
    n_out, n_in = _two_parts(n_samples)
    out = _np.linspace(0, 2 * _np.pi, n_out, endpoint=False)
    within = _np.linspace(0, 2 * _np.pi, n_in, endpoint=False)
    outer = _np.cos(out), _np.sin(out)
    inner = _np.cos(within) * factor, _np.sin(within) * factor
    return _two_curves(outer, inner, shuffle, noise, _stream(random_state))


def _cloud_sizes(n_samples, count):
    if isinstance(n_samples, (list, tuple, _np.ndarray)):
        return list(n_samples)
    return [n_samples // count + (nr < n_samples % count) for nr in range(count)]


def make_blobs(
    n_samples=100, n_features=2, *, centers=None, cluster_std=1.0, center_box=(-10.0, 10.0), shuffle=True,
    random_state=None, return_centers=False,
):  # fmt: skip
    generator = _stream(random_state)
    several = isinstance(n_samples, (list, tuple, _np.ndarray))
    if centers is None:
        centers = len(n_samples) if several else 3
    if isinstance(centers, int):
        centers = generator.uniform(center_box[0], center_box[1], size=(centers, n_features))
    centers = _np.array(centers)
    count, n_features = centers.shape
    stds = list(cluster_std) if hasattr(cluster_std, "__len__") else [cluster_std] * count
    sizes = _cloud_sizes(n_samples, count)
    if len(stds) != count or len(sizes) != count:
        what = "clusters_std" if len(stds) != count else "n_samples"
        raise ValueError(f"Length of `{what}` not consistent with number of centers. Got centers = {centers}")
    clouds = [generator.normal(centers[nr], stds[nr], (sizes[nr], n_features)) for nr in range(count)]
    X, y = _np.concatenate(clouds), _np.repeat(_np.arange(count), sizes)
    if shuffle:
        X, y = _shuffle(X, y, random_state=generator)
    return (X, y, centers) if return_centers else (X, y)


def make_regression(
    n_samples=100, n_features=100, *, n_informative=10, n_targets=1, bias=0.0, effective_rank=None, tail_strength=0.5,
    noise=0.0, shuffle=True, coef=False, random_state=None,
):  # fmt: skip
    _without("make_regression", effective_rank=(effective_rank, None))
    n_informative, generator = min(n_features, n_informative), _stream(random_state)
    X = generator.standard_normal(size=(n_samples, n_features))
    truth = _np.zeros((n_features, n_targets))
    truth[:n_informative, :] = 100 * generator.uniform(size=(n_informative, n_targets))
    y = _np.dot(X, truth) + bias
    if noise > 0.0:
        y += generator.normal(scale=noise, size=y.shape)
    if shuffle:
        X, y = _shuffle(X, y, random_state=generator)
        places = _np.arange(n_features)
        generator.shuffle(places)
        X[:, :] = X[:, places]
        truth = truth[places]
    y = _np.squeeze(y)
    return (X, y, _np.squeeze(truth)) if coef else (X, y)
