"""Letters: what word processors and web pages make of quotes, blanks and dashes."""

from __future__ import annotations

import re

UNSEEN = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
"""Letters without width; those that turn the direction of writing stay, and are refused."""
BLANKS = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
DOUBLE, SINGLE = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02", "\u2018\u2019\u201a\u201b\u2032\u00b4\uff07"
ALIKE = {"\u2013": "-", "\u2014": "-", "\u2212": "-", "\u2010": "-", "\u2011": "-", "\u2026": "...", "\u00d7": "*"}
ALIKE |= {"\u2264": "<=", "\u2265": ">=", "\u2260": "!=", "\u2192": "->", "\u00f7": "/", "\u2217": "*", "\u22c5": "*"}
ALIKE |= {
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
ALIKE |= {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
ODD = re.compile(f"[{DOUBLE}{SINGLE}{''.join(map(re.escape, ALIKE))}]")


def plain_ends(text: str) -> str:
    """`text` with line ends of one kind, as Python sees it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def even(text: str) -> str:
    """`text` with line ends of one kind, without letters that cannot be seen, and with plain blanks."""
    text = plain_ends(text).replace("\u2028", "\n").replace("\x0c", " ")
    return text if text.isascii() else BLANKS.sub(" ", UNSEEN.sub("", text))


def plain(text: str) -> str:
    """Quotes and dashes outside strings as Python knows them; inside proper strings they are what was meant."""
    if text.isascii() or not ODD.search(text):
        return text
    return "".join(_pieces(text))


def _pieces(text: str) -> list[str]:
    made: list[str] = []
    at, end = 0, len(text)
    while at < end:
        letter = text[at]
        if letter == "#":
            stop = text.find("\n", at)
            stop = end if stop < 0 else stop
            made.append(text[at:stop])
            at = stop
        elif letter in "\"'" or letter in DOUBLE or letter in SINGLE:
            piece, at = _string(text, at)
            made.append(piece)
        else:
            made.append(ALIKE.get(letter, letter))
            at += 1
    return made


def _string(text: str, at: int) -> tuple[str, int]:
    """The string that begins at `at`, in plain quotes, and where it ends."""
    opening = text[at]
    double = opening == '"' or opening in DOUBLE
    quote, family = ('"', DOUBLE + '"') if double else ("'", SINGLE + "'")
    mark = quote * 3 if text[at : at + 3] == opening * 3 or _three(text, at, family) else quote
    start = at + len(mark)
    at = start
    closing = family if opening not in "\"'" else quote
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            at += 2
        elif letter in closing and (len(mark) == 1 or _three(text, at, family)):
            return mark + text[start:at] + mark, at + len(mark)
        elif letter == "\n" and len(mark) == 1:
            break
        else:
            at += 1
    return mark + text[start:at], at


def _three(text: str, at: int, family: str) -> bool:
    return len(text) >= at + 3 and all(letter in family for letter in text[at : at + 3])
