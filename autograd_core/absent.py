"""What a module of this package says of a name that it does not have: torch's words, or that it is torch's alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TORCH_ALONE: dict[str, str] = {
    "torch.nn": "AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool3d AvgPool3d BatchNorm3d Bilinear CTCLoss "
    "ChannelShuffle CircularPad1d CircularPad2d ConstantPad1d ConstantPad2d Conv3d ConvTranspose3d CrossMapLRN2d "
    "DataParallel EmbeddingBag Fold FractionalMaxPool2d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d "
    "LPPool1d LPPool2d LocalResponseNorm MaxPool3d MaxUnpool1d MaxUnpool2d MultiLabelMarginLoss MultiMarginLoss "
    "PixelShuffle PixelUnshuffle RMSNorm RReLU ReflectionPad1d ReflectionPad2d ReplicationPad1d ReplicationPad2d "
    "SyncBatchNorm Transformer TransformerDecoder TransformerDecoderLayer TripletMarginWithDistanceLoss Unfold "
    "Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d parallel qat quantized",
    "torch.nn.functional": "affine_grid bilinear channel_shuffle conv3d conv_transpose3d ctc_loss embedding_bag fold "
    "fractional_max_pool2d grid_sample group_norm instance_norm interpolate local_response_norm lp_pool1d lp_pool2d "
    "max_pool3d max_unpool1d max_unpool2d multi_margin_loss multilabel_margin_loss pad pdist pixel_shuffle "
    "pixel_unshuffle rrelu rrelu_ triplet_margin_with_distance_loss unfold upsample",
    "torch.optim": "ASGD Adadelta Adafactor Adamax Muon NAdam RAdam Rprop SparseAdam swa_utils",
    "torch.optim.lr_scheduler": "CyclicLR OneCycleLR",
    "torch.distributions": "AffineTransform Beta Binomial Cauchy Chi2 ContinuousBernoulli Dirichlet ExpTransform "
    "FisherSnedecor Gamma Geometric Gumbel HalfCauchy HalfNormal InverseGamma Kumaraswamy LKJCholesky Laplace "
    "LogNormal LogisticNormal LowRankMultivariateNormal MixtureSameFamily Multinomial MultivariateNormal "
    "NegativeBinomial OneHotCategorical Pareto Poisson RelaxedBernoulli RelaxedOneHotCategorical "
    "SigmoidTransform StudentT TanhTransform TransformedDistribution VonMises Weibull Wishart biject_to transform_to "
    "transforms",
}
"""What torch has and this engine may lack, by module."""


def absent(space: str) -> Callable[[str], Any]:
    """The `__getattr__` of the module that stands for torch's module `space`."""
    known = frozenset(TORCH_ALONE[space].split())

    def refuse(name: str) -> Any:
        if name in known:
            raise AttributeError(f"{space}.{name} is not supported by this engine")
        raise AttributeError(f"module '{space}' has no attribute '{name}'")

    return refuse
