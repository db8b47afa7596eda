"""sklearn.model_selection, in Python: what is trained on, and what is held back to test."""

from math import ceil as _ceil
from math import floor as _floor

import numpy as _np
from sklearn.utils import _chosen, _length
from sklearn.utils import check_consistent_length as _check_lengths
from sklearn.utils import check_random_state as _stream


class InvalidParameterError(ValueError, TypeError):
    pass


def _check_size(name, size, n_samples):
    if size is None:
        return
    if size < 1 if isinstance(size, int) else not 0 < size < 1:
        raise InvalidParameterError(
            f"The {name!r} parameter of train_test_split must be a float in the range (0.0, 1.0), an int in the range "
            f"[1, inf) or None. Got {size!r} instead."
        )
    if size >= n_samples and isinstance(size, int):
        raise ValueError(
            f"{name}={size} should be either positive and smaller than the number of samples {n_samples} or a "
            "float in the (0, 1) range"
        )


def _counts(n_samples, test_size, train_size):
    """How many are trained on and how many are held back, each given as a share, a number, or not at all."""
    _check_size("test_size", test_size, n_samples)
    _check_size("train_size", train_size, n_samples)
    if isinstance(test_size, float) and isinstance(train_size, float) and test_size + train_size > 1:
        raise ValueError(
            f"The sum of test_size and train_size = {train_size + test_size}, should be in the (0, 1) range. Reduce "
            "test_size and/or train_size."
        )
    if test_size is None and train_size is None:
        test_size = 0.25
    n_test = _ceil(test_size * n_samples) if isinstance(test_size, float) else test_size
    n_train = _floor(train_size * n_samples) if isinstance(train_size, float) else train_size
    n_train = n_samples - n_test if n_train is None else n_train
    n_test = n_samples - n_train if n_test is None else n_test
    if n_train + n_test > n_samples:
        raise ValueError(
            f"The sum of train_size and test_size = {n_train + n_test}, should be smaller than the number of samples "
            f"{n_samples}. Reduce test_size and/or train_size."
        )
    if n_train == 0:
        raise ValueError(
            f"With n_samples={n_samples}, test_size={test_size} and train_size={train_size}, the resulting train set "
            "will be empty. Adjust any of the aforementioned parameters."
        )
    return n_train, n_test


def _drawn_alike(class_counts, draws, generator):
    """How many of each class are drawn, so that their shares stay; who gets what is left over is left to chance."""
    wanted = class_counts / class_counts.sum() * draws
    counts = _np.floor(wanted)
    missing = int(draws - counts.sum())
    if missing > 0:
        left = wanted - counts
        for value in reversed(_np.unique(left).tolist()):
            (places,) = _np.nonzero(left == value)
            now = min(len(places), missing)
            places = generator.choice(places, size=now, replace=False)
            counts[places] += 1
            missing -= now
            if missing == 0:
                break
    return counts.astype(int)


def _by_class(classes, n_train, n_test, generator):
    """Places to train and to test on, in each of which all classes have their share."""
    kinds, nrs = _np.unique(_np.array(classes), return_inverse=True)
    counts = _np.bincount(nrs)
    if counts.min() < 2:
        raise ValueError(
            "The least populated classes in y have only 1 member, which is too few. The minimum number of groups for "
            f"any class cannot be less than 2. Classes with too few members are: {kinds[counts < 2].tolist()}"
        )
    for name, size in (("train_size", n_train), ("test_size", n_test)):
        if size < len(kinds):
            raise ValueError(f"The {name} = {size} should be greater or equal to the number of classes = {len(kinds)}")
    trained = _drawn_alike(counts, n_train, generator)
    tested = _drawn_alike(counts - trained, n_test, generator)
    train, test = [], []
    for nr in range(len(kinds)):
        places = _np.nonzero(nrs == nr)[0][generator.permutation(int(counts[nr]))]
        n = int(trained[nr])
        train.extend(places[:n].tolist())
        test.extend(places[n : n + int(tested[nr])].tolist())
    return generator.permutation(train), generator.permutation(test)


def train_test_split(*arrays, test_size=None, train_size=None, random_state=None, shuffle=True, stratify=None):
    if not arrays:
        raise ValueError("At least one array required as input")
    _check_lengths(*arrays)
    n_samples = int(_length(arrays[0]))
    n_train, n_test = _counts(n_samples, test_size, train_size)
    if not shuffle:
        if stratify is not None:
            raise ValueError("Stratified train/test split is not implemented for shuffle=False")
        train, test = _np.arange(n_train), _np.arange(n_train, n_train + n_test)
    elif stratify is not None:
        train, test = _by_class(stratify, n_train, n_test, _stream(random_state))
    else:
        places = _stream(random_state).permutation(n_samples)
        train, test = places[n_test : n_test + n_train], places[:n_test]
    return [_chosen(array, places) for array in arrays for places in (train, test)]
