"""einops.layers.torch, in Python: patterns as layers, and a linear map whose weight has named axes."""

import string as _string
import warnings as _warnings

import torch as _torch
from einops import _REST, EinopsError, _letters, _recipe, _Side


def _recipes_of(pattern, operation, given):
    """What the pattern does, by the number of dimensions that it is for."""
    left = _Side(pattern.split("->")[0])
    first = len(left.groups)
    ranks = range(first - 1, first + 7) if left.rest else [first]
    return {ndim: _recipe(pattern, operation, given, ndim) for ndim in ranks}


class Rearrange(_torch.nn.Module):
    def __init__(self, pattern, **axes_lengths):
        super().__init__()
        self.pattern, self.axes_lengths = pattern, axes_lengths
        self._multirecipe = _prepare(self, "rearrange")

    def __repr__(self):
        lengths = "".join(f", {axis}={length}" for axis, length in self.axes_lengths.items())
        return f"{type(self).__name__}({self.pattern!r}{lengths})"

    def forward(self, input):
        return self._multirecipe[input.ndim].apply(input, "rearrange", self.axes_lengths)


class Reduce(_torch.nn.Module):
    def __init__(self, pattern, reduction, **axes_lengths):
        super().__init__()
        self.pattern, self.reduction, self.axes_lengths = pattern, reduction, axes_lengths
        self._multirecipe = _prepare(self, reduction)

    def __repr__(self):
        lengths = "".join(f", {axis}={length}" for axis, length in self.axes_lengths.items())
        return f"{type(self).__name__}({self.pattern!r}, {self.reduction!r}{lengths})"

    def forward(self, input):
        return self._multirecipe[input.ndim].apply(input, self.reduction, self.axes_lengths)


def _prepare(layer, operation):
    try:
        return _recipes_of(layer.pattern, operation, layer.axes_lengths)
    except EinopsError as error:
        raise EinopsError(f" Error while preparing {layer!r}\n {error}") from None


def _report(axes, message):
    if axes:
        raise EinopsError(message.format(axes))


def _flat(side):
    """The axes of a side without its groups, as a pattern."""
    return " ".join("..." if axis == _REST else axis for group in side.groups for axis in group)


class EinMix(_torch.nn.Module):
    def __init__(self, pattern, weight_shape, bias_shape=None, **axes_lengths):
        super().__init__()
        self.pattern, self.weight_shape, self.bias_shape = pattern, weight_shape, bias_shape
        self.axes_lengths = axes_lengths
        left_pattern, right_pattern = pattern.split("->")
        left, right, weight = _Side(left_pattern), _Side(right_pattern), _Side(weight_shape)
        self._check(left, right, weight)
        self.pre_rearrange = self.post_rearrange = None
        if any(len(group) != 1 for group in left.groups):
            lengths = {name: length for name, length in axes_lengths.items() if name in left.names}
            self.pre_rearrange = Rearrange(f"{left_pattern}-> {_flat(left)}", **lengths)
        if any(len(group) != 1 for group in right.groups) or right.rest_in_group:
            self.post_rearrange = Rearrange(f"{_flat(right)} ->{right_pattern}")
        for axis in weight.names:
            if axis not in axes_lengths:
                raise EinopsError(f"Dimension {axis} of weight should be specified")
        _report(set(axes_lengths) - left.names - weight.names, "Axes {} are not used in pattern")
        _report(weight.names - left.names - right.names, "Weight axes {} are redundant")
        if not weight.names:
            _warnings.warn("EinMix: weight has no dimensions (means multiplication by a number)", stacklevel=2)
        fan_in = 1
        for (axis,) in weight.groups:
            if axis not in right.names:
                fan_in *= axes_lengths[axis]
        shape = [axes_lengths[axis] for (axis,) in weight.groups]
        bias = None if bias_shape is None else self._bias_lengths(right)
        bound = (3 / fan_in) ** 0.5
        self.weight = _torch.nn.Parameter(_torch.zeros(shape).uniform_(-bound, bound), requires_grad=True)
        bound = (1 / fan_in) ** 0.5
        if bias is not None:
            self.bias = _torch.nn.Parameter(_torch.zeros(bias).uniform_(-bound, bound), requires_grad=True)
        else:
            self.bias = None
        names = sorted((left.names | right.names | weight.names) - {_REST})
        letters = dict(zip(names, _string.ascii_lowercase, strict=False))
        sides = [_letters(_Side(_flat(side)), letters) for side in (left, weight, right)]
        self.einsum_pattern = f"{sides[0]},{sides[1]}->{sides[2]}"

    def _check(self, left, right, weight):
        _report(right.names - left.names - weight.names, "Unrecognized identifiers on the right side of EinMix {}")
        if weight.rest:
            raise EinopsError("Ellipsis is not supported in weight, as its shape should be fully specified")
        if left.rest != right.rest:
            raise EinopsError(f"Ellipsis in EinMix should be on both sides, {self.pattern}")
        if left.rest_in_group:
            raise EinopsError(f"Ellipsis on left side can't be in parenthesis, got {self.pattern}")
        if left.numbered or right.numbered or weight.numbered:
            raise EinopsError("Anonymous axes (numbers) are not allowed in EinMix")
        if "(" in self.weight_shape or ")" in self.weight_shape:
            raise EinopsError(f"Parenthesis is not allowed in weight shape: {self.weight_shape}")

    def _bias_lengths(self, right):
        if not isinstance(self.bias_shape, str):
            raise EinopsError("bias shape should be string specifying which axes bias depends on")
        bias = _Side(self.bias_shape)
        _report(bias.names - right.names, "Bias axes {} not present in output")
        _report(bias.names - set(self.axes_lengths), "Sizes not provided for bias axes {}")
        lengths = []
        for group in right.groups:
            for axis in group:
                if axis == _REST:
                    if any(length != 1 for length in lengths):
                        raise EinopsError("all bias dimensions should go after ellipsis in the output")
                else:
                    lengths.append(self.axes_lengths[axis] if axis in bias.names else 1)
        return lengths

    def __repr__(self):
        bias = "" if self.bias_shape is None else f", '{self.bias_shape}'"
        lengths = "".join(f", {axis}={length}" for axis, length in self.axes_lengths.items())
        return f"{type(self).__name__}({self.pattern!r}, '{self.weight_shape}'{bias}{lengths})"

    def forward(self, input):
        if self.pre_rearrange is not None:
            input = self.pre_rearrange(input)
        result = _torch.einsum(self.einsum_pattern, input, self.weight)
        if self.bias is not None:
            result += self.bias
        if self.post_rearrange is not None:
            result = self.post_rearrange(result)
        return result
