"""numpy, in Python: tables as text, and arrays in files that last until the program ends."""

import numpy as _np
import torch as _torch


def _lines(fname):
    if isinstance(fname, (list, tuple)):
        return list(fname)
    if hasattr(fname, "readline"):
        return list(fname)
    try:
        return open(fname).readlines()
    except FileNotFoundError:
        raise FileNotFoundError(f"{fname} not found.") from None


def loadtxt(
    fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False, ndmin=0,
    encoding=None, max_rows=None,
):  # fmt: skip
    rows = []
    for line in _lines(fname)[skiprows:]:
        line = (line.split(comments)[0] if comments else line).strip()
        if line and (max_rows is None or len(rows) < max_rows):
            rows.append([float(field) for field in _chosen(line.split(delimiter), usecols)])
    made = _np.array(rows, dtype=dtype)
    if len(rows) and ndmin < 2:
        made = made[0] if len(rows) == 1 else made[:, 0] if len(rows[0]) == 1 else made
        made = made[0] if made.ndim == 1 and made.shape[0] == 1 and not ndmin else made
    return made.T if unpack else made


def genfromtxt(fname, dtype=float, comments="#", delimiter=None, skip_header=0, usecols=None, unpack=False, **rest):
    rows = []
    for line in _lines(fname)[skip_header:]:
        line = (line.split(comments)[0] if comments else line).strip()
        if line:
            rows.append(",".join([_number(field) for field in _chosen(line.split(delimiter), usecols)]))
    return loadtxt(rows, dtype, None, ",", unpack=unpack)


def _chosen(fields, usecols):
    if usecols is None:
        return fields
    return [fields[at] for at in ([usecols] if isinstance(usecols, int) else usecols)]


def _number(field):
    try:
        return str(float(field))
    except ValueError:
        return "nan"


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
    lines = [comments + header] if header else []
    for row in _np.array(X).tolist():
        lines.append(delimiter.join([fmt % value for value in (row if isinstance(row, list) else [row])]))
    text = "".join([line + newline for line in [*lines, *([comments + footer] if footer else [])]])
    if hasattr(fname, "write"):
        fname.write(text)
    else:
        with open(fname, "w") as file:
            file.write(text)


def save(file, arr, allow_pickle=True):
    named = isinstance(file, str) and not file.endswith(".npy")
    _torch.save(_np.array(arr), file + ".npy" if named else file)


def savez(file, *args, **kwds):
    named = isinstance(file, str) and not file.endswith(".npz")
    numbered = {f"arr_{nr}": _np.array(arg) for nr, arg in enumerate(args)}
    _torch.save(numbered | {name: _np.array(arg) for name, arg in kwds.items()}, file + ".npz" if named else file)


savez_compressed = savez


def load(file, mmap_mode=None, allow_pickle=False, **rest):
    return _torch.load(file, weights_only=False)


class _Joined:
    """`np.r_[...]` and `np.c_[...]`: what stands in the brackets in a row, or as columns side by side."""

    def __init__(self, columns):
        self._columns = columns

    def __getitem__(self, key):
        parts = [self._part(part) for part in (key if isinstance(key, tuple) else (key,))]
        return _np.concatenate(parts, axis=-1 if self._columns else 0)

    def _part(self, part):
        if isinstance(part, str):
            raise ValueError("special directives must be the first entry.")
        if isinstance(part, slice):
            part = _stretch(part.start or 0, part.stop, 1 if part.step is None else part.step)
        made = _np.array(part)
        if made.ndim == 0:
            made = made.reshape(1)
        return made.reshape(-1, 1) if self._columns and made.ndim == 1 else made

    def __len__(self):
        return 0


def _stretch(start, stop, step):
    if isinstance(step, complex):
        return _np.linspace(start, stop, int(abs(step)))
    return _np.arange(start, stop, step)


r_, c_ = _Joined(False), _Joined(True)
