"""sklearn.preprocessing, in Python: numbers brought to one scale."""

import numpy as _np
from sklearn.utils import _without


def _table(X):
    """A copy of `X` as an array of floats in rows and columns."""
    X = _np.array(X)
    X = X if X.dtype == _np.float32 else X.astype(float)
    if X.ndim != 2:
        what = "scalar array" if X.ndim == 0 else f"{X.ndim}D array"
        raise ValueError(
            f"Expected 2D array, got {what} instead:\narray={X}.\nReshape your data either using array.reshape(-1, 1) "
            "if your data has a single feature or array.reshape(1, -1) if it contains a single sample."
        )
    return X


class NotFittedError(ValueError, AttributeError):
    pass


class _Fitted:
    """What learns from a table, and changes tables with as many columns."""

    def fit_transform(self, X, y=None):
        return self.fit(X).transform(X)

    def _check(self, X):
        name = type(self).__name__
        if not hasattr(self, "n_features_in_"):
            raise NotFittedError(
                f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
                "estimator."
            )
        X = _table(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {name} is expecting {self.n_features_in_} features as input."
            )
        return X


def _no_zeros(scale, constant):
    """Columns without a spread are divided by one."""
    return _np.where(constant, 1.0, scale)


_EPS = 2.220446049250313e-16


class StandardScaler(_Fitted):
    def __init__(self, *, copy=True, with_mean=True, with_std=True):
        _without("StandardScaler", copy=(copy, True))
        self.copy, self.with_mean, self.with_std = copy, with_mean, with_std

    def fit(self, X, y=None, sample_weight=None):
        _without("StandardScaler.fit", sample_weight=(sample_weight, None))
        X = _table(X)
        self.n_samples_seen_, self.n_features_in_ = _np.float64(X.shape[0]), X.shape[1]
        count = X.shape[0]
        wide = X.astype(float)
        self.mean_, self.var_, self.scale_ = wide.sum(0) / count, None, None
        if self.with_std:
            apart = wide - self.mean_
            self.var_ = ((apart**2).sum(0) - apart.sum(0) ** 2 / count) / count
            constant = self.var_ <= count * _EPS * self.var_ + (count * self.mean_ * _EPS) ** 2
            self.scale_ = _no_zeros(_np.sqrt(self.var_), constant)
        if not self.with_mean and not self.with_std:
            self.mean_ = None
        return self

    def transform(self, X):
        X = self._check(X)
        if self.with_mean:
            X -= self.mean_.astype(X.dtype)
        if self.with_std:
            X /= self.scale_.astype(X.dtype)
        return X

    def inverse_transform(self, X):
        X = self._check(X)
        if self.with_std:
            X *= self.scale_.astype(X.dtype)
        if self.with_mean:
            X += self.mean_.astype(X.dtype)
        return X


class MinMaxScaler(_Fitted):
    def __init__(self, feature_range=(0, 1), *, copy=True, clip=False):
        _without("MinMaxScaler", copy=(copy, True))
        self.feature_range, self.copy, self.clip = feature_range, copy, clip

    def fit(self, X, y=None):
        low, high = self.feature_range
        if low >= high:
            raise ValueError(
                f"Minimum of desired feature range must be smaller than maximum. Got {self.feature_range!r}."
            )
        X = _table(X)
        self.n_samples_seen_, self.n_features_in_ = X.shape
        self.data_min_, self.data_max_ = X.min(0), X.max(0)
        self.data_range_ = self.data_max_ - self.data_min_
        tiny = 10 * (1.1920929e-07 if X.dtype == _np.float32 else _EPS)
        self.scale_ = ((high - low) / _no_zeros(self.data_range_, self.data_range_ < tiny)).astype(X.dtype)
        self.min_ = low - self.data_min_ * self.scale_
        return self

    def transform(self, X):
        X = self._check(X)
        X *= self.scale_
        X += self.min_
        return X.clip(*self.feature_range) if self.clip else X

    def inverse_transform(self, X):
        X = self._check(X)
        X -= self.min_
        X /= self.scale_
        return X
