"""What a link shows where it is posted: tags in a page's head, as the Open Graph protocol and its kin have them."""

import re
from html import escape

MARK = re.compile(r"`([^`]+)`|\*\*(.+?)\*\*|\*([^*\s][^*]*?)\*|\[([^\]]+)\]\([^)\s]*\)")
"""What is marked as code, as strong, as said with weight, as a link."""
LONGEST = 200
"""Characters of a description: more is cut by whoever shows it."""
SIZE = (1200, 630)
"""Pixels of `web/preview.png`, which `make shots` makes."""
PICTURE = "A diamond of nodes: the gradients 20 and 18 meet at one and become 38, saved tensors of others are gone."


def build_tags(title: str, description: str, url: str | None = None, picture: str | None = None) -> str:
    """The tags; `url` is the page's own address and `picture` that of its picture, both absolute."""
    text = " ".join(description.split())
    text = text if len(text) <= LONGEST else text[: LONGEST - 1].rsplit(" ", 1)[0] + "…"
    named = [("description", text), ("twitter:card", "summary_large_image" if picture else "summary")]
    properties = [("og:type", "website"), ("og:site_name", "Gradreel"), ("og:title", title), ("og:description", text)]
    if url:
        properties.append(("og:url", url))
    if picture:
        width, height = SIZE
        properties += [("og:image", picture), ("og:image:type", "image/png"), ("og:image:alt", PICTURE)]
        properties += [("og:image:width", str(width)), ("og:image:height", str(height))]
    lines = [f'<meta name="{name}" content="{escape(text)}">' for name, text in named]
    return "\n".join([*lines, *(f'<meta property="{name}" content="{escape(text)}">' for name, text in properties)])


def strip_marks(text: str) -> str:
    """The first paragraph of marked text, without its marks."""
    paragraph, before = text.strip().partition("\n\n")[0], ""
    while paragraph != before:
        paragraph, before = MARK.sub(lambda found: found[found.lastindex or 0], paragraph), paragraph
    return paragraph
