"""types, in Python."""


class SimpleNamespace:
    def __init__(self, /, **kwargs):
        self.__dict__.update(kwargs)

    def __repr__(self):
        return "namespace(" + ", ".join([f"{k}={v!r}" for k, v in self.__dict__.items()]) + ")"

    def __eq__(self, other):
        if not isinstance(other, SimpleNamespace):
            return NotImplemented
        return self.__dict__ == other.__dict__

    __hash__ = None


FunctionType = type(lambda: 0)
LambdaType = FunctionType
NoneType = type(None)


def MethodType(function, instance):
    return function.__get__(instance)
