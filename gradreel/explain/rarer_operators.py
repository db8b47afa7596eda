"""What the backward of rarer functions, reductions and rearrangements does: rows like those of operator_rows.py."""

from __future__ import annotations

from .operator_rows import FLAT, INPUT, NOTHING, OTHER, PLACED, RESULT, SHAPED, Operator, row

RARER: dict[str, Operator] = {
    "Acos": row(
        INPUT, ("self", "-grad / sqrt(1 - self ** 2)", "divides {grad} by minus the root of 1 - the square of {self}")
    ),
    "Asin": row(
        INPUT, ("self", "grad / sqrt(1 - self ** 2)", "divides {grad} by the root of 1 - the square of {self}")
    ),
    "Atan": row(INPUT, ("self", "grad / (1 + self ** 2)", "divides {grad} by 1 + the square of {self}")),
    "Atanh": row(INPUT, ("self", "grad / (1 - self ** 2)", "divides {grad} by 1 - the square of {self}")),
    "Acosh": row(
        INPUT, ("self", "grad / sqrt(self ** 2 - 1)", "divides {grad} by the root of the square of {self}, less 1")
    ),
    "Asinh": row(
        INPUT, ("self", "grad / sqrt(self ** 2 + 1)", "divides {grad} by the root of 1 + the square of {self}")
    ),
    "Sinh": row(INPUT, ("self", "grad * cosh(self)", "multiplies {grad} by cosh of {self}")),
    "Cosh": row(INPUT, ("self", "grad * sinh(self)", "multiplies {grad} by sinh of {self}")),
    "Exp2": row(RESULT, ("self", "grad * result * ln 2", "multiplies {grad} by {result} and by the logarithm of 2")),
    "Erf": row(
        INPUT, ("self", "grad * 2 / sqrt(pi) * exp(-self ** 2)", "multiplies {grad} by the bell curve at {self}")
    ),
    "Logit": row(INPUT, ("self", "grad / (self * (1 - self))", "divides {grad} by {self} · (1 - self)")),
    "LogSigmoid": row(INPUT, ("self", "grad * sigmoid(-self)", "multiplies {grad} by the sigmoid of minus {self}")),
    "Celu": row(INPUT, ("self", "grad * celu'(self)", "multiplies {grad} by the slope of celu at {self}")),
    "Mish": row(INPUT, ("self", "grad * mish'(self)", "multiplies {grad} by the slope of mish at {self}")),
    "Hardswish": row(
        INPUT, ("self", "grad * hardswish'(self)", "multiplies {grad} by the slope of hardswish at {self}")
    ),
    "Frac": row(NOTHING, ("self", "grad", "passes {grad} on as it is")),
    "Atan2": row(
        OTHER,
        ("self", "grad * slope in self", "multiplies {grad} by the slope in this side"),
        ("other", "grad * slope in other", "multiplies {grad} by the slope in this side"),
    ),
    "Hypot": row(
        OTHER,
        ("self", "grad * slope in self", "multiplies {grad} by the slope in this side"),
        ("other", "grad * slope in other", "multiplies {grad} by the slope in this side"),
    ),
    "Hardtanh": row(
        "it must know what lay between the limits",
        ("self", "grad inside the limits, else 0", "lets {grad} through where {self} lay between the limits"),
    ),
    "Hardsigmoid": row(
        "it must know what lay between the limits",
        ("self", "grad inside the limits, else 0", "lets {grad} through where {self} lay between the limits"),
    ),
    "ClampMin": row(
        "it must know what lay between the limits",
        ("self", "grad * (self >= min)", "lets {grad} through where {self} was not below the limit"),
    ),
    "ClampMax": row(
        "it must know what lay between the limits",
        ("self", "grad * (self <= max)", "lets {grad} through where {self} was not above the limit"),
    ),
    "Threshold": row(
        "it must know what lay between the limits",
        ("self", "grad beyond the threshold, else 0", "lets {grad} through where {self} was beyond the threshold"),
    ),
    "Softshrink": row(
        "it must know what lay between the limits",
        ("self", "grad beyond the threshold, else 0", "lets {grad} through where {self} was beyond the threshold"),
    ),
    "Hardshrink": row(
        "it must know what lay between the limits",
        ("self", "grad beyond the threshold, else 0", "lets {grad} through where {self} was beyond the threshold"),
    ),
    "PreluKernel": row(
        INPUT, ("self", "grad * where(self > 0, 1, weight)", "lets {grad} through, scaled where {self} was negative")
    ),
    "Glu": row(INPUT, ("self", "grad * glu'(self)", "splits {self} in two and hands each half its share of {grad}")),
    "Ceil": row(FLAT, ("self", "0", "passes zeros on: it is flat between its steps")),
    "Floor": row(FLAT, ("self", "0", "passes zeros on: it is flat between its steps")),
    "Round": row(FLAT, ("self", "0", "passes zeros on: it is flat between its steps")),
    "Trunc": row(FLAT, ("self", "0", "passes zeros on: it is flat between its steps")),
    "Sign": row(FLAT, ("self", "0", "passes zeros on: it is flat between its steps")),
    "Sgn": row(FLAT, ("self", "0", "passes zeros on: it is flat between its steps")),
    "Fmod": row(
        "its slope in the divisor depends on how often it fits",
        ("self", "grad", "passes {grad} on as it is"),
        ("other", "-grad * quotient", "multiplies {grad} by minus the whole quotient"),
    ),
    "Remainder": row(
        "its slope in the divisor depends on how often it fits",
        ("self", "grad", "passes {grad} on as it is"),
        ("other", "-grad * quotient", "multiplies {grad} by minus the whole quotient"),
    ),
    "Bernoulli": row(
        "chance does not depend on it", ("self", "0", "passes zeros on: what was drawn by chance does not depend on it")
    ),
    "Normal": row(
        "chance does not depend on it", ("self", "0", "passes zeros on: what was drawn by chance does not depend on it")
    ),
    "Uniform": row(
        "chance does not depend on it", ("self", "0", "passes zeros on: what was drawn by chance does not depend on it")
    ),
    "Minimum": row(
        "it must know which side was smaller",
        ("self", "grad * (self <= other)", "lets {grad} through where this side was smaller (half of it at a tie)"),
        ("other", "grad * (other < self)", "lets {grad} through where this side was smaller (half of it at a tie)"),
    ),
    "Fmin": row(
        "it must know which side was smaller",
        ("self", "grad * (self <= other)", "lets {grad} through where this side was smaller (half of it at a tie)"),
        ("other", "grad * (other < self)", "lets {grad} through where this side was smaller (half of it at a tie)"),
    ),
    "Fmax": row(
        "it must know which side was larger",
        ("self", "grad * (self >= other)", "lets {grad} through where this side was larger"),
        ("other", "grad * (other > self)", "lets {grad} through where this side was larger"),
    ),
    "Addcmul": row(
        OTHER,
        ("self", "grad", "passes {grad} on as it is"),
        ("tensor1", "grad * tensor2 * value", "multiplies {grad} by {tensor2}"),
        ("tensor2", "grad * tensor1 * value", "multiplies {grad} by {tensor1}"),
    ),
    "Addcdiv": row(
        OTHER,
        ("self", "grad", "passes {grad} on as it is"),
        ("tensor1", "grad * value / tensor2", "divides {grad} by {tensor2}"),
        ("tensor2", "-grad * value * tensor1 / tensor2 ** 2", "multiplies {grad} by -tensor1/tensor2²"),
    ),
    "Lerp": row(
        OTHER,
        ("self", "grad * (1 - weight)", "multiplies {grad} by 1 - {weight}"),
        ("end", "grad * weight", "multiplies {grad} by {weight}"),
        ("weight", "grad * (end - self)", "multiplies {grad} by the way from {self} to {end}"),
    ),
    "Amin": row(
        "it must know where the smallest entry was", ("self", "grad at the minimum", "shares {grad} among the minima")
    ),
    "Aminmax": row(
        "it must know where the largest entry was",
        ("self", "grad at both ends", "sends {grad} to the smallest and the largest entry"),
    ),
    "Median": row(
        "it must know which entry was taken", ("self", "grad at that entry", "sends {grad} to the entry that was taken")
    ),
    "Mode": row(
        "it must know which entry was taken", ("self", "grad at that entry", "sends {grad} to the entry that was taken")
    ),
    "Kthvalue": row(
        "it must know which entry was taken", ("self", "grad at that entry", "sends {grad} to the entry that was taken")
    ),
    "Nanmedian": row(
        "it must know which entry was taken", ("self", "grad at that entry", "sends {grad} to the entry that was taken")
    ),
    "Topk": row(
        "it must know where each entry came from",
        ("self", "grad at indices", "sends each part of {grad} back to where its entry came from"),
    ),
    "Sort": row(
        "it must know where each entry came from",
        ("self", "grad at indices", "sends each part of {grad} back to where its entry came from"),
    ),
    "Cummax": row(
        "it must know where each entry came from",
        ("self", "grad at indices", "sends each part of {grad} back to where its entry came from"),
    ),
    "Cummin": row(
        "it must know where each entry came from",
        ("self", "grad at indices", "sends each part of {grad} back to where its entry came from"),
    ),
    "Cumprod": row(
        OTHER, ("self", "sums of grad * result / self", "gives each entry of {grad} the product of the others")
    ),
    "Logsumexp": row(RESULT, ("self", "grad * exp(self - result)", "shares {grad} out by the softmax of {self}")),
    "Nansum": row(
        "it must know which entries were NaN",
        ("self", "grad where not NaN", "spreads {grad} over the entries that were numbers"),
    ),
    "StdMean": row(
        INPUT,
        (
            "self",
            "grads * distance from the mean",
            "combines the gradients of both results by the distance of {self} from its mean",
        ),
    ),
    "VarMean": row(
        INPUT,
        (
            "self",
            "grads * distance from the mean",
            "combines the gradients of both results by the distance of {self} from its mean",
        ),
    ),
    "Trace": row(SHAPED, ("self", "grad on the diagonal", "puts {grad} on the diagonal")),
    "Dist": row(
        OTHER, ("self", "grad * difference / distance", "multiplies {grad} by the direction from one to the other")
    ),
    "Cdist": row(
        OTHER, ("self", "grad * difference / distance", "multiplies {grad} by the direction from one to the other")
    ),
    "NanToNum": row(
        "it must know which entries were numbers",
        ("self", "grad where finite", "lets {grad} through where {self} was finite"),
    ),
    "Flip": row(SHAPED, ("self", "grad turned back", "turns {grad} back")),
    "Rot90": row(SHAPED, ("self", "grad turned back", "turns {grad} back")),
    "Roll": row(SHAPED, ("self", "grad turned back", "turns {grad} back")),
    "Diagonal": row(PLACED, ("self", "grad at the diagonal", "puts {grad} where the diagonal was, zeros elsewhere")),
    "DiagEmbed": row(PLACED, ("self", "grad at the diagonal", "puts {grad} where the diagonal was, zeros elsewhere")),
    "Tril": row(PLACED, ("self", "grad in the triangle, else 0", "lets {grad} through inside the triangle")),
    "Triu": row(PLACED, ("self", "grad in the triangle, else 0", "lets {grad} through inside the triangle")),
    "ConstantPadNd": row(SHAPED, ("self", "grad without the padding", "cuts the padding off {grad}")),
    "ReflectionPad1D": row(SHAPED, ("self", "grad folded back", "folds the padding of {grad} back and adds it up")),
    "ReflectionPad2D": row(SHAPED, ("self", "grad folded back", "folds the padding of {grad} back and adds it up")),
    "ReplicationPad1D": row(SHAPED, ("self", "grad folded back", "folds the padding of {grad} back and adds it up")),
    "ReplicationPad2D": row(SHAPED, ("self", "grad folded back", "folds the padding of {grad} back and adds it up")),
    "Unfold": row(SHAPED, ("self", "sums over the windows", "adds {grad} up where windows overlapped")),
    "Im2Col": row(SHAPED, ("self", "sums over the windows", "adds {grad} up where windows overlapped")),
    "Col2Im": row(SHAPED, ("self", "grad in windows", "cuts {grad} into windows again")),
    "PixelShuffle": row(SHAPED, ("self", "grad rearranged", "puts the entries of {grad} back in their places")),
    "PixelUnshuffle": row(SHAPED, ("self", "grad rearranged", "puts the entries of {grad} back in their places")),
    "ViewAsReal": row(SHAPED, ("self", "grad rearranged", "puts the entries of {grad} back in their places")),
    "ViewAsComplex": row(SHAPED, ("self", "grad rearranged", "puts the entries of {grad} back in their places")),
    "SplitWithSizes": row(SHAPED, ("self", "cat(grads)", "joins {grad} again")),
    "UnsafeSplit": row(SHAPED, ("self", "cat(grads)", "joins {grad} again")),
    "Chunk": row(SHAPED, ("self", "cat(grads)", "joins {grad} again")),
    "BlockDiag": row(SHAPED, ("tensors", "grad, cut", "cuts the blocks out of {grad}")),
    "MaskedSelect": row(
        PLACED, ("self", "grad at the places, else 0", "puts {grad} where its entries were taken from, zeros elsewhere")
    ),
    "Take": row(
        PLACED, ("self", "grad at the places, else 0", "puts {grad} where its entries were taken from, zeros elsewhere")
    ),
    "IndexSelect": row(
        PLACED, ("self", "grad at index, else 0", "adds {grad} up at the places that were selected, zeros elsewhere")
    ),
    "MaskedFill": row(
        PLACED,
        ("self", "grad, 0 where filled", "passes {grad} on, with zeros at the places that were filled"),
        ("value", "sum of grad where filled", "adds {grad} up over the places that were filled"),
    ),
    "IndexFill": row(
        PLACED,
        ("self", "grad, 0 where filled", "passes {grad} on, with zeros at the places that were filled"),
        ("value", "sum of grad where filled", "adds {grad} up over the places that were filled"),
    ),
    "MaskedScatter": row(
        PLACED,
        ("self", "grad, 0 where written", "passes {grad} on, with zeros at the places that were overwritten"),
        ("source", "grad where written", "takes from {grad} the places that were written"),
    ),
    "Put": row(
        PLACED,
        ("self", "grad, 0 where written", "passes {grad} on, with zeros at the places that were overwritten"),
        ("source", "grad where written", "takes from {grad} the places that were written"),
    ),
    "IndexCopy": row(
        PLACED,
        ("self", "grad, 0 where written", "passes {grad} on, with zeros at the places that were overwritten"),
        ("source", "grad where written", "takes from {grad} the places that were written"),
    ),
    "Scatter": row(
        PLACED,
        ("self", "grad, 0 where written", "passes {grad} on, with zeros at the places that were overwritten"),
        ("source", "grad where written", "takes from {grad} the places that were written"),
    ),
    "IndexPutImpl": row(
        PLACED,
        ("self", "grad, 0 where written", "passes {grad} on, with zeros at the places that were overwritten"),
        ("source", "grad where written", "takes from {grad} the places that were written"),
    ),
    "SelectScatter": row(
        PLACED,
        ("self", "grad, 0 where written", "passes {grad} on, with zeros at the places that were overwritten"),
        ("source", "grad where written", "takes from {grad} the places that were written"),
    ),
    "SliceScatter": row(
        PLACED,
        ("self", "grad, 0 where written", "passes {grad} on, with zeros at the places that were overwritten"),
        ("source", "grad where written", "takes from {grad} the places that were written"),
    ),
    "ScatterAdd": row(
        PLACED,
        ("self", "grad", "passes {grad} on as it is"),
        ("source", "grad at index", "takes from {grad} the places that were added to"),
    ),
    "IndexAdd": row(
        PLACED,
        ("self", "grad", "passes {grad} on as it is"),
        ("source", "grad at index", "takes from {grad} the places that were added to"),
    ),
    "ScatterReduce": row(
        PLACED,
        ("self", "grad", "passes {grad} on as it is"),
        ("source", "grad at index", "takes from {grad} the places that were added to"),
    ),
    "Conj": row(NOTHING, ("self", "grad.conj()", "conjugates {grad}")),
    "Complex": row(
        NOTHING,
        ("real", "grad.real", "takes the real part of {grad}"),
        ("imag", "grad.imag", "takes the imaginary part of {grad}"),
    ),
    "EmbeddingBag": row(PLACED, ("self", "grad at the rows", "shares {grad} among the rows of each bag")),
}
