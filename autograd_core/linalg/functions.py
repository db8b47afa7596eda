"""torch.linalg: factors, determinants, inverses, solutions and norms, checked and composed as PyTorch does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..api.functions.arguments import cast, dims, named_tuple
from ..dispatch.inplace import in_place
from ..dispatch.schema.guard import guard
from ..dispatch.schema.schema import composite
from ..engine.state import state
from ..engine.warnings import warn_once
from ..errors import Unsupported
from ..functorch.batch import is_followed
from ..ops import linalg_decomposition, linalg_solve, reduction, view
from ..ops import matmul as matmul_ops
from ..ops._common import check_floating, check_matrix, check_square, need, refuse, square, wrap
from ..ops.binary import div, eq, gt, mul
from ..ops.complex import conj, is_complex
from ..ops.join import clone
from ..ops.linalg_solve import linalg_inv
from ..ops.matmul import vdot
from ..ops.reduction import sum_dim
from ..ops.unary import copy, log, masked_fill, nan_to_num, where
from ..ops.view import slice_, squeeze_dim, transpose, unsqueeze
from ..tensor.tensor import Tensor, plain

# ---- factors: Cholesky's, QR, singular and eigenvalues


EIG = named_tuple("linalg_eig", "eigenvalues eigenvectors")
EIGH = named_tuple("linalg_eigh", "eigenvalues eigenvectors")
QR = named_tuple("linalg_qr", "Q R")
SVD = named_tuple("linalg_svd", "U S Vh")
OLD_SVD = named_tuple("svd", "U S V")


def wants_graph(A: Tensor) -> bool:
    return state.grad_enabled and is_followed(A)


@composite("linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor: function out")
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    square("cholesky", A)
    return linalg_decomposition.linalg_cholesky(A, upper)[0]


@composite("linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R): function out")
def qr(A: Tensor, mode: str = "reduced") -> Any:
    need("qr", A)
    check_matrix("linalg.qr", A)
    check_floating("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    return QR(*linalg_decomposition.linalg_qr(A, mode))


@composite("""
    linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh): function out
    """)
def svd(A: Tensor, full_matrices: bool = True) -> Any:
    need("svd", A)
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A)
    return SVD(*linalg_decomposition.svd(A, full_matrices, True, min(A.data_.shape[-2:])))


@composite("""
    svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V): function method out
    """)
def old_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """torch.svd, which gives V itself."""
    if not compute_uv:
        rows, columns = input.data_.shape[-2:]
        batch = input.data_.shape[:-2]
        U, V = (plain(np.zeros((*batch, n, n), input.data_.dtype)) for n in (rows, columns))
        return OLD_SVD(U, svdvals(input), V)
    U, S, Vh = svd(input, not some)
    return OLD_SVD(U, S, transpose(Vh, -2, -1))


@composite("linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor: function out")
def svdvals(A: Tensor) -> Tensor:
    need("svdvals", A)
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A)
    return linalg_decomposition.svd(A, False, wants_graph(A), min(A.data_.shape[-2:]))[1]


def symmetric(A: Tensor) -> None:
    need("eigh", A)
    check_square("linalg.eigh", A)
    refuse("linalg_eigh_cpu", "iub", A.data_)


@composite('linalg_eigh(Tensor self, str UPLO="L") -> (Tensor eigenvalues, Tensor eigenvectors): function out')
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    symmetric(A)
    return EIGH(*linalg_decomposition.linalg_eigh(A, side(UPLO), True))


@composite('linalg_eigvalsh(Tensor self, str UPLO="L") -> Tensor: function out')
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    symmetric(A)
    return linalg_decomposition.linalg_eigh(A, side(UPLO), wants_graph(A))[0]


@composite("linalg_eigvals(Tensor self) -> Tensor: function out")
def eigvals(A: Tensor) -> Tensor:
    general("eig" if isinstance(A, Tensor) and wants_graph(A) else "eigvals", A)
    return linalg_decomposition.linalg_eig(A)[0]


@composite("linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors): function out")
def eig(A: Tensor) -> Any:
    general("eig", A)
    return EIG(*linalg_decomposition.linalg_eig(A))


def general(name: str, A: Tensor) -> None:
    """Check a matrix whose eigenvalues may be complex."""
    need(name, A)
    check_square(f"linalg.{name}", A)
    if A.data_.dtype.kind not in "fc":
        raise RuntimeError(f"Unknown Complex ScalarType for {errors.type_name(A.data_.dtype)}")
    if not np.isfinite(A.data_).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")


def side(UPLO: str) -> str:
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return UPLO.upper()


# ---- determinants, inverses, powers, norms


SLOGDET = named_tuple("linalg_slogdet", "sign logabsdet")
OLD_SLOGDET = named_tuple("slogdet", "sign logabsdet")


# ---- determinants


@composite("""
    det(Tensor self) -> Tensor: function method
    linalg_det(Tensor A) -> Tensor: function out
    """)
def det(A: Tensor) -> Tensor:
    square("det", A)
    return linalg_solve.linalg_det(A)[0]


@composite("linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet): function out")
def slogdet(A: Tensor) -> Any:
    square("slogdet", A)
    return SLOGDET(*linalg_solve.linalg_slogdet(A)[:2])


@composite("slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet): function method out")
def old_slogdet(input: Tensor) -> Any:
    """torch.slogdet, whose result has another name."""
    return OLD_SLOGDET(*slogdet(input))


@composite("logdet(Tensor self) -> Tensor: function method")
def logdet(input: Tensor) -> Tensor:
    need("logdet", input, "input")
    check_square("logdet", input)
    check_floating("logdet", input)
    sign, size = linalg_solve.linalg_slogdet(input)[:2]
    if is_complex(sign):
        return log(sign) + size
    return where(eq(sign, -1.0), float("nan"), size)


# ---- inverses and solutions


@composite("""
    inverse(Tensor self) -> Tensor: function method out
    linalg_inv(Tensor A) -> Tensor: function out
    """)
def inv(A: Tensor) -> Tensor:
    square("inv", A)
    return linalg_solve.linalg_inv(A)[0]


@composite("linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor: function out")
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X with `A @ X = B`, or with `X @ A = B`."""
    need("solve", A)
    need("solve", B, "B", 2)
    a, b = A.data_, B.data_
    check_matrix("linalg.solve", A)
    check_floating("linalg.solve", A)
    if a.dtype != b.dtype:
        raise RuntimeError(
            "linalg.solve: Expected A and B to have the same dtype, but found A of type "
            f"{errors.type_name(a.dtype)} and B of type {errors.type_name(b.dtype)} instead"
        )
    check_square("linalg.solve", A)
    if not b.ndim:
        check_matrix("linalg.solve", B, "B")
    check_right("linalg.solve", A, (*b.shape, 1) if linalg_solve.vector_right(a, b) else b.shape, left)
    return linalg_solve.linalg_solve_ex(A, B, left)[0]


def check_right(name: str, A: Tensor, right: Sequence[int], left: bool) -> None:
    """Whether a right side of shape `right` goes with A.

    Raises:
        RuntimeError: it does not, in torch's words.
    """
    n = A.data_.shape[-1]
    if right[-2 if left else -1] != n:
        what = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {what} ({n}x{n} and {right[-2]}x{right[-1]})"
        )


@composite("""
    linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> \
        Tensor: function out
    """)
def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    check_square("linalg.solve_triangular", A)
    check_matrix("linalg.solve_triangular", B, "B")
    check_right("linalg.solve_triangular", A, B.data_.shape, left)
    return linalg_solve.linalg_solve_triangular(A, B, upper, left, unitriangular)


@composite("""
    linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> \
        Tensor: function out
    linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor: \
        function out
    linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor: function out
    linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor: function out
    """)
def pinv(A: Tensor, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Tensor:
    if hermitian:
        raise Unsupported("linalg.pinv with hermitian=True is not supported")
    if A.data_.ndim < 2 or A.data_.dtype.kind not in "fc":
        kind, shape = errors.type_name(A.data_.dtype), list(A.data_.shape)
        raise RuntimeError(
            f"linalg.pinv({kind}{{{shape}}}): expected a tensor with 2 or more dimensions of float, double, cfloat or "
            "cdouble types"
        )
    smallest = float(np.finfo(A.data_.dtype).eps) * max(A.data_.shape[-2:])
    asked = rcond if rtol is None else rtol
    return linalg_solve.linalg_pinv(A, smallest if asked is None else float(asked))


@composite("pinverse(Tensor self, float rcond=1e-15) -> Tensor: function method")
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    return pinv(input, rtol=rcond)


# ---- functions of matrices


@composite("""
    matrix_exp(Tensor self) -> Tensor: function method
    linalg_matrix_exp(Tensor self) -> Tensor: function
    """)
def matrix_exp(A: Tensor) -> Tensor:
    need("matrix_exp", A)
    check_square("linalg.matrix_exp", A)
    check_floating("linalg.matrix_exp", A)
    return linalg_solve.matrix_exp(A)


@composite("""
    matrix_power(Tensor self, int n) -> Tensor: function method out
    linalg_matrix_power(Tensor self, int n) -> Tensor: function out
    """)
def matrix_power(A: Tensor, n: int) -> Tensor:
    """A multiplied by itself, by squaring."""
    need("matrix_power", A)
    if not isinstance(n, int):
        raise TypeError(f"linalg_matrix_power(): argument 'n' (position 2) must be int, not {type(n).__name__}")
    check_square("linalg.matrix_power", A)
    if n == 0:
        eye = plain(np.eye(A.data_.shape[-1], dtype=A.data_.dtype))
        return in_place(copy, clone(A), eye)
    if n < 0:
        A, n = inv(A), -n
    if n == 1:
        return clone(A)
    if n == 3:
        return matmul_ops.matmul(matmul_ops.matmul(A, A), A)
    power: Any = None
    result: Any = None
    while n > 0:
        power = A if power is None else matmul_ops.matmul(power, power)
        if n % 2:
            result = power if result is None else matmul_ops.matmul(result, power)
        n //= 2
    return result


# ---- products


@composite("linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor: function out")
def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    a, b = input.data_.shape, other.data_.shape
    if len(a) != len(b):
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if a[dim] != 3 or b[dim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {a[dim]} and {b[dim]}")
    text = errors.broadcast([a, b])
    if text is not None:
        raise RuntimeError(text)
    return matmul_ops.linalg_cross(input, other, dim)


WITHOUT_DIM = (
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply "
    "use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a future "
    "release."
)


@composite("cross(Tensor self, Tensor other, int? dim=None) -> Tensor: function method out")
def old_cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """torch.cross, which looks for a dimension of length 3 where none is named."""
    if dim is None:
        found = [at for at, n in enumerate(input.data_.shape) if n == 3]
        if not found:
            raise RuntimeError("no dimension of size 3 in input")
        warn_once("cross", WITHOUT_DIM)
        dim = found[0]
    return cross(input, other, dim=dim)


# ---- norms


@composite("""
    linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> \
        Tensor: function out
    """)
def vector_norm(x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return reduction.vector_norm(cast(x, dtype), ord, dims(dim), keepdim)


@composite("""
    linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2,-1], bool keepdim=False, *, ScalarType? dtype=None) -> \
        Tensor: function out
    linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2,-1], bool keepdim=False, *, ScalarType? \
        dtype=None) -> Tensor: function out
    """)
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    check_matrix("linalg.matrix_norm", A)
    A = cast(A, dtype)
    over = dims(dim)
    if over is None or len(over) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {over}")
    n = A.data_.ndim
    rows, columns = (wrap(d, n) for d in over)
    if rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({over[0]}, {over[1]})")
    if ord == "fro":
        return reduction.vector_norm(A, 2, [rows, columns], keepdim)
    if ord != "nuc" and (isinstance(ord, str) or abs(ord) not in (1, 2, float("inf"))):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if ord == "nuc" or abs(ord) == 2:
        rest = [d for d in range(n) if d not in (rows, columns)]
        order = [*rest, rows, columns]
        values = svdvals(view.permute(A, order))
        picked = (
            reduction.sum_dim(values, [-1], keepdim)
            if ord == "nuc"
            else (reduction.amax if ord > 0 else reduction.amin)(values, [-1], keepdim)
        )
        if not keepdim:
            return picked
        back = view.unsqueeze(picked, -1)
        return view.permute(back, [order.index(d) for d in range(n)])
    if abs(ord) == float("inf"):
        rows, columns = columns, rows
    sums = reduction.vector_norm(A, 1.0, [rows], keepdim)
    at = columns - 1 if columns > rows and not keepdim else columns
    return (reduction.amax if ord > 0 else reduction.amin)(sums, [at], keepdim)


checked_vector_norm = guard("torch.linalg", "vector_norm", vector_norm)
checked_matrix_norm = guard("torch.linalg", "matrix_norm", matrix_norm)


@composite("""
    linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> \
        Tensor: function out
    linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> \
        Tensor: function out
    """)
def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    over = dims(dim)
    if over is not None and len(over) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {over}")
    n = A.data_.ndim
    if ord is None:
        return vector_norm(A, 2.0, dim, keepdim, dtype=dtype)
    if over is None and n not in (1, 2) and not isinstance(ord, str):
        raise RuntimeError(f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {n}D.")
    if isinstance(ord, str) or (len(over) if over is not None else n) == 2:
        return matrix_norm(A, ord, (-2, -1) if over is None else over, keepdim, dtype=dtype)
    return vector_norm(A, ord, dim if dim is not None else None, keepdim, dtype=dtype)


def old_norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Tensor | None = None, dtype: Any = None
) -> Tensor:
    """`torch.norm`, which picks one of those above."""
    over = [dim] if isinstance(dim, int) else dim
    place = {} if out is None else {"out": out}
    if not isinstance(p, str):
        return checked_vector_norm(input, 2.0 if p is None else p, over, keepdim, dtype=dtype, **place)
    if p == "fro" and (dim is None or isinstance(dim, int) or len(dim) <= 2):
        return checked_vector_norm(input, 2, over, keepdim, dtype=dtype, **place)
    if p not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    over = list(range(input.data_.ndim)) if over is None else over
    return checked_matrix_norm(input, p, over, keepdim, dtype=dtype, **place)


@composite("linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a): function")
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    return view.diagonal(A, offset, dim1, dim2)


matmul = matmul_ops.matmul


# ---- products along a dimension


@composite("linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor: function out")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The products along `dim`, summed."""
    for given in (x, y):
        check_floating("linalg.vecdot", given)
    if x.data_.ndim == y.data_.ndim == 1:
        return vdot(x, y)
    return sum_dim(mul(conj(x), y), [dim], False)


# ---- inverses


INV_EX = named_tuple("linalg_inv_ex", "inverse info")


@composite("linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info): function out")
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    square("inv_ex" if check_errors else "inv", A)
    try:
        return INV_EX(*linalg_inv(A))
    except linalg_decomposition.LinAlgError as error:
        if check_errors:
            raise linalg_decomposition.LinAlgError(str(error).replace("linalg.inv:", "linalg.inv_ex:")) from None
        if A.requires_grad and state.grad_enabled:
            raise Unsupported("inv_ex of a singular matrix that requires grad is not supported") from None
    inverse, info = linalg_decomposition.inverses(A.data_)
    return INV_EX(plain(inverse), plain(info))


# ---- least squares, conditions, ranks


LSTSQ = named_tuple("linalg_lstsq", "solution residuals rank singular_values")
DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@composite("""
    linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor \
        residuals, Tensor rank, Tensor singular_values): function out
    """)
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """X with the least squares of `A @ X - B`; of several the shortest."""
    a, b = A.data_, B.data_
    if a.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    vector = b.ndim == a.ndim - 1
    if a.shape[-2] != (b.shape[-1] if vector else b.shape[-2]):
        which = "-1" if vector else "-2"
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({which})")
    if a.dtype != b.dtype:
        kinds = errors.type_name(a.dtype), errors.type_name(b.dtype)
        raise RuntimeError(
            f"torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype {kinds[0]} "
            f"and other's dtype {kinds[1]}"
        )
    check_floating("torch.linalg.lstsq", A)
    if driver is not None and driver not in DRIVERS:
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    if driver not in (None, "gelsy"):
        raise Unsupported(f"lstsq with driver='{driver}' is not supported: only gelsy, which is the default")
    if a.shape[:-2] != (b.shape[:-1] if vector else b.shape[:-2]):
        raise Unsupported("lstsq over batches of different shapes is not supported: expand them first")
    return LSTSQ(
        *linalg_decomposition.linalg_lstsq(A, B, linalg_decomposition.small(a) if rcond is None else float(rcond))
    )


@composite("""
    linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) \
        -> Tensor: function out
    linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> \
        Tensor: function out
    linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor: function out
    linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor: function out
    """)
def matrix_rank(A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """How many singular values are not zero, or less than a tolerance."""
    if A.data_.ndim < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    if any(isinstance(given, Tensor) for given in (tol, atol, rtol)):
        raise Unsupported("matrix_rank with tensors as tolerances is not supported")
    check_floating("torch.linalg.matrix_rank", A)
    values = np.abs((eigvalsh if hermitian else svdvals)(plain(A.data_)).data_)
    least = 0.0 if atol is None else atol
    relative = (linalg_decomposition.small(A) if not least > 0 else 0.0) if rtol is None else rtol
    if tol is not None:
        least, relative = tol, 0.0
    largest = np.max(values, axis=-1, keepdims=True, initial=0)
    rank = np.sum(values > np.maximum(least, relative * largest), axis=-1).astype(np.int64)[()]
    return plain(rank, version=1)  # which torch has written into its place


@composite("""
    linalg_cond(Tensor self, Scalar? p=None) -> Tensor: function out
    linalg_cond.p_str(Tensor self, str p) -> Tensor: function out
    """)
def cond(A: Tensor, p: Any = None) -> Tensor:
    """How much a solution by `A` may enlarge an error."""
    if A.data_.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p not in (None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if p in (None, 2, -2):
        values = svdvals(A)
        n = values.data_.shape[-1]
        first, last = slice_(values, -1, 0, 1, 1), slice_(values, -1, n - 1, n, 1)
        return squeeze_dim(div(last, first) if p == -2 else div(first, last), -1)
    rows, columns = A.data_.shape[-2:]
    if rows != columns:
        shown = int(p) if isinstance(p, int | float) and math.isfinite(p) else p
        raise RuntimeError(
            f"linalg.cond(ord={shown}): A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )
    if p == "nuc":
        raise Unsupported("linalg.cond with p='nuc' is not supported")
    inverse, info = inv_ex(A)
    singular = gt(info, 0)
    in_place(masked_fill, inverse, unsqueeze(unsqueeze(singular, -1), -1), math.inf)
    norms = [matrix_norm(part, p) for part in (A, inverse)]
    return in_place(nan_to_num, mul(*norms), math.inf, math.inf, -math.inf)


# ---- older names


OLD_QR = named_tuple("qr", "Q R")


@composite("cholesky(Tensor self, bool upper=False) -> Tensor: function method out")
def old_cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """torch.cholesky."""
    warn_once(
        "cholesky",
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
        "release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = "
        "torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will "
        "produce equivalent results for all valid (symmetric positive definite) inputs.",
    )
    check_square("cholesky", input)
    return linalg_decomposition.cholesky(input, upper)


@composite("qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R): function method out")
def old_qr(input: Tensor, some: bool = True) -> Any:
    """torch.qr."""
    warn_once(
        "qr",
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe "
        "boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould "
        "be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
    )
    return OLD_QR(*qr(input, "reduced" if some else "complete"))
