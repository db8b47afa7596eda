"""What the backward of each operator does, in words and as a formula: a table, one row for each operator.

A row is keyed by the node's name without Backward and number. `inputs` are its differentiable inputs in the order of
its edges, each with the formula of its gradient and what to say: `{grad}` is what came, `{other}`, `{result}` ... what
the node kept in that slot. `why` says why it keeps what it keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

SAME = "passes {grad} on as it is"
NOTHING = "its gradient needs no values"


@dataclass(frozen=True)
class Way:
    """To one input: its name, the formula, and the words."""

    name: str
    formula: str
    words: str


@dataclass(frozen=True)
class Operator:
    ways: tuple[Way, ...]
    why: str


def row(why: str, *ways: tuple[str, str, str]) -> Operator:
    return Operator(tuple(Way(*way) for way in ways), why)


def lone(why: str, formula: str, words: str) -> Operator:
    """The row of an operator with one input."""
    return row(why, ("self", formula, words))


def alike(names: str, row: Operator) -> dict[str, Operator]:
    """One row for several operators."""
    return dict.fromkeys(names.split(), row)


OTHER = "the gradient of each side needs the other"
INPUT = "its slope depends on its input"
RESULT = "its slope can be read off it"
SHAPED = "only the shape matters, not the values"
PLACED = "it only has to know which places were taken"
FLAT = "it is flat between its steps"
FLATLY = "passes zeros on, since it is flat between its steps"
BEHIND = "the write behind it does the work"
THROUGH_TIME = "the way back goes through all steps again, by the same weights"

OPERATORS: dict[str, Operator] = {
    # ---- arithmetic
    "Add": row("the gradient of a sum needs no values", ("self", "grad", SAME), ("other", "grad * alpha", SAME)),
    "Sub": row(
        "the gradient of a difference needs no values",
        ("self", "grad", SAME),
        ("other", "-grad * alpha", "flips the sign of {grad}"),
    ),
    "Rsub": lone("the gradient of a difference needs no values", "-grad", "flips the sign of {grad}"),
    "Mul": row(
        OTHER,
        ("self", "grad * other", "multiplies {grad} by {other}"),
        ("other", "grad * self", "multiplies {grad} by {self}"),
    ),
    "Div": row(
        OTHER,
        ("self", "grad / other", "divides {grad} by {other}"),
        ("other", "-grad * self / (other * other)", "multiplies {grad} by minus {self} over the square of {other}"),
    ),
    "Neg": lone(NOTHING, "-grad", "flips the sign of {grad}"),
    "Pow": row(
        INPUT,
        ("self", "grad * exponent * self ** (exponent - 1)", "multiplies {grad} by the slope of the power at {self}"),
        ("exponent", "grad * result * log(self)", "multiplies {grad} by {result} and by the logarithm of {self}"),
    ),
    "PowScalar": row(
        RESULT,
        ("exponent", "grad * result * log(self)", "multiplies {grad} by {result} and by the logarithm of {self}"),
    ),
    "Reciprocal": lone(RESULT, "-grad * result * result", "multiplies {grad} by minus the square of {result}"),
    "Sqrt": lone(RESULT, "grad / (2 * result)", "divides {grad} by twice {result}"),
    "Rsqrt": lone(RESULT, "-0.5 * grad * result ** 3", "multiplies {grad} by minus half the cube of {result}"),
    "Abs": lone(INPUT, "grad * sgn(self)", "multiplies {grad} by the sign of {self}"),
    # ---- elementwise functions
    "Exp": lone("the derivative of exp is exp itself", "grad * result", "multiplies {grad} by {result}"),
    "Log2": lone(INPUT, "grad / (self * ln 2)", "divides {grad} by {self} and by the logarithm of 2"),
    "Log10": lone(INPUT, "grad / (self * ln 10)", "divides {grad} by {self} and by the logarithm of 10"),
    "Log1P": lone(INPUT, "grad / (self + 1)", "divides {grad} by 1 + {self}"),
    "Expm1": lone(RESULT, "grad * (result + 1)", "multiplies {grad} by 1 + {result}"),
    "Log": lone(INPUT, "grad / self", "divides {grad} by {self}"),
    "Sin": lone(INPUT, "grad * cos(self)", "multiplies {grad} by the cosine of {self}"),
    "Cos": lone(INPUT, "-grad * sin(self)", "multiplies {grad} by minus the sine of {self}"),
    "Tan": lone(RESULT, "grad * (1 + result ** 2)", "multiplies {grad} by 1 + the square of {result}"),
    "Tanh": lone(RESULT, "grad * (1 - result ** 2)", "multiplies {grad} by 1 - the square of {result}"),
    "Sigmoid": lone(RESULT, "grad * (1 - result) * result", "multiplies {grad} by {result} and by 1 minus it"),
    "Relu": lone(
        "it must know where it let values through",
        "grad * (result > 0)",
        "lets {grad} through where {result} is positive",
    ),
    "LeakyRelu": lone(
        "it must know where its input was positive",
        "grad * where(self > 0, 1, negative_slope)",
        "lets {grad} through, scaled where {self} was negative",
    ),
    "RreluWithNoise": lone(
        "it must know where its input was positive, and the slopes that were drawn",
        "grad * where(self > 0, 1, noise)",
        "lets {grad} through, scaled by what was drawn where {self} was negative",
    ),
    "Elu": lone(INPUT, "grad * elu'(self)", "multiplies {grad} by the slope of elu at {self}"),
    "Gelu": lone(INPUT, "grad * gelu'(self)", "multiplies {grad} by the slope of gelu at {self}"),
    "Silu": lone(INPUT, "grad * silu'(self)", "multiplies {grad} by the slope of silu at {self}"),
    "Softplus": lone(INPUT, "grad * sigmoid(self * beta)", "multiplies {grad} by the sigmoid of {self}"),
    "Clamp": row(
        "it must know what lay between the limits",
        ("self", "grad * (min <= self <= max)", "lets {grad} through where {self} lay between the limits"),
        ("min", "grad * (self < min)", "takes {grad} from where {self} lay below this limit"),
        ("max", "grad * (self > max)", "takes {grad} from where {self} lay above this limit"),
    ),
    "Where": row(
        "it must know which side was chosen",
        ("self", "where(condition, grad, 0)", "lets {grad} through where the condition held"),
        ("other", "where(condition, 0, grad)", "lets {grad} through where the condition did not hold"),
    ),
    "Maximum": row(
        "it must know which side was larger",
        ("self", "grad * (self >= other)", "lets {grad} through where this side was larger (half of it at a tie)"),
        ("other", "grad * (other > self)", "lets {grad} through where this side was larger (half of it at a tie)"),
    ),
    # ---- reductions
    "Sum": lone(SHAPED, "grad.expand(self.shape)", "spreads {grad} over all the entries that were added"),
    "Mean": lone(
        SHAPED, "grad.expand(self.shape) / numel", "spreads {grad} evenly over the entries, divided by their number"
    ),
    "Max": lone("it must know where the largest entry was", "grad at the maximum", "sends {grad} to the maximum"),
    "Min": lone("it must know where the smallest entry was", "grad at the minimum", "sends {grad} to the minimum"),
    "Amax": lone("it must know where the largest entry was", "grad at the maximum", "shares {grad} among the maxima"),
    "Prod": lone(OTHER, "grad * result / self", "multiplies {grad} by the product of the others"),
    "Cumsum": lone(NOTHING, "grad.flip.cumsum.flip", "adds {grad} up from the end"),
    **alike("Norm LinalgVectorNorm", lone(INPUT, "grad * self / result", "multiplies {grad} by {self}, over the norm")),
    "Var": lone(
        INPUT, "2 * grad * (self - mean) / (n - 1)", "multiplies {grad} by twice the distance of {self} from its mean"
    ),
    "Std": lone(
        INPUT, "grad * (self - mean) / (result * (n - 1))", "multiplies {grad} by the distance of {self} from its mean"
    ),
    "LogSoftmax": lone(RESULT, "grad - exp(result) * sum(grad)", "takes from {grad} its sum, weighted by the softmax"),
    "Softmax": lone(
        RESULT, "result * (grad - sum(grad * result))", "takes its weighted mean off {grad} and multiplies by {result}"
    ),
    # ---- products
    "Mm": row(
        OTHER,
        ("self", "grad @ mat2.T", "multiplies {grad} by {mat2}, transposed"),
        ("mat2", "self.T @ grad", "multiplies {self}, transposed, by {grad}"),
    ),
    "Bmm": row(
        OTHER,
        ("self", "grad @ mat2.mT", "multiplies {grad} by {mat2}, transposed"),
        ("mat2", "self.mT @ grad", "multiplies {self}, transposed, by {grad}"),
    ),
    "Mv": row(
        OTHER,
        ("self", "outer(grad, vec)", "takes the outer product of {grad} and {vec}"),
        ("vec", "self.T @ grad", "multiplies {self}, transposed, by {grad}"),
    ),
    "Dot": row(
        OTHER,
        ("self", "grad * tensor", "multiplies {grad} by {tensor}"),
        ("tensor", "grad * self", "multiplies {grad} by {self}"),
    ),
    "Addmm": row(
        OTHER,
        ("self", "grad * beta", "adds {grad} up over the batch"),
        ("mat1", "grad @ mat2.T", "multiplies {grad} by {mat2}, transposed"),
        ("mat2", "mat1.T @ grad", "multiplies {mat1}, transposed, by {grad}"),
    ),
    "Linear": row(
        OTHER,
        ("input", "grad @ weight", "multiplies {grad} by {weight}"),
        ("weight", "grad.T @ input", "multiplies {grad}, transposed, by {input}"),
        ("bias", "grad.sum(0)", "adds {grad} up over the batch"),
    ),
    # ---- losses
    "MseLoss": row(
        "its slope is the distance itself",
        (
            "self",
            "2 * grad * (self - target) / n",
            "multiplies {grad} by twice the distance of {self} from {target}, averaged",
        ),
        ("target", "-2 * grad * (self - target) / n", "multiplies {grad} by minus twice that distance"),
    ),
    "NllLoss": lone(
        "it must know the target classes", "-grad / n at target", "sends minus {grad} to the target classes"
    ),
    "BinaryCrossEntropy": lone(
        INPUT, "grad * (self - target) / (self * (1 - self))", "weighs {grad} by how far {self} is from {target}"
    ),
    "BinaryCrossEntropyWithLogits": lone(
        INPUT, "grad * (sigmoid(self) - target)", "multiplies {grad} by the sigmoid of {self} minus {target}"
    ),
    "CtcLoss": row(
        "it must know every way to spell the target",
        (
            "log_probs",
            "grad * (exp(log_probs) - the part of all ways)",
            "weighs {grad} by how far each class is from its part in all ways to spell the target",
        ),
    ),
    # ---- shapes and places
    **alike("Clone Alias", lone(NOTHING, "grad", SAME)),
    "ToCopy": lone(NOTHING, "grad.to(self.dtype)", "passes {grad} on in the input's dtype"),
    "T": lone(SHAPED, "grad.T", "transposes {grad}"),
    "Transpose": lone(SHAPED, "grad.transpose(dim0, dim1)", "transposes {grad}"),
    "Permute": lone(SHAPED, "grad.permute(inverse)", "permutes {grad} back"),
    **alike(
        "View UnsafeView ReshapeAlias",
        lone(SHAPED, "grad.reshape(self.shape)", "puts {grad} back into the shape of its input"),
    ),
    "Squeeze": lone(SHAPED, "grad.unsqueeze", "puts back into {grad} the dimension that was dropped"),
    "Unsqueeze": lone(SHAPED, "grad.squeeze(dim)", "takes the added dimension off {grad}"),
    **alike("Expand Repeat", lone(SHAPED, "sum of grad", "adds {grad} up over the copies")),
    "Cat": row(SHAPED, ("tensors", "grad, cut", "cuts {grad} into the pieces that were joined")),
    "Stack": row(SHAPED, ("tensors", "grad, cut", "cuts {grad} into the pieces that were stacked")),
    "Select": lone(PLACED, "grad at index, else 0", "puts {grad} at the place that was selected, zeros elsewhere"),
    **alike(
        "Slice",
        lone(PLACED, "grad in the slice, else 0", "puts {grad} where the slice was, zeros elsewhere"),
    ),
    "Unbind": lone(SHAPED, "stack(grads)", "stacks {grad} again"),
    "Split": lone(SHAPED, "cat(grads)", "joins {grad} again"),
    "Index": lone(PLACED, "grad at indices, else 0", "puts {grad} at the places that were indexed, zeros elsewhere"),
    "Embedding": row(PLACED, ("weight", "grad at the rows", "adds {grad} to the rows that were looked up")),
    "Gather": lone(PLACED, "grad at index, else 0", "puts {grad} back where it was taken from"),
    "IndexPut": row(
        PLACED,
        ("self", "grad, 0 at indices", "passes {grad} on, with zeros at the places that were overwritten"),
        ("values", "grad at indices", "takes from {grad} the places that were written"),
    ),
    "AsStrided": lone(PLACED, "grad in the view, else 0", "puts {grad} where the view was, zeros elsewhere"),
    "CopySlices": row(
        BEHIND,
        ("base", "grad, 0 in the part", "passes {grad} on, without the part that was overwritten"),
        ("src", "grad of the part", "takes from {grad} the part that was written"),
    ),
    "Copy": row(NOTHING, ("self", "0", "passes nothing on: the old contents were overwritten"), ("src", "grad", SAME)),
    "Fill": row(
        NOTHING,
        ("self", "0", "passes zeros on: the old contents were overwritten"),
        ("value", "grad.sum()", "adds {grad} up"),
    ),
    "Zero": lone(NOTHING, "0", "passes zeros on: the old contents were overwritten"),
    # ---- products, layers, losses and linear algebra
    "Addmv": row(
        OTHER,
        ("self", "grad * beta", SAME),
        ("mat", "outer(grad, vec)", "takes the outer product of {grad} and {vec}"),
        ("vec", "mat.T @ grad", "multiplies {mat}, transposed, by {grad}"),
    ),
    "Baddbmm": row(
        OTHER,
        ("self", "grad * beta", SAME),
        ("batch1", "grad @ batch2.mT", "multiplies {grad} by {batch2}, transposed"),
        ("batch2", "batch1.mT @ grad", "multiplies {batch1}, transposed, by {grad}"),
    ),
    "Addr": row(
        OTHER,
        ("self", "grad * beta", SAME),
        ("vec1", "grad @ vec2", "multiplies {grad} by {vec2}"),
        ("vec2", "grad.T @ vec1", "multiplies {grad}, transposed, by {vec1}"),
    ),
    "Vdot": row(
        OTHER,
        ("self", "grad * other", "multiplies {grad} by {other}"),
        ("other", "grad * self", "multiplies {grad} by {self}"),
    ),
    "Trilinear": row(
        OTHER,
        ("i1", "grad * i2 * i3", "multiplies {grad} by the other two"),
        ("i2", "grad * i1 * i3", "multiplies {grad} by the other two"),
        ("i3", "grad * i1 * i2", "multiplies {grad} by the other two"),
    ),
    "LinalgCross": row(
        OTHER,
        ("self", "cross(other, grad)", "takes the cross product of {other} and {grad}"),
        ("other", "cross(grad, self)", "takes the cross product of {grad} and {self}"),
    ),
    "Convolution": row(
        OTHER,
        ("input", "conv_transpose(grad, weight)", "slides {weight} over {grad}, backwards"),
        ("weight", "correlation of input and grad", "correlates {input} with {grad}"),
        ("bias", "grad summed over places", "adds {grad} up over all places"),
    ),
    **alike(
        "AvgPool2D AvgPool1D AvgPool3D AdaptiveAvgPool2D AdaptiveAvgPool3D",
        lone(SHAPED, "grad spread over windows", "spreads {grad} evenly over each window"),
    ),
    **alike(
        "GridSampler2D GridSampler3D",
        row(
            OTHER,
            ("input", "grad at the elements around each place", "shares {grad} among the elements around each place"),
            ("grid", "grad * the slope of input there", "multiplies {grad} by how {input} changes around each place"),
        ),
    ),
    "AffineGridGenerator": row(
        SHAPED, ("theta", "places.T @ grad", "multiplies {grad} by the places that were mapped")
    ),
    **alike(
        "MaxPool2DWithIndices AdaptiveMaxPool2D MaxPool3DWithIndices",
        lone(
            "it must know where the largest entry was",
            "grad at the maxima",
            "sends {grad} to the largest entry of each window",
        ),
    ),
    **alike(
        "UpsampleBilinear2D UpsampleLinear1D UpsampleBicubic2D UpsampleTrilinear3D UpsampleBilinear2DAa "
        "UpsampleBicubic2DAa",
        lone(SHAPED, "grad weighed", "gives {grad} back to the entries it was interpolated from"),
    ),
    **alike(
        "UpsampleNearest2D UpsampleNearest1D UpsampleNearest3D "
        "UpsampleNearestExact1D UpsampleNearestExact2D UpsampleNearestExact3D",
        lone(SHAPED, "grad summed", "adds {grad} up over the copies"),
    ),
    **alike(
        "NativeBatchNorm CudnnBatchNorm NativeGroupNorm NativeLayerNorm",
        row(
            "its slope depends on the mean and the spread of what it evens out",
            (
                "input",
                "grad, centred and scaled",
                "takes from {grad} what mean and spread account for and scales the rest",
            ),
            ("weight", "sum of grad * normalised", "multiplies {grad} by the normalised input and adds that up"),
            ("bias", "sum of grad", "adds {grad} up over the batch"),
        ),
    ),
    "ScaledDotProductFlashAttentionForCpu": row(
        OTHER,
        ("query", "through softmax to the query", "carries {grad} through the softmax to the query"),
        ("key", "through softmax to the key", "carries {grad} through the softmax to the key"),
        ("value", "weights.T @ grad", "weighs {grad} by the attention that was paid"),
    ),
    **alike(
        "HuberLoss SmoothL1Loss",
        row(
            "its slope depends on the distance",
            (
                "self",
                "grad * clamp(self - target)",
                "multiplies {grad} by the distance of {self} from {target}, cut off at the limit",
            ),
            ("target", "-grad * clamp(self - target)", "multiplies {grad} by minus that distance"),
        ),
    ),
    **alike(
        "MultiMarginLoss MultilabelMarginLoss",
        row(
            "its slope depends on which scores came too near",
            (
                "self",
                "grad at the scores within the margin",
                "gives {grad} to the scores that came too near, and takes it from those that were meant",
            ),
        ),
    ),
    **alike(
        "MaxUnpool2D MaxUnpool3D",
        row("it must know where things were put", ("self", "grad at indices", "picks {grad} where {self} was put")),
    ),
    "SoftMarginLoss": lone(
        "its slope depends on the distance",
        "-grad * target * sigmoid(-target * self)",
        "weighs {grad} by how far {self} is on the wrong side",
    ),
    "LinalgDet": lone(
        RESULT,
        "grad * result * inv(self).T",
        "multiplies {grad} by {result} and by the inverse of the matrix, transposed",
    ),
    "LinalgSlogdet": lone(INPUT, "grad * inv(self).T", "multiplies {grad} by the inverse of the matrix, transposed"),
    **alike(
        "LinalgInvEx LinalgPinv",
        lone(RESULT, "-result.T @ grad @ result.T", "multiplies {grad} from both sides by minus {result}, transposed"),
    ),
    "LinalgHouseholderProduct": row(
        OTHER,
        ("input", "grad mirrored back, by the vectors", "mirrors {grad} back through the reflections before"),
        ("tau", "grad mirrored back, by the lengths", "mirrors {grad} back through the reflections before"),
    ),
    "LinalgLstsq": row(
        OTHER,
        ("self", "through pinv(self)", "carries {grad} back through the pseudo-inverse"),
        ("b", "pinv(self).T @ grad", "multiplies {grad} by the pseudo-inverse, transposed"),
    ),
    "CholeskySolve": row(
        OTHER,
        ("self", "cholesky_solve(grad, input2)", "solves with the factor for {grad}"),
        (
            "input2",
            "-(g + g.T) @ input2, g = cholesky_solve(grad, input2) @ result.T",
            "solves with the factor for {grad}, multiplies by the result, and takes it both ways",
        ),
    ),
    "CholeskyInverse": lone(
        RESULT,
        "-(g + g.T) @ self, g = result @ grad @ result",
        "multiplies {grad} from both sides by {result}, takes it both ways and multiplies by minus the factor",
    ),
    **alike(
        "LinalgSolveEx LinalgSolveTriangular",
        row(
            OTHER,
            (
                "A",
                "-solve(A.T, grad) @ result.T",
                "solves with the transposed matrix for {grad} and multiplies by minus the result",
            ),
            ("B", "solve(A.T, grad)", "solves with the transposed matrix for {grad}"),
        ),
    ),
    **alike(
        "LinalgCholeskyEx Cholesky LinalgQr LinalgEigh LinalgEig LinalgSvd",
        lone("its slope is read off the factors", "through the factors", "carries {grad} back through the factors"),
    ),
    "MkldnnRnnLayer": lone(THROUGH_TIME, "back through time", "carries {grad} back through all steps of the LSTM"),
    "CheckpointFunctionBackward": row(
        "checkpoint saves the inputs, and runs the forward again when the rest is needed",
        ("inputs", "backward of the forward run again", "carries {grad} back through the forward that ran again"),
    ),
    "BackwardHookFunctionBackward": row(
        NOTHING, ("inputs", "grad", "passes {grad} on, once the module's hooks have seen it")
    ),
    "LinalgMatrixExp": lone(
        INPUT, "exp of the block matrix", "carries {grad} through the exponential of the transposed matrix"
    ),
    # ---- further functions, reductions and rearrangements
    "Acos": lone(INPUT, "-grad / sqrt(1 - self ** 2)", "divides {grad} by minus the root of 1 - the square of {self}"),
    "Asin": lone(INPUT, "grad / sqrt(1 - self ** 2)", "divides {grad} by the root of 1 - the square of {self}"),
    "Atan": lone(INPUT, "grad / (1 + self ** 2)", "divides {grad} by 1 + the square of {self}"),
    "Atanh": lone(INPUT, "grad / (1 - self ** 2)", "divides {grad} by 1 - the square of {self}"),
    "Acosh": lone(INPUT, "grad / sqrt(self ** 2 - 1)", "divides {grad} by the root of the square of {self}, less 1"),
    "Asinh": lone(INPUT, "grad / sqrt(self ** 2 + 1)", "divides {grad} by the root of 1 + the square of {self}"),
    "Sinh": lone(INPUT, "grad * cosh(self)", "multiplies {grad} by the cosh of {self}"),
    "Cosh": lone(INPUT, "grad * sinh(self)", "multiplies {grad} by the sinh of {self}"),
    "Exp2": lone(RESULT, "grad * result * ln 2", "multiplies {grad} by {result} and by the logarithm of 2"),
    "Erf": lone(INPUT, "grad * 2 / sqrt(pi) * exp(-self ** 2)", "multiplies {grad} by the bell curve at {self}"),
    "Logit": lone(INPUT, "grad / (self * (1 - self))", "divides {grad} by {self} and by 1 minus it"),
    "LogSigmoid": lone(INPUT, "grad * sigmoid(-self)", "multiplies {grad} by the sigmoid of minus {self}"),
    "Celu": lone(INPUT, "grad * celu'(self)", "multiplies {grad} by the slope of celu at {self}"),
    "Mish": lone(INPUT, "grad * mish'(self)", "multiplies {grad} by the slope of mish at {self}"),
    "Hardswish": lone(INPUT, "grad * hardswish'(self)", "multiplies {grad} by the slope of hardswish at {self}"),
    "StandardGamma": row(
        "it must know the shape that a number was drawn for, and the number",
        ("self", "grad * d result / d self", "multiplies {grad} by how far {result} moves with its shape {self}"),
    ),
    "Frac": lone(NOTHING, "grad", SAME),
    **alike(
        "Atan2 Hypot",
        row(
            OTHER,
            ("self", "grad * slope in self", "multiplies {grad} by the slope in this side"),
            ("other", "grad * slope in other", "multiplies {grad} by the slope in this side"),
        ),
    ),
    **alike(
        "Hardtanh Hardsigmoid",
        lone(
            "it must know what lay between the limits",
            "grad inside the limits, else 0",
            "lets {grad} through where {self} lay between the limits",
        ),
    ),
    "ClampMin": lone(
        "it must know what lay between the limits",
        "grad * (self >= min)",
        "lets {grad} through where {self} was not below the limit",
    ),
    "ClampMax": lone(
        "it must know what lay between the limits",
        "grad * (self <= max)",
        "lets {grad} through where {self} was not above the limit",
    ),
    **alike(
        "Threshold Softshrink Hardshrink",
        lone(
            "it must know what lay between the limits",
            "grad beyond the threshold, else 0",
            "lets {grad} through where {self} was beyond the threshold",
        ),
    ),
    "PreluKernel": lone(
        INPUT, "grad * where(self > 0, 1, weight)", "lets {grad} through, scaled where {self} was negative"
    ),
    "Glu": lone(INPUT, "grad * glu'(self)", "splits {self} in two and hands each half its share of {grad}"),
    **alike("Ceil Floor Round Trunc Sign Sgn", lone(FLAT, "0", FLATLY)),
    "DivMode": row(
        "PyTorch saves both sides, though the slope of what is rounded is zero",
        ("self", "0", FLATLY),
        ("other", "0", FLATLY),
    ),
    **alike(
        "Fmod Remainder",
        row(
            "its slope in the divisor depends on how often it fits",
            ("self", "grad", SAME),
            ("other", "-grad * quotient", "multiplies {grad} by minus the whole quotient"),
        ),
    ),
    **alike(
        "Bernoulli Cauchy Geometric LogNormal Normal Poisson Uniform",
        lone("chance does not depend on it", "0", "passes zeros on: what was drawn by chance does not depend on it"),
    ),
    **alike(
        "Minimum Fmin",
        row(
            "it must know which side was smaller",
            ("self", "grad * (self <= other)", "lets {grad} through where this side was smaller (half of it at a tie)"),
            ("other", "grad * (other < self)", "lets {grad} through where this side was smaller (half of it at a tie)"),
        ),
    ),
    "Fmax": row(
        "it must know which side was larger",
        ("self", "grad * (self >= other)", "lets {grad} through where this side was larger"),
        ("other", "grad * (other > self)", "lets {grad} through where this side was larger"),
    ),
    "Addcmul": row(
        OTHER,
        ("self", "grad", SAME),
        ("tensor1", "grad * tensor2 * value", "multiplies {grad} by {tensor2}"),
        ("tensor2", "grad * tensor1 * value", "multiplies {grad} by {tensor1}"),
    ),
    "Addcdiv": row(
        OTHER,
        ("self", "grad", SAME),
        ("tensor1", "grad * value / tensor2", "divides {grad} by {tensor2}"),
        (
            "tensor2",
            "-grad * value * tensor1 / tensor2 ** 2",
            "multiplies {grad} by minus {tensor1} over the square of {tensor2}",
        ),
    ),
    "Lerp": row(
        OTHER,
        ("self", "grad * (1 - weight)", "multiplies {grad} by 1 - {weight}"),
        ("end", "grad * weight", "multiplies {grad} by {weight}"),
        ("weight", "grad * (end - self)", "multiplies {grad} by the way from {self} to {end}"),
    ),
    "Amin": lone("it must know where the smallest entry was", "grad at the minimum", "shares {grad} among the minima"),
    "Aminmax": lone(
        "it must know where the largest entry was",
        "grad at both ends",
        "sends {grad} to the smallest and the largest entry",
    ),
    **alike(
        "Median Mode Kthvalue Nanmedian",
        lone("it must know which entry was taken", "grad at that entry", "sends {grad} to the entry that was taken"),
    ),
    **alike(
        "Topk Sort Cummax Cummin",
        lone(
            "it must know where each entry came from",
            "grad at indices",
            "sends each part of {grad} back to where its entry came from",
        ),
    ),
    "Cumprod": lone(OTHER, "sums of grad * result / self", "gives each entry of {grad} the product of the others"),
    "Logsumexp": lone(RESULT, "grad * exp(self - result)", "shares {grad} out by the softmax of {self}"),
    "Nansum": lone(
        "it must know which entries were NaN", "grad where not NaN", "spreads {grad} over the entries that were numbers"
    ),
    **alike(
        "StdMean VarMean",
        lone(
            INPUT,
            "grads * distance from the mean",
            "combines the gradients of both results by the distance of {self} from its mean",
        ),
    ),
    "Frexp": lone("it must know the power of 2", "grad / 2 ** exponent", "divides {grad} by the power of 2 taken out"),
    "Angle": lone(INPUT, "0", "gives nothing: the angle of a real number does not move with it"),
    "ConjPhysical": lone(NOTHING, "grad", SAME),
    "Renorm": lone(
        INPUT,
        "grad / norm across, where cut",
        "scales {grad} where {self} was cut to the norm, less its length",
    ),
    "SpecialI1": lone(
        RESULT, "grad * slope at self", "multiplies {grad} by the slope of the Bessel function at {self}"
    ),
    "Trace": lone(SHAPED, "grad on the diagonal", "puts {grad} on the diagonal"),
    **alike(
        "Dist Cdist EuclideanDist Pdist",
        lone(OTHER, "grad * difference / distance", "multiplies {grad} by the direction from one to the other"),
    ),
    "NanToNum": lone(
        "it must know which entries were numbers", "grad where finite", "lets {grad} through where {self} was finite"
    ),
    **alike("Flip Rot90 Roll", lone(SHAPED, "grad turned back", "turns {grad} back")),
    **alike(
        "Diagonal DiagEmbed",
        lone(PLACED, "grad at the diagonal", "puts {grad} where the diagonal was, zeros elsewhere"),
    ),
    **alike("Tril Triu", lone(PLACED, "grad in the triangle, else 0", "lets {grad} through inside the triangle")),
    "ConstantPadNd": lone(SHAPED, "grad without the padding", "cuts the padding off {grad}"),
    **alike(
        "ReflectionPad1D ReflectionPad2D ReplicationPad1D ReplicationPad2D",
        lone(SHAPED, "grad folded back", "folds the padding of {grad} back and adds it up"),
    ),
    **alike("Unfold Im2Col", lone(SHAPED, "sums over the windows", "adds {grad} up where windows overlapped")),
    "Col2Im": lone(SHAPED, "grad in windows", "cuts {grad} into windows again"),
    **alike(
        "PixelShuffle PixelUnshuffle ViewAsReal ViewAsComplex",
        lone(SHAPED, "grad rearranged", "puts the entries of {grad} back in their places"),
    ),
    **alike("SplitWithSizes UnsafeSplit UnsafeSplitWithSizes Chunk", lone(SHAPED, "cat(grads)", "joins {grad} again")),
    "BlockDiag": row(SHAPED, ("tensors", "grad, cut", "cuts the blocks out of {grad}")),
    **alike(
        "MaskedSelect Take",
        lone(PLACED, "grad at the places, else 0", "puts {grad} where its entries were taken from, zeros elsewhere"),
    ),
    "IndexSelect": lone(
        PLACED, "grad at index, else 0", "adds {grad} up at the places that were selected, zeros elsewhere"
    ),
    **alike(
        "MaskedFill IndexFill",
        row(
            PLACED,
            ("self", "grad, 0 where filled", "passes {grad} on, with zeros at the places that were filled"),
            ("value", "sum of grad where filled", "adds {grad} up over the places that were filled"),
        ),
    ),
    **alike(
        "MaskedScatter Put IndexCopy Scatter IndexPutImpl SelectScatter SliceScatter",
        row(
            PLACED,
            ("self", "grad, 0 where written", "passes {grad} on, with zeros at the places that were overwritten"),
            ("source", "grad where written", "takes from {grad} the places that were written"),
        ),
    ),
    **alike(
        "ScatterAdd IndexAdd ScatterReduce",
        row(
            PLACED,
            ("self", "grad", SAME),
            ("source", "grad at index", "takes from {grad} the places that were added to"),
        ),
    ),
    "Conj": lone(NOTHING, "grad.conj()", "conjugates {grad}"),
    "Complex": row(
        NOTHING,
        ("real", "grad.real", "takes the real part of {grad}"),
        ("imag", "grad.imag", "takes the imaginary part of {grad}"),
    ),
    "EmbeddingBag": lone(PLACED, "grad at the rows", "shares {grad} among the rows of each bag"),
    "PackPaddedSequence": lone(
        PLACED, "grad, 0 at padding", "puts {grad} back in its places, with zeros for the padding"
    ),
}
