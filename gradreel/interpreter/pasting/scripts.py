"""Scripts: fences, line numbers, magics, indentation, the words around code, and output that stands behind it."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Sequence

from .parsing import fault, like_code, longest_program, regex, shorten
from .pasted_text import Note, Posted

FENCE = regex(r"^\s*(?:>\s?)?(```+|~~~+)\s*\{?\.?([\w+-]*)")
CODE = ("", "python", "py", "python3", "pycon", "ipython", "ipython3", "pytorch", "torch", "julia-repl")
MAGIC = regex(r"^(\s*)(%{1,2}\s?[a-zA-Z]\w*.*|!\s*[a-zA-Z./].*|[\w.]+\?{1,2}|\?{1,2}[\w.]+)\s*$")
LABEL = regex(r"^\W*(output|out|outputs|prints|result|results|gives|printed|console|terminal)\b.{0,30}:?\s*$", re.I)
TRACEBACK = regex(r"^\s*Traceback \(most recent call last\):")
ERROR = regex(r"^(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt|Warning): .+|^(?:\w+Error)$")
PRINTED = regex(
    r"^\s*(tensor\(|\[|\(|<|-?\d|nan|inf|True\b|False\b|None\b|Parameter containing|Variable containing"
    r"|\w[\w ]*\s*[:=]\s*(-?\d|tensor|\[|nan|inf|None|\())"
)

WORKED_OUT = regex(r"\b(?!tensor\b|array\b|Size\b|device\b)[a-zA-Z_]\w*\(|[-+*] ?(?!inf|nan)[a-zA-Z_]")
"""A call, or arithmetic with a name: what no printed value shows."""


def take_fenced(lines: Sequence[str], notes: list[Note]) -> list[str] | None:
    """The code between fences; None if there are none."""
    marks = [(nr, match) for nr, line in enumerate(lines) if (match := FENCE.match(line))]
    if not marks:
        return None
    made = [""] * len(lines)
    blocks: list[tuple[int, int, str]] = []
    opened: tuple[int, str, str] | None = None
    for nr, match in marks:
        if opened is None:
            opened = (nr, match[1], match[2].lower())
        elif match[1][:3] == opened[1][:3] and not match[2]:
            blocks.append((opened[0], nr, opened[2]))
            opened = None
    if opened is not None:
        blocks.append((opened[0], len(lines), opened[2]))
    labelled = any(label and label in CODE for _, _, label in blocks)
    for start, end, label in blocks:
        inner = [line.removeprefix("> ") for line in lines[start + 1 : end]]
        if label not in CODE or (not label and labelled and not any(like_code(line) for line in inner)):
            notes.append(Note(start + 1, "a block that is not Python was left out"))
            continue
        margin = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
        made[start + 1 : end] = [line.removeprefix(margin) for line in inner]
    return made


def strip_magics(lines: Sequence[str], notes: list[Note]) -> list[str]:
    """Lines for IPython and the shell are left out."""
    made = []
    for nr, line in enumerate(lines, 1):
        match = MAGIC.match(line)
        if match:
            word = match[2].split()[0]
            notes.append(Note(nr, f"`{word}` is for IPython or the shell, and was left out"))
            line = f"{match[1]}pass" if match[1] else ""
        made.append(line)
    return made


def dedent(lines: Sequence[str]) -> list[str]:
    """Without the indentation that all lines have."""
    margins = [
        line[: len(line) - len(line.lstrip())] for line in lines if line.strip() and not line.lstrip().startswith("#")
    ]
    margin = min(margins, key=len, default="")
    if not margin or any(not other.startswith(margin) for other in margins):
        return list(lines)
    return [line.removeprefix(margin) if line.startswith(margin) else line.lstrip() for line in lines]


def straighten(lines: list[str], notes: list[Note]) -> list[str]:
    """The lines as a program, if taking off magics, margins or mixed tabs makes them one."""
    if fault(lines) is None:
        return lines
    said: list[Note] = []
    for way in (
        lambda lines: strip_magics(lines, said),
        dedent,
        lambda lines: [line.expandtabs(4) for line in lines],
        lambda lines: [line.expandtabs(8) for line in dedent(lines)],
    ):
        changed = way(lines)
        error = fault(changed)
        if way is dedent or error is None or (said and not notes):
            lines = changed
        if said:
            notes[:] = dict.fromkeys([*notes, *said])
            said.clear()
        if error is None:
            return changed
    return lines


def strip_output(lines: list[str], posted: list[Posted]) -> list[str]:
    """The program alone, where output stands behind it."""
    cut = where_output_begins(lines)
    if cut is None:
        return lines
    body = lines[:cut] + [""] * (len(lines) - cut)
    first = next((nr for nr, line in enumerate(lines, 1) if line.strip()), 1)
    last = max((nr for nr, line in enumerate(lines[:cut], 1) if line.strip()), default=first)
    output = [line for line in lines[cut:] if not LABEL.match(line)]
    posted.append(Posted(first, last, "\n".join(output).strip("\n")))
    return body


def where_output_begins(lines: Sequence[str]) -> int | None:
    marked = next((nr for nr, line in enumerate(lines) if TRACEBACK.match(line)), None)
    error = fault(lines)
    if error is None:
        return find_echo(lines)
    count = longest_program(lines[:marked] if marked is not None else lines)
    if count == 0:
        return None
    rest = [line for line in lines[count:marked] if line.strip()]
    if any(is_meant_as_code(line) for line in rest) or not any(lines[:count]):
        return None
    if marked is None and not all(map(is_shown_output, rest)):
        return None
    return back_to_blank(lines, count)


def is_meant_as_code(line: str) -> bool:
    """`loss = 0.5` may have been printed; `loss = (x.sum()` may not."""
    return like_code(line) and (WORKED_OUT.search(line) is not None or not PRINTED.match(shorten(line)))


def is_shown_output(line: str) -> bool:
    seen = shorten(line)
    return any(pattern.match(seen) for pattern in (PRINTED, LABEL, ERROR))


def back_to_blank(lines: Sequence[str], count: int) -> int:
    """Output that happens to be Python, between the last empty line and `count`, belongs to the output."""
    at = count
    while at > 0 and lines[at - 1].strip():
        at -= 1
    block = lines[at:count]
    if at > 0 and block and all(PRINTED.match(shorten(line)) and not like_code(line) for line in block):
        return at
    return count


def has_echo(lines: Sequence[str]) -> bool:
    return any(line.startswith(("tensor(", "(tensor", "[tensor")) for line in lines)


def find_echo(lines: Sequence[str]) -> int | None:
    """Where `tensor(...)` and numbers that nobody asks for stand at the end of a program that prints."""
    if not has_echo(lines):
        return None
    tree = ast.parse("\n".join(lines))
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {(a.asname or a.name) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names}
    cut = None
    for node in reversed(tree.body):
        if not (isinstance(node, ast.Expr) and is_output(node.value, bound)):
            break
        cut = node.lineno - 1
    prints = any(isinstance(n, ast.Name) and n.id == "print" for n in ast.walk(tree))
    shows = any(isinstance(n, ast.Expr) and is_tensor(n.value, bound) for n in tree.body)
    return cut if cut and prints and shows else None


def is_tensor(node: ast.expr, bound: set[str]) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "tensor"
        and "tensor" not in bound
    )


def is_output(node: ast.expr, bound: set[str]) -> bool:
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(is_output(part, bound) for part in node.elts)
    if isinstance(node, ast.UnaryOp):
        return is_output(node.operand, bound)
    return is_tensor(node, bound) or (isinstance(node, ast.Constant) and not isinstance(node.value, str))


# ---- prose: the words around code that nobody fenced in
#
# A line is prose if it cannot be a line of Python and has words side by side, as no Python has outside its strings.

STRING = regex(r"""(?<![^\W_])(?:'[^']*'|"[^"]*"|`[^`]*`)(?![^\W_])""")
SIDE_BY_SIDE = regex(r"(?<![\w.)\]}])([^\W\d][\w'-]*),? +(?=([^\W\d][\w'-]*))")
SAID = regex(r"^\s*(Traceback \(most|File \"|(?:[\w.]+\.)?\w*(?:Error|Exception|Warning)\b)")
"""What Python says of an error: that is output."""
ASSIGNED = regex(r"[\w\])]\s*[-+*/@|&]?=(?!=)\s*\S")
GREETING = regex(r"[^\W\d_]{2,}[,.!:?]+\s*$")
FEW_WORDS = regex(r"[^\W\d_]+( [^\W\d_]+){0,3}[,.!:?]*\s*$")
"""`Thanks,` and below it who says so."""
ASKING = regex(r"\w\s+[^\W\d]+[?!]+\s*$")
BEGINS = regex(r"\s*(print|exec|del|raise|assert|global|nonlocal|yield|async|await|pass|match|case|type)\b")
HEADED = regex(r"\s*(if|for|while|with|class)\b")
BRACKETS = regex(r"[()\[\]{}]|:\s*$")
"""Code that begins so has one of these."""
TRIPLE = regex(r'"""|' + r"'''")
OPENERS = 3
"""So many words side by side make prose of a line that begins as a statement does: `for each of the two models`."""
QUOTING = 4
"""So many of one that quotes a piece of code: `it works for all of my tensors with requires_grad = True`."""


def strip_prose(lines: Sequence[str], notes: list[Note]) -> list[str]:
    """The lines, those of prose empty; as they were if nothing like code would be left."""
    made = list(lines)
    for first, last in paragraphs(lines):
        for nr in prose_in(lines, first, last):
            made[nr] = ""
    for nr in errors_between(made):
        made[nr] = ""
    if made == list(lines) or not any(map(like_code, made)):
        return list(lines)
    blocks = [nr for nr in range(len(lines)) if lines[nr] != made[nr] and (nr == 0 or lines[nr - 1] == made[nr - 1])]
    notes += [Note(nr + 1, "words around the code were left out") for nr in blocks]
    return made


def errors_between(lines: Sequence[str]) -> list[int]:
    """The lines of tracebacks and errors with code behind them; those at the end are what the program printed."""
    found: list[int] = []
    inside, last = False, 0
    for nr, line in enumerate(lines):
        begins = SAID.match(shorten(line)) is not None
        if begins or inside:
            found.append(nr)
            inside = line.lstrip().startswith("Traceback") or (inside and line[:1] in (" ", "\t"))
        elif like_code(line):
            last = nr
    return [nr for nr in found if nr < last]


def paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First and last line of each stretch without an empty line; strings over several lines are in none."""
    start, quoted = None, False
    for nr, line in enumerate([*lines, ""]):
        turned = len(TRIPLE.findall(line)) % 2 == 1
        if quoted or turned or not line.strip():
            if start is not None:
                yield start, nr - 1
            start = None
        elif start is None:
            start = nr
        quoted ^= turned


def prose_in(lines: Sequence[str], first: int, last: int) -> list[int]:
    """The lines of a paragraph that are prose. One without any code in it is prose as a whole once a line of it is."""
    block = range(first, last + 1)
    found = [nr for nr in block if is_prose(lines[nr]) and not follows(lines, nr, first)]
    taken_out = set(found)
    rest = [lines[nr] for nr in block if nr not in taken_out]
    if found and not any(like_code(line) or SAID.match(line) or fault([line]) is None for line in rest):
        return list(block)
    if GREETING.match(lines[first]) and all(FEW_WORDS.match(lines[nr]) for nr in block):
        return list(block)
    return found


def follows(lines: Sequence[str], nr: int, first: int) -> bool:
    """Whether the line goes on with a block of code above it."""
    return nr > first and lines[nr][:1].isspace() and not is_prose(lines[nr - 1])


def is_prose(line: str) -> bool:
    seen = shorten(line)
    words = STRING.sub("0", seen.partition(" #")[0] if "#" in seen else seen)
    if line.lstrip().startswith(("#", "@", ">>>")) or SAID.match(seen):
        return False
    pairs = sum(not (is_python_word(before) or is_python_word(after)) for before, after in SIDE_BY_SIDE.findall(words))
    if pairs < needed_words(words) and not ASKING.search(words):
        return False
    return fault([line.strip()]) is not None and fault([f"{line.strip()} pass"]) is not None


def needed_words(words: str) -> int:
    """How many words side by side tell prose from a line of code with a mistake in it."""
    if ASSIGNED.search(words):
        return QUOTING
    if HEADED.match(words) and not BRACKETS.search(words):
        return 1
    return OPENERS if like_code(words) or BEGINS.match(words) else 1


def is_python_word(word: str) -> bool:
    """Whether Python has a meaning for the word, so that it can stand beside a name."""
    return keyword.iskeyword(word) or word in ("print", "exec")
