"""torch.nn.functional: layers, activations and losses as functions.

What torch composes of several operators is composed of the same ones here, so that the graph is the same.
"""

from ...api.functions.contraction import pdist as pdist
from ...api.functions.padding import pad as pad
from ...dispatch.schema.guard import guard_module
from ...dispatch.schema.inner_functions import reword_module
from ...namespace.absent import absent
from .activation import celu as celu
from .activation import celu_ as celu_
from .activation import elu as elu
from .activation import elu_ as elu_
from .activation import gelu as gelu
from .activation import glu as glu
from .activation import gumbel_softmax as gumbel_softmax
from .activation import hardshrink as hardshrink
from .activation import hardsigmoid as hardsigmoid
from .activation import hardswish as hardswish
from .activation import hardtanh as hardtanh
from .activation import hardtanh_ as hardtanh_
from .activation import leaky_relu as leaky_relu
from .activation import leaky_relu_ as leaky_relu_
from .activation import log_softmax as log_softmax
from .activation import logsigmoid as logsigmoid
from .activation import mish as mish
from .activation import prelu as prelu
from .activation import relu as relu
from .activation import relu6 as relu6
from .activation import relu_ as relu_
from .activation import rrelu as rrelu
from .activation import rrelu_ as rrelu_
from .activation import selu as selu
from .activation import selu_ as selu_
from .activation import sigmoid as sigmoid
from .activation import silu as silu
from .activation import softmax as softmax
from .activation import softmin as softmin
from .activation import softplus as softplus
from .activation import softshrink as softshrink
from .activation import softsign as softsign
from .activation import tanh as tanh
from .activation import tanhshrink as tanhshrink
from .activation import threshold as threshold
from .activation import threshold_ as threshold_
from .attention import canonical_mask as canonical_mask
from .attention import multi_head_attention_forward as multi_head_attention_forward
from .attention import scaled_dot_product_attention as scaled_dot_product_attention
from .conv import conv1d as conv1d
from .conv import conv2d as conv2d
from .conv import conv3d as conv3d
from .conv import conv_transpose1d as conv_transpose1d
from .conv import conv_transpose2d as conv_transpose2d
from .conv import conv_transpose3d as conv_transpose3d
from .dropout import alpha_dropout as alpha_dropout
from .dropout import dropout as dropout
from .dropout import dropout1d as dropout1d
from .dropout import dropout2d as dropout2d
from .dropout import dropout3d as dropout3d
from .dropout import feature_alpha_dropout as feature_alpha_dropout
from .embedding import embedding as embedding
from .embedding import embedding_bag as embedding_bag
from .embedding import one_hot as one_hot
from .linear import bilinear as bilinear
from .linear import linear as linear
from .loss import binary_cross_entropy as binary_cross_entropy
from .loss import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from .loss import cosine_embedding_loss as cosine_embedding_loss
from .loss import cosine_similarity as cosine_similarity
from .loss import cross_entropy as cross_entropy
from .loss import ctc_loss as ctc_loss
from .loss import gaussian_nll_loss as gaussian_nll_loss
from .loss import hinge_embedding_loss as hinge_embedding_loss
from .loss import huber_loss as huber_loss
from .loss import kl_div as kl_div
from .loss import l1_loss as l1_loss
from .loss import margin_ranking_loss as margin_ranking_loss
from .loss import mse_loss as mse_loss
from .loss import multi_margin_loss as multi_margin_loss
from .loss import multilabel_margin_loss as multilabel_margin_loss
from .loss import multilabel_soft_margin_loss as multilabel_soft_margin_loss
from .loss import nll_loss as nll_loss
from .loss import pairwise_distance as pairwise_distance
from .loss import poisson_nll_loss as poisson_nll_loss
from .loss import smooth_l1_loss as smooth_l1_loss
from .loss import soft_margin_loss as soft_margin_loss
from .loss import triplet_margin_loss as triplet_margin_loss
from .loss import triplet_margin_with_distance_loss as triplet_margin_with_distance_loss
from .normalization import batch_norm as batch_norm
from .normalization import group_norm as group_norm
from .normalization import instance_norm as instance_norm
from .normalization import layer_norm as layer_norm
from .normalization import local_response_norm as local_response_norm
from .normalization import normalize as normalize
from .normalization import rms_norm as rms_norm
from .pooling import adaptive_avg_pool1d as adaptive_avg_pool1d
from .pooling import adaptive_avg_pool2d as adaptive_avg_pool2d
from .pooling import adaptive_avg_pool3d as adaptive_avg_pool3d
from .pooling import adaptive_max_pool1d as adaptive_max_pool1d
from .pooling import adaptive_max_pool1d_with_indices as adaptive_max_pool1d_with_indices
from .pooling import adaptive_max_pool2d as adaptive_max_pool2d
from .pooling import adaptive_max_pool2d_with_indices as adaptive_max_pool2d_with_indices
from .pooling import avg_pool1d as avg_pool1d
from .pooling import avg_pool2d as avg_pool2d
from .pooling import avg_pool3d as avg_pool3d
from .pooling import lp_pool1d as lp_pool1d
from .pooling import lp_pool2d as lp_pool2d
from .pooling import max_pool1d as max_pool1d
from .pooling import max_pool1d_with_indices as max_pool1d_with_indices
from .pooling import max_pool2d as max_pool2d
from .pooling import max_pool2d_with_indices as max_pool2d_with_indices
from .pooling import max_pool3d as max_pool3d
from .pooling import max_pool3d_with_indices as max_pool3d_with_indices
from .pooling import max_unpool2d as max_unpool2d
from .vision import affine_grid as affine_grid
from .vision import fold as fold
from .vision import grid_sample as grid_sample
from .vision import interpolate as interpolate
from .vision import pixel_shuffle as pixel_shuffle
from .vision import pixel_unshuffle as pixel_unshuffle
from .vision import unfold as unfold
from .vision import upsample as upsample
from .vision import upsample_bilinear as upsample_bilinear
from .vision import upsample_nearest as upsample_nearest

guard_module(__name__, "torch.nn.functional")
reword_module(__name__)

__getattr__ = absent("torch.nn.functional")
