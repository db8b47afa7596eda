"""The edits that are proposed for each cause: a function that proposes some registers itself where it is defined."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from .proposal import FixContext, Proposal

Proposer = Callable[[FixContext], Iterator[Proposal]]
P = TypeVar("P", bound=Proposer)

BY_CAUSE: dict[str, dict[int, Proposer]] = {}
BY_KIND: dict[str, dict[int, Proposer]] = {}
"""For causes that have no fixes of their own."""

Reference = Callable[[FixContext], str | None]
REFERENCES: list[Reference] = []


def fix(**ranks: int) -> Callable[[P], P]:
    """Registers what proposes edits for these causes, each with its rank among the fixes of that cause: 1 is tried
    first."""
    return registering(BY_CAUSE, ranks)


def fix_kind(**ranks: int) -> Callable[[P], P]:
    """The same for kinds of diagnoses, where a cause has no fixes of its own."""
    return registering(BY_KIND, ranks)


def registering(table: dict[str, dict[int, Proposer]], ranks: dict[str, int]) -> Callable[[P], P]:
    def registered(proposer: P) -> P:
        for cause, rank in ranks.items():
            others = table.setdefault(cause, {})
            if rank in others:
                raise ValueError(f"two fixes for {cause} have rank {rank}: {others[rank]} and {proposer}")
            others[rank] = proposer
        return proposer

    return registered


def reference(function: Reference) -> Reference:
    """Registers what gives the program that an edited one is held against, where a formula is in question."""
    REFERENCES.append(function)
    return function


def proposals(wanted: FixContext) -> Iterator[Proposal]:
    """The edits that may mend what was found, best first."""
    ranked = BY_CAUSE.get(wanted.found.cause) or BY_KIND.get(wanted.found.kind, {})
    decided = False
    for rank in sorted(ranked):
        for proposal in ranked[rank](wanted):
            yield replace(proposal, workaround=proposal.workaround or decided)
            decided |= proposal.decisive
