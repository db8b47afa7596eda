"""What stands on a page before any script has run: its header, its heading and the text it opens with.

The server writes it into the page, in the classes of the real one, so that a visitor reads while the code is on its
way. It goes when the real page is there; what it leaves out is empty until then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from html import escape

from gradreel.material.about import about
from gradreel.material.comparisons import comparisons
from gradreel.material.gallery import exhibits
from gradreel.material.lessons import lessons
from gradreel.material.operators import operators
from gradreel.player.preview import MARK

from .pages import HEADINGS, LANDINGS, OPENING, OPERATOR, PLACES, entry_of, lesson

TAGS = ("code", "strong", "em", "span")


def frame(address: str, at: str | None = None) -> str:
    """The frame of the page at an address of the site, opened at `at` where the address does not say."""
    place, own = LANDINGS[address]
    body = BODIES[place](own or at)
    kind = f"gr-root gr-{place}" if place == "lab" else f"gr-root gr-page gr-page-{place}"
    kind += " gr-page-browse" if place in ("operators", "gallery") else ""
    return f'<main id="gr-first" class="{kind}" aria-busy="true">{header(place)}{body}</main>'


def names(place: str) -> Collection[str]:
    """What the address of a page may ask it to open with."""
    return NAMES[place]() if place in NAMES else ()


def header(place: str) -> str:
    ways = "".join(
        f'<a href="{href}" target="_self"{" aria-current=page" if name == place else ""}>{title}</a>'
        for name, title, href in PLACES
    )
    home = '<a class="gr-brand" href="./" target="_self">Gradreel</a>'
    return f'<header class="gr-header">{home}<nav class="gr-nav" aria-label="Pages">{ways}</nav></header>'


def lab(at: str | None) -> str:
    """The panes of the Lab, with the program that it opens with."""
    lines = lesson(OPENING).source.rstrip().split("\n")
    code = "".join(f"<div><i>{number}</i>{escape(line) or ' '}</div>" for number, line in enumerate(lines, 1))
    left = f'<section class="pane left"><h2>Program</h2><div class="code" data-opened>{code}</div></section>'
    right = '<aside class="pane right"><h2>What happened</h2></aside>'
    panes = f'{left}<section class="graph"></section>{right}<footer class="foot"></footer>'
    return f'<div class="gr-stage"><div class="gradreel"><div class="frame">{panes}</div></div></div>'


def course(at: str | None) -> str:
    here = entry_of(lessons(), at)
    number = lessons().index(here) + 1
    steps = f'<div class="gr-steps"><span class="gr-button gr-where">Lesson {number} of {len(lessons())} ▾</span></div>'
    told = f'<p class="gr-chapter">{escape(here.chapter)}</p><h1>{escape(here.title)}</h1>{prose(here.prose)}'
    reading = f'<article class="gr-reading" data-opened>{steps}{told}</article>'
    return f'<div class="gr-body"><div class="gr-column">{reading}</div><div class="gr-playing"></div></div>'


def comparison(at: str | None) -> str:
    here = entry_of(comparisons(), at)
    words = f'<div class="gr-prose gr-compared">{prose(here.words)}</div>'
    topic = f'<div class="gr-topic"><span class="gr-select">{escape(here.title)}</span>{words}</div>'
    titles = [f'<h2 class="gr-side-title">{escape(side.title)}</h2>' for side in (here.left, here.right)]
    sides = "".join(f'<section class="gr-side">{title}</section>' for title in titles)
    return f'<div class="gr-body" data-opened>{topic}<div class="gr-sides">{sides}</div></div>'


def catalogue(at: str | None) -> str:
    known = {entry.name: entry for entry in operators()}
    here = known.get(at or "", known[OPERATOR])
    node = f"<p><code>{escape(here.node)}</code></p>" if here.node else ""
    return browse("operators", here.family, f'<h1 class="gr-mono">{escape(here.name)}</h1>{node}')


def gallery(at: str | None) -> str:
    here = entry_of(exhibits(), at)
    said = f'<blockquote class="gr-said">{escape(here.message)}</blockquote>' if here.message else ""
    return browse("gallery", here.room, f"<h1>{escape(here.title)}</h1>{said}{prose(here.words)}")


def browse(place: str, group: str, detail: str) -> str:
    """A page to look things up in."""
    heading = HEADINGS[place]
    asked = f'<div class="gr-asked"><h1>{heading["title"]}</h1><p>{heading["intro"]}</p></div>'
    told = (
        f'<article class="gr-detail gr-prose" data-opened><p class="gr-chapter">{escape(group)}</p>{detail}</article>'
    )
    looked = f'<div class="gr-looked">{told}<div class="gr-playing"></div></div>'
    return f'<div class="gr-body"><nav class="gr-finder">{asked}</nav>{looked}</div>'


def house(at: str | None) -> str:
    """About, as far as its first heading: what there is below does not fit a screen."""
    title, _, rest = about(()).partition("\n")
    opening = rest.partition("\n## ")[0]
    told = f"<h1>{escape(title.removeprefix('# '))}</h1>{prose(opening)}"
    return f'<div class="gr-body"><nav class="gr-aside"></nav><article class="gr-about gr-prose">{told}</article></div>'


NAMES: Mapping[str, Callable[[], Collection[str]]] = {
    "lessons": lambda: [each.slug for each in lessons()],
    "compare": lambda: [each.slug for each in comparisons()],
    "operators": lambda: [each.name for each in operators()],
    "gallery": lambda: [each.slug for each in exhibits()],
}

BODIES: Mapping[str, Callable[[str | None], str]] = {
    "lab": lab,
    "lessons": course,
    "compare": comparison,
    "operators": catalogue,
    "gallery": gallery,
    "about": house,
}


def prose(text: str) -> str:
    """Paragraphs and lists with the marks of lib/markdown.js, as markup; links are words here."""
    return "".join(part(each) for each in re.split(r"\n{2,}", text.strip()))


def part(text: str) -> str:
    if not text.startswith("* "):
        return f"<p>{spans(text)}</p>"
    items = re.split(r"^\* ", text, flags=re.MULTILINE)[1:]
    return f"<ul>{''.join(f'<li>{spans(item)}</li>' for item in items)}</ul>"


def spans(text: str) -> str:
    return "".join(pieces(text))


def pieces(text: str) -> Iterator[str]:
    end = 0
    for found in MARK.finditer(text):
        yield escape(text[end : found.start()])
        [(tag, inner)] = [pair for pair in zip(TAGS, found.groups(), strict=True) if pair[1] is not None]
        yield f"<{tag}>{escape(inner) if tag == 'code' else spans(inner)}</{tag}>"
        end = found.end()
    yield escape(text[end:])
