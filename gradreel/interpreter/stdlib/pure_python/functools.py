"""functools, in Python."""

from collections import namedtuple
from functools import partial as _partial
from functools import update_wrapper as _update_wrapper

_CacheInfo = namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize"])


def lru_cache(maxsize=128, typed=False):
    if callable(maxsize):
        return _cached(maxsize, 128)

    def decorate(function):
        return _cached(function, maxsize)

    return decorate


def cache(function):
    return _cached(function, None)


def _cached(function, maxsize):
    kept, counts = {}, [0, 0]

    def wrapper(*args, **kwargs):
        key = (args, tuple(kwargs.items())) if kwargs else args
        if key in kept:
            counts[0] += 1
            value = kept.pop(key)
            kept[key] = value
            return value
        counts[1] += 1
        value = function(*args, **kwargs)
        if maxsize is None or maxsize > 0:
            if maxsize is not None and len(kept) >= maxsize:
                del kept[next(iter(kept))]
            kept[key] = value
        return value

    def cache_info():
        return _CacheInfo(counts[0], counts[1], maxsize, len(kept))

    def cache_clear():
        kept.clear()
        counts[:] = [0, 0]

    _update_wrapper(wrapper, function)
    wrapper.cache_info, wrapper.cache_clear = cache_info, cache_clear
    return wrapper


class partialmethod:
    def __init__(self, func, /, *args, **keywords):
        if not callable(func) and not hasattr(func, "__get__") and not hasattr(func, "__func__"):
            raise TypeError(f"{func!r} is not callable or a descriptor")
        if isinstance(func, partialmethod):
            args, keywords, func = func.args + args, {**func.keywords, **keywords}, func.func
        self.func, self.args, self.keywords = func, args, keywords

    def __get__(self, instance, owner=None):
        inner = getattr(self.func, "__func__", None)
        if inner is not None:
            first = () if type(self.func).__name__ == "staticmethod" else (owner,)
            return _partial(inner, *first, *self.args, **self.keywords)
        if instance is not None:
            return _partial(self.func, instance, *self.args, **self.keywords)
        return lambda this, /, *args, **named: self.func(this, *self.args, *args, **{**self.keywords, **named})


class cached_property:
    def __init__(self, func):
        self.func = func
        self.attrname = None

    def __set_name__(self, owner, name):
        self.attrname = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = self.func(instance)
        object.__setattr__(instance, self.attrname, value)
        return value


def total_ordering(cls):
    own = cls.__dict__
    if "__lt__" in own:
        cls.__gt__ = lambda self, other: not (self < other) and self != other
        cls.__le__ = lambda self, other: self < other or self == other
        cls.__ge__ = lambda self, other: not self < other
    elif "__gt__" in own:
        cls.__lt__ = lambda self, other: not (self > other) and self != other
        cls.__ge__ = lambda self, other: self > other or self == other
        cls.__le__ = lambda self, other: not self > other
    elif "__le__" in own:
        cls.__lt__ = lambda self, other: self <= other and self != other
        cls.__ge__ = lambda self, other: not (self <= other) or self == other
        cls.__gt__ = lambda self, other: not self <= other
    elif "__ge__" in own:
        cls.__gt__ = lambda self, other: self >= other and self != other
        cls.__le__ = lambda self, other: not (self >= other) or self == other
        cls.__lt__ = lambda self, other: not self >= other
    else:
        raise ValueError("must define at least one ordering operation: < > <= >=")
    return cls


def cmp_to_key(mycmp):
    class K:
        def __init__(self, obj):
            self.obj = obj

        def __lt__(self, other):
            return mycmp(self.obj, other.obj) < 0

        def __gt__(self, other):
            return mycmp(self.obj, other.obj) > 0

        def __eq__(self, other):
            return mycmp(self.obj, other.obj) == 0

    return K


def singledispatch(function):
    ways = {}

    def register(kind, way=None):
        if way is None and isinstance(kind, type):
            return lambda way: register(kind, way)
        if way is None:
            kind, way = next(iter(kind.__annotations__.values())), kind
        ways[kind] = way
        return way

    def dispatch(kind):
        for base in kind.__mro__ if hasattr(kind, "__mro__") else [kind]:
            if base in ways:
                return ways[base]
        return function

    def wrapper(*args, **kwargs):
        return dispatch(type(args[0]))(*args, **kwargs)

    _update_wrapper(wrapper, function)
    wrapper.register, wrapper.dispatch, wrapper.registry = register, dispatch, ways
    return wrapper
