"""json, in Python."""


class JSONDecodeError(ValueError):
    pass


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def _text(s, ascii):
    made = []
    for letter in s:
        code = ord(letter)
        if letter in _ESCAPES:
            made.append(_ESCAPES[letter])
        elif code < 32 or (ascii and 126 < code < 65536):
            made.append(f"\\u{code:04x}")
        elif ascii and code >= 65536:
            code -= 65536
            made.append(f"\\u{55296 + (code >> 10):04x}\\u{56320 + (code & 1023):04x}")
        else:
            made.append(letter)
    return '"' + "".join(made) + '"'


def _number(x):
    if x != x:
        return "NaN"
    if x in (float("inf"), float("-inf")):
        return "Infinity" if x > 0 else "-Infinity"
    return repr(x)


def dumps(obj, *, indent=None, sort_keys=False, separators=None, ensure_ascii=True, default=None, **rest):
    step = " " * indent if isinstance(indent, int) else indent
    comma, colon = separators or ("," if indent is not None else ", ", ": ")

    def joined(parts, opening, closing, depth):
        if not parts:
            return opening + closing
        if step is None:
            return opening + comma.join(parts) + closing
        inner = "\n" + step * (depth + 1)
        return opening + inner + (comma + inner).join(parts) + "\n" + step * depth + closing

    def write(value, depth):
        if value is None or value is True or value is False:
            return {None: "null", True: "true", False: "false"}[value]
        if isinstance(value, str):
            return _text(value, ensure_ascii)
        if isinstance(value, int):
            return repr(int(value))
        if isinstance(value, float):
            return _number(float(value))
        if isinstance(value, (list, tuple)):
            return joined([write(part, depth + 1) for part in value], "[", "]", depth)
        if isinstance(value, dict):
            items = sorted(value.items()) if sort_keys else value.items()
            parts = []
            for key, part in items:
                if not isinstance(key, str):
                    if not (key is None or isinstance(key, (int, float))):
                        kind = type(key).__name__
                        raise TypeError(f"keys must be str, int, float, bool or None, not {kind}")
                    key = write(key, 0)
                parts.append(_text(key, ensure_ascii) + colon + write(part, depth + 1))
            return joined(parts, "{", "}", depth)
        if default is not None:
            return write(default(value), depth)
        raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")

    return write(obj, 0)


def dump(obj, fp, **how):
    fp.write(dumps(obj, **how))


def load(fp, **how):
    return loads(fp.read(), **how)


def loads(s, **rest):
    at = 0

    def blanks():
        nonlocal at
        while at < len(s) and s[at] in " \t\n\r":
            at += 1

    def fail(what):
        line, column = s.count("\n", 0, at) + 1, at - s.rfind("\n", 0, at)
        raise JSONDecodeError(f"{what}: line {line} column {column} (char {at})")

    def text():
        nonlocal at
        at += 1
        made = []
        while True:
            if at >= len(s):
                fail("Unterminated string starting at")
            letter = s[at]
            at += 1
            if letter == '"':
                return "".join(made)
            if letter == "\\":
                mark = s[at]
                at += 1
                if mark == "u":
                    made.append(chr(int(s[at : at + 4], 16)))
                    at += 4
                else:
                    made.append({"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}.get(mark, mark))
            else:
                made.append(letter)

    def value():
        nonlocal at
        blanks()
        if at >= len(s):
            fail("Expecting value")
        letter = s[at]
        if letter == '"':
            return text()
        if letter == "[":
            return several("]", value)
        if letter == "{":
            return dict(several("}", pair))
        for word, meaning in (("true", True), ("false", False), ("null", None), ("NaN", float("nan"))):
            if s.startswith(word, at):
                at += len(word)
                return meaning
        start = at
        while at < len(s) and s[at] in "+-0123456789.eE":
            at += 1
        if at == start:
            fail("Expecting value")
        word = s[start:at]
        return int(word) if word.lstrip("-").isdigit() else float(word)

    def pair():
        nonlocal at
        blanks()
        if at >= len(s) or s[at] != '"':
            fail("Expecting property name enclosed in double quotes")
        key = text()
        blanks()
        if at >= len(s) or s[at] != ":":
            fail("Expecting ':' delimiter")
        at += 1
        return key, value()

    def several(closing, one):
        nonlocal at
        at += 1
        found = []
        blanks()
        if at < len(s) and s[at] == closing:
            at += 1
            return found
        while True:
            found.append(one())
            blanks()
            if at < len(s) and s[at] == closing:
                at += 1
                return found
            if at >= len(s) or s[at] != ",":
                fail("Expecting ',' delimiter")
            at += 1

    found = value()
    blanks()
    if at < len(s):
        fail("Extra data")
    return found
