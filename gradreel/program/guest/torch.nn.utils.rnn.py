"""torch.nn.utils.rnn, in Python: sequences of different lengths side by side."""


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    longest = max(one.size(0) for one in sequences)
    shape = (len(sequences), longest) if batch_first else (longest, len(sequences))
    out = sequences[0].new_full((*shape, *sequences[0].shape[1:]), padding_value)
    for nr, one in enumerate(sequences):
        length = one.size(0)
        place = slice(0, length) if padding_side == "right" else slice(longest - length, longest)
        if batch_first:
            out[nr, place] = one
        else:
            out[place, nr] = one
    return out


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    padded = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [one[: int(length)] for one, length in zip(padded, lengths, strict=False)]


def _only_padded(*args, **kwargs):
    raise NotImplementedError("packed sequences are not supported here; pad_sequence is")


pack_padded_sequence = pack_sequence = pad_packed_sequence = PackedSequence = _only_padded
