"""numpy, in Python: tables as text, arrays in files that last until the program ends, grids, slopes, polynomials."""

import numpy as _np
import torch as _torch
from _disk import refuse as _refuse


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


class _Grid:
    """`np.mgrid[...]` and `np.ogrid[...]`: the places of a grid, a row of coordinates for each axis."""

    def __init__(self, open_mesh):
        self._open = open_mesh

    def __getitem__(self, key):
        if isinstance(key, slice):
            return _stretch(key.start or 0, key.stop, 1 if key.step is None else key.step)
        rows = [_stretch(one.start or 0, one.stop, 1 if one.step is None else one.step) for one in key]
        kind = _np.concatenate(rows).dtype if rows else int
        shape = [len(row) for row in rows]
        wide = [row.astype(kind).reshape([1] * at + [-1] + [1] * (len(rows) - at - 1)) for at, row in enumerate(rows)]
        if self._open:
            return tuple(wide)
        return _np.stack([row + _np.zeros(shape, dtype=kind) for row in wide])


mgrid, ogrid = _Grid(False), _Grid(True)


def ix_(*args):
    rows = [_np.array(arg) for arg in args]
    rows = [_np.nonzero(row)[0] if row.dtype == bool else row for row in rows]
    return tuple(row.reshape([1] * at + [-1] + [1] * (len(rows) - at - 1)) for at, row in enumerate(rows))


def gradient(f, *varargs, axis=None, edge_order=1):
    f = _np.array(f)
    if f.dtype.kind in "iub":
        f = f.astype(float)
    axes = range(f.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [at % f.ndim for at in axes]
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError("invalid number of arguments")
    steps = list(varargs) if len(varargs) == len(axes) else [varargs[0] if varargs else 1.0] * len(axes)
    found = []
    for at, step in zip(axes, steps, strict=True):
        if f.shape[at] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
                "required."
            )
        rows = _np.moveaxis(f, at, 0)
        gaps = _np.diff(_np.array(step)) if _np.array(step).ndim else _np.full(len(rows) - 1, step)
        if len(gaps) != len(rows) - 1:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        gaps = gaps.reshape([-1] + [1] * (rows.ndim - 1))
        even = _np.array(step).ndim == 0 or bool((gaps == gaps[0]).all())
        found.append(_np.moveaxis(_slopes(rows, gaps, even, edge_order), 0, at))
    return found[0] if len(found) == 1 else tuple(found)


def _slopes(rows, gaps, even, edge_order):
    """The slopes along the first dimension: central ones inside, of one side at the ends."""
    if even:
        inner = (rows[2:] - rows[:-2]) / (2.0 * gaps[0])
    else:
        left, right = gaps[:-1], gaps[1:]
        inner = -right / (left * (left + right)) * rows[:-2] + (right - left) / (left * right) * rows[1:-1]
        inner = inner + left / (right * (left + right)) * rows[2:]
    if edge_order == 1:
        first, last = (rows[1:2] - rows[:1]) / gaps[:1], (rows[-1:] - rows[-2:-1]) / gaps[-1:]
        return _np.concatenate([first, inner, last])
    one, two = gaps[:1], gaps[1:2]
    first = -(2.0 * one + two) / (one * (one + two)) * rows[:1] + (one + two) / (one * two) * rows[1:2]
    first = first - one / (two * (one + two)) * rows[2:3]
    one, two = gaps[-2:-1], gaps[-1:]
    last = two / (one * (one + two)) * rows[-3:-2] - (two + one) / (one * two) * rows[-2:-1]
    last = last + (2.0 * two + one) / (two * (one + two)) * rows[-1:]
    return _np.concatenate([first, inner, last])


def trapezoid(y, x=None, dx=1.0, axis=-1):
    rows = _np.moveaxis(_np.array(y), axis, -1)
    steps = dx if x is None else _np.diff(_np.array(x), axis=-1)
    return ((rows[..., 1:] + rows[..., :-1]) * steps / 2.0).sum(-1)


def polyval(p, x):
    if isinstance(x, poly1d):
        _refuse("`np.polyval` of a polynomial in place of a number is not supported here.")
    x = _np.array(x)
    value = x * 0
    for part in _np.array(p.coeffs if isinstance(p, poly1d) else p):
        value = value * x + part
    return value


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    if full or cov:
        _refuse("`np.polyfit` with `full` or `cov` is not supported here.")
    x, y = _np.array(x) + 0.0, _np.array(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    columns = _np.stack([x ** (deg - at) for at in range(deg + 1)], axis=1)
    if w is not None:
        weight = _np.array(w) + 0.0
        columns, y = columns * weight.reshape(-1, 1), (y.T * weight).T
    scale = _np.sqrt((columns * columns).sum(0))
    u, s, vt = _np.linalg.svd(columns / scale, full_matrices=False)
    kept = s > (len(x) * 2.0**-52 if rcond is None else rcond) * s[0]
    inverse = _np.where(kept, 1.0 / _np.where(kept, s, 1.0), 0.0)
    found = vt.T @ ((u.T @ y).T * inverse).T
    return (found.T / scale).T


class poly1d:
    def __init__(self, c_or_r, r=False, variable=None):
        parts = _np.array(c_or_r) + 0
        if r:
            made = _np.array([1.0])
            for root in parts:
                made = _np.convolve(made, _np.array([1.0, -root]))
            parts = made
        self.coeffs = self.c = self.coef = parts
        self.order = self.o = len(parts) - 1

    def __call__(self, x):
        return polyval(self.coeffs, x)

    def __repr__(self):
        return f"poly1d({repr(self.coeffs)[len('array(') : -1]})"

    def __len__(self):
        return self.order

    def __getitem__(self, power):
        return self.coeffs[self.order - power] if 0 <= power <= self.order else 0.0

    def deriv(self, m=1):
        parts = self.coeffs
        for _ in range(m):
            parts = parts[:-1] * _np.arange(len(parts) - 1, 0, -1)
        return poly1d(parts)


def _extents(shape, order):
    """The lengths of `shape` and how far apart entries are along each, in the order "C" or "F"."""
    shape = (int(shape),) if isinstance(shape, int) else tuple([int(length) for length in shape])
    steps, step = [0] * len(shape), 1
    for at in range(len(shape)) if order == "F" else range(len(shape) - 1, -1, -1):
        steps[at] = step
        step *= shape[at]
    return shape, steps, step


def unravel_index(indices, shape, order="C"):
    given = _np.asarray(indices)
    if not _np.issubdtype(given.dtype, _np.integer):
        raise TypeError("only int indices permitted")
    shape, steps, size = _extents(shape, order)
    for index in given.reshape(-1).tolist():
        if not 0 <= index < size:
            raise ValueError(f"index {index} is out of bounds for array with size {size}")
    found = [given // step % length for step, length in zip(steps, shape, strict=True)]
    return tuple([part if given.ndim else _np.int64(int(part)) for part in found])


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    dims, steps, _ = _extents(dims, order)
    if len(multi_index) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    modes, total = [mode] * len(dims) if isinstance(mode, str) else mode, 0
    for part, length, step, how in zip(multi_index, dims, steps, modes, strict=True):
        part = _np.asarray(part)
        if how == "clip":
            part = _np.clip(part, 0, length - 1)
        elif how == "wrap":
            part = part % length
        elif _np.any((part < 0) | (part >= length)):
            raise ValueError("invalid entry in coordinates array")
        total = total + part * step
    return total if total.ndim else _np.int64(int(total))
