"""Sequences of different lengths in one batch: padded to the longest, or packed without the padding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...api.functions.creation import as_tensor, full
from ...api.functions.rnn import groups
from ...api.functions.shape import narrow
from ...dispatch.inplace import in_place
from ...dispatch.registry import GRAPH
from ...namespace.module_names import settle
from ...ops.rnn import pack_padded_sequence as pack
from ...ops.view import select, slice_, transpose
from ...tensor import dtypes
from ...tensor.tensor import Tensor, plain


def convert(kind: dtypes.dtype) -> Callable[[PackedSequence], PackedSequence]:
    return lambda packed: packed.to(dtype=kind)


class PackedSequence_(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


class PackedSequence(PackedSequence_):
    """The elements of all sequences step by step, the longest sequence first, with how many there are at each step.

    `sorted_indices` tells where each sequence stood before they were sorted, `unsorted_indices` leads back.

    Raises:
        AssertionError: given one thing that is not a pair of data and batch sizes.
    """

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        if batch_sizes is None:
            if not isinstance(data, list | tuple) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **options: Any) -> PackedSequence:
        """With `data` as `data.to(...)` makes it; this one if that changes nothing."""
        data = self.data.to(*args, **options)
        if data is self.data:
            return self
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def cpu(self, *args: Any, **options: Any) -> PackedSequence:
        return self.to(*args, **{"device": "cpu", **options})

    def cuda(self, *args: Any, **options: Any) -> PackedSequence:
        return self.to(*args, **{"device": "cuda", **options})

    double = convert(dtypes.float64)
    float = convert(dtypes.float32)
    half = convert(dtypes.float16)
    long = convert(dtypes.int64)
    int = convert(dtypes.int32)
    short = convert(dtypes.int16)
    char = convert(dtypes.int8)
    byte = convert(dtypes.uint8)

    @property
    def is_cuda(self) -> bool:
        return bool(self.data.is_cuda)

    def is_pinned(self) -> bool:
        return False


def invert_permutation(permutation: Any) -> Any:
    """Where each place of `permutation` went: torch writes it in place."""
    if permutation is None:
        return None
    places = plain(np.argsort(permutation.data_))
    places.bump()
    return places


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """The sequences of a padded batch, packed.

    Raises:
        RuntimeError: the lengths do not fit the batch, are not positive, or not sorted though `enforce_sorted`.
        TypeError: `input` is no tensor.
    """
    lengths = lengths.to(dtype=dtypes.int64) if isinstance(lengths, Tensor) else as_tensor(lengths, dtype=dtypes.int64)
    order = None
    if not enforce_sorted:
        lengths, order = lengths.sort(descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    if not isinstance(input, Tensor):
        raise TypeError(
            f"_pack_padded_sequence(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
        )
    data, sizes = pack(input, lengths, batch_first)
    return PackedSequence(data, sizes, order, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """The sequences of a packed batch, padded, in the order they had before; and their lengths.

    Raises:
        ValueError: `total_length` is less than the longest sequence.
    """
    sizes = sequence.batch_sizes.data_.tolist()
    if total_length is not None and total_length < len(sizes):
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {len(sizes)}"
        )
    data = sequence.data
    shape = (total_length or len(sizes), sizes[0], *data.data_.shape[1:])
    padded, start = full(shape, padding_value, dtype=data.dtype), 0
    padded.bump()
    for first, end, count in groups(sizes):
        place = slice_(slice_(padded, 0, first, end, 1), 1, 0, count, 1)
        piece = slice_(data, 0, start, start + (end - first) * count, 1)
        in_place(GRAPH["copy"], place, piece.view(end - first, count, *shape[2:]))
        start += (end - first) * count
    lengths = plain((np.array(sizes)[:, None] > np.arange(sizes[0])).sum(0))
    padded = transpose(padded, 0, 1) if batch_first else padded
    if sequence.unsorted_indices is None:
        return padded, lengths
    order = sequence.unsorted_indices
    return padded.index_select(0 if batch_first else 1, order), lengths[order]


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """The sequences side by side in one tensor, as long as the longest.

    Raises:
        RuntimeError: there are none, or they differ in more than their lengths.
        TypeError: they are no tensors.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    parts = tuple(sequences)
    check_parts(parts, padding_side)
    longest = max(part.data_.shape[0] for part in parts)
    around = (len(parts), longest) if batch_first else (longest, len(parts))
    padded = full((*around, *parts[0].data_.shape[1:]), padding_value, dtype=parts[0].dtype)
    padded.bump()
    for at, part in enumerate(parts):
        length = part.data_.shape[0]
        start = longest - length if padding_side == "left" else 0
        if batch_first:
            place = narrow(select(padded, 0, at), 0, start, length)
        else:
            place = select(narrow(padded, 0, start, length), 1, at)
        in_place(GRAPH["copy"], place, part)
    return padded


def check_parts(parts: Sequence[Any], side: str) -> None:
    for at, part in enumerate(parts):
        if not isinstance(part, Tensor):
            raise TypeError(f"expected Tensor as element {at} in argument 0, but got {type(part).__name__}")
    if not parts:
        raise RuntimeError("received an empty list of sequences")
    if side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {side}.")
    if not parts[0].data_.ndim:
        raise RuntimeError("ArrayRef: invalid slice, N = 1; size = 0")


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Tensor]:
    """The sequences of a padded batch without the padding. One that is not `batch_first` is turned in place.

    Raises:
        ValueError: there are not as many lengths as sequences.
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    steps = plain(np.arange(padded_sequences.shape[1]))
    return [one[steps < length] for one, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """The sequences, packed: see `pack_padded_sequence`."""
    lengths = as_tensor([one.size(0) for one in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences of a packed batch."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


settle(globals())
