"""torch.nn.modules: the layers, and the modules where torch has them, for programs that import them from there."""

import sys
from types import ModuleType
from typing import Any

from ...namespace.module_names import LAYERS
from .. import global_hooks as _hooks
from ..activation import CELU as CELU
from ..activation import ELU as ELU
from ..activation import GELU as GELU
from ..activation import GLU as GLU
from ..activation import SELU as SELU
from ..activation import Hardshrink as Hardshrink
from ..activation import Hardsigmoid as Hardsigmoid
from ..activation import Hardswish as Hardswish
from ..activation import Hardtanh as Hardtanh
from ..activation import LeakyReLU as LeakyReLU
from ..activation import LogSigmoid as LogSigmoid
from ..activation import LogSoftmax as LogSoftmax
from ..activation import Mish as Mish
from ..activation import PReLU as PReLU
from ..activation import ReLU as ReLU
from ..activation import ReLU6 as ReLU6
from ..activation import RReLU as RReLU
from ..activation import Sigmoid as Sigmoid
from ..activation import SiLU as SiLU
from ..activation import Softmax as Softmax
from ..activation import Softmax2d as Softmax2d
from ..activation import Softmin as Softmin
from ..activation import Softplus as Softplus
from ..activation import Softshrink as Softshrink
from ..activation import Softsign as Softsign
from ..activation import Tanh as Tanh
from ..activation import Tanhshrink as Tanhshrink
from ..activation import Threshold as Threshold
from ..attention import MultiheadAttention as MultiheadAttention
from ..container import ModuleDict as ModuleDict
from ..container import ModuleList as ModuleList
from ..container import ParameterDict as ParameterDict
from ..container import ParameterList as ParameterList
from ..container import Sequential as Sequential
from ..conv import Conv1d as Conv1d
from ..conv import Conv2d as Conv2d
from ..conv import Conv3d as Conv3d
from ..conv import ConvNd as _ConvNd
from ..conv import ConvTranspose as _ConvTranspose
from ..conv import ConvTranspose1d as ConvTranspose1d
from ..conv import ConvTranspose2d as ConvTranspose2d
from ..conv import ConvTranspose3d as ConvTranspose3d
from ..distance import CosineSimilarity as CosineSimilarity
from ..distance import PairwiseDistance as PairwiseDistance
from ..dropout import AlphaDropout as AlphaDropout
from ..dropout import AnyDropout as _AnyDropout
from ..dropout import Dropout as Dropout
from ..dropout import Dropout1d as Dropout1d
from ..dropout import Dropout2d as Dropout2d
from ..dropout import Dropout3d as Dropout3d
from ..dropout import FeatureAlphaDropout as FeatureAlphaDropout
from ..flatten import Flatten as Flatten
from ..flatten import Unflatten as Unflatten
from ..lazy import Lazy as _Lazy
from ..lazy import LazyBatchNorm1d as LazyBatchNorm1d
from ..lazy import LazyBatchNorm2d as LazyBatchNorm2d
from ..lazy import LazyBatchNorm3d as LazyBatchNorm3d
from ..lazy import LazyConv1d as LazyConv1d
from ..lazy import LazyConv2d as LazyConv2d
from ..lazy import LazyConv3d as LazyConv3d
from ..lazy import LazyConvTranspose1d as LazyConvTranspose1d
from ..lazy import LazyConvTranspose2d as LazyConvTranspose2d
from ..lazy import LazyConvTranspose3d as LazyConvTranspose3d
from ..lazy import LazyInstanceNorm1d as LazyInstanceNorm1d
from ..lazy import LazyInstanceNorm2d as LazyInstanceNorm2d
from ..lazy import LazyInstanceNorm3d as LazyInstanceNorm3d
from ..lazy import LazyLinear as LazyLinear
from ..linear import Bilinear as Bilinear
from ..linear import Identity as Identity
from ..linear import Linear as Linear
from ..loss import BCELoss as BCELoss
from ..loss import BCEWithLogitsLoss as BCEWithLogitsLoss
from ..loss import CosineEmbeddingLoss as CosineEmbeddingLoss
from ..loss import CrossEntropyLoss as CrossEntropyLoss
from ..loss import CTCLoss as CTCLoss
from ..loss import GaussianNLLLoss as GaussianNLLLoss
from ..loss import HingeEmbeddingLoss as HingeEmbeddingLoss
from ..loss import HuberLoss as HuberLoss
from ..loss import KLDivLoss as KLDivLoss
from ..loss import L1Loss as L1Loss
from ..loss import MarginRankingLoss as MarginRankingLoss
from ..loss import MSELoss as MSELoss
from ..loss import MultiLabelMarginLoss as MultiLabelMarginLoss
from ..loss import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from ..loss import MultiMarginLoss as MultiMarginLoss
from ..loss import NLLLoss as NLLLoss
from ..loss import PoissonNLLLoss as PoissonNLLLoss
from ..loss import SmoothL1Loss as SmoothL1Loss
from ..loss import SoftMarginLoss as SoftMarginLoss
from ..loss import TripletMarginLoss as TripletMarginLoss
from ..loss import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from ..loss import _Loss, _WeightedLoss
from ..module import Module as Module
from ..normalization import BatchNorm as _BatchNorm
from ..normalization import BatchNorm1d as BatchNorm1d
from ..normalization import BatchNorm2d as BatchNorm2d
from ..normalization import BatchNorm3d as BatchNorm3d
from ..normalization import GroupNorm as GroupNorm
from ..normalization import InstanceNorm as _InstanceNorm
from ..normalization import InstanceNorm1d as InstanceNorm1d
from ..normalization import InstanceNorm2d as InstanceNorm2d
from ..normalization import InstanceNorm3d as InstanceNorm3d
from ..normalization import LayerNorm as LayerNorm
from ..normalization import LocalResponseNorm as LocalResponseNorm
from ..normalization import RMSNorm as RMSNorm
from ..normalization import Tracked as _Tracked
from ..padding import CircularPad1d as CircularPad1d
from ..padding import CircularPad2d as CircularPad2d
from ..padding import CircularPad3d as CircularPad3d
from ..padding import ConstantPad1d as ConstantPad1d
from ..padding import ConstantPad2d as ConstantPad2d
from ..padding import ConstantPad3d as ConstantPad3d
from ..padding import ReflectionPad1d as ReflectionPad1d
from ..padding import ReflectionPad2d as ReflectionPad2d
from ..padding import ReplicationPad1d as ReplicationPad1d
from ..padding import ReplicationPad2d as ReplicationPad2d
from ..padding import ZeroPad1d as ZeroPad1d
from ..padding import ZeroPad2d as ZeroPad2d
from ..padding import ZeroPad3d as ZeroPad3d
from ..pooling import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from ..pooling import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from ..pooling import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from ..pooling import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from ..pooling import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from ..pooling import AvgPool1d as AvgPool1d
from ..pooling import AvgPool2d as AvgPool2d
from ..pooling import AvgPool3d as AvgPool3d
from ..pooling import LPPool1d as LPPool1d
from ..pooling import LPPool2d as LPPool2d
from ..pooling import MaxPool as _MaxPool
from ..pooling import MaxPool1d as MaxPool1d
from ..pooling import MaxPool2d as MaxPool2d
from ..pooling import MaxPool3d as MaxPool3d
from ..pooling import MaxUnpool2d as MaxUnpool2d
from ..rnn import GRU as GRU
from ..rnn import LSTM as LSTM
from ..rnn import RNN as RNN
from ..rnn import GRUCell as GRUCell
from ..rnn import LSTMCell as LSTMCell
from ..rnn import RNNBase as RNNBase
from ..rnn import RNNCell as RNNCell
from ..rnn import RNNCellBase as RNNCellBase
from ..sparse import Embedding as Embedding
from ..sparse import EmbeddingBag as EmbeddingBag
from ..transformer import Transformer as Transformer
from ..transformer import TransformerDecoder as TransformerDecoder
from ..transformer import TransformerDecoderLayer as TransformerDecoderLayer
from ..transformer import TransformerEncoder as TransformerEncoder
from ..transformer import TransformerEncoderLayer as TransformerEncoderLayer
from ..vision import Fold as Fold
from ..vision import PixelShuffle as PixelShuffle
from ..vision import PixelUnshuffle as PixelUnshuffle
from ..vision import Unfold as Unfold
from ..vision import Upsample as Upsample
from ..vision import UpsamplingBilinear2d as UpsamplingBilinear2d
from ..vision import UpsamplingNearest2d as UpsamplingNearest2d
from . import utils as utils

_layers = vars(sys.modules[__name__.rpartition(".")[0]])


def _make_home(home: str, **more: Any) -> ModuleType:
    """The module of torch where these layers are at home, and `more`: what several layers are of."""
    made = ModuleType(f"{__name__}.{home}")
    vars(made).update({name: _layers[name] for name in LAYERS.get(home, "").split() if name in _layers} | more)
    sys.modules[made.__name__] = made
    return made


module = _make_home(
    "module",
    register_module_forward_pre_hook=_hooks.register_module_forward_pre_hook,
    register_module_forward_hook=_hooks.register_module_forward_hook,
    register_module_full_backward_pre_hook=_hooks.register_module_full_backward_pre_hook,
    register_module_full_backward_hook=_hooks.register_module_full_backward_hook,
    register_module_backward_hook=_hooks.register_module_backward_hook,
    register_module_parameter_registration_hook=_hooks.register_module_parameter_registration_hook,
    register_module_buffer_registration_hook=_hooks.register_module_buffer_registration_hook,
    register_module_module_registration_hook=_hooks.register_module_module_registration_hook,
)
activation = _make_home("activation")
batchnorm = _make_home("batchnorm", _BatchNorm=_BatchNorm, _NormBase=_Tracked)
container = _make_home("container")
conv = _make_home("conv", _ConvNd=_ConvNd, _ConvTransposeNd=_ConvTranspose)
distance = _make_home("distance")
dropout = _make_home("dropout", _DropoutNd=_AnyDropout)
flatten = _make_home("flatten")
fold = _make_home("fold")
instancenorm = _make_home("instancenorm", _InstanceNorm=_InstanceNorm)
lazy = _make_home("lazy", LazyModuleMixin=_Lazy)
linear = _make_home("linear")
loss = _make_home("loss", _Loss=_Loss, _WeightedLoss=_WeightedLoss)
normalization = _make_home("normalization")
padding = _make_home("padding")
pixelshuffle = _make_home("pixelshuffle")
pooling = _make_home("pooling", _MaxPoolNd=_MaxPool)
rnn = _make_home("rnn")
sparse = _make_home("sparse")
transformer = _make_home("transformer")
upsampling = _make_home("upsampling")
