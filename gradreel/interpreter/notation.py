"""Formulas as people write them, `3xy`, `x²`, `|x|`, `sin x`, `xᵀy`, `‖x‖`, `(x-y)^2`, as Python's syntax trees.

Only one line is read, and only where Python does not know it or would do something else (its `^` is exclusive or).
What was meant beside what is written is told in notes; what cannot be read, in a sentence.
"""

from __future__ import annotations

import ast
import difflib
import functools
import keyword
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

PREFIX = frozenset(
    "sin cos tan cot sec csc asin acos atan arcsin arccos arctan sinh cosh tanh asinh acosh atanh exp log ln log2 log10"
    " sqrt abs det tr trace inv relu sigmoid sum norm sgn sign erf".split()
)
"""Functions whose argument may stand without parentheses."""
INVERTED = frozenset("sin cos tan sinh cosh tanh".split())
"""Functions of which `sin⁻¹` is the inverse."""
GLUED = re.compile(r"(sin|cos|tan|exp|log|ln|sqrt)([xyzθ])")
"""A function and what it is of, in one: `sinx`."""
GREEK = frozenset("mu nu xi pi rho eta tau phi chi psi".split())
"""Letters that are written as words so short that they could be products."""
LONGEST_PRODUCT = 3
"""So many letters in one may be a product: `3xyz`, but not `weight`."""
MATRICES = frozenset("ABMQWX")
"""Letters that are matrices beside another letter: of the others, as in `P V = n R T`, that is not certain."""
MATRIX_SIGNS = re.compile(r"\^ ?T|@|ᵀ|[ABMQWX](⁻¹|\^-1)|\b(det|tr|trace|inv|inverse|logdet|slogdet)\b")
"""What makes matrices of all capital letters."""
NOTHING = ""
"""What is said of a line that is no formula at all."""
QUOTIENT = "Products and quotients are read from left to right: `1/2x` is half of x, `1/(2x)` divides by both."

SIGNS = str.maketrans(
    {"−": "-", "–": "-", "⋅": "·", "∙": "·", "×": "*", "÷": "/", "‖": "||", "≤": "<=", "≥": ">=", "≠": "!="}
)
SUPERSCRIPTS, SUBSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᵀⁿˣ", "₀₁₂₃₄₅₆₇₈₉"
HEAD = re.compile(
    rf"^\s*(?:[^\W\d{SUPERSCRIPTS}][^\W{SUPERSCRIPTS}]*\s*(?:\([\w\s,]*\))?\s*:?=(?!=)|d/d[a-z]\b)\s*(?=\S)"
)
"""What may stand before a formula."""
TOKENS = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+(?![A-Za-z]))?)"
    rf"|(?P<name>[^\W\d{SUPERSCRIPTS}{SUBSCRIPTS}][^\W{SUPERSCRIPTS}{SUBSCRIPTS}]*[{SUBSCRIPTS}]*)"
    r"|(?P<superscript>ᵀ|[ⁿˣ]|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?P<sign>\*\*|//|<=|>=|==|!=|\|\||[-+*/@^()\[\],.=<>|√·%:])|(?P<space>\s+)"
)
BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "·": ast.Mult,
    "": ast.Mult,
    "@": ast.MatMult,
    "/": ast.Div,
    "//": ast.FloorDiv,
    "%": ast.Mod,
}
"""By their signs; the empty one stands between two things side by side."""
COMPARISONS: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    ">": ast.Gt,
    "<=": ast.LtE,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
}
POWER = ("^", "**")
BARS = ("|", "||")


class Unreadable(Exception):
    """A line that is no formula; `offer` is one that may have been meant."""

    def __init__(self, sentence: str, offer: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence, self.offer = sentence, offer


class Reading(NamedTuple):
    """A formula as a syntax tree, what is to be said of how it was read, and others that may have been meant."""

    tree: ast.expr
    notes: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()


Kind = Literal["number", "matrix", "row", "other"]
"""What a part of a formula stands for; a row is a transposed vector."""


class Part(NamedTuple):
    tree: ast.expr
    kind: Kind = "other"


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def read_notation(line: str, functions: Collection[str]) -> Reading:
    """`line` as Python has it; `functions` are the names that can be called.

    Raises:
        Unreadable: it is no formula.
    """
    parser = Parser(strip_head(line.translate(SIGNS)), functions)
    return Reading(parser.parse(), tuple(parser.notes))


def strip_head(line: str) -> str:
    """The formula without `f(x) =`, `y =` or `d/dx` before it: the slope in every name is shown anyway."""
    return HEAD.sub("", line)


def tokenize(text: str) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = TOKENS.match(text, at)
        if match is None:
            raise Unreadable(f"The sign `{text[at]}` says nothing here.")
        kind = match.lastgroup or ""
        if kind != "space":
            found.append(Token(kind, plain_name(match[0]) if kind == "name" else match[0], at, match.end()))
        at = match.end()
    return found


def plain_name(name: str) -> str:
    """A name as Python can have it: `x₁` is x1, an italic letter of mathematics a letter, `lambda` λ."""
    found = unicodedata.normalize("NFKC", name)
    if found == "lambda":
        return "λ"
    if not found.isidentifier():
        raise Unreadable(f"The sign `{name[0]}` says nothing here.")
    if keyword.iskeyword(found) and found not in ("True", "False", "None"):
        raise Unreadable(NOTHING)
    return found


def split_names(tokens: list[Token], functions: Collection[str]) -> list[Token]:
    single = {token.text for token in tokens if token.kind == "name" and len(token.text) == 1}
    edge = Token("", "", -1, -1)
    found: list[Token] = []
    for before, token, after in zip([edge, *tokens], tokens, [*tokens[1:], edge], strict=False):
        parts = split_name(before, token, after, single, functions) if token.kind == "name" else [token.text]
        found += [token._replace(text=part) for part in parts]
    return found


def split_name(
    before: Token, token: Token, after: Token, single: Collection[str], functions: Collection[str]
) -> list[str]:
    """The names in a name that is a product, `3xyz`, `mv²`, `abc + a + b + c`, and those in `sinx`."""
    text = token.text
    if text in PREFIX or text in GREEK or not text.isalpha():
        return [text]
    if before.text == "." or after.text in (".", "[", "=") or (after.text == "(" and text in functions):
        return [text]
    if match := GLUED.fullmatch(text):
        return [*match.groups()]
    behind = before.end == token.start and (before.kind == "number" or before.text == ")")
    alone = not any(is_word(each.text) and each.text not in functions for each in (before, after))
    product = behind or (alone and (len(text) == 2 or set(text).issubset(single)))
    return [*text] if product and len(text) <= LONGEST_PRODUCT else [text]


def is_word(name: str) -> bool:
    """Whether a name has several letters, not only a number behind one."""
    return len(name.rstrip("0123456789_")) > 1 and name[0].isalpha()


def call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def binary(left: Part, sign: str, right: Part) -> ast.BinOp:
    return ast.BinOp(left.tree, BINARY[sign](), right.tree)


def multiply(left: Part, sign: str, right: Part) -> Part:
    """A product or quotient; matrices and vectors side by side are multiplied as such."""
    kinds = left.kind, right.kind
    if sign in ("", "·") and "number" not in kinds:
        if kinds == ("other", "row"):
            return Part(call("outer", left.tree, right.tree), "matrix")
        if left.kind in ("matrix", "row"):
            return Part(binary(left, "@", right), left.kind if right.kind == "matrix" else "other")
    kind = left.kind if left.kind in ("matrix", "row") or right.kind == "number" else right.kind
    return Part(binary(left, sign, right), kind)


def transpose(part: Part) -> Part:
    """Of a vector it is the same vector, seen as a row."""
    if part.kind == "matrix":
        return Part(ast.Attribute(part.tree, "T", ast.Load()), "matrix")
    return Part(part.tree, "row")


def raise_matrix(base: Part, power: str) -> Part:
    if power == "-1":
        return Part(call("inverse", base.tree), "matrix")
    if not re.fullmatch("[2-9]", power):
        raise Unreadable("Of a matrix, the powers -1 and 2 to 9 are read.")
    return functools.reduce(lambda left, right: Part(binary(left, "@", right), "matrix"), [base] * int(power))


@dataclass
class Parser:
    """A parser by recursive descent: each method reads what binds more tightly than that of the method before."""

    text: str
    functions: Collection[str]
    notes: list[str] = field(default_factory=list)
    at: int = 0
    in_bars: bool = False
    """Whether `|` closes: it both opens and closes."""

    def __post_init__(self) -> None:
        self.tokens = split_names(tokenize(self.text), self.functions)
        self.has_matrices = MATRIX_SIGNS.search(self.text) is not None

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

    # ---- operators

    def parse(self) -> ast.expr:
        """The whole line."""
        if not self.tokens:
            raise Unreadable("There is no formula.")
        part = self.parse_comparison()
        if self.next() == "=":
            at = self.tokens[self.at].start
            sides = f"{self.text[:at].strip()} - ({self.text[at + 1 :].strip()})"
            raise Unreadable("An equation has no slope; the difference of its sides has.", sides)
        if self.next():
            raise Unreadable(f"`{self.next()}` is not expected here.")
        return part.tree

    def parse_enclosed(self) -> Part:
        """A formula between parentheses or commas, in which bars open anew."""
        outside, self.in_bars = self.in_bars, False
        part = self.parse_comparison()
        self.in_bars = outside
        return part

    def parse_comparison(self) -> Part:
        part = self.parse_sum()
        if self.next() not in COMPARISONS:
            return part
        found = ast.Compare(part.tree, [], [])
        while self.next() in COMPARISONS:
            found.ops.append(COMPARISONS[self.take()]())
            found.comparators.append(self.parse_sum().tree)
        return Part(found)

    def parse_sum(self) -> Part:
        part = self.parse_product()
        while self.next() in ("+", "-"):
            sign, other = self.take(), self.parse_product()
            kinds = {part.kind, other.kind}
            kind: Kind = "matrix" if "matrix" in kinds else "other" if len(kinds) > 1 else part.kind
            part = Part(binary(part, sign, other), kind)
        return part

    def parse_product(self) -> Part:
        part = self.parse_unary()
        sign = ""
        while True:
            if self.next() in ("*", "/", "@", "·", "//", "%"):
                sign = self.take()
                part = multiply(part, sign, self.parse_unary())
            elif self.starts_operand():
                if sign == "/":
                    self.note(QUOTIENT)
                part = multiply(part, "", self.parse_power())
            else:
                return part

    def starts_operand(self) -> bool:
        if self.next() in BARS:
            return not self.in_bars
        return self.kind() in ("name", "number") or self.next() in ("(", "√")

    def parse_unary(self) -> Part:
        if self.next() not in ("-", "+"):
            return self.parse_power()
        sign, part = self.take(), self.parse_unary()
        return Part(ast.UnaryOp(ast.USub(), part.tree), part.kind) if sign == "-" else part

    def parse_power(self) -> Part:
        part = self.parse_postfix()
        if self.next() not in POWER:
            return part
        self.take()
        if self.next() == "T" and part.kind != "number":
            self.take()
            return transpose(part)
        return self.raise_to(part, self.parse_unary())

    def raise_to(self, base: Part, exponent: Part) -> Part:
        if base.kind == "matrix" and self.has_matrices:
            return raise_matrix(base, ast.unparse(exponent.tree))
        kind: Kind = "number" if base.kind == exponent.kind == "number" else "other"
        return Part(ast.BinOp(base.tree, ast.Pow(), exponent.tree), kind)

    # ---- what stands behind an operand

    def parse_postfix(self) -> Part:
        part = self.parse_operand()
        while True:
            if self.next() == "ᵀ":
                self.take()
                part = transpose(part)
            elif self.kind() == "superscript":
                part = self.raise_to(part, self.parse_superscript())
            elif self.next() == "[":
                part = Part(ast.Subscript(part.tree, self.parse_index(), ast.Load()))
            elif self.next() == "." and self.kind(1) == "name":
                part = self.parse_attribute(part)
            else:
                return part

    def parse_superscript(self) -> Part:
        text = unicodedata.normalize("NFKC", self.take()).replace("−", "-")
        return Part(ast.Name(text, ast.Load())) if text.isalpha() else Part(ast.Constant(int(text)), "number")

    def parse_index(self) -> ast.expr:
        """What stands in brackets, as Python has it."""
        first, depth = self.at, 0
        while self.next():
            depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(self.take(), 0)
            if not depth:
                break
        inside = " ".join(token.text for token in self.tokens[first : self.at])
        try:
            whole = ast.parse(f"_{inside}", mode="eval").body
        except SyntaxError:
            whole = None
        if not isinstance(whole, ast.Subscript):
            raise Unreadable("A `]` is missing." if depth else f"`{inside}` is no index.")
        return whole.slice

    def parse_attribute(self, part: Part) -> Part:
        self.take()
        name = self.take()
        found = ast.Attribute(part.tree, name, ast.Load())
        kind = part.kind if name in ("T", "mT") else "other"
        return Part(self.parse_call(found) if self.next() == "(" else found, kind)

    # ---- operands

    def parse_operand(self) -> Part:
        kind, text = self.kind(), self.next()
        if kind == "number":
            self.take()
            return Part(ast.Constant(int(text) if text.isdigit() else float(text)), "number")
        if kind == "name":
            return self.parse_name(self.take())
        if text == "(":
            return self.parse_parenthesis()
        if text in BARS:
            return self.parse_bars()
        if text == "√":
            self.take()
            return Part(call("sqrt", self.parse_power().tree))
        raise Unreadable(f"`{text}` is not expected here." if text else "The formula ends too soon.")

    def parse_name(self, name: str) -> Part:
        if self.next() == "(" and len(name) > 1 and name not in self.functions and name.lower() in self.functions:
            name = name.lower()
        called = self.next() == "(" or (self.kind() == "superscript" and self.next(1) == "(")
        function = name in PREFIX or (called and len(name) > 1 and name in self.functions)
        if function and (self.next() in POWER or (self.kind() == "superscript" and self.next() != "ᵀ")):
            return self.parse_power_of_function(name)
        if self.next() == "(" and (function or name == "σ"):
            found = self.parse_call(ast.Name(name, ast.Load()))
            return Part(found, "matrix" if name in ("inv", "inverse") else "other")
        if name in PREFIX:
            if not self.starts_operand():
                raise Unreadable(f"`{name}` of what? Its argument is missing.")
            return Part(call(name, self.parse_argument()))
        unknown = self.next() == "(" and is_word(name) and name not in GREEK
        if unknown or (name.rstrip("0123456789_") in PREFIX and self.starts_operand()):
            raise self.refuse_function(name)
        if self.next() == "(" and name in "fgh" and self.kind(1) == "name" and self.next(2) in (")", ","):
            raise Unreadable(f"What `{name}` is, is not said. Write the formula itself, as in `f(x) = x^2`.")
        if is_word(name) and self.kind() == "name" and is_word(self.next()) and self.next() not in self.functions:
            raise Unreadable(NOTHING)
        kind: Kind = "number" if name in ("e", "π", "pi") else "matrix" if self.is_matrix(name) else "other"
        return Part(ast.Name(name, ast.Load()), kind)

    def is_matrix(self, name: str) -> bool:
        if not name[0].isupper() or is_word(name):
            return False
        return self.has_matrices or (name[0] in MATRICES and self.kind() == "name" and len(self.next()) == 1)

    def refuse_function(self, name: str) -> Unreadable:
        near = difflib.get_close_matches(name, self.functions, 1, 0.78)
        if not near:
            return Unreadable(f"No function is called `{name}`. A product is written `{name} * (…)`.")
        return Unreadable(f"No function is called `{name}`.", re.sub(rf"\b{name}\b", near[0], self.text).strip())

    def parse_call(self, function: ast.expr) -> ast.Call:
        """The call of `function` with what stands in parentheses."""
        self.take()
        found = ast.Call(function, [], [])
        while self.next() not in (")", ""):
            if self.kind() == "name" and self.next(1) == "=":
                key = self.take()
                self.take()
                found.keywords.append(ast.keyword(key, self.parse_enclosed().tree))
            else:
                found.args.append(self.parse_enclosed().tree)
            if self.next() != ",":
                break
            self.take()
        self.close(")")
        return found

    def parse_argument(self) -> ast.expr:
        """What a function without parentheses is of: all that stands side by side, but for another function."""
        part = self.parse_power()
        while self.starts_operand() and self.next() not in PREFIX:
            part = multiply(part, "", self.parse_power())
        return part.tree

    def parse_power_of_function(self, name: str) -> Part:
        """`sin² x`, `sin^2(x)`, `tan^-1 x`."""
        if self.next() in POWER:
            self.take()
            exponent = self.parse_unary().tree
        else:
            exponent = self.parse_superscript().tree
        inverse = ast.unparse(exponent) == "-1"
        if inverse and name not in INVERTED:
            raise Unreadable(f"`{name}^-1` could be the inverse or one over it. `1/{name}(x)` is one over it.")
        function = ast.Name(f"a{name}" if inverse else name, ast.Load())
        if self.next() == "(":
            found = self.parse_call(function)
        elif self.starts_operand():
            found = ast.Call(function, [self.parse_argument()], [])
        else:
            raise Unreadable(f"`{name}` of what? Its argument is missing.")
        return Part(found if inverse else ast.BinOp(found, ast.Pow(), exponent))

    def parse_parenthesis(self) -> Part:
        self.take()
        part = self.parse_enclosed()
        if self.next() == ",":
            raise Unreadable(
                "A pair is no number. A vector is a name, as `v`, whose numbers can be changed beside the picture."
            )
        self.close(")")
        return part

    def parse_bars(self) -> Part:
        """`|x|` or `‖x‖`."""
        sign = self.take()
        outside, self.in_bars = self.in_bars, True
        part = self.parse_sum()
        self.in_bars = outside
        if sign == "|" and self.next() == "||":  # the first closes, the second opens again
            bar = self.tokens[self.at]._replace(text="|")
            self.tokens[self.at : self.at + 1] = [bar, bar]
        self.close(sign)
        return Part(call("abs" if sign == "|" else "norm", part.tree))
