"""re, in Python, on the patterns of `_patterns`."""

from _patterns import DOTALL, ESCAPED, IGNORECASE, MULTILINE, VERBOSE, Parser, anywhere, error

I, M, S, X = IGNORECASE, MULTILINE, DOTALL, VERBOSE  # noqa: E741  (Python calls them so)
UNICODE = U = 32
ASCII = A = 256
__all__ = ["error"]


def _beyond(at):
    """Where an empty match was found, the next is not empty."""
    return lambda to, kept: None if to == at else (to, kept)


class Match:
    def __init__(self, pattern, string, span, groups):
        self.re, self.string, self._span, self._groups = pattern, string, span, groups
        self.pos, self.endpos = 0, len(string)

    def span(self, group=0):
        number = self.re.groupindex.get(group, group)
        if number == 0:
            return self._span
        if not isinstance(number, int) or not 0 < number <= self.re.groups:
            raise IndexError("no such group")
        return self._groups.get(number, (-1, -1))

    def start(self, group=0):
        return self.span(group)[0]

    def end(self, group=0):
        return self.span(group)[1]

    def __getitem__(self, group):
        start, end = self.span(group)
        return None if start < 0 else self.string[start:end]

    def group(self, *groups):
        found = tuple(self[group] for group in groups or (0,))
        return found if len(found) > 1 else found[0]

    def groups(self, default=None):
        found = [self[nr] for nr in range(1, self.re.groups + 1)]
        return tuple(default if text is None else text for text in found)

    def groupdict(self, default=None):
        found = {name: self[name] for name in self.re.groupindex}
        return {name: default if text is None else text for name, text in found.items()}

    def expand(self, template):
        made, at = [], 0
        while at < len(template):
            letter = template[at]
            at += 1
            if letter != "\\" or at == len(template):
                made.append(letter)
                continue
            mark = template[at]
            at += 1
            if mark == "g" and template[at : at + 1] == "<":
                end = template.index(">", at)
                name = template[at + 1 : end]
                made.append(self[int(name) if name.isdigit() else name] or "")
                at = end + 1
            elif mark.isdigit() and mark != "0":
                made.append(self[int(mark)] or "")
            else:
                made.append(ESCAPED.get(mark, mark if not mark.isalpha() and mark == "\\" else "\\" + mark))
        return "".join(made)

    def __repr__(self):
        return f"<re.Match object; span={self._span!r}, match={self[0]!r}>"


class Pattern:
    def __init__(self, pattern, flags):
        parser = Parser(pattern, flags)
        self._way = parser.alternatives()
        if parser.at < len(pattern):
            parser.fail("unbalanced parenthesis")
        self.pattern, self.groups, self.groupindex, self.flags = pattern, parser.count, parser.names, parser.flags | U

    def __repr__(self):
        named = {"re.IGNORECASE": I, "re.MULTILINE": M, "re.DOTALL": S, "re.VERBOSE": X}
        flags = "|".join([name for name, flag in named.items() if self.flags & flag])
        return f"re.compile({self.pattern!r}{', ' if flags else ''}{flags})"

    def _at(self, string, at, then):
        if not isinstance(string, str):
            raise TypeError(f"expected string or bytes-like object, got '{type(string).__name__}'")
        found = self._way(string, at, {}, then)
        return None if found is None else Match(self, string, (at, found[0]), found[1])

    def match(self, string, pos=0):
        return self._at(string, pos, anywhere)

    def fullmatch(self, string):
        return self._at(string, 0, lambda to, kept: (to, kept) if to == len(string) else None)

    def search(self, string, pos=0):
        return next(self.finditer(string, pos), None)

    def finditer(self, string, pos=0):
        at, onward = pos, anywhere
        while not isinstance(string, str) or at <= len(string):
            found = self._at(string, at, onward)
            if found is None:
                at, onward = at + 1, anywhere
            else:
                yield found
                onward = _beyond(found.end()) if found.end() == at else anywhere
                at = found.end()

    def findall(self, string, pos=0):
        found = list(self.finditer(string, pos))
        if self.groups == 0:
            return [one[0] for one in found]
        return [one.groups("") if self.groups > 1 else one[1] or "" for one in found]

    def subn(self, repl, string, count=0):
        made, at, times = [], 0, 0
        for found in self.finditer(string):
            if count and times == count:
                break
            times += 1
            made.append(string[at : found.start()])
            made.append(repl(found) if callable(repl) else found.expand(repl))
            at = found.end()
        return "".join([*made, string[at:]]), times

    def sub(self, repl, string, count=0):
        return self.subn(repl, string, count)[0]

    def split(self, string, maxsplit=0):
        made, at = [], 0
        for times, found in enumerate(self.finditer(string)):
            if maxsplit and times == maxsplit:
                break
            made += [string[at : found.start()], *found.groups()]
            at = found.end()
        return [*made, string[at:]]


_made = {}


def compile(pattern, flags=0):
    if isinstance(pattern, Pattern):
        return pattern
    if not isinstance(pattern, str):
        raise TypeError("first argument must be string or compiled pattern")
    if (pattern, flags) not in _made:
        _made[pattern, flags] = Pattern(pattern, flags)
    return _made[pattern, flags]


def match(pattern, string, flags=0):
    return compile(pattern, flags).match(string)


def fullmatch(pattern, string, flags=0):
    return compile(pattern, flags).fullmatch(string)


def search(pattern, string, flags=0):
    return compile(pattern, flags).search(string)


def findall(pattern, string, flags=0):
    return compile(pattern, flags).findall(string)


def finditer(pattern, string, flags=0):
    return compile(pattern, flags).finditer(string)


def sub(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).sub(repl, string, count)


def subn(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).subn(repl, string, count)


def split(pattern, string, maxsplit=0, flags=0):
    return compile(pattern, flags).split(string, maxsplit)


def escape(pattern):
    return "".join("\\" + letter if letter in " \t\n\r\v\f()[]{}?*+-|^$\\.&~#" else letter for letter in pattern)


def purge():
    _made.clear()
