"""torch.backends: what computes underneath. Its switches can be set, and change nothing: there is numpy alone."""

from . import cuda, cudnn, mkl, mkldnn, mps, openmp

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]
