"""sklearn.metrics, in Python: how far predictions are from what is true."""

import warnings as _warnings

import numpy as _np
from _disk import refuse as _refuse
from sklearn.utils import _without
from sklearn.utils import check_consistent_length as _check_lengths


class UndefinedMetricWarning(UserWarning):
    pass


def _both(y_true, y_pred):
    """Both as arrays of as many numbers."""
    y_true, y_pred = _np.array(y_true), _np.array(y_pred)
    _check_lengths(y_true, y_pred)
    return (y_true[:, 0] if y_true.ndim == 2 and y_true.shape[1] == 1 else y_true), (
        y_pred[:, 0] if y_pred.ndim == 2 and y_pred.shape[1] == 1 else y_pred
    )


def _classes(y_true, y_pred):
    """Both, which must be numbers of classes, and all classes."""
    y_true, y_pred = _both(y_true, y_pred)
    kinds = [_kind_of(y_true), _kind_of(y_pred)]
    if kinds[0] != kinds[1] and set(kinds) != {"binary", "multiclass"}:
        raise ValueError(f"Classification metrics can't handle a mix of {kinds[0]} and {kinds[1]} targets")
    if kinds[0] not in ("binary", "multiclass"):
        raise ValueError(f"{kinds[0]} is not supported")
    return y_true, y_pred, _np.unique(_np.concatenate([y_true, y_pred]))


def _kind_of(y):
    if y.ndim == 2:
        return "multilabel-indicator" if len(_np.unique(y)) <= 2 else "multiclass-multioutput"
    if bool((y != y.astype(int)).any()):
        return "continuous"
    return "binary" if len(_np.unique(y)) <= 2 else "multiclass"


def accuracy_score(y_true, y_pred, *, normalize=True, sample_weight=None):
    y_true, y_pred = _both(y_true, y_pred)
    if y_true.ndim == 1:
        _classes(y_true, y_pred)
    right = y_true == y_pred
    right = right.all(1) if right.ndim == 2 else right
    weights = _np.ones(len(right)) if sample_weight is None else _np.array(sample_weight)
    return float(_np.average(right, weights=weights)) if normalize else float((right * weights).sum())


def confusion_matrix(y_true, y_pred, *, labels=None, sample_weight=None, normalize=None):
    _without("confusion_matrix", sample_weight=(sample_weight, None))
    y_true, y_pred, found = _classes(y_true, y_pred)
    kinds = found.tolist() if labels is None else list(labels)
    counts = [[int(((y_true == row) & (y_pred == column)).sum()) for column in kinds] for row in kinds]
    table = _np.array(counts)
    if normalize == "true":
        return table / table.sum(1, keepdims=True)
    if normalize == "pred":
        return table / table.sum(0, keepdims=True)
    return table / table.sum() if normalize == "all" else table


def _scores(y_true, y_pred, kinds):
    """Precision, recall, F1 and number of each class; a share of nothing is None."""
    rows = []
    for kind in kinds:
        hits = int(((y_true == kind) & (y_pred == kind)).sum())
        told, there = int((y_pred == kind).sum()), int((y_true == kind).sum())
        harmonic = 2 * hits / (told + there) if told + there else None
        rows.append((hits / told if told else None, hits / there if there else None, harmonic, there))
    return rows


_UNDEFINED = {
    "Precision": "no predicted samples",
    "Recall": "no true samples",
    "F-score": "no true nor predicted samples",
}
_AT = {"Precision": 0, "Recall": 1, "F-score": 2}


def _undefined(name, averaged, zero_division):
    if zero_division == "warn":
        which = "being set to 0.0 in labels with" if averaged else "being set to 0.0 due to"
        _warnings.warn(
            f"{name} is ill-defined and {which} {_UNDEFINED[name]}. Use `zero_division` parameter to control this "
            "behavior.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
    return 0.0 if zero_division == "warn" else float(zero_division)


def _averaged(name, y_true, y_pred, labels, pos_label, average, zero_division):
    y_true, y_pred, found = _classes(y_true, y_pred)
    kinds = found.tolist() if labels is None else list(labels)
    at = _AT[name]
    if average == "binary":
        if len(found) > 2:
            raise ValueError(
                "Target is multiclass but average='binary'. Please choose another average setting, one of [None, "
                "'micro', 'macro', 'weighted']."
            )
        kinds = [pos_label]
    if average == "micro":
        hits = int(((y_true == y_pred) & _np.isin(y_true, kinds)).sum()) if labels else int((y_true == y_pred).sum())
        return hits / len(y_true)
    rows = _scores(y_true, y_pred, kinds)
    if any(row[at] is None for row in rows):
        filling = _undefined(name, average != "binary", zero_division)
        rows = [tuple(filling if value is None else value for value in row) for row in rows]
    values = [row[at] for row in rows]
    if average == "binary":
        return values[0]
    if average is None:
        return _np.array(values)
    weights = [row[3] for row in rows] if average == "weighted" else None
    return float(_np.average(_np.array(values), weights=None if weights is None else _np.array(weights)))


def precision_score(
    y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"
):
    _without("precision_score", sample_weight=(sample_weight, None))
    return _averaged("Precision", y_true, y_pred, labels, pos_label, average, zero_division)


def recall_score(
    y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"
):
    _without("recall_score", sample_weight=(sample_weight, None))
    return _averaged("Recall", y_true, y_pred, labels, pos_label, average, zero_division)


def f1_score(y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"):
    _without("f1_score", sample_weight=(sample_weight, None))
    return _averaged("F-score", y_true, y_pred, labels, pos_label, average, zero_division)


def classification_report(y_true, y_pred, *, labels=None, target_names=None, digits=2, zero_division="warn"):
    y_true, y_pred, found = _classes(y_true, y_pred)
    kinds = found.tolist() if labels is None else list(labels)
    names = [str(kind) for kind in kinds] if target_names is None else list(target_names)
    rows = _scores(y_true, y_pred, kinds)
    for name, at in _AT.items():
        if any(row[at] is None for row in rows):
            _undefined(name, True, zero_division)
    rows = [tuple(0.0 if value is None else value for value in row) for row in rows]
    total = sum(row[3] for row in rows)
    width = max(len("weighted avg"), digits, *map(len, names))
    head = "".join(f" {title:>9}" for title in ("precision", "recall", "f1-score", "support"))
    lines = [f"{'':>{width}} {head}", ""]
    line = "{:>{width}} " + " {:>9.{digits}f}" * 3 + " {:>9}"
    lines += [line.format(name, *row, width=width, digits=digits) for name, row in zip(names, rows, strict=True)]
    right = float((y_true == y_pred).mean())
    lines += ["", f"{'accuracy':>{width}} {'':>10}{'':>10} {right:>9.{digits}f} {total:>9}"]
    for name, weights in (("macro avg", [1] * len(rows)), ("weighted avg", [row[3] for row in rows])):
        means = [sum(row[at] * w for row, w in zip(rows, weights, strict=True)) / sum(weights) for at in range(3)]
        lines.append(line.format(name, *means, total, width=width, digits=digits))
    return "\n".join(lines) + "\n"


def _over_outputs(errors, sample_weight, multioutput, root=False):
    """The mean over all examples, and then over the outputs, unless each is wanted."""
    means = _np.average(errors, axis=0, weights=None if sample_weight is None else _np.array(sample_weight))
    means = _np.sqrt(means) if root else means
    if isinstance(multioutput, str) and multioutput == "raw_values":
        return means if means.ndim else _np.array([means])
    weights = None if isinstance(multioutput, str) else _np.array(multioutput)
    return float(_np.average(means, weights=weights)) if means.ndim else float(means)


def mean_squared_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    y_true, y_pred = _both(y_true, y_pred)
    return _over_outputs((y_true - y_pred) ** 2, sample_weight, multioutput)


def root_mean_squared_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    y_true, y_pred = _both(y_true, y_pred)
    return _over_outputs((y_true - y_pred) ** 2, sample_weight, multioutput, root=True)


def mean_absolute_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    y_true, y_pred = _both(y_true, y_pred)
    return _over_outputs(_np.abs(y_true - y_pred), sample_weight, multioutput)


def r2_score(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    _without("r2_score", sample_weight=(sample_weight, None), multioutput=(multioutput, "uniform_average"))
    y_true, y_pred = (part.astype(float).reshape(len(part), -1) for part in _both(y_true, y_pred))
    if len(y_true) < 2:
        _warnings.warn(
            "R^2 score is not well-defined with less than two samples.", UndefinedMetricWarning, stacklevel=2
        )
        return float("nan")
    left, spread = ((y_true - y_pred) ** 2).sum(0), ((y_true - y_true.mean(0)) ** 2).sum(0)
    scores = [1 - a / b if b else float(a == 0) for a, b in zip(left.tolist(), spread.tolist(), strict=True)]
    return float(_np.array(scores).mean())


def roc_auc_score(y_true, y_score, *, average="macro", sample_weight=None):
    _without("roc_auc_score", sample_weight=(sample_weight, None))
    y_true, y_score = _both(y_true, y_score)
    kinds = _np.unique(y_true).tolist()
    if len(kinds) > 2 or y_true.ndim > 1:
        _refuse("`roc_auc_score` of more than two classes is not supported here.")
    if len(kinds) < 2:
        _warnings.warn(
            "Only one class is present in y_true. ROC AUC score is not defined in that case.",
            UndefinedMetricWarning,
            stacklevel=2,
        )
        return float("nan")
    positive, negative = y_score[y_true == kinds[1]], _np.sort(y_score[y_true != kinds[1]])
    below = _np.searchsorted(negative, positive) + _np.searchsorted(negative, positive, side="right")
    return float(below.sum()) / 2 / (len(positive) * len(negative))
