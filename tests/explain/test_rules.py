"""Rules and fixes: each stands where it is found, and what runs them knows none of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gradreel.explain.diagnostics.order import ERRORS, SILENT
from gradreel.explain.diagnostics.registry import RULES, WATCHERS, rule
from gradreel.explain.fixes.registry import BY_CAUSE, BY_KIND, fix

from ..import_graph import ROOT, files_of, imports, parsed

PARTS = ("replay", "derivatives", "narration", "diagnostics", "fixes", "rules")
"""The packages of explain, each above those before it."""


def test_every_rule_has_its_place_in_the_order_once() -> None:
    assert sorted(name for level in ERRORS for name in level) == sorted(RULES)
    assert sorted(SILENT) == sorted(WATCHERS)


@pytest.mark.parametrize("table", [BY_CAUSE, BY_KIND], ids=["causes", "kinds"])
def test_ranks_of_fixes_have_no_gaps(table: dict[str, dict[int, object]]) -> None:
    assert {cause: sorted(ranks) for cause, ranks in table.items()} == {
        cause: list(range(1, len(ranks) + 1)) for cause, ranks in table.items()
    }


def test_every_cause_with_fixes_is_told_by_some_rule() -> None:
    words = {
        node.value
        for path in files_of("gradreel.explain.rules")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Constant)
    }
    assert BY_CAUSE.keys() <= words


def test_a_name_is_taken_once() -> None:
    name = ERRORS[0][0]
    with pytest.raises(ValueError, match="two rules are called"):
        rule(RULES[name])
    with pytest.raises(ValueError, match="have rank 1"):
        fix(stale=1)(BY_CAUSE["piled"][1])  # type: ignore[type-var]


@pytest.mark.parametrize("path", files_of("gradreel.explain"), ids=lambda path: path.stem)
def test_parts_of_explain_import_only_those_below(path: Path) -> None:
    own = path.relative_to(ROOT / "gradreel/explain").parts[0]
    above = PARTS[PARTS.index(own) + 1 :] if own in PARTS else ()
    for _, module, _ in imports(path):
        part = module.removeprefix("gradreel.explain.").partition(".")[0]
        assert part not in above, f"{path} looks up to {module}"
