"""Where PyTorch's classes are at home: `print(type(layer))` shows it."""

from __future__ import annotations

from typing import Any


class WrittenInC(type):
    """The kind of torch's classes that are written in C: Python names their module too where it says what an object is.

    The class itself answers to its short name, as in torch.
    """

    def __new__(kind, name: str, *given: Any) -> Any:
        made = super().__new__(kind, name, *given)
        public = next((base.__qualname__ for base in made.__mro__ if base.__qualname__ in C_CLASSES), None)
        if public is not None:
            made.__qualname__ = public
            vars(type)["__name__"].__set__(made, f"{C_CLASSES[public]}.{public}")
        return made

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        return cls.__qualname__


C_CLASSES = {
    **dict.fromkeys(("Size", "device", "dtype", "finfo", "iinfo", "layout", "memory_format"), "torch"),
    "Generator": "torch._C",
}

LAYERS = {
    "module": "Module",
    "linear": "Linear LazyLinear Identity Bilinear NonDynamicallyQuantizableLinear",
    "activation": "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish "
    "MultiheadAttention PReLU RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink "
    "Softsign Tanh Tanhshrink Threshold",
    "loss": "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss "
    "HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss MSELoss MarginRankingLoss MultiLabelMarginLoss "
    "MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss "
    "PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss",
    "container": "ModuleDict ModuleList ParameterDict ParameterList Sequential",
    "dropout": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
    "flatten": "Flatten Unflatten",
    "rnn": "GRU GRUCell LSTM LSTMCell RNN RNNBase RNNCell RNNCellBase",
    "sparse": "Embedding EmbeddingBag",
    "normalization": "CrossMapLRN2d GroupNorm LayerNorm LocalResponseNorm RMSNorm",
    "batchnorm": "BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d",
    "instancenorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d "
    "LazyInstanceNorm3d",
    "conv": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d "
    "LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d",
    "pooling": "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
    "AvgPool1d AvgPool2d AvgPool3d LPPool1d LPPool2d MaxPool1d MaxPool2d MaxPool3d MaxUnpool2d",
    "distance": "CosineSimilarity PairwiseDistance",
    "transformer": "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer",
    "upsampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    "pixelshuffle": "PixelShuffle PixelUnshuffle",
    "fold": "Fold Unfold",
    "padding": "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d "
    "ReflectionPad2d ReplicationPad1d ReplicationPad2d ZeroPad1d ZeroPad2d ZeroPad3d",
}

DISTRIBUTIONS = {
    **{
        name.lower(): name
        for name in """
            Bernoulli Beta Binomial Categorical Cauchy Chi2 Dirichlet Distribution Exponential FisherSnedecor Gamma
            Geometric Gumbel Independent Kumaraswamy Laplace Multinomial Normal Pareto Poisson Uniform Weibull
        """.split()
    },
    "continuous_bernoulli": "ContinuousBernoulli",
    "half_cauchy": "HalfCauchy",
    "half_normal": "HalfNormal",
    "log_normal": "LogNormal",
    "mixture_same_family": "MixtureSameFamily",
    "multivariate_normal": "MultivariateNormal",
    "negative_binomial": "NegativeBinomial",
    "one_hot_categorical": "OneHotCategorical OneHotCategoricalStraightThrough",
    "relaxed_bernoulli": "LogitRelaxedBernoulli RelaxedBernoulli",
    "relaxed_categorical": "RelaxedOneHotCategorical",
    "studentT": "StudentT",
    "transformed_distribution": "TransformedDistribution",
    "von_mises": "VonMises",
    "transforms": "AbsTransform AffineTransform ComposeTransform ExpTransform IndependentTransform PowerTransform "
    "SigmoidTransform SoftplusTransform TanhTransform Transform",
}

HOMES = {
    **{f"torch.nn.modules.{home}": names for home, names in LAYERS.items()},
    "torch.nn.parameter": "Parameter Buffer UninitializedParameter UninitializedBuffer",
    "torch.nn.parallel.data_parallel": "DataParallel",
    "torch.optim.sparse_adam": "SparseAdam",
    "torch.optim.optimizer": "Optimizer",
    **{
        f"torch.optim.{name.lower()}": name
        for name in (
            *("ASGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS"),
            *("NAdam", "RAdam", "RMSprop", "Rprop", "SGD"),
        )
    },
    **{f"torch.distributions.{home}": names for home, names in DISTRIBUTIONS.items()},
    "torch.optim.lr_scheduler": "ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR ExponentialLR "
    "LambdaLR LinearLR LRScheduler MultiStepLR MultiplicativeLR OneCycleLR PolynomialLR ReduceLROnPlateau "
    "SequentialLR StepLR",
    "torch.optim.swa_utils": "AveragedModel SWALR",
    "torch.utils.data.dataset": "ChainDataset ConcatDataset Dataset IterableDataset Subset TensorDataset",
    "torch.utils.data.sampler": "BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler "
    "WeightedRandomSampler",
    "torch.utils.data.dataloader": "DataLoader _SingleProcessDataLoaderIter",
    "torch.nn.utils.parametrize": "ParametrizationList",
    "torch.nn.utils.parametrizations": "_Orthogonal _SpectralNorm _WeightNorm",
    "torch.nn.utils.rnn": "PackedSequence PackedSequence_",
    "torch.autograd.graph": "GradientEdge save_on_cpu saved_tensors_hooks",
    "torch.autograd.forward_ad": "UnpackedDualTensor dual_level",
    "torch.autograd.grad_mode": "enable_grad inference_mode no_grad set_grad_enabled",
    **{home: " ".join(name for name, at in C_CLASSES.items() if at == home) for home in C_CLASSES.values()},
}


def settle(classes: dict[str, Any]) -> None:
    """Tell each of `classes`, by its name, its home."""
    for home, names in HOMES.items():
        for name in names.split():
            if isinstance(classes.get(name), type):
                classes[name].__module__ = home
