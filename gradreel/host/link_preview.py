"""What each page is called, and said to be, where a link to it is posted.

A link to a program has it behind its #, which no server is told: what is posted then is the Lab.
"""

from __future__ import annotations

from gradreel.material.comparisons import comparisons
from gradreel.material.lessons import lessons
from gradreel.material.museum import exhibits
from gradreel.material.operators import operators
from gradreel.player.preview import strip_marks

from .pages import HEADINGS, titled

LAB = (
    "Type or paste a PyTorch program and watch its backward pass: gradients meet and add up, saved tensors are freed, "
    "and an error shows the node that it comes from."
)
DESCRIPTIONS = {
    "lessons": "A short course in autograd: each step a program that plays, and a question to be answered first.",
    "compare": "Two PyTorch programs on one clock: what one line changes in the graph, the gradients, the memory.",
    "about": "What Gradreel is, how it is checked against PyTorch, and how it keeps strangers' programs apart.",
    **{place: str(heading["intro"]) for place, heading in HEADINGS.items()},
}


def describe(place: str, at: str | None) -> tuple[str, str]:
    """The title of a page that is opened at `at`, and a description."""
    if place == "lab":
        return "Gradreel: watch autograd, frame by frame", LAB
    if place == "operators":
        known = {each.name for each in operators()}
        return (f"{at} · Gradreel" if at in known else titled(place)), DESCRIPTIONS[place]
    entries = {
        "lessons": {each.slug: (each.title, each.prose) for each in lessons()},
        "compare": {each.slug: (each.title, each.words) for each in comparisons()},
        "gallery": {each.slug: (each.title, each.words) for each in exhibits()},
    }
    title, text = entries.get(place, {}).get(at or "", ("", ""))
    return (f"{title} · Gradreel", strip_marks(text)) if title else (titled(place), DESCRIPTIONS[place])
