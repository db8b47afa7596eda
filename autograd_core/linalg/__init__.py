"""torch.linalg: what programs call."""

from __future__ import annotations

from ..api.functions.contraction import multi_dot as multi_dot
from ..dispatch.schema.guard import guard_module
from ..namespace.absent import absent
from ..ops.linalg_decomposition import LinAlgError as LinAlgError
from .functions import cholesky as cholesky
from .functions import cond as cond
from .functions import cross as cross
from .functions import det as det
from .functions import diagonal as diagonal
from .functions import eig as eig
from .functions import eigh as eigh
from .functions import eigvals as eigvals
from .functions import eigvalsh as eigvalsh
from .functions import inv as inv
from .functions import inv_ex as inv_ex
from .functions import lstsq as lstsq
from .functions import matmul as matmul
from .functions import matrix_exp as matrix_exp
from .functions import matrix_norm as matrix_norm
from .functions import matrix_power as matrix_power
from .functions import matrix_rank as matrix_rank
from .functions import norm as norm
from .functions import pinv as pinv
from .functions import qr as qr
from .functions import slogdet as slogdet
from .functions import solve as solve
from .functions import solve_triangular as solve_triangular
from .functions import svd as svd
from .functions import svdvals as svdvals
from .functions import vecdot as vecdot
from .functions import vector_norm as vector_norm

guard_module(__name__, "torch.linalg")

__getattr__ = absent("torch.linalg")
