"""The table of operators, in the manner of PyTorch's derivatives.yaml: one short entry each, in a file by family."""

from collections.abc import Callable
from typing import Any

from ..dispatch.codegen.cache import kept
from ..dispatch.registry import GRAPH, TABLE
from . import activation as activation
from . import attention as attention
from . import binary as binary
from . import complex as complex
from . import convolution as convolution
from . import ctc_loss as ctc_loss
from . import cumulative as cumulative
from . import distance as distance
from . import embedding as embedding
from . import fft as fft
from . import grid_sample as grid_sample
from . import indexing as indexing
from . import interpolation as interpolation
from . import join as join
from . import linalg_decomposition as linalg_decomposition
from . import linalg_solve as linalg_solve
from . import loss as loss
from . import matmul as matmul
from . import normalization as normalization
from . import padding as padding
from . import pooling as pooling
from . import random_sampling as random_sampling
from . import reduction as reduction
from . import rnn as rnn
from . import scatter_gather as scatter_gather
from . import sorting as sorting
from . import special as special
from . import unary as unary
from . import view as view

kept.close()


class _Operators:
    """`torch.ops.aten`: operators by their names, those too that programs know by no other."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """The operator `name`, or the first of its overloads.

        Raises:
            AttributeError: there is none.
        """
        for known, entry in TABLE.items():
            if known.partition(".")[0] == name:
                function: Callable[..., Any] = GRAPH[entry.python_name]
                return function
        raise AttributeError(f"'_OpNamespace' 'aten' object has no attribute '{name}'")


aten = _Operators()
