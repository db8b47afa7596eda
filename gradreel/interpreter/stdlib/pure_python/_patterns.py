"""What `re` makes of a pattern: it is matched step by step, every step charged, so that none can take for ever.

A pattern becomes functions `way(text, at, groups, then)`: each looks at its place and asks `then(at, groups)` whether
the rest fits behind it. The answer is what `then` gives, None where nothing fits.
"""

IGNORECASE = 2
MULTILINE = 8
DOTALL = 16
VERBOSE = 64
_MOST = 1 << 30
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}


class error(Exception):
    pass


def _is_word(letter):
    return letter.isalnum() or letter == "_"


_KINDS = {"d": str.isdecimal, "s": str.isspace, "w": _is_word}


def _kind(letter):
    """What `\\d` and its like accept."""
    accepts = _KINDS[letter.lower()]
    return (lambda c: not accepts(c)) if letter.isupper() else accepts


class Parser:
    def __init__(self, pattern, flags):
        self.pattern, self.flags, self.at = pattern, flags, 0
        self.count, self.names = 0, {}

    def fail(self, what):
        raise error(f"{what} at position {self.at}")

    def peek(self, size=1):
        return self.pattern[self.at : self.at + size]

    def take(self, sign):
        if not self.pattern.startswith(sign, self.at):
            return False
        self.at += len(sign)
        return True

    def alternatives(self):
        ways = [self.sequence()]
        while self.take("|"):
            ways.append(self.sequence())
        return ways[0] if len(ways) == 1 else _either(ways)

    def sequence(self):
        ways = []
        while self.at < len(self.pattern) and self.peek() not in "|)":
            if self.flags & VERBOSE and (self.peek().isspace() or self.peek() == "#"):
                end = self.pattern.find("\n", self.at) if self.peek() == "#" else self.at
                self.at = len(self.pattern) if end < 0 else end + 1
            else:
                ways.append(self.repeated())
        return _all(ways)

    def repeated(self):
        accepts, way = self.atom()
        while self.at < len(self.pattern) and (bounds := self.bounds()) is not None:
            lazy = self.take("?")
            way = _run(accepts, *bounds, lazy) if way is None else _repeat(way, *bounds, lazy)
            accepts = None
        return _one(accepts) if way is None else way

    def bounds(self):
        for sign, bounds in (("*", (0, _MOST)), ("+", (1, _MOST)), ("?", (0, 1))):
            if self.take(sign):
                return bounds
        end = self.pattern.find("}", self.at) if self.peek() == "{" else -1
        least, comma, most = self.pattern[self.at + 1 : end].partition(",") if end > 0 else ("x", "", "")
        if (least + most).strip("0123456789") or not least + most:
            return None
        self.at = end + 1
        least = int(least or 0)
        return least, (int(most) if most else _MOST) if comma else least

    def atom(self):
        """What accepts one letter, or else a way."""
        letter = self.peek()
        self.at += 1
        if letter == "(":
            return None, self.group()
        if letter == "[":
            return self.letters(), None
        if letter == ".":
            return (lambda c: True) if self.flags & DOTALL else (lambda c: c != "\n"), None
        if letter == "^":
            return None, _place(_begins_line if self.flags & MULTILINE else _begins)
        if letter == "$":
            return None, _place(_ends_line if self.flags & MULTILINE else _ends)
        if letter == "\\":
            return self.escaped()
        if letter in "*+?":
            self.at -= 1
            self.fail("nothing to repeat")
        return self.letter(letter), None

    def letter(self, letter):
        if self.flags & IGNORECASE:
            low = letter.lower()
            return lambda c: c.lower() == low
        return lambda c: c == letter

    def escaped(self):
        letter = self.peek()
        self.at += 1
        if letter.lower() in "dsw" and letter:
            return _kind(letter), None
        if letter in "bB" and letter:
            return None, _place(_at_border if letter == "b" else lambda text, at: not _at_border(text, at))
        if letter in "AZ" and letter:
            return None, _place(_begins if letter == "A" else lambda text, at: at == len(text))
        if letter in "123456789" and letter:
            return None, _again(int(letter), self.flags & IGNORECASE)
        if not letter:
            self.fail("bad escape (end of pattern)")
        if letter.isalpha() and letter not in ESCAPED:
            self.fail(f"bad escape \\{letter}")
        return self.letter(ESCAPED.get(letter, letter)), None

    def letters(self):
        """What a class in square brackets accepts."""
        no = self.take("^")
        found, first = [], True
        while first or self.peek() != "]":
            if self.at >= len(self.pattern):
                self.fail("unterminated character set")
            first = False
            low = self.member()
            if isinstance(low, str) and self.peek() == "-" and self.peek(2) != "-]":
                self.at += 1
                high = self.member()
                if not isinstance(high, str) or high < low:
                    self.fail("bad character range")
                found.append(_between(low, high))
            else:
                found.append(_kind(low[0]) if isinstance(low, list) else _between(low, low))
        self.at += 1
        if self.flags & IGNORECASE:
            return lambda c: any(one(c.lower()) or one(c.upper()) for one in found) is not no
        return lambda c: any(one(c) for one in found) is not no

    def member(self):
        letter = self.peek()
        self.at += 1
        if letter != "\\":
            return letter
        letter = self.peek()
        self.at += 1
        if letter.lower() in "dsw":
            return [letter]
        return "\b" if letter == "b" else ESCAPED.get(letter, letter)

    def group(self):
        number = None
        if not self.take("?"):
            number = self.named(None)
        elif self.take("P<") or (self.peek() == "<" and self.peek(2) not in ("<=", "<!") and self.take("<")):
            end = self.pattern.index(">", self.at)
            number, self.at = self.named(self.pattern[self.at : end]), end + 1
        elif self.take("P="):
            end = self.pattern.index(")", self.at)
            number, self.at = self.names[self.pattern[self.at : end]], end + 1
            return _again(number, self.flags & IGNORECASE)
        elif self.peek() in ("=", "!"):
            wanted = self.peek() == "="
            self.at += 1
            return self.closed(lambda inner: _ahead(inner, wanted))
        elif self.peek().isalpha():
            while self.peek().isalpha():
                self.flags |= {"i": IGNORECASE, "m": MULTILINE, "s": DOTALL, "x": VERBOSE}.get(self.peek(), 0)
                self.at += 1
            return self.closed(lambda inner: inner)
        elif not self.take(":"):
            self.fail("this kind of group is not supported here")
        return self.closed(lambda inner: inner if number is None else _kept(inner, number))

    def named(self, name):
        self.count += 1
        if name is not None:
            self.names[name] = self.count
        return self.count

    def closed(self, wrap):
        inner = self.alternatives()
        if not self.take(")"):
            self.fail("missing ), unterminated subpattern")
        return wrap(inner)


def _between(low, high):
    return lambda c: low <= c <= high


def _one(accepts):
    def way(text, at, groups, then):
        return then(at + 1, groups) if at < len(text) and accepts(text[at]) else None

    return way


def _all(ways):
    if len(ways) == 1:
        return ways[0]

    def way(text, at, groups, then):
        def behind(nr):
            if nr == len(ways):
                return then
            return lambda at, groups: ways[nr](text, at, groups, behind(nr + 1))

        return behind(0)(at, groups)

    return way


def _either(ways):
    def way(text, at, groups, then):
        for one in ways:
            found = one(text, at, groups, then)
            if found is not None:
                return found
        return None

    return way


def _run(accepts, least, most, lazy):
    """One letter, several times: without a call inside a call for each."""

    def way(text, at, groups, then):
        if lazy:
            count = 0
            while count < least or (found := then(at + count, groups)) is None:
                if count >= most or at + count >= len(text) or not accepts(text[at + count]):
                    return None
                count += 1
            return found
        end = at
        while end - at < most and end < len(text) and accepts(text[end]):
            end += 1
        for stop in range(end, at + least - 1, -1):
            found = then(stop, groups)
            if found is not None:
                return found
        return None

    return way


def _repeat(inner, least, most, lazy):
    def way(text, at, groups, then):
        def turn(count, at, groups, before):
            def more():
                if count >= most or (at == before and count >= least):
                    return None
                return inner(text, at, groups, lambda to, kept: turn(count + 1, to, kept, at))

            if count < least:
                return more()
            if lazy:
                found = then(at, groups)
                return more() if found is None else found
            found = more()
            return then(at, groups) if found is None else found

        return turn(0, at, groups, -1)

    return way


def _kept(inner, number):
    def way(text, at, groups, then):
        return inner(text, at, groups, lambda to, kept: then(to, {**kept, number: (at, to)}))

    return way


def _again(number, ignoring):
    def way(text, at, groups, then):
        if number not in groups:
            return None
        said = text[groups[number][0] : groups[number][1]]
        there = text[at : at + len(said)]
        same = there.lower() == said.lower() if ignoring else there == said
        return then(at + len(said), groups) if same else None

    return way


def anywhere(to, kept):
    return to, kept


def _ahead(inner, wanted):
    def way(text, at, groups, then):
        found = inner(text, at, groups, anywhere)
        if (found is not None) is not wanted:
            return None
        return then(at, found[1] if wanted else groups)

    return way


def _place(fits):
    def way(text, at, groups, then):
        return then(at, groups) if fits(text, at) else None

    return way


def _begins(text, at):
    return at == 0


def _begins_line(text, at):
    return at == 0 or text[at - 1] == "\n"


def _ends(text, at):
    return at == len(text) or (at == len(text) - 1 and text[at] == "\n")


def _ends_line(text, at):
    return at == len(text) or text[at] == "\n"


def _at_border(text, at):
    before = at > 0 and _is_word(text[at - 1])
    return before is not (at < len(text) and _is_word(text[at]))
