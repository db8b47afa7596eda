"""torch.backends: what computes underneath. Its switches can be set, and change nothing: there is numpy alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from .without import answering


@contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """The switches of cudnn as given, for a block."""
    given = {"enabled": enabled, "benchmark": benchmark, "deterministic": deterministic, "allow_tf32": allow_tf32}
    before = {name: getattr(cudnn, name) for name in given}
    vars(cudnn).update(given)
    try:
        yield
    finally:
        vars(cudnn).update(before)


cuda = SimpleNamespace(
    is_built=answering(False),
    matmul=SimpleNamespace(
        allow_tf32=False, allow_fp16_reduced_precision_reduction=True, allow_bf16_reduced_precision_reduction=True
    ),
)
cudnn = SimpleNamespace(
    enabled=True, allow_tf32=True, deterministic=False, benchmark=False, benchmark_limit=None,
    is_available=answering(False), version=answering(None), flags=flags,
)  # fmt: skip
mkl, mkldnn, openmp = (SimpleNamespace(is_available=answering(True)) for _ in range(3))
mps = SimpleNamespace(is_available=answering(False), is_built=answering(False))

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]
