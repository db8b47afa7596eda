"""Generated torch-free programs do here what they do in Python: the same output, the same type of error.

Some in each run of the tests; `make nightly` makes fifty times as many.
"""

from __future__ import annotations

import warnings

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradreel.interpreter import run
from gradreel.trace.events import Printed, Raised
from tests.nightly import NIGHTLY

from .python import in_python

EXAMPLES = 3000 if NIGHTLY else 60

NAMES = st.sampled_from(["a", "b", "c", "xs", "d", "f", "g"])
ATOMS = st.one_of(
    NAMES,
    st.integers(-5, 20).map(str),
    st.sampled_from(["1.5", "-0.25", "'ab'", "''", "None", "True", "False", "[]", "()", "{}", "2j", "[1, 2, 3]"]),
)
OPERATORS = st.sampled_from(
    ["+", "-", "*", "/", "//", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or", "in", "is", "&", "|", "^"]
    + ["not in", "is not"]
)
FUNCTIONS = "len str repr bool int float list tuple set sorted sum min max any all".split()


def expressions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, OPERATORS, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda e: f"(not {e})"),
        inner.map(lambda e: f"(-{e})"),
        two.map(lambda t: f"[{t[0]}, {t[1]}]"),
        two.map(lambda t: f"({t[0]}, {t[1]})"),
        two.map(lambda t: f"{{{t[0]}: {t[1]}}}"),
        two.map(lambda t: f"{t[0]}[{t[1]}]"),
        two.map(lambda t: f"{t[0]}[:{t[1]}]"),
        two.map(lambda t: f"[{t[0]}, *{t[1]}]"),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"),
        st.tuples(NAMES, inner, inner).map(lambda t: f"[{t[1]} for {t[0]} in {t[2]}]"),
        st.tuples(NAMES, inner, inner).map(lambda t: f"sum({t[1]} for {t[0]} in {t[2]})"),
        st.tuples(NAMES, inner).map(lambda t: f"(lambda {t[0]}: {t[1]})"),
        st.tuples(st.sampled_from(FUNCTIONS), inner).map(lambda t: f"{t[0]}({t[1]})"),
        two.map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(inner, st.sampled_from(["", "!r", ":5", ":.2f", ":>4"])).map(
            lambda t: f"f'{{({t[0]}){t[1]}}}'" if "'" not in t[0] else t[0]
        ),
        st.tuples(
            inner, st.sampled_from(["append", "pop", "upper", "items", "count", "index", "join", "get", "add"]), inner
        ).map(lambda t: f"{t[0]}.{t[1]}({t[2]})"),
        st.tuples(NAMES, inner).map(lambda t: f"({t[0]} := {t[1]})"),
    )


EXPRESSIONS = st.recursive(ATOMS, expressions, max_leaves=5)


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines] or ["    pass"]


def compound(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    return st.one_of(
        st.tuples(EXPRESSIONS, inner, inner).map(lambda t: [f"if {t[0]}:", *indented(t[1]), "else:", *indented(t[2])]),
        st.tuples(NAMES, EXPRESSIONS, inner).map(lambda t: [f"for {t[0]} in {t[1]}:", *indented(t[2])]),
        st.tuples(NAMES, NAMES, inner, EXPRESSIONS).map(
            lambda t: [f"def {t[0]}({t[1]}=2, *rest):", *indented(t[2]), f"    return {t[3]}"]
        ),
        st.tuples(NAMES, inner, EXPRESSIONS).map(
            lambda t: [f"def {t[0]}(n=3):", *indented(t[1]), f"    c = yield {t[2]}", "    yield c"]
        ),
        st.tuples(inner, st.sampled_from(["Exception", "TypeError", "(ValueError, KeyError)"]), inner, inner).map(
            lambda t: (
                ["try:", *indented(t[0]), f"except {t[1]} as e:", "    print(type(e).__name__)", *indented(t[2])]
                + ["finally:", *indented(t[3])]
            )
        ),
        st.tuples(NAMES, EXPRESSIONS, inner).map(
            lambda t: (
                [f"class {t[0].upper()}:", f"    v = {t[1]}", "    def m(self, x=1):", *indented(indented(t[2]))]
                + ["        return self.v", f"print({t[0].upper()}().m())"]
            )
        ),
        st.tuples(EXPRESSIONS, inner).map(
            lambda t: (
                [f"match {t[0]}:", "    case [x, *_]:", "        print(x)", "    case int(x) | str(x):"]
                + [*indented(indented(t[1])), "    case _:", "        print('other')"]
            )
        ),
    )


SIMPLE = st.one_of(
    st.tuples(NAMES, EXPRESSIONS).map(lambda t: [f"{t[0]} = {t[1]}"]),
    st.tuples(NAMES, st.sampled_from(["+=", "-=", "*="]), EXPRESSIONS).map(lambda t: [f"{t[0]} {t[1]} {t[2]}"]),
    st.tuples(NAMES, NAMES, EXPRESSIONS).map(lambda t: [f"{t[0]}, *{t[1]} = {t[2]}"]),
    EXPRESSIONS.map(lambda e: [f"print({e})"]),
    st.tuples(EXPRESSIONS, EXPRESSIONS).map(lambda t: [f"assert {t[0]}, {t[1]}"]),
    st.tuples(NAMES, EXPRESSIONS, EXPRESSIONS).map(lambda t: [f"{t[0]}[{t[1]}] = {t[2]}"]),
    NAMES.map(lambda n: [f"del {n}"]),
    EXPRESSIONS.map(lambda e: [f"raise ValueError({e})"]),
)
STATEMENTS = st.recursive(
    SIMPLE, lambda inner: compound(st.lists(inner, min_size=1, max_size=2).map(lambda b: sum(b, []))), max_leaves=4
)
PROGRAMS = st.lists(STATEMENTS, min_size=1, max_size=4).map(
    lambda blocks: "\n".join(line for b in blocks for line in b)
)
BEGIN = "a, b, c, xs, d = 3, 2.5, 'abc', [4, 1, 2], {'k': 1}\nf = lambda x: [x, x]\ng = len\n"


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(PROGRAMS)
def test_a_generated_program_does_what_it_does_in_python(body: str) -> None:
    source = BEGIN + body
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<case>", "exec")
    except SyntaxError:
        assert run(source).outcome.kind == "refused"
        return
    printed, raised = in_python(source)
    trace = run(source)
    if trace.outcome.kind in ("refused", "stopped"):
        return
    uncaught = [event.type for event in trace.events if isinstance(event, Raised) and not event.caught]
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)) == printed, source
    assert uncaught == ([raised[0]] if raised else []), source
