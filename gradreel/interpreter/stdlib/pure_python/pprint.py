"""pprint, in Python: short values on one line, longer ones an item a line."""


def _sorted(value):
    if isinstance(value, dict):
        try:
            return {key: _sorted(value[key]) for key in sorted(value)}
        except TypeError:
            return {key: _sorted(part) for key, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)([_sorted(part) for part in value])
    return value


def _lines(value, indent, width):
    whole = repr(value)
    if len(whole) + indent <= width or not value or type(value) not in (dict, list, tuple):
        return whole
    opening, closing = {dict: "{}", list: "[]", tuple: "()"}[type(value)]
    if isinstance(value, dict):
        parts = [f"{k!r}: " + _lines(v, indent + len(repr(k)) + 3, width) for k, v in value.items()]
    else:
        parts = [_lines(part, indent + 1, width) for part in value]
    return opening + (",\n" + " " * (indent + 1)).join(parts) + closing


def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True):
    return _lines(_sorted(object) if sort_dicts else object, 0, width)


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True):
    print(pformat(object, indent, width, sort_dicts=sort_dicts))


pp = pprint
