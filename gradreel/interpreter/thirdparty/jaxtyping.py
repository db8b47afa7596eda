"""jaxtyping, in Python: types that say what shape a tensor has, to those who read them; nothing is checked."""


class _Shaped:
    """`Float[Tensor, "rows columns"]`, whatever is in the brackets."""

    def __getitem__(self, said):
        return self


Array = PyTree = Shaped = Num = Real = Inexact = Float = Float16 = Float32 = Float64 = Complex = _Shaped()
Integer = Int = Int8 = Int16 = Int32 = Int64 = UInt = UInt8 = Bool = Key = Scalar = _Shaped()


def jaxtyped(fn=None, *, typechecker=None):
    return (lambda fn: fn) if fn is None else fn
