"""torch.nn.attention.flex_attention, in Python: scores that a function changes, masks that a function says.

As PyTorch has it on a CPU: forward alone, over all scores at once.
"""

import math as _math

import torch as _torch

_BLOCK = 128


def _over_indices(function, scored):
    """`function` of (score,) b, h, q, kv for whole rows of each, which stand for all four."""
    none = (None,) if scored else ()
    first = (0,) if scored else ()
    for axes in ((None, None, None, 0), (None, None, 0, None), (None, 0, None, None)):
        function = _torch.vmap(function, in_dims=first + axes)
    return _torch.vmap(function, in_dims=(first or none) + (0, None, None, None))


def noop_mask(batch, head, token_q, token_kv):
    return batch.new_ones(size=(), dtype=_torch.bool, device=batch.device)


def and_masks(*mask_mods):
    if not all(callable(mask) for mask in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")

    def and_mask(b, h, q_idx, kv_idx):
        result = b.new_ones((), dtype=_torch.bool)
        for mask in mask_mods:
            result = result & mask(b, h, q_idx, kv_idx)
        return result

    return and_mask


def or_masks(*mask_mods):
    if not all(callable(mask) for mask in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")

    def or_mask(b, h, q_idx, kv_idx):
        result = b.new_zeros((), dtype=_torch.bool)
        for mask in mask_mods:
            result = result | mask(b, h, q_idx, kv_idx)
        return result

    return or_mask


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device=None):
    rows = [_torch.arange(0, count) for count in (B or 1, H or 1, Q_LEN, KV_LEN)]
    return _over_indices(mod_fn, False)(*rows)


def _in_order(blocks):
    """How many blocks there are in each row, and which, these first."""
    numbers = blocks.to(_torch.int32)
    order = _torch.argsort(numbers, dim=-1, descending=True, stable=True)
    return numbers.sum(-1).to(_torch.int32), order.to(_torch.int32)


class BlockMask:
    """Which blocks of the scores are to be computed: those in which the mask lets anything through."""

    def __init__(self, mask_mod, seq_lengths, some, every, block_size):
        self.mask_mod, self.seq_lengths, self.BLOCK_SIZE = mask_mod, seq_lengths, block_size
        self._some, self._every = some, every
        self.kv_num_blocks, self.kv_indices = _in_order(some & ~every)
        self.full_kv_num_blocks, self.full_kv_indices = _in_order(every)

    @property
    def shape(self):
        return (*self._some.shape[:-2], *self.seq_lengths)

    def __str__(self):
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n{self.to_string()}\n)"

    __repr__ = __str__

    def __getitem__(self, index):
        at = index if isinstance(index, tuple) else (index,)
        return BlockMask(self.mask_mod, self.seq_lengths, self._some[at], self._every[at], self.BLOCK_SIZE)

    def numel(self):
        return _math.prod(self.shape)

    def sparsity(self):
        computed = int(self._some.sum()) * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1]
        return 100 * (1 - computed / self.numel())

    def to_dense(self):
        return self._some.to(_torch.int32)

    def to(self, device):
        return self

    def to_string(self, grid_size=(20, 20), limit=4):
        shown, dense = [], self._some.float()
        first = dense.shape[:-2]
        dense = dense.reshape(-1, *dense.shape[-2:])
        rows, columns = (max(1, -(-count // most)) for count, most in zip(dense.shape[-2:], grid_size, strict=True))
        for nr in range(min(limit, len(dense))):
            at, place = nr, []
            for count in reversed(first):
                place.insert(0, at % count)
                at //= count
            shown.append(str(tuple(place)) if place else "")
            for top in range(0, dense.shape[1], rows):
                cells = [
                    float(dense[nr, top : top + rows, left : left + columns].mean())
                    for left in range(0, dense.shape[2], columns)
                ]
                shown.append("".join("  " if cell == 0 else "██" if cell == 1 else "░░" for cell in cells))
        return "\n".join(shown) + ("\n..." if len(dense) > limit else "")


def create_block_mask(
    mask_mod, B, H, Q_LEN, KV_LEN, device=None, BLOCK_SIZE=_BLOCK, _compile=False, separate_full_blocks=True
):
    size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN)
    rows, columns = -(-Q_LEN // size[0]), -(-KV_LEN // size[1])
    padded = _torch.zeros(*mask.shape[:2], rows * size[0], columns * size[1], dtype=_torch.bool)
    padded[:, :, :Q_LEN, :KV_LEN] = mask
    apart = padded.view(*mask.shape[:2], rows, size[0], columns, size[1])
    return BlockMask(mask_mod, (Q_LEN, KV_LEN), apart.any(5).any(3), apart.all(5).all(3), size)


def flex_attention(
    query,
    key,
    value,
    score_mod=None,
    block_mask=None,
    scale=None,
    enable_gqa=False,
    return_lse=False,
    kernel_options=None,
    *,
    return_aux=None,
):
    if query.dim() != 4 or key.dim() != 4 or value.dim() != 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if not enable_gqa and query.size(-3) != key.size(-3):
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={query.size(-3)} and "
            f"Hkv={key.size(-3)}. Try setting enable_gqa=True for GQA."
        )
    if enable_gqa and query.size(1) % key.size(1):
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={query.size(1)} and "
            f"Hkv={key.size(1)}."
        )
    if _torch.is_grad_enabled() and any(one.requires_grad for one in (query, key, value)):
        raise NotImplementedError(
            "FlexAttention does not support backward on CPU. Please set the input requires_grad to False or use "
            "another device."
        )
    if scale is None:
        scale = 1.0 / _math.sqrt(query.size(-1))
    heads = query.size(1) // key.size(1)
    if heads > 1:
        key, value = (_torch.repeat_interleave(one, heads, dim=1) for one in (key, value))
    rows = [_torch.arange(0, count) for count in (*query.shape[:3], key.size(2))]
    kind = _torch.float64 if query.dtype == _torch.float64 else _torch.float32
    scores = (query @ key.transpose(-2, -1) * scale).to(kind)
    if score_mod is not None:
        scores = _over_indices(score_mod, True)(scores, *rows).to(kind)
    if block_mask is not None:
        wide = [
            rows[0] if block_mask.shape[0] > 1 else rows[0][:1],
            rows[1] if block_mask.shape[1] > 1 else rows[1][:1],
        ]
        mask = _over_indices(block_mask.mask_mod, False)(*wide, *rows[2:])
        scores = _torch.where(mask, scores, -float("inf"))
    lse = scores.logsumexp(dim=-1)
    hidden = _torch.all(scores == -float("inf"), dim=-1, keepdim=True)
    weights = _torch.where(hidden, 0, (scores - lse.unsqueeze(-1)).exp())
    out = (weights.to(query.dtype) @ value).to(query.dtype)
    return (out, lse) if return_lse else out
