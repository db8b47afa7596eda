"""collections, in Python."""


class Counter(dict):
    def __init__(self, iterable=None, /, **kwds):
        super().__init__()
        self.update(iterable, **kwds)

    def __missing__(self, key):
        return 0

    def total(self):
        return sum(self.values())

    def most_common(self, n=None):
        pairs = sorted(self.items(), key=lambda pair: pair[1], reverse=True)
        return pairs if n is None else pairs[:n]

    def elements(self):
        for key, count in self.items():
            for _ in range(count):
                yield key

    def update(self, iterable=None, /, **kwds):
        if iterable is not None:
            if isinstance(iterable, dict):
                for key, count in iterable.items():
                    self[key] = count + self.get(key, 0)
            else:
                for key in iterable:
                    self[key] = self.get(key, 0) + 1
        for key, count in kwds.items():
            self[key] = count + self.get(key, 0)

    def subtract(self, iterable=None, /, **kwds):
        if iterable is not None:
            if isinstance(iterable, dict):
                for key, count in iterable.items():
                    self[key] = self.get(key, 0) - count
            else:
                for key in iterable:
                    self[key] = self.get(key, 0) - 1
        for key, count in kwds.items():
            self[key] = self.get(key, 0) - count

    def copy(self):
        return Counter(self)

    def __delitem__(self, key):
        if key in self:
            super().__delitem__(key)

    def __repr__(self):
        if not self:
            return "Counter()"
        return "Counter({" + ", ".join([f"{k!r}: {v!r}" for k, v in self.most_common()]) + "})"

    def __eq__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return all(self[key] == other[key] for c in (self, other) for key in c)

    __hash__ = None

    def __add__(self, other):
        return self._kept(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self._kept(other, lambda a, b: a - b)

    def __or__(self, other):
        return self._kept(other, max)

    def __and__(self, other):
        result = Counter()
        for key, count in self.items():
            least = min(count, other[key])
            if least > 0:
                result[key] = least
        return result

    def _kept(self, other, way):
        if not isinstance(other, Counter):
            return NotImplemented
        result = Counter()
        for key in [*self, *[key for key in other if key not in self]]:
            count = way(self[key], other[key])
            if count > 0:
                result[key] = count
        return result

    def __iadd__(self, other):
        for key, count in other.items():
            self[key] += count
        return self._positive()

    def __isub__(self, other):
        for key, count in other.items():
            self[key] -= count
        return self._positive()

    def _positive(self):
        for key in [key for key, count in self.items() if not count > 0]:
            del self[key]
        return self


class ChainMap:
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __getitem__(self, key):
        for one in self.maps:
            if key in one:
                return one[key]
        raise KeyError(key)

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __delitem__(self, key):
        del self.maps[0][key]

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        return any(key in one for one in self.maps)

    def __iter__(self):
        found = {}
        for one in reversed(self.maps):
            found.update(dict.fromkeys(one))
        return iter(found)

    def __len__(self):
        return len(list(iter(self)))

    def keys(self):
        return list(self)

    def values(self):
        return [self[key] for key in self]

    def items(self):
        return [(key, self[key]) for key in self]

    def new_child(self, m=None):
        return ChainMap({} if m is None else m, *self.maps)

    def __repr__(self):
        return "ChainMap(" + ", ".join(map(repr, self.maps)) + ")"


class UserDict:
    """A dictionary that keeps its content in `data`, for classes to extend."""

    def __init__(self, dict=None, /, **kwargs):
        self.data = {}
        self.update(dict or {}, **kwargs)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        if key not in self.data and hasattr(self, "__missing__"):
            return self.__missing__(key)
        return self.data[key]

    def __setitem__(self, key, item):
        self.data[key] = item

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, key):
        return key in self.data

    def __eq__(self, other):
        return dict(self.items()) == (dict(other.items()) if hasattr(other, "items") else other)

    def __repr__(self):
        return repr(self.data)

    def __or__(self, other):
        return type(self)({**self.data, **dict(other.items())})

    def keys(self):
        return self.data.keys()

    def values(self):
        return self.data.values()

    def items(self):
        return self.data.items()

    def get(self, key, default=None):
        return self[key] if self.__contains__(key) else default

    def pop(self, key, *default):
        return self.data.pop(key, *default)

    def setdefault(self, key, default=None):
        if key in self:
            return self[key]
        self[key] = default
        return default

    def update(self, other=(), /, **kwargs):
        pairs = other.items() if hasattr(other, "items") else other
        for key, item in [*pairs, *kwargs.items()]:
            self[key] = item

    def copy(self):
        return type(self)(self.data)

    def clear(self):
        self.data.clear()
