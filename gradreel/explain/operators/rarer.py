"""What the backward of rarer functions, reductions and rearrangements does: rows like those of rows.py."""

from __future__ import annotations

from .rows import FLAT, FLATLY, INPUT, NOTHING, OTHER, PLACED, RESULT, SAME, SHAPED, Operator, alike, lone, row

RARER: dict[str, Operator] = {
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
