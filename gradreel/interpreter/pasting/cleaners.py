"""What mail, tools and web pages put before, behind or into every line of a program, taken off again."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Sequence

from .parsing import LOOKED, fault, like_code, regex

UNSEEN = regex("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
"""Letters without width; those that turn the direction of writing stay, and are refused."""
BLANKS = regex("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
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
ODD = regex(f"[{DOUBLE}{SINGLE}{''.join(map(re.escape, ALIKE))}]")


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


# ---- lines
#
# Each function gives the cleaned lines, or None where the lines do not look so. What is no code stays as a comment.

Cleaner = Callable[[Sequence[str]], list[str] | None]

MOST = 0.8
"""Of the lines with something on them, so many have to look alike."""


def match_lines(
    lines: Sequence[str], pattern: re.Pattern[str], most: float = MOST
) -> list[re.Match[str] | None] | None:
    """What `pattern` finds at the beginning of each line; None where too few lines begin so."""
    matches = [pattern.match(line[:LOOKED]) if line.strip() else None for line in lines]
    filled = sum(bool(line.strip()) for line in lines)
    return matches if filled and sum(map(bool, matches)) >= most * filled else None


def strip_mark(lines: Sequence[str], matches: Sequence[re.Match[str] | None]) -> list[str]:
    return [line[match.end() :] if match else line for line, match in zip(lines, matches, strict=True)]


def comment(line: str) -> str:
    return f"# {line}" if line.strip() else line


# ---- before every line

QUOTE = regex(r"\s*(?:>(?!>>)\s?|\|\s(?=\S*>))+")
DEEP_QUOTE = regex(r"\s*(?:>\s?)+")
SHALLOW = regex(r"\s*>{1,2}(?!>)")
DOTS = regex(r"\s*\.\.\.+(?::\s?| |$)")
BULLET = regex(r"\s*(?:[-*+•‣◦▪·–]|\d{1,3}\)|[a-z]\))\s+")
BARS = regex(r"\s*[|│┃║]\s?")
NUMBER = regex(
    r"\s*+(?:-{1,4}>|=+>|[>*→▶])?\s*+[\[(]?[Ll]?(\d{1,6})"
    r"(?:\s{1,4}(?:->)?\t|(?:[\])]?\s{0,4}(?:[:|.)│┃›»]|->|→)|\]|\s|(?=$))\s?)"
)
PICKED = regex(r"\s*(\d{1,6})[:-]")
GREP = regex(r"((?:[A-Za-z]:)?[\w./\\~-]*?\w\.\w{1,6})[:-](?:(\d{1,6})[:-])?(?:\d{1,4}:)?")
FILE = regex(r"[\w./\\~-]*\w\.\w{1,6}\s*$")
"""A file's name above what was found in it."""
BETWEEN_HITS = regex(r"--\s*$|Binary file .{1,200} matches")


def strip_quotes(lines: Sequence[str]) -> list[str] | None:
    """Without the `> ` of mail; the lines around them stay as they are."""
    prompted = any(line.lstrip().startswith(">>>") for line in lines)
    if prompted and not any(map(SHALLOW.match, lines)):
        return None
    matches = match_lines(lines, DEEP_QUOTE if prompted else QUOTE, 0.3)
    if matches is None:
        return None
    made = strip_mark(lines, matches)
    return made if any(like_code(line) for line, match in zip(made, matches, strict=True) if match) else None


def strip_quoted_words(lines: Sequence[str]) -> list[str] | None:
    """The same for what holds no code."""
    matches = match_lines(lines, QUOTE)
    if matches is None or any(line.lstrip().startswith(">>>") for line in lines):
        return None
    return strip_mark(lines, matches)


def strip_dots(lines: Sequence[str]) -> list[str] | None:
    """Without the `...:` of IPython or the `...` of Python, where the first prompt was left behind."""
    matches = match_lines(lines, DOTS, 0.5)
    if matches is None:
        return None
    # What stands before the first continuation was typed behind a prompt; what has none later is output.
    started = next(nr for nr, match in enumerate(matches) if match)
    return [
        line[match.end() :] if match else line if nr < started else comment(line)
        for nr, (line, match) in enumerate(zip(lines, matches, strict=True))
    ]


def strip_bullets(lines: Sequence[str]) -> list[str] | None:
    """Without the marks of a list."""
    matches = match_lines(lines, BULLET, 1.0)
    return None if matches is None else strip_mark(lines, matches)


def strip_bars(lines: Sequence[str]) -> list[str] | None:
    """Without bars before or behind every line, as of a table or of a picture that was read."""
    before = match_lines(lines, BARS)
    if before is not None:
        lines = strip_mark(lines, before)
    behind = [len(line.rstrip()) > 1 and line.rstrip()[-1] in "|│┃║" for line in lines]
    filled = sum(bool(line.strip()) for line in lines)
    if filled and sum(behind) >= MOST * filled:
        return [line.rstrip()[:-1].rstrip() if bar else line for line, bar in zip(lines, behind, strict=True)]
    return list(lines) if before is not None else None


def strip_numbers(lines: Sequence[str]) -> list[str] | None:
    """Without the number of each line, whatever stands behind it."""
    matches = match_lines(lines, NUMBER)
    if matches is None:
        return None
    numbers = [int(match[1]) for match in matches if match]
    steps = [after - before for before, after in zip(numbers, numbers[1:], strict=False)]
    if not steps or sum(step == 1 for step in steps) < MOST * len(steps) - (len(steps) > 3):
        return None
    made = strip_mark(lines, matches)
    return made if any(map(like_code, made)) else None


def hits(lines: Sequence[str]) -> tuple[list[str], bool] | None:
    """What grep found, without file and line number, and whether that is a whole stretch of one file."""
    lines = under_names(lines)
    matches = match_lines([line for line in lines if not BETWEEN_HITS.match(line[:LOOKED])], GREP)
    if matches is None:
        return None
    found = [match for match in matches if match]
    if not any(line[match.end() :].strip() for line in lines if (match := GREP.match(line[:LOOKED]))):
        return None
    numbers = [int(match[2] or 0) for match in found]
    whole = all(after - before == 1 for before, after in zip(numbers, numbers[1:], strict=False)) or not any(numbers)
    made = [line[match.end() :] if (match := GREP.match(line[:LOOKED])) else comment(line) for line in lines]
    return made, whole and len({match[1] for match in found}) == 1


def under_names(lines: Sequence[str]) -> list[str]:
    """Hits with the name of their file before each, where it stands once above them."""
    made, name = list(lines), ""
    for nr, line in enumerate(lines):
        if FILE.match(line[:LOOKED]) and nr + 1 < len(lines) and PICKED.match(lines[nr + 1]):
            name, made[nr] = line.strip(), "--"
        elif name and PICKED.match(line):
            made[nr] = f"{name}:{line}"
    return made


def strip_grep(lines: Sequence[str]) -> list[str] | None:
    found = hits(lines)
    return found[0] if found is not None and found[1] else None


def is_grep_output(lines: Sequence[str]) -> bool:
    """Whether the lines were picked out of files, with their names or only with their numbers."""
    if hits(lines) is not None:
        return True
    matches = match_lines(lines, PICKED, 1.0)
    numbers = [int(match[1]) for match in matches or () if match]
    steps = [after - before for before, after in zip(numbers, numbers[1:], strict=False)]
    picked = len(steps) > 0 and min(steps) > 0 and max(steps) > 1
    return picked and any(
        like_code(line[match.end() :]) for line, match in zip(lines, matches or (), strict=True) if match
    )


# ---- escapes

ENTITY = regex(r"&(?:amp;){0,3}(?:lt|gt|amp|quot|apos|nbsp|ensp|emsp|lpar|rpar|equals|#\d{1,6}|#[xX][0-9a-fA-F]{1,5});")
TAG = regex(
    r"</?(?:pre|code|span|div|p|br|b|i|em|strong|a|ul|ol|li|td|tr|th|table|tbody|font|body|html|head|samp|kbd|tt|mark"
    r"|h[1-6]|blockquote|section|article)(?:\s[^<>]{0,300})?/?>",
    re.I,
)
COLOURS = regex(r"\x1b\[[\d;]{0,20}m|\[\d{1,3}(?:;\d{1,3}){0,4}m")
ESCAPED = regex(r"\\([_*\[\]()#>.!{}+~`-])")
LITERAL = {r"\n": "\n", r"\t": "\t", r"\"": '"', r"\'": "'", "\\\\": "\\", r"\r": ""}
LITERALS = regex("|".join(map(re.escape, LITERAL)))


def unescape_entities(lines: Sequence[str]) -> list[str] | None:
    """HTML's entities as the characters that they stand for, escaped once or more often; without its tags."""
    if not any(ENTITY.search(line) or TAG.search(line) for line in lines):
        return None
    made = [one for line in lines for one in re.split(r"<br\s{0,9}/?>(?=.)", line, flags=re.I)]
    for _ in range(3):
        made = [html.unescape(line) for line in made]
    return [TAG.sub("", line).replace("\xa0", " ") for line in made]


def strip_colours(lines: Sequence[str]) -> list[str] | None:
    """Without the colours of a terminal."""
    if not any(COLOURS.search(line) for line in lines):
        return None
    return [COLOURS.sub("", line) for line in lines]


def strip_backslashes(lines: Sequence[str]) -> list[str] | None:
    """Without the backslashes before signs that mean something in Markdown."""
    if not any(ESCAPED.search(line) for line in lines):
        return None
    return [ESCAPED.sub(r"\1", line) for line in lines]


def read_literal(lines: Sequence[str]) -> list[str] | None:
    r"""A program written as one string, its line ends as `\n`."""
    filled = [line.strip() for line in lines if line.strip()]
    if len(filled) != 1 or r"\n" not in filled[0]:
        return None
    text = filled[0].rstrip(",;")
    for quote in ('"', "'"):
        if len(text) > 1 and text[0] == quote == text[-1]:
            text = text[1:-1]
    return LITERALS.sub(lambda match: LITERAL[match[0]], text).split("\n")


def drop_null_bytes(lines: Sequence[str]) -> list[str] | None:
    """Two bytes a character, read as one: without the empty ones."""
    text = "\n".join(lines)
    return text.replace("\0", "").split("\n") if 2 * text.count("\0") >= len(text) - 2 > 0 else None


STRING = regex(r'\s*"(?:[^"\\]|\\.)*"\s*,?\s*$')
STRUCTURE = regex(r'\s*(?:[\[\]{}],?\s*)+$|\s*"\w+":')


def from_strings(lines: Sequence[str]) -> list[str] | None:
    """The lines of a notebook's cells as they stand in its file, each a string."""
    filled = [line for line in lines if line.strip()]
    strings = [line for line in filled if STRING.match(line)]
    if len(strings) < 2 or not all(STRING.match(line) or STRUCTURE.match(line[:LOOKED]) for line in filled):
        return None
    if sum(r"\n" in line for line in strings) < len(strings) - 1 - len(strings) // 2:
        return None
    made: list[str] = []
    for line in lines:
        if not STRING.match(line):
            made.append(comment(line.strip()))
            continue
        try:
            made.append(json.loads(line.strip().rstrip(",")).rstrip("\n"))
        except ValueError:
            made.append(comment(line.strip()))
    return made


def from_json(lines: Sequence[str]) -> list[str] | None:
    """The program that is one of the values of JSON."""
    if "\n".join(lines[:1]).lstrip()[:1] not in ("{", "["):
        return None
    try:
        waiting = [json.loads("\n".join(lines))]
    except (ValueError, RecursionError):
        return None
    while waiting:
        value = waiting.pop()
        if isinstance(value, (dict, list)):
            waiting += reversed(list(value.values() if isinstance(value, dict) else value))
        elif isinstance(value, str) and any(map(like_code, made := value.split("\n"))) and fault(made) is None:
            return made
    return None


# ---- what pages and notebooks put beside code

EMPHASIS = regex(r"\s*(?:\d{1,3}[.)]\s+|[-*+•]\s+)?(\*{1,3}|__|`{1,3})(?=\S)(.*\S)\1\s*$")
SHORTCODE = regex(r"(?:^|(?<=\s)):[a-z][a-z_]{2,30}:(?=\s|$)")
NUMBERED_CELL = regex(r"\s*\[\s?\d{0,4}\]:?\s+(?=\S)")
FURNITURE = regex(
    r"\s*(?:Share|Follow|Improve this (?:question|answer)|(?:Asked|Modified|Viewed|edited|answered|asked) .{1,60}"
    r"|Sorted by:|Highest score.{0,20}|\d+ (?:Answers?|Likes?|Replies|Views?|[Cc]omments?)"
    r"|.{0,30}\d (?:gold|silver|bronze) badges?.{0,40}"
    r"|Copy (?:& Edit|code)|add (?:Code|Markdown)|[▲▼△▽↑↓]|.{1,40} · .{1,60}"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} '?\d{1,2}(?:, \d{4})?|Reply|Solution"
    r"|Upvote|Downvote|.{1,40} (?:commented|opened|added the|closed) .{1,60})\s*$"
)

NAME_OR_NUMBER = regex(r"[\w,.'-]{1,30}(?: [\w,.'-]{1,30}){0,2}\s*$")


def is_name(line: str) -> bool:
    """Whether a line is the name of somebody, or a number of votes."""
    return NAME_OR_NUMBER.match(line[:LOOKED]) is not None and not like_code(line)


def strip_emphasis(lines: Sequence[str]) -> list[str] | None:
    """Without the signs of Markdown that stand around every line."""
    matches = match_lines(lines, EMPHASIS, 1.0)
    return None if matches is None else [match[2] if match else "" for match in matches]


def strip_shortcodes(lines: Sequence[str]) -> list[str] | None:
    """Without emoji that were written as words."""
    made = [SHORTCODE.sub("", line).rstrip() if SHORTCODE.search(line) else line for line in lines]
    return (
        None
        if made == list(lines)
        else [line.removeprefix(" ") if line != old else line for line, old in zip(made, lines, strict=True)]
    )


def from_numbered_cells(lines: Sequence[str]) -> list[str] | None:
    """The code of cells whose number stands before their first line, what goes on below it as far out as that."""
    made, margin, code = [], "", False
    for line in lines:
        match = NUMBERED_CELL.match(line[:LOOKED])
        if match:
            margin = " " * match.end()
            code = code or like_code(line[match.end() :])
        made.append(line[match.end() :] if match else line.removeprefix(margin))
    return made if code and NUMBERED_CELL.match(next(filter(str.strip, lines), "")) else None


def strip_furniture(lines: Sequence[str]) -> list[str] | None:
    """A page of a forum, of which votes, names, dates and buttons stand as comments."""
    beside = [FURNITURE.match(line[:LOOKED]) is not None and not like_code(line) for line in lines]
    if sum(beside) < 2:
        return None
    made, start = list(lines), 0
    for end in [nr for nr, line in enumerate([*lines, ""]) if not line.strip()]:
        block = range(start, end)
        if any(beside[nr] for nr in block):  # names and votes stand beside them
            for nr in block:
                made[nr] = comment(lines[nr]) if beside[nr] or is_name(lines[nr]) else lines[nr]
        start = end + 1
    return made


# ---- diffs

GIT = regex(
    r"diff --git |index [0-9a-f]+\.\.|--- \S|\+\+\+ \S|@@ |Only in |(?:new|deleted) file mode|rename |similarity "
)
SIDES = regex(r"[-+ ]|$|\\ No newline")


OTHER_DIFF = regex(r"\d+(?:,\d+)?[acd]\d+(?:,\d+)?\s*$|\*{15}|\*\*\* \d+(?:,\d+)? \*{4}")


def other_diff(lines: Sequence[str]) -> bool:
    """Whether it is a diff without the lines around what changed, or in two halves."""
    return any(OTHER_DIFF.match(line) for line in lines) and any(
        line[:2] in ("< ", "> ", "! ", "- ", "+ ") for line in lines
    )


def new_side(lines: Sequence[str]) -> list[str] | None:
    """What a diff makes of the file; the old side stays as comments."""
    headed = any(GIT.match(line) for line in lines if not line.startswith("--- ")) and any(
        line[:1] in ("+", "-") for line in lines
    )
    if not headed and not is_body(lines):
        return None
    begins = next((nr for nr, line in enumerate(lines) if GIT.match(line)), 0)
    made = []
    for nr, line in enumerate(lines):
        if nr < begins or GIT.match(line) or line.startswith("\\ No newline") or line[:1] == "-":
            made.append(comment(line))
        else:
            made.append(line[1:] if line[:1] in ("+", " ") else line)
    return made


def is_body(lines: Sequence[str]) -> bool:
    """Whether every line begins with a blank, a plus or a minus, as those of a diff do."""
    filled = [line for line in lines if line.strip()]
    changed = [line for line in filled if line[0] in "+-"]
    if not changed or any(not SIDES.match(line) for line in filled):
        return False
    return any(like_code(line[1:]) for line in filled) and {line[0] for line in filled} != {"-"}


# ---- one line

SPLITS = 400
CALL = regex(r"[\w.]{1,100}\(.*\)\s*$")
HEAD = regex(r"(?:for|while|if|with|def|class|try|elif|else|async)\b")


def split_up(lines: Sequence[str]) -> list[str] | None:
    """Statements that were joined into one line, each on its own again."""
    filled = [line.strip() for line in lines if line.strip()]
    if len(filled) != 1 or len(filled[0].split()) < 4:
        return None
    rest = filled[0]
    made: list[str] = []
    for _ in range(SPLITS):
        error = fault([rest])
        if error is None:
            return [*made, rest] if made and is_statement(rest) else None
        at = (error.offset or 0) - 1
        if at <= 0 or at >= len(rest) or not rest[at - 1].isspace() or HEAD.match(rest):
            return None
        if not is_statement(rest[:at]):
            return None
        made.append(rest[:at].rstrip())
        rest = rest[at:]
    return None


def is_statement(text: str) -> bool:
    return (like_code(text) or CALL.match(text) is not None) and fault([text]) is None
