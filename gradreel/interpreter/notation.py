"""Formulas as people write them by hand: `3xy`, `x²`, `|x|`, `sin x`, `xᵀy`, `‖x‖`, `(x-y)^2`, read into Python.

Only one line is read, and only where Python does not know it or would do something else (its `^` is exclusive or).
What was meant beside what is written is told in notes; what cannot be read, in a sentence.
"""

from __future__ import annotations

import difflib
import keyword
import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi"
    " psi omega".split()
)
PREFIX = frozenset(
    "sin cos tan cot sec csc asin acos atan arcsin arccos arctan sinh cosh tanh asinh acosh atanh exp log ln lg sqrt"
    " abs det tr trace inv relu sigmoid sum norm sgn sign erf".split()
)
"""Functions whose argument may stand without parentheses."""
INVERSES = {name: f"a{name}" for name in "sin cos tan sinh cosh tanh".split()}
MATRICES = frozenset("ABMQWX")
"""Letters that are matrices beside a small letter: of others, as in `P V = n R T`, that is not certain."""
OF_MATRICES = frozenset("det tr trace inv inverse logdet slogdet".split())
LONGEST_PRODUCT = 3
"""So many letters in one may be a product: `3xy`, but not `weight`."""
USUAL_PRODUCTS = frozenset("xy yx xyz yz xz ab abc ax bx wx mx ay by mc mv mgh gh kx".split())
OWN_LETTERS = re.compile(r"[α-γε-ω](?=[^\W\d_])|[ABMQWX](?=[a-zA-Z]$)")
"""Letters that begin no longer name: `πr`, `Ax`."""
JOINED = re.compile(rf"({'|'.join(sorted(PREFIX - {'tr', 'sum', 'det'}, key=len, reverse=True))})([xyzuvwθφαβ]|xy)$")
"""A function and what it is of, in one: `sinx`."""
NOTHING = ""
"""What is said of a line that is no formula at all."""

SIGNS = str.maketrans(
    {
        **dict.fromkeys("−–", "-"),
        **dict.fromkeys("⋅∙•", "·"),
        **dict.fromkeys("÷∕", "/"),
        **dict.fromkeys("⊙∘✕", "×"),
        **dict(zip("½⅓¼¾⅔", ("(1/2)", "(1/3)", "(1/4)", "(3/4)", "(2/3)"), strict=True)),
    }
)
POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀⁿˣʸᵏ"
BELOW = "₀₁₂₃₄₅₆₇₈₉"
TOKENS = re.compile(
    rf"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+(?![A-Za-z]))?)"
    rf"|(?P<name>[^\W\d{POWERS}{BELOW}][^\W{POWERS}{BELOW}]*[{BELOW}]*)"
    rf"|(?P<power>[{POWERS}]+)|(?P<text>'[^']*'|\"[^\"]*\")"
    r"|(?P<sign>\*\*|//|<=|>=|==|!=|\|\||[-+*/@^()\[\],.=<>|‖√∛∑·×!≤≥≠⟨⟩:%∞'])|(?P<space>\s+)"
)
COMPARISONS = {"≤": "<=", "≥": ">=", "≠": "!=", **{sign: sign for sign in ("<", ">", "<=", ">=", "==", "!=")}}
DEFINED = re.compile(r"\s*(?:[^\W\d]\w*\s*\(\s*[\w\s,]*\)|[^\W\d]\w*)\s*:?=(?!=)\s*(?=\S)")
"""`f(x) =` or `y =` before a formula."""
DERIVED = re.compile(r"\s*(?:[d∂]\s*/\s*[d∂]\s*[^\W\d_]\w*|∇(?:_\w+)?)\s*(?=[^\s=])")
"""`d/dx` before a formula."""


QUOTIENT = "Products and quotients are read from left to right: `1/2x` is half of x, `1/(2x)` divides by both."


OF_MATRIX = re.compile(r"\^T|@|ᵀ|[ABMQWX](⁻¹|\^-1|\^\(-1\))")


class Unreadable(Exception):
    """A line that is no formula; `offer` is one that may have been meant."""

    def __init__(self, sentence: str, offer: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence, self.offer = sentence, offer


@dataclass(frozen=True)
class Reading:
    """A formula in Python, with what is to be said of how it was read, and other formulas that may have been meant."""

    source: str
    notes: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()


COMPARED, SUM, PRODUCT, SIGNED, POWER, ATOM = range(6)


@dataclass(frozen=True)
class Part:
    """Python text, how firmly it holds together, and what it stands for: M a matrix, c a transposed vector, n a number,
    s anything else.
    """

    text: str
    level: int = ATOM
    kind: str = "s"

    def within(self, level: int) -> str:
        return self.text if self.level >= level else f"({self.text})"


@dataclass
class Token:
    kind: str
    text: str
    start: int
    spaced: bool = False


def read_notation(text: str, functions: Collection[str]) -> Reading:
    """`text` as Python; `functions` are the names that can be called.

    Raises:
        Unreadable: it is no formula.
    """
    notes: list[str] = []
    body = without_latex(text.strip()).translate(SIGNS)
    if match := DEFINED.match(body):
        body = body[match.end() :]
    if match := DERIVED.match(body):
        body = body[match.end() :]
        notes.append("The slope in every name is shown anyway.")
    tokens = tokens_of(body)
    if (at := equals_at(tokens)) is not None:
        sides = f"{body[:at].strip()} - ({body[at + 1 :].strip()})"
        raise Unreadable("An equation has no slope; the difference of its sides has.", sides)
    parser = Parser(tokens, functions)
    return Reading(parser.whole(), (*notes, *parser.notes), tuple(parser.offers))


def equals_at(tokens: list[Token]) -> int | None:
    """Where the sign of an equation stands: that of a keyword stands in a call."""
    depth = 0
    for token in tokens:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token.text, 0)
        if token.text == "=" and depth <= 0:
            return token.start
    return None


LATEX: tuple[tuple[str, str], ...] = (
    (r"\$|\\[,;! ]|\\left|\\right|\\displaystyle", ""),
    (r"\\(?:cdot|times)", "·"),
    (r"\\(?:top|intercal)", "T"),
    (r"\\(?:\||Vert|lVert|rVert)", "‖"),
    (r"\\(?:d|t)?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))"),
    (r"_\{(\w+)\}", r"_\1"),
    (r"\\(?:operatorname|mathrm|mathbf|mathbb|text)\s*\{(\w+)\}", r"\1"),
    (r"\\([a-zA-Z]+)", r" \1 "),
    (r"\{", "("),
    (r"\}", ")"),
    (r"\bmod\b", "%"),
)
"""Of LaTeX what small formulas have."""


def without_latex(text: str) -> str:
    for pattern, put in LATEX:
        text = re.sub(pattern, put, text)
    return text.strip()


def tokens_of(text: str) -> list[Token]:
    found: list[Token] = []
    at, spaced = 0, False
    while at < len(text):
        match = TOKENS.match(text, at)
        if match is None:
            raise Unreadable(f"The sign `{text[at]}` says nothing here.")
        kind = match.lastgroup or ""
        if kind == "space":
            spaced = True
        else:
            found.append(Token(kind, plain(match[0]) if kind == "name" else match[0], at, spaced))
            spaced = False
        at = match.end()
    return found


def plain(name: str) -> str:
    """A name as Python can have it: `x₁` is x1, an italic letter of mathematics a letter, `lambda` λ."""
    found = unicodedata.normalize("NFKC", name)
    return "λ" if found == "lambda" else found


@dataclass
class Parser:
    """Reads tokens from left to right, what binds more tightly first."""

    tokens: list[Token]
    functions: Collection[str]
    notes: list[str] = field(default_factory=list)
    offers: list[str] = field(default_factory=list)
    at: int = 0
    bars: list[str] = field(default_factory=list)
    """Open bars, for `|` both opens and closes."""
    lists: int = 0
    """In how many calls or brackets it is, where a list is a list."""

    def __post_init__(self) -> None:
        self.single = {token.text for token in self.tokens if token.kind == "name" and len(token.text) == 1}
        self.tokens = [part for nr, token in enumerate(self.tokens) for part in self.split(token, nr)]
        line = "".join(token.text for token in self.tokens)
        self.about_matrices = bool(OF_MATRIX.search(line)) or any(token.text in OF_MATRICES for token in self.tokens)

    def split(self, token: Token, nr: int) -> list[Token]:
        """The letters of a name that is a product: behind a number, or where its letters stand alone elsewhere."""
        text = token.text
        if token.kind != "name" or len(text) < 2 or text in PREFIX or text in GREEK or keyword.iskeyword(text):
            return [token]
        after = self.tokens[nr + 1].text if nr + 1 < len(self.tokens) else ""
        if after in (".", "[") or (after == "(" and (text in self.functions or len(text) > LONGEST_PRODUCT)):
            return [token]
        if match := JOINED.match(text):
            rest = Token("name", match[2], token.start + match.end(1))
            return [Token("name", match[1], token.start, token.spaced), *self.split(rest, nr)]
        if match := OWN_LETTERS.match(text):
            rest = Token("name", text[match.end() :], token.start + match.end())
            return [Token("name", match[0], token.start, token.spaced), *self.split(rest, nr)]
        behind = nr > 0 and self.tokens[nr - 1].text[-1] in "0123456789.)" and not token.spaced
        short = len(text) <= LONGEST_PRODUCT and text.isalpha()
        if not short or not (behind or text in USUAL_PRODUCTS or set(text) <= self.single):
            return [token]
        return [Token("name", letter, token.start + i, token.spaced and not i) for i, letter in enumerate(text)]

    # ---- tokens

    def next(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead].text if self.at + ahead < len(self.tokens) else ""

    def kind(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead].kind if self.at + ahead < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1].text

    def close(self, sign: str) -> None:
        """Take what closes; at the end of the line it may be missing."""
        if self.next() == sign:
            self.take()
        elif not self.next():
            self.note(f"A `{sign}` was missing at the end.")
        else:
            raise Unreadable(f"A `{sign}` is missing before `{self.next()}`.")

    def note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)

    # ---- the grammar

    def whole(self) -> str:
        if not self.tokens:
            raise Unreadable("There is no formula.")
        part = self.comparison()
        while self.next() == ")":
            self.take()
            self.note("A `)` too many was left out.")
        if self.next():
            raise Unreadable(f"`{self.next()}` is not expected here.")
        return part.text

    def comparison(self) -> Part:
        part = self.sum()
        while self.next() in COMPARISONS:
            sign = COMPARISONS[self.take()]
            part = Part(f"{part.within(SUM)} {sign} {self.sum().within(SUM)}", COMPARED)
        return part

    def sum(self) -> Part:
        part = self.product()
        while self.next() in ("+", "-"):
            sign, other = self.take(), self.product()
            kind = "M" if "M" in (part.kind, other.kind) else part.kind if part.kind == other.kind else "s"
            part = Part(f"{part.within(SUM)} {sign} {other.within(PRODUCT)}", SUM, kind)
        return part

    def product(self) -> Part:
        part = self.signed()
        divided = False
        while True:
            sign = self.next()
            if sign in ("*", "/", "@", "×", "·", "//", "%"):
                self.take()
                divided = sign == "/"
                part = self.times(part, self.signed(), sign)
            elif self.starts_operand():
                if divided:
                    self.note(QUOTIENT)
                part = self.times(part, self.power(), "")
            else:
                return part

    def times(self, left: Part, right: Part, sign: str) -> Part:
        """`sign` is empty where two things stand side by side: matrices and vectors are multiplied as such then."""
        if sign in ("", "·") and "n" not in (left.kind, right.kind):
            if left.kind == "c" and right.kind in ("s", "M", "c"):
                kind = "c" if right.kind == "M" else "s"
                return Part(f"{left.within(PRODUCT)} @ {right.within(SIGNED)}", PRODUCT, kind)
            if left.kind == "s" and right.kind == "c":
                return Part(f"outer({left.text}, {right.text})", ATOM, "M")
            if left.kind == "M":
                return Part(
                    f"{left.within(PRODUCT)} @ {right.within(SIGNED)}", PRODUCT, "M" if right.kind == "M" else "s"
                )
        kind = next((each.kind for each in (left, right) if each.kind in "Mc"), "s")
        if left.kind == right.kind == "n":
            kind = "n"
        python = {"": "*", "×": "*", "·": "*"}.get(sign, sign)
        return Part(f"{left.within(PRODUCT)} {python} {right.within(SIGNED)}", PRODUCT, kind)

    def starts_operand(self) -> bool:
        kind, text = self.kind(), self.next()
        if kind in ("name", "number"):
            return True
        if text in ("|", "||", "‖"):
            return not self.bars
        return text in ("(", "√", "∛", "∑", "⟨", "∞")

    def signed(self) -> Part:
        if self.next() in ("-", "+"):
            sign = self.take()
            part = self.signed()
            return Part(f"{sign}{part.within(SIGNED)}", SIGNED, part.kind) if sign == "-" else part
        return self.power()

    def power(self) -> Part:
        part = self.postfixed()
        if self.next() not in ("^", "**"):
            return part
        self.take()
        if self.next() == "T" and part.kind != "n" and part.text != "e":
            self.take()
            return self.raised(transposed(part))
        return self.to_the(part, self.signed())

    def raised(self, part: Part) -> Part:
        return self.to_the(part, self.signed()) if self.next() in ("^", "**") and self.take() else part

    def to_the(self, base: Part, exponent: Part) -> Part:
        if base.kind == "M" and self.about_matrices and exponent.text == "-1":
            return Part(f"inverse({base.text})", ATOM, "M")
        if base.kind == "M" and self.about_matrices and exponent.text in ("2", "3"):
            return Part(" @ ".join([base.within(SIGNED)] * int(exponent.text)), PRODUCT, "M")
        kind = "n" if base.kind == exponent.kind == "n" else "s"
        return Part(f"{base.within(ATOM)} ** {exponent.within(SIGNED)}", POWER, kind)

    def postfixed(self) -> Part:
        part = self.atom()
        while True:
            text = self.next()
            if self.kind() == "power":
                part = self.superscript(part, self.take())
            elif text == "!":
                self.take()
                self.note("`x!` is read as Γ(x + 1), which has a slope everywhere.")
                part = Part(f"exp(lgamma({part.text} + 1))")
            elif text == "'" and part.kind == "M":
                self.take()
                part = transposed(part)
            elif text == "[":
                part = Part(f"{part.within(ATOM)}[{self.bracket()}]")
            elif text == "." and self.kind(1) == "name":
                part = self.attribute(part)
            else:
                return part

    def superscript(self, base: Part, text: str) -> Part:
        if text == "ᵀ":
            return transposed(base)
        if text.startswith("ᵀ"):
            raise Unreadable(f"`{text}` is no power.")
        exponent = unicodedata.normalize("NFKC", text).replace("−", "-").removeprefix("+")
        return self.to_the(
            base, Part(exponent, ATOM if exponent.isalnum() else SIGNED, "n" if exponent[-1].isdigit() else "s")
        )

    def bracket(self) -> str:
        """What stands in an index, as it is."""
        self.take()
        depth, start = 1, self.at
        while self.next():
            depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(self.take(), 0)
            if not depth:
                return "".join(token.text if token.text != "," else ", " for token in self.tokens[start : self.at - 1])
        raise Unreadable("A `]` is missing.")

    def attribute(self, part: Part) -> Part:
        self.take()
        name = self.take()
        kind = part.kind if name in ("T", "mT") else "s"
        found = f"{part.within(ATOM)}.{name}"
        return Part(f"{found}({self.arguments()})" if self.next() == "(" else found, ATOM, kind)

    # ---- atoms

    def atom(self) -> Part:
        kind, text = self.kind(), self.next()
        if kind == "number":
            return Part(self.take(), ATOM, "n")
        if kind == "name":
            return self.name(self.take())
        if kind == "text" and self.lists:
            return Part(self.take())
        if text in ATOMS:
            self.take()
            return ATOMS[text](self)
        if not text:
            raise Unreadable("The formula ends too soon.")
        raise Unreadable(f"`{text}` is not expected here.")

    def name(self, name: str) -> Part:
        if match := re.fullmatch(r"log_?(\d+)|log_([a-z])", name):
            return self.logarithm(match[1] or match[2])
        if name == "Σ" and self.starts_operand():
            return ATOMS["∑"](self)
        if name.lower() in self.functions and name not in self.functions and self.next() == "(":
            name = name.lower()
        called = self.next() == "(" or (self.kind() == "power" and self.next(1) == "(")
        known = len(name) > 1 and (name in PREFIX or (called and name in self.functions))
        if known and self.next() in ("^", "**") or (known and self.kind() == "power" and "ᵀ" not in self.next()):
            return self.powered(name)
        if self.next() == "(":
            if known or name == "σ":
                return Part(f"{name}({self.arguments()})", ATOM, "M" if name in ("inv", "inverse") else "s")
            if len(name) > 1 and name not in GREEK and not name[-1].isdigit():
                raise self.unknown(name)
            if name in "fgh" and self.kind(1) == "name" and self.next(2) in (")", ","):
                raise Unreadable(f"What `{name}` is, is not said. Write the formula itself, as in `f(x) = x^2`.")
        elif known and name in PREFIX and self.starts_operand():
            return Part(f"{name}({self.argument()})")
        elif known and name in PREFIX:
            raise Unreadable(f"`{name}` of what? Its argument is missing.")
        beside = self.next() if self.kind() == "name" else ""
        if is_word(name) and is_word(beside) and beside not in PREFIX and beside not in self.functions:
            raise Unreadable(NOTHING)
        return Part(name, ATOM, "M" if self.is_matrix(name) else "s")

    def is_matrix(self, name: str) -> bool:
        if not name[0].isupper() or len(name.rstrip("0123456789_")) > 1:
            return False
        return self.about_matrices or (name[0] in MATRICES and self.kind() == "name" and len(self.next()) == 1)

    def unknown(self, name: str) -> Unreadable:
        near = difflib.get_close_matches(name, self.functions, 1, 0.78)
        if not near:
            return Unreadable(f"No function is called `{name}`. A product is written `{name} * (…)`.")
        rest = "".join(f" {token.text}" if token.spaced else token.text for token in self.tokens)
        return Unreadable(f"No function is called `{name}`.", re.sub(rf"\b{re.escape(name)}\b", near[0], rest.strip()))

    def arguments(self) -> str:
        """What stands in the parentheses of a call."""
        self.take()
        self.lists += 1
        found = []
        while self.next() not in (")", ""):
            keyed = self.kind() == "name" and self.next(1) == "="
            key = f"{self.take()}{self.take()}" if keyed else ""
            found.append(key + self.within_bars().text)
            if self.next() != ",":
                break
            self.take()
        self.lists -= 1
        self.close(")")
        return ", ".join(found)

    def within_bars(self) -> Part:
        """A whole formula, in which bars open anew."""
        bars, self.bars = self.bars, []
        part = self.comparison()
        self.bars = bars
        return part

    def argument(self) -> str:
        """What a function without parentheses is of: all that stands side by side, but for another function."""
        part = self.power()
        while self.starts_operand() and not (self.kind() == "name" and self.next() in PREFIX):
            part = self.times(part, self.power(), "")
        return part.text

    def powered(self, name: str) -> Part:
        """`sin² x`, `sin^2(x)`, `tan^-1 x`."""
        if self.kind() == "power":
            exponent = unicodedata.normalize("NFKC", self.take()).replace("−", "-")
        else:
            self.take()
            exponent = self.signed().text if self.next() != "(" else self.atom().within(ATOM)
        inverse = exponent == "-1"
        if inverse and name not in INVERSES:
            raise Unreadable(f"`{name}^-1` could be the inverse or one over it. `1/{name}(x)` is one over it.")
        called = INVERSES[name] if inverse else name
        argument = self.arguments() if self.next() == "(" else self.argument()
        return Part(f"{called}({argument})") if inverse else Part(f"{called}({argument}) ** {exponent}", POWER)

    def logarithm(self, base: str) -> Part:
        argument = self.arguments() if self.next() == "(" else self.argument()
        if base in ("2", "10"):
            return Part(f"log{base}({argument})")
        return Part(f"log({argument}) / log({base})", PRODUCT)

    def parenthesis(self) -> Part:
        part = self.within_bars()
        if self.next() == ",":
            raise Unreadable(
                "A pair is no number. A vector is a name, as `v`, whose numbers can be changed beside the picture."
            )
        self.close(")")
        return Part(f"({part.text})" if part.level < ATOM else part.text, ATOM, part.kind)

    def brackets(self) -> Part:
        self.at -= 1
        inside = self.bracket()
        return Part(f"[{inside}]" if self.lists else f"tensor([{inside}]).float()")

    def bar(self, sign: str) -> Part:
        """`|x|` or `‖x‖`."""
        self.bars.append(sign)
        part = self.sum()
        self.bars.pop()
        if sign == "||" and self.next() == "|" and self.next(1) == "|":
            self.take()
        elif sign == "|" and self.next() == "||":
            # The first of two bars closes; the second opens again.
            self.tokens[self.at : self.at + 1] = [Token("sign", "|", 0), Token("sign", "|", 0)]
        self.close(sign if self.next() == sign or sign != "||" else self.next() or sign)
        return Part(f"{'abs' if sign == '|' else 'norm'}({part.text})")

    def dot(self) -> Part:
        left = self.within_bars()
        if self.next() != ",":
            raise Unreadable("`⟨x, y⟩` has two sides.")
        self.take()
        right = self.within_bars()
        self.close("⟩")
        return Part(f"{left.within(PRODUCT)} @ {right.within(SIGNED)}", PRODUCT)


def is_word(name: str) -> bool:
    """Whether a name has several letters, not only a number behind one."""
    return len(name.rstrip("0123456789_")) > 1


def transposed(part: Part) -> Part:
    """Of a vector it is the same vector, seen as a line."""
    return Part(f"{part.within(ATOM)}.T", ATOM, "M") if part.kind == "M" else Part(part.text, part.level, "c")


ATOMS: dict[str, Callable[[Parser], Part]] = {
    "(": Parser.parenthesis,
    "[": Parser.brackets,
    "|": lambda parser: parser.bar("|"),
    "||": lambda parser: parser.bar("||"),
    "‖": lambda parser: parser.bar("‖"),
    "⟨": Parser.dot,
    "∞": lambda parser: Part("inf"),
    "√": lambda parser: Part(f"sqrt({parser.power().text})"),
    "∛": lambda parser: Part(f"({parser.power().text}) ** (1 / 3)", POWER),
    "∑": lambda parser: Part(f"sum({parser.product().text})"),
}
