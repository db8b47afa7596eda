"""PyTorch's autograd in numpy: `import autograd_core as torch` runs a PyTorch program within its surface.

Each public name stands below with the module that has it. The variants in place (`torch.relu_`) follow from the
operators; layers and losses that torch has under its own name (`torch.conv2d`) are loaded when they are asked for.
"""

from __future__ import annotations

import functools as _functools
import importlib as _importlib
import typing as _typing
from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi
from typing import Any as _Any

from . import accelerator as accelerator
from . import autograd as autograd
from . import cuda as cuda
from . import events as events
from . import fft as fft
from . import linalg as linalg
from . import ops as ops
from . import random as random
from .api.functions import creation as _creation
from .api.functions.contraction import cdist as cdist
from .api.functions.contraction import einsum as einsum
from .api.functions.contraction import inner as inner
from .api.functions.contraction import kron as kron
from .api.functions.contraction import pdist as pdist
from .api.functions.contraction import tensordot as tensordot
from .api.functions.creation import arange as arange
from .api.functions.creation import as_tensor as as_tensor
from .api.functions.creation import empty as empty
from .api.functions.creation import empty_like as empty_like
from .api.functions.creation import empty_strided as empty_strided
from .api.functions.creation import eye as eye
from .api.functions.creation import from_numpy as from_numpy
from .api.functions.creation import full as full
from .api.functions.creation import full_like as full_like
from .api.functions.creation import linspace as linspace
from .api.functions.creation import logspace as logspace
from .api.functions.creation import ones as ones
from .api.functions.creation import ones_like as ones_like
from .api.functions.creation import tensor as tensor
from .api.functions.creation import tril_indices as tril_indices
from .api.functions.creation import triu_indices as triu_indices
from .api.functions.creation import zeros as zeros
from .api.functions.creation import zeros_like as zeros_like
from .api.functions.indexing import diagonal_scatter as diagonal_scatter
from .api.functions.indexing import gather as gather
from .api.functions.indexing import index_fill as index_fill
from .api.functions.indexing import index_put as index_put
from .api.functions.indexing import nonzero as nonzero
from .api.functions.indexing import scatter as scatter
from .api.functions.indexing import scatter_reduce as scatter_reduce
from .api.functions.indexing import select_scatter as select_scatter
from .api.functions.indexing import slice_scatter as slice_scatter
from .api.functions.indexing import take_along_dim as take_along_dim
from .api.functions.linalg import cholesky_inverse as cholesky_inverse
from .api.functions.linalg import cholesky_solve as cholesky_solve
from .api.functions.linalg import eig as eig
from .api.functions.linalg import lstsq as lstsq
from .api.functions.linalg import matrix_rank as matrix_rank
from .api.functions.linalg import solve as solve
from .api.functions.linalg import symeig as symeig
from .api.functions.pointwise import add as add
from .api.functions.pointwise import addmm as addmm
from .api.functions.pointwise import addmv as addmv
from .api.functions.pointwise import allclose as allclose
from .api.functions.pointwise import baddbmm as baddbmm
from .api.functions.pointwise import clamp as clamp
from .api.functions.pointwise import clamp_max as clamp_max
from .api.functions.pointwise import clamp_min as clamp_min
from .api.functions.pointwise import div as div
from .api.functions.pointwise import equal as equal
from .api.functions.pointwise import float_power as float_power
from .api.functions.pointwise import fmod as fmod
from .api.functions.pointwise import frexp as frexp
from .api.functions.pointwise import get_device as get_device
from .api.functions.pointwise import is_complex as is_complex
from .api.functions.pointwise import is_conj as is_conj
from .api.functions.pointwise import is_floating_point as is_floating_point
from .api.functions.pointwise import is_neg as is_neg
from .api.functions.pointwise import is_tensor as is_tensor
from .api.functions.pointwise import isclose as isclose
from .api.functions.pointwise import lerp as lerp
from .api.functions.pointwise import masked_fill as masked_fill
from .api.functions.pointwise import masked_scatter as masked_scatter
from .api.functions.pointwise import mul as mul
from .api.functions.pointwise import numel as numel
from .api.functions.pointwise import outer as outer
from .api.functions.pointwise import positive as positive
from .api.functions.pointwise import pow as pow
from .api.functions.pointwise import remainder as remainder
from .api.functions.pointwise import renorm as renorm
from .api.functions.pointwise import round as round
from .api.functions.pointwise import rsub as rsub
from .api.functions.pointwise import square as square
from .api.functions.pointwise import sub as sub
from .api.functions.pointwise import where as where
from .api.functions.pointwise import xlogy as xlogy
from .api.functions.random import bernoulli as bernoulli
from .api.functions.random import binomial as binomial
from .api.functions.random import multinomial as multinomial
from .api.functions.random import normal as normal
from .api.functions.random import poisson as poisson
from .api.functions.random import rand as rand
from .api.functions.random import rand_like as rand_like
from .api.functions.random import randint as randint
from .api.functions.random import randint_like as randint_like
from .api.functions.random import randn as randn
from .api.functions.random import randn_like as randn_like
from .api.functions.random import randperm as randperm
from .api.functions.reduction import all as all
from .api.functions.reduction import amax as amax
from .api.functions.reduction import amin as amin
from .api.functions.reduction import any as any
from .api.functions.reduction import argsort as argsort
from .api.functions.reduction import cumprod as cumprod
from .api.functions.reduction import cumsum as cumsum
from .api.functions.reduction import log_softmax as log_softmax
from .api.functions.reduction import logsumexp as logsumexp
from .api.functions.reduction import max as max
from .api.functions.reduction import mean as mean
from .api.functions.reduction import min as min
from .api.functions.reduction import prod as prod
from .api.functions.reduction import softmax as softmax
from .api.functions.reduction import sort as sort
from .api.functions.reduction import std as std
from .api.functions.reduction import sum as sum
from .api.functions.reduction import topk as topk
from .api.functions.reduction import var as var
from .api.functions.rnn import gru as gru
from .api.functions.rnn import gru_cell as gru_cell
from .api.functions.rnn import lstm as lstm
from .api.functions.rnn import lstm_cell as lstm_cell
from .api.functions.rnn import rnn_relu as rnn_relu
from .api.functions.rnn import rnn_relu_cell as rnn_relu_cell
from .api.functions.rnn import rnn_tanh as rnn_tanh
from .api.functions.rnn import rnn_tanh_cell as rnn_tanh_cell
from .api.functions.shape import atleast_1d as atleast_1d
from .api.functions.shape import atleast_2d as atleast_2d
from .api.functions.shape import atleast_3d as atleast_3d
from .api.functions.shape import block_diag as block_diag
from .api.functions.shape import broadcast_shapes as broadcast_shapes
from .api.functions.shape import broadcast_tensors as broadcast_tensors
from .api.functions.shape import broadcast_to as broadcast_to
from .api.functions.shape import cartesian_prod as cartesian_prod
from .api.functions.shape import cat as cat
from .api.functions.shape import chunk as chunk
from .api.functions.shape import column_stack as column_stack
from .api.functions.shape import combinations as combinations
from .api.functions.shape import diag as diag
from .api.functions.shape import diff as diff
from .api.functions.shape import dsplit as dsplit
from .api.functions.shape import dstack as dstack
from .api.functions.shape import flatten as flatten
from .api.functions.shape import flip as flip
from .api.functions.shape import fliplr as fliplr
from .api.functions.shape import flipud as flipud
from .api.functions.shape import hsplit as hsplit
from .api.functions.shape import hstack as hstack
from .api.functions.shape import is_same_size as is_same_size
from .api.functions.shape import meshgrid as meshgrid
from .api.functions.shape import movedim as movedim
from .api.functions.shape import narrow as narrow
from .api.functions.shape import permute as permute
from .api.functions.shape import ravel as ravel
from .api.functions.shape import repeat_interleave as repeat_interleave
from .api.functions.shape import reshape as reshape
from .api.functions.shape import roll as roll
from .api.functions.shape import rot90 as rot90
from .api.functions.shape import split as split
from .api.functions.shape import split_with_sizes as split_with_sizes
from .api.functions.shape import squeeze as squeeze
from .api.functions.shape import tensor_split as tensor_split
from .api.functions.shape import tile as tile
from .api.functions.shape import unbind as unbind
from .api.functions.shape import unflatten as unflatten
from .api.functions.shape import unsafe_chunk as unsafe_chunk
from .api.functions.shape import unsafe_split as unsafe_split
from .api.functions.shape import unsafe_split_with_sizes as unsafe_split_with_sizes
from .api.functions.shape import vsplit as vsplit
from .api.functions.shape import vstack as vstack
from .api.functions.sorting import argwhere as argwhere
from .api.functions.sorting import bincount as bincount
from .api.functions.sorting import bucketize as bucketize
from .api.functions.sorting import histc as histc
from .api.functions.sorting import is_nonzero as is_nonzero
from .api.functions.sorting import is_signed as is_signed
from .api.functions.sorting import isin as isin
from .api.functions.sorting import isreal as isreal
from .api.functions.sorting import kthvalue as kthvalue
from .api.functions.sorting import logcumsumexp as logcumsumexp
from .api.functions.sorting import searchsorted as searchsorted
from .api.functions.sorting import unique as unique
from .api.functions.sorting import unique_consecutive as unique_consecutive
from .api.functions.spectrogram import istft as istft
from .api.functions.spectrogram import stft as stft
from .api.functions.statistics import aminmax as aminmax
from .api.functions.statistics import corrcoef as corrcoef
from .api.functions.statistics import cov as cov
from .api.functions.statistics import cummax as cummax
from .api.functions.statistics import cummin as cummin
from .api.functions.statistics import diagflat as diagflat
from .api.functions.statistics import dist as dist
from .api.functions.statistics import median as median
from .api.functions.statistics import mode as mode
from .api.functions.statistics import nanmean as nanmean
from .api.functions.statistics import nanmedian as nanmedian
from .api.functions.statistics import nanquantile as nanquantile
from .api.functions.statistics import nansum as nansum
from .api.functions.statistics import quantile as quantile
from .api.functions.statistics import std_mean as std_mean
from .api.functions.statistics import trapezoid as trapezoid
from .api.functions.statistics import var_mean as var_mean
from .api.functions.windows import bartlett_window as bartlett_window
from .api.functions.windows import blackman_window as blackman_window
from .api.functions.windows import hamming_window as hamming_window
from .api.functions.windows import hann_window as hann_window
from .api.methods.autograd import detach as detach
from .api.methods.autograd import detach_ as detach_
from .api.methods.legacy import adjoint as adjoint
from .api.methods.memory import as_strided as as_strided
from .api.methods.storage import is_storage as is_storage
from .api.methods.table import IN_PLACE as _IN_PLACE
from .api.methods.table import clone as clone
from .api.methods.table import is_inference as is_inference
from .backends.switches import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from .backends.switches import get_default_device as get_default_device
from .backends.switches import get_deterministic_debug_mode as get_deterministic_debug_mode
from .backends.switches import get_float32_matmul_precision as get_float32_matmul_precision
from .backends.switches import get_num_interop_threads as get_num_interop_threads
from .backends.switches import get_num_threads as get_num_threads
from .backends.switches import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from .backends.switches import is_anomaly_enabled as is_anomaly_enabled
from .backends.switches import (
    is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
)
from .backends.switches import is_distributed as is_distributed
from .backends.switches import set_anomaly_enabled as set_anomaly_enabled
from .backends.switches import set_default_device as set_default_device
from .backends.switches import set_deterministic_debug_mode as set_deterministic_debug_mode
from .backends.switches import set_float32_matmul_precision as set_float32_matmul_precision
from .backends.switches import set_flush_denormal as set_flush_denormal
from .backends.switches import set_num_interop_threads as set_num_interop_threads
from .backends.switches import set_num_threads as set_num_threads
from .backends.switches import use_deterministic_algorithms as use_deterministic_algorithms
from .dispatch.not_implemented import floor_divide as floor_divide
from .dispatch.schema.guard import guard as _guard
from .dispatch.schema.guard import guard_module as _guard_module
from .dispatch.schema.guard import names_in as _names_in
from .dispatch.schema.schema import DECLARED as _DECLARED
from .engine.grad_mode import enable_grad as enable_grad
from .engine.grad_mode import inference_mode as inference_mode
from .engine.grad_mode import is_grad_enabled as is_grad_enabled
from .engine.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled
from .engine.grad_mode import no_grad as no_grad
from .engine.grad_mode import set_grad_enabled as set_grad_enabled
from .engine.warnings import is_warn_always_enabled as is_warn_always_enabled
from .engine.warnings import set_warn_always as set_warn_always
from .functorch.vmap import vmap as vmap
from .linalg import functions as _linalg
from .linalg.functions import det as det
from .linalg.functions import logdet as logdet
from .linalg.functions import matrix_exp as matrix_exp
from .linalg.functions import matrix_power as matrix_power
from .linalg.functions import pinverse as pinverse
from .namespace.absent import absent as _absent
from .namespace.module_names import settle as _settle
from .ops.binary import addcdiv as addcdiv
from .ops.binary import addcmul as addcmul
from .ops.binary import atan2 as atan2
from .ops.binary import bitwise_and as bitwise_and
from .ops.binary import bitwise_left_shift as bitwise_left_shift
from .ops.binary import bitwise_not as bitwise_not
from .ops.binary import bitwise_or as bitwise_or
from .ops.binary import bitwise_right_shift as bitwise_right_shift
from .ops.binary import bitwise_xor as bitwise_xor
from .ops.binary import eq as eq
from .ops.binary import fmax as fmax
from .ops.binary import fmin as fmin
from .ops.binary import ge as ge
from .ops.binary import gt as gt
from .ops.binary import hypot as hypot
from .ops.binary import isfinite as isfinite
from .ops.binary import isinf as isinf
from .ops.binary import isnan as isnan
from .ops.binary import le as le
from .ops.binary import logaddexp as logaddexp
from .ops.binary import logaddexp2 as logaddexp2
from .ops.binary import logical_and as logical_and
from .ops.binary import logical_not as logical_not
from .ops.binary import logical_or as logical_or
from .ops.binary import logical_xor as logical_xor
from .ops.binary import lt as lt
from .ops.binary import ne as ne
from .ops.complex import complex_of as _complex_of
from .ops.complex import conj as conj
from .ops.complex import conj_physical as conj_physical
from .ops.complex import imag as imag
from .ops.complex import polar as polar
from .ops.complex import real as real
from .ops.complex import resolve_conj as resolve_conj
from .ops.complex import resolve_neg as resolve_neg
from .ops.complex import view_as_complex as view_as_complex
from .ops.complex import view_as_real as view_as_real
from .ops.grid_sample import affine_grid_generator as affine_grid_generator
from .ops.grid_sample import grid_sampler_2d as grid_sampler_2d
from .ops.indexing import index_add as index_add
from .ops.indexing import index_copy as index_copy
from .ops.indexing import index_select as index_select
from .ops.indexing import masked_select as masked_select
from .ops.join import stack as stack
from .ops.join import tril as tril
from .ops.join import triu as triu
from .ops.matmul import addr as addr
from .ops.matmul import bmm as bmm
from .ops.matmul import dot as dot
from .ops.matmul import matmul as matmul
from .ops.matmul import mm as mm
from .ops.matmul import mv as mv
from .ops.matmul import vdot as vdot
from .ops.reduction import argmax as argmax
from .ops.reduction import argmin as argmin
from .ops.reduction import count_nonzero as count_nonzero
from .ops.scatter_gather import put as put
from .ops.scatter_gather import scatter_add as scatter_add
from .ops.scatter_gather import take as take
from .ops.special import acosh as acosh
from .ops.special import asinh as asinh
from .ops.special import deg2rad as deg2rad
from .ops.special import digamma as digamma
from .ops.special import erf as erf
from .ops.special import erfc as erfc
from .ops.special import erfinv as erfinv
from .ops.special import i0 as i0
from .ops.special import lgamma as lgamma
from .ops.special import rad2deg as rad2deg
from .ops.special import sinc as sinc
from .ops.unary import abs as abs
from .ops.unary import acos as acos
from .ops.unary import angle as angle
from .ops.unary import asin as asin
from .ops.unary import atan as atan
from .ops.unary import atanh as atanh
from .ops.unary import ceil as ceil
from .ops.unary import cos as cos
from .ops.unary import cosh as cosh
from .ops.unary import exp as exp
from .ops.unary import exp2 as exp2
from .ops.unary import expm1 as expm1
from .ops.unary import floor as floor
from .ops.unary import frac as frac
from .ops.unary import log as log
from .ops.unary import log1p as log1p
from .ops.unary import log2 as log2
from .ops.unary import log10 as log10
from .ops.unary import logit as logit
from .ops.unary import maximum as maximum
from .ops.unary import minimum as minimum
from .ops.unary import nan_to_num as nan_to_num
from .ops.unary import neg as neg
from .ops.unary import reciprocal as reciprocal
from .ops.unary import relu as relu
from .ops.unary import rsqrt as rsqrt
from .ops.unary import sgn as sgn
from .ops.unary import sigmoid as sigmoid
from .ops.unary import sign as sign
from .ops.unary import sin as sin
from .ops.unary import sinh as sinh
from .ops.unary import sqrt as sqrt
from .ops.unary import tan as tan
from .ops.unary import tanh as tanh
from .ops.unary import trunc as trunc
from .ops.view import diag_embed as diag_embed
from .ops.view import diagonal as diagonal
from .ops.view import select as select
from .ops.view import t as t
from .ops.view import trace as trace
from .ops.view import transpose as transpose
from .ops.view import unsqueeze as unsqueeze
from .random import default_generator as default_generator
from .random import get_rng_state as get_rng_state
from .random import manual_seed as manual_seed
from .random import seed as seed
from .random import set_rng_state as set_rng_state
from .random.generator import Generator as Generator
from .random.generator import initial_seed as initial_seed
from .tensor import dtypes as _dtypes
from .tensor.device import channels_last as channels_last
from .tensor.device import channels_last_3d as channels_last_3d
from .tensor.device import contiguous_format as contiguous_format
from .tensor.device import device as device
from .tensor.device import layout as layout
from .tensor.device import memory_format as memory_format
from .tensor.device import preserve_format as preserve_format
from .tensor.device import strided as strided
from .tensor.dtypes import bfloat16 as bfloat16
from .tensor.dtypes import can_cast as can_cast
from .tensor.dtypes import complex64 as complex64
from .tensor.dtypes import complex128 as complex128
from .tensor.dtypes import double as double
from .tensor.dtypes import dtype as dtype
from .tensor.dtypes import finfo as finfo
from .tensor.dtypes import float16 as float16
from .tensor.dtypes import float32 as float32
from .tensor.dtypes import float64 as float64
from .tensor.dtypes import get_default_dtype as get_default_dtype
from .tensor.dtypes import half as half
from .tensor.dtypes import iinfo as iinfo
from .tensor.dtypes import int8 as int8
from .tensor.dtypes import int16 as int16
from .tensor.dtypes import int32 as int32
from .tensor.dtypes import int64 as int64
from .tensor.dtypes import long as long
from .tensor.dtypes import promote_types as promote_types
from .tensor.dtypes import result_type as result_type
from .tensor.dtypes import set_default_dtype as set_default_dtype
from .tensor.dtypes import short as short
from .tensor.dtypes import uint8 as uint8
from .tensor.printing import set_printoptions as set_printoptions
from .tensor.size import Size as Size
from .tensor.tensor import Tensor as Tensor
from .tensor.tensor_types import BFloat16Tensor as BFloat16Tensor
from .tensor.tensor_types import BoolTensor as BoolTensor
from .tensor.tensor_types import ByteTensor as ByteTensor
from .tensor.tensor_types import CharTensor as CharTensor
from .tensor.tensor_types import DoubleTensor as DoubleTensor
from .tensor.tensor_types import FloatTensor as FloatTensor
from .tensor.tensor_types import HalfTensor as HalfTensor
from .tensor.tensor_types import IntTensor as IntTensor
from .tensor.tensor_types import LongTensor as LongTensor
from .tensor.tensor_types import ShortTensor as ShortTensor
from .tensor.tensor_types import set_default_tensor_type as set_default_tensor_type
from .tensor.tensor_types import typename as typename

if _typing.TYPE_CHECKING:
    from .nn.functional.aten import adaptive_avg_pool1d as adaptive_avg_pool1d
    from .nn.functional.aten import adaptive_max_pool1d as adaptive_max_pool1d
    from .nn.functional.aten import alpha_dropout as alpha_dropout
    from .nn.functional.aten import alpha_dropout_ as alpha_dropout_
    from .nn.functional.aten import avg_pool1d as avg_pool1d
    from .nn.functional.aten import batch_norm as batch_norm
    from .nn.functional.aten import bilinear as bilinear
    from .nn.functional.aten import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
    from .nn.functional.aten import celu as celu
    from .nn.functional.aten import celu_ as celu_
    from .nn.functional.aten import constant_pad_nd as constant_pad_nd
    from .nn.functional.aten import conv1d as conv1d
    from .nn.functional.aten import conv2d as conv2d
    from .nn.functional.aten import conv3d as conv3d
    from .nn.functional.aten import conv_transpose1d as conv_transpose1d
    from .nn.functional.aten import conv_transpose2d as conv_transpose2d
    from .nn.functional.aten import conv_transpose3d as conv_transpose3d
    from .nn.functional.aten import cosine_embedding_loss as cosine_embedding_loss
    from .nn.functional.aten import cosine_similarity as cosine_similarity
    from .nn.functional.aten import ctc_loss as ctc_loss
    from .nn.functional.aten import dropout as dropout
    from .nn.functional.aten import dropout_ as dropout_
    from .nn.functional.aten import embedding as embedding
    from .nn.functional.aten import embedding_bag as embedding_bag
    from .nn.functional.aten import feature_alpha_dropout as feature_alpha_dropout
    from .nn.functional.aten import feature_alpha_dropout_ as feature_alpha_dropout_
    from .nn.functional.aten import feature_dropout as feature_dropout
    from .nn.functional.aten import feature_dropout_ as feature_dropout_
    from .nn.functional.aten import grid_sampler as grid_sampler
    from .nn.functional.aten import group_norm as group_norm
    from .nn.functional.aten import hardshrink as hardshrink
    from .nn.functional.aten import hinge_embedding_loss as hinge_embedding_loss
    from .nn.functional.aten import instance_norm as instance_norm
    from .nn.functional.aten import kl_div as kl_div
    from .nn.functional.aten import layer_norm as layer_norm
    from .nn.functional.aten import margin_ranking_loss as margin_ranking_loss
    from .nn.functional.aten import max_pool1d as max_pool1d
    from .nn.functional.aten import max_pool1d_with_indices as max_pool1d_with_indices
    from .nn.functional.aten import max_pool2d as max_pool2d
    from .nn.functional.aten import max_pool3d as max_pool3d
    from .nn.functional.aten import pairwise_distance as pairwise_distance
    from .nn.functional.aten import pixel_shuffle as pixel_shuffle
    from .nn.functional.aten import pixel_unshuffle as pixel_unshuffle
    from .nn.functional.aten import poisson_nll_loss as poisson_nll_loss
    from .nn.functional.aten import prelu as prelu
    from .nn.functional.aten import rms_norm as rms_norm
    from .nn.functional.aten import rrelu as rrelu
    from .nn.functional.aten import rrelu_ as rrelu_
    from .nn.functional.aten import selu as selu
    from .nn.functional.aten import selu_ as selu_
    from .nn.functional.aten import threshold as threshold
    from .nn.functional.aten import threshold_ as threshold_
    from .nn.functional.aten import triplet_margin_loss as triplet_margin_loss

__version__ = "2.13.0+cpu"
newaxis = None

absolute = abs
arccos = acos
arccosh = acosh
arcsin = asin
arcsinh = asinh
arctan = atan
arctan2 = atan2
arctanh = atanh
bool = _dtypes.bool_
cdouble = complex128
cfloat = complex64
cholesky = _linalg.old_cholesky
clip = clamp
complex = _complex_of
concat = cat
concatenate = cat
cross = _linalg.old_cross
divide = div
fix = trunc
float = float32
ger = outer
greater = gt
greater_equal = ge
int = int32
inverse = _linalg.inv
less = lt
less_equal = le
moveaxis = movedim
multiply = mul
negative = neg
norm = _linalg.old_norm
not_equal = ne
qr = _linalg.old_qr
range = _creation.closed_range
row_stack = vstack
slogdet = _linalg.old_slogdet
subtract = sub
svd = _linalg.old_svd
swapaxes = transpose
swapdims = transpose
trapz = trapezoid
true_divide = div

_SUBMODULES = ("utils", "nn", "optim", "func", "distributions", "special", "backends", "mps", "xpu", "_C")


@_functools.cache
def _load(name: str) -> _Any:
    """A name that is not above: a module, a variant in place, a layer or loss under torch's own name, or an operator
    that another package declares.

    Raises:
        AttributeError: it is none of these.
    """
    if name in _SUBMODULES:
        return _importlib.import_module(f"{__name__}.{name}")
    if name in _IN_PLACE and name in _names_in("torch"):
        return _guard("torch", name, _IN_PLACE[name])
    layers = _importlib.import_module(f"{__name__}.nn.functional.aten")
    if name in layers.__all__:
        return _guard("torch", name, getattr(layers, name))
    declared = _DECLARED["torch"].get(name)
    if declared is not None:
        return _guard("torch", name, declared.function)
    return _absent("torch")(name)


def __getattr__(name: str) -> _Any:
    return _load(name)


_guard_module(__name__, "torch")
_settle(globals())
