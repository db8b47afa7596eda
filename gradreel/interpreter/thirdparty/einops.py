"""einops, in Python: patterns of axes as reshape, permute, a reduction, expand and reshape, each only where needed."""

import string as _string

import numpy as _numpy
import torch as _torch

__version__ = "0.8.2"
_REST = "…"
_REDUCTIONS = ("min", "max", "sum", "mean", "prod", "any", "all")


class EinopsError(RuntimeError):
    pass


class _Number:
    """An axis that has a length and no name; no two are the same."""

    def __init__(self, text):
        self.value = int(text)
        if self.value < 1:
            raise EinopsError(f"Anonymous axis should have positive length, not {self.value}")

    def __repr__(self):
        return f"{self.value}-axis"


def _why_no_name(name, underscore=False):
    if not name.isidentifier():
        return "not a valid python identifier"
    if (name[0] == "_" or name[-1] == "_") and not (name == "_" and underscore):
        return "axis name should should not start or end with underscore"
    return ""


class _Side:
    """One side of a pattern: `groups` has a list of axes for each dimension, or the ellipsis."""

    def __init__(self, text, underscore=False, duplicates=False):
        self.rest = "." in text
        self.rest_in_group = None
        self.names = set()
        self.numbered = False
        self.groups = []
        self._underscore, self._duplicates = underscore, duplicates
        if self.rest:
            if "..." not in text:
                raise EinopsError("Expression may contain dots only inside ellipsis (...)")
            if text.count("...") != 1 or text.count(".") != 3:
                raise EinopsError(
                    "Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor "
                )
            text = text.replace("...", _REST)
        group, word = None, ""
        for char in text:
            if char in "() ":
                if word:
                    self._add(word, group)
                    word = ""
                if char == "(":
                    if group is not None:
                        raise EinopsError("Axis composition is one-level (brackets inside brackets not allowed)")
                    group = []
                elif char == ")":
                    if group is None:
                        raise EinopsError("Brackets are not balanced")
                    self.groups.append(group)
                    group = None
            elif char.isalnum() or char == "_" or char == _REST:
                word += char
            else:
                raise EinopsError(f"Unknown character '{char}'")
        if group is not None:
            raise EinopsError(f'Imbalanced parentheses in expression: "{text}"')
        if word:
            self._add(word, group)

    def _add(self, word, group):
        if word in self.names and not (self._underscore and word == "_") and not self._duplicates:
            raise EinopsError(f'Indexing expression contains duplicate dimension "{word}"')
        if word == _REST:
            self.names.add(word)
            self.rest_in_group = group is not None
            (self.groups if group is None else group).append(word)
            return
        if word.isdecimal() and int(word) == 1:
            if group is None:
                self.groups.append([])
            return
        if word.isdecimal():
            axis = _Number(word)
            self.numbered = True
        else:
            axis = word
            reason = _why_no_name(word, self._underscore)
            if reason:
                raise EinopsError(f"Invalid axis identifier: {word}\n{reason}")
        self.names.add(axis)
        if group is None:
            self.groups.append([axis])
        else:
            group.append(axis)


def _check_names(left, right, pattern, operation, given):
    if not left.rest and right.rest:
        raise EinopsError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if left.rest and left.rest_in_group:
        raise EinopsError(f"Ellipsis inside parenthesis in the left side is not allowed: {pattern}")
    if operation == "rearrange":
        if left.numbered or right.numbered:
            raise EinopsError("Non-unitary anonymous axes are not supported in rearrange (exception is length 1)")
        other = left.names ^ right.names
        if other:
            raise EinopsError(f"Identifiers only on one side of expression (should be on both): {other}")
    elif operation == "repeat":
        other = left.names - right.names
        if other:
            raise EinopsError(f"Unexpected identifiers on the left side of repeat: {other}")
        other = {axis for axis in right.names if not isinstance(axis, _Number)} - left.names - set(given)
        if other:
            raise EinopsError(f"Specify sizes for new axes in repeat: {other}")
    elif operation in _REDUCTIONS or callable(operation):
        other = right.names - left.names
        if other:
            raise EinopsError(f"Unexpected identifiers on the right side of reduce {operation}: {other}")
    else:
        raise EinopsError(f"Unknown reduction {operation}. Expect one of {_REDUCTIONS}.")


def _spread(groups, rest):
    """The groups with the axes that the ellipsis stands for in its place."""
    spread = []
    for group in groups:
        if group == _REST:
            spread.extend([axis] for axis in rest)
        elif _REST in group:
            at = group.index(_REST)
            spread.append([*group[:at], *rest, *group[at + 1 :]])
        else:
            spread.append(group)
    return spread


class _Recipe:
    """What a pattern does to a tensor of so many dimensions: axes by their place among all of them."""

    def __init__(self, pattern, operation, given, ndim):
        left, right = (_Side(side) for side in pattern.split("->"))
        _check_names(left, right, pattern, operation, given)
        rest = []
        if left.rest:
            others = len(left.groups) - 1
            if ndim < others:
                raise EinopsError(f"Wrong shape: expected >={others} dims. Received {ndim}-dim tensor.")
            rest = [f"{_REST}{i}" for i in range(ndim - others)]
        elif ndim != len(left.groups):
            raise EinopsError(f"Wrong shape: expected {len(left.groups)} dims. Received {ndim}-dim tensor.")
        before, after = _spread(left.groups, rest), _spread(right.groups, rest)
        inputs, outputs = [axis for group in before for axis in group], [axis for group in after for axis in group]
        axes = [*inputs, *(axis for axis in outputs if axis not in inputs)]
        place = {axis: at for at, axis in enumerate(axes)}
        self.lengths = [axis.value if isinstance(axis, _Number) else None for axis in axes]
        for axis in given:
            if _why_no_name(axis):
                raise EinopsError("Invalid name for an axis", axis)
            if axis not in place:
                raise EinopsError(f"Axis {axis} is not used in transform")
        self.given = [(axis, place[axis]) for axis in given]
        self.inputs = []
        for group in before:
            known = [axis for axis in group if isinstance(axis, _Number) or axis in given]
            unknown = [axis for axis in group if axis not in known]
            if len(unknown) > 1:
                raise EinopsError(f"Could not infer sizes for {set(unknown)}")
            self.inputs.append(([place[axis] for axis in known], [place[axis] for axis in unknown]))
        gone = [axis for axis in inputs if axis not in outputs]
        order = [axis for axis in outputs if axis in inputs]
        self.order = [inputs.index(axis) for axis in [*order, *gone]]
        self.kept = len(order)
        self.added = [(at, place[axis]) for at, axis in enumerate(outputs) if axis not in inputs]
        self.outputs = [[place[axis] for axis in group] for group in after]

    def apply(self, tensor, operation, given):
        lengths = list(self.lengths)
        for axis, at in self.given:
            lengths[at] = given[axis]
        split = False
        for length, (known, unknown) in zip(tensor.shape, self.inputs, strict=True):
            if not known and len(unknown) == 1:
                lengths[unknown[0]] = length
                continue
            product = 1
            for at in known:
                product *= lengths[at]
            if not unknown:
                if length != product:
                    raise EinopsError(f"Shape mismatch, {length} != {product}")
            elif length % product:
                raise EinopsError(f"Shape mismatch, can't divide axis of length {length} in chunks of {product}")
            else:
                lengths[unknown[0]] = length // product
            split = split or len(known) + len(unknown) != 1
        if split:
            tensor = tensor.reshape(lengths[: len(self.order)])
        if self.order != list(range(len(self.order))):
            tensor = tensor.permute(self.order) if isinstance(tensor, _torch.Tensor) else tensor.transpose(self.order)
        if self.kept < len(self.order):
            tensor = _reduce_axes(tensor, operation, tuple(range(self.kept, len(self.order))))
        if self.added:
            tensor = _add_axes(tensor, [(at, lengths[place]) for at, place in self.added])
        if any(len(group) != 1 for group in self.outputs):
            shape = []
            for group in self.outputs:
                product = 1
                for at in group:
                    product *= lengths[at]
                shape.append(product)
            tensor = tensor.reshape(shape)
        return tensor


def _reduce_axes(tensor, operation, axes):
    if callable(operation):
        return operation(tensor, axes)
    if not isinstance(tensor, _torch.Tensor):
        if operation == "mean" and tensor.dtype not in ("float16", "float32", "float64"):
            raise NotImplementedError("reduce_mean is not available for non-floating tensors")
        return getattr(tensor, operation)(axis=axes)
    if operation == "mean" and not tensor.is_floating_point():
        raise NotImplementedError("reduce_mean is not available for non-floating tensors")
    if operation in ("min", "max"):
        return tensor.amin(dim=axes) if operation == "min" else tensor.amax(dim=axes)
    if operation in ("sum", "mean"):
        return getattr(tensor, operation)(dim=axes)
    for axis in axes[::-1]:
        tensor = getattr(tensor, operation)(dim=axis)
    return tensor


def _add_axes(tensor, added):
    if not isinstance(tensor, _torch.Tensor):
        repeats = [1] * (tensor.ndim + len(added))
        for at, length in added:
            tensor = _numpy.expand_dims(tensor, at)
            repeats[at] = length
        return _numpy.tile(tensor, tuple(repeats))
    lengths = [-1] * (tensor.ndim + len(added))
    for at, length in added:
        tensor = _torch.unsqueeze(tensor, at)
        lengths[at] = length
    return tensor.expand(lengths)


_recipes = {}


def _recipe(pattern, operation, given, ndim):
    key = (pattern, operation, tuple(given), ndim)
    if key not in _recipes:
        _recipes[key] = _Recipe(pattern, operation, tuple(given), ndim)
    return _recipes[key]


def _check_tensor(tensor):
    if not isinstance(tensor, (_torch.Tensor, _numpy.ndarray)):
        raise RuntimeError(f"Tensor type unknown to einops {type(tensor)}")


def reduce(tensor, pattern, reduction, **axes_lengths):
    try:
        if isinstance(tensor, list):
            if not tensor:
                raise TypeError("Rearrange/Reduce/Repeat can't be applied to an empty list")
            _check_tensor(tensor[0])
            tensor = _torch.stack(tensor) if isinstance(tensor[0], _torch.Tensor) else _numpy.stack(tensor)
        else:
            _check_tensor(tensor)
        shape = tuple(tensor.shape) if isinstance(tensor, _numpy.ndarray) else tensor.shape
        return _recipe(pattern, reduction, axes_lengths, len(shape)).apply(tensor, reduction, axes_lengths)
    except EinopsError as error:
        raise EinopsError(
            f' Error while processing {reduction}-reduction pattern "{pattern}".\n Input tensor shape: {shape}. '
            f"Additional info: {axes_lengths}.\n {error}"
        ) from None


def rearrange(tensor, pattern, **axes_lengths):
    return reduce(tensor, pattern, "rearrange", **axes_lengths)


def repeat(tensor, pattern, **axes_lengths):
    return reduce(tensor, pattern, "repeat", **axes_lengths)


def parse_shape(x, pattern):
    side, shape = _Side(pattern, underscore=True), x.shape
    if any(group != _REST and len(group) > 1 for group in side.groups):
        raise RuntimeError(f"Can't parse shape with composite axes: {pattern} {shape}")
    groups = side.groups
    if side.rest:
        if len(shape) < len(groups) - 1:
            raise RuntimeError(f"Can't parse shape with this number of dimensions: {pattern} {shape}")
        at = groups.index(_REST)
        groups = [*groups[:at], *[["_"]] * (len(shape) - len(groups) + 1), *groups[at + 1 :]]
    elif len(shape) != len(groups):
        raise RuntimeError(f"Can't parse shape with different number of dimensions: {pattern} {shape}")
    found = {}
    for group, length in zip(groups, shape, strict=True):
        if not group:
            if length != 1:
                raise RuntimeError(f"Length of axis is not 1: {pattern} {shape}")
        elif isinstance(group[0], _Number):
            if group[0].value != length:
                raise RuntimeError(f"Length of anonymous axis does not match: {pattern} {shape}")
        elif group[0] != "_":
            found[group[0]] = length
    return found


def asnumpy(tensor):
    _check_tensor(tensor)
    return tensor.detach().cpu().numpy() if isinstance(tensor, _torch.Tensor) else tensor


def _letters(side, letters, pattern=None):
    """The side of an einsum with a letter for each axis; `pattern` is told where no new ones may come."""
    text = ""
    for group in side.groups:
        if group == _REST:
            text += "..."
            continue
        if not group:
            raise NotImplementedError("Singleton () axes are not yet supported in einsum.")
        if len(group) > 1:
            raise NotImplementedError("Shape rearrangement is not yet supported in einsum.")
        if isinstance(group[0], _Number):
            raise NotImplementedError("Anonymous axes are not yet supported in einsum.")
        if group[0] not in letters:
            if pattern is not None:
                raise EinopsError(f"Unknown axis {group[0]} on right side of einsum {pattern}.")
            if len(letters) >= len(_string.ascii_letters):
                raise RuntimeError("Too many axes in einsum.")
            letters[group[0]] = _string.ascii_letters[len(letters)]
        text += letters[group[0]]
    return text


def einsum(*tensors_and_pattern):
    if len(tensors_and_pattern) <= 1:
        raise ValueError(
            "`einops.einsum` takes at minimum two arguments: the tensors (at least one), followed by the pattern."
        )
    *tensors, pattern = tensors_and_pattern
    if not isinstance(pattern, str):
        raise ValueError(
            "The last argument passed to `einops.einsum` must be a string, representing the einsum pattern."
        )
    if "->" not in pattern:
        raise ValueError("Einsum pattern must contain '->'.")
    left, right = pattern.split("->")
    letters = {}
    lefts = [_letters(_Side(side, underscore=True, duplicates=True), letters) for side in left.split(",")]
    compact = ",".join(lefts) + "->" + _letters(_Side(right, underscore=True), letters, pattern)
    _check_tensor(tensors[0])
    return (_torch if isinstance(tensors[0], _torch.Tensor) else _numpy).einsum(compact, *tensors)


def _around(pattern, name):
    """How many axes stand before and behind the `*`."""
    axes = pattern.split()
    if len(axes) != len(set(axes)):
        raise EinopsError(f'Duplicates in axes names in {name}(..., "{pattern}")')
    if "*" not in axes:
        raise EinopsError(f'No *-axis in {name}(..., "{pattern}")')
    for axis in axes:
        if axis != "*" and _why_no_name(axis):
            raise EinopsError(f'Invalid axis name {axis} in {name}(..., "{pattern}")')
    before = axes.index("*")
    return before, len(axes) - before - 1


def pack(tensors, pattern):
    before, after = _around(pattern, "pack")
    _check_tensor(tensors[0])
    flat, shapes = [], []
    for i, tensor in enumerate(tensors):
        shape = tensor.shape
        if len(shape) < before + after:
            raise EinopsError(
                f"packed tensor #{i} (enumeration starts with 0) has shape {shape}, while pattern {pattern} assumes "
                f"at least {before + after} axes"
            )
        end = len(shape) - after
        shapes.append(shape[before:end])
        flat.append(tensor.reshape((*shape[:before], -1, *shape[end:])))
    if isinstance(tensors[0], _torch.Tensor):
        return _torch.cat(flat, dim=before), shapes
    return _numpy.concatenate(flat, axis=before), shapes


def _length(shape):
    product = 1
    for length in shape:
        product *= length
    return -1 if -1 in shape else product


def unpack(tensor, packed_shapes, pattern):
    before, after = _around(pattern, "unpack")
    shape = tensor.shape
    if len(shape) != before + 1 + after:
        raise EinopsError(f"unpack(..., {pattern}) received input of wrong dim with shape {shape}")
    lengths = [_length(one) for one in packed_shapes]
    if lengths.count(-1) > 1:
        raise EinopsError(
            f"unpack(..., {pattern}) received more than one -1 in {packed_shapes} and can't infer dimensions"
        )
    ends = [0] * len(lengths) + [shape[before]]
    known = lengths.index(-1) if -1 in lengths else len(lengths) - 1
    for i in range(known):
        ends[i + 1] = ends[i] + lengths[i]
    for i in reversed(range(known + 1, len(lengths))):
        ends[i] = ends[i + 1] - lengths[i]
    whole = (slice(None),) * before
    try:
        return [
            tensor[(*whole, slice(ends[i], ends[i + 1]))].reshape((*shape[:before], *one, *shape[before + 1 :]))
            for i, one in enumerate(packed_shapes)
        ]
    except Exception as error:
        raise EinopsError(
            f'Error during unpack(..., "{pattern}"): could not split axis of size {ends[-1]} into requested '
            f"{packed_shapes}"
        ) from error
