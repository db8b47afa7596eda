"""Scripts: fences, line numbers, magics, indentation, and output that stands behind the program."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from .parsing import fault, like_code, longest_program, shown
from .pasted import Note, Posted

FENCE = re.compile(r"^\s*(?:>\s?)?(```+|~~~+)\s*\{?\.?([\w+-]*)")
CODE = ("", "python", "py", "python3", "pycon", "ipython", "ipython3", "pytorch", "torch", "julia-repl")
MAGIC = re.compile(r"^(\s*)(%{1,2}\s?[a-zA-Z]\w*.*|!\s*[a-zA-Z./].*|[\w.]+\?{1,2}|\?{1,2}[\w.]+)\s*$")
LABEL = re.compile(
    r"^\W*(output|out|outputs|prints|result|results|gives|printed|console|terminal)\b.{0,30}:?\s*$", re.I
)
TRACEBACK = re.compile(r"^\s*Traceback \(most recent call last\):")
ERROR = re.compile(r"^(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt|Warning): .+|^(?:\w+Error)$")
PRINTED = re.compile(
    r"^\s*(tensor\(|\[|\(|<|-?\d|nan|inf|True\b|False\b|None\b|Parameter containing|Variable containing"
    r"|\w[\w ]*\s*[:=]\s*(-?\d|tensor|\[|nan|inf|None|\())"
)

WORKED_OUT = re.compile(r"\b(?!tensor\b|array\b|Size\b|device\b)[a-zA-Z_]\w*\(|[-+*] ?(?!inf|nan)[a-zA-Z_]")
"""A call, or arithmetic with a name: what no printed value shows."""


def fenced(lines: Sequence[str], notes: list[Note]) -> list[str] | None:
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


def unmagic(lines: Sequence[str], notes: list[Note]) -> list[str]:
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


def dedented(lines: Sequence[str]) -> list[str]:
    """Without the indentation that all lines have."""
    margins = [
        line[: len(line) - len(line.lstrip())] for line in lines if line.strip() and not line.lstrip().startswith("#")
    ]
    margin = min(margins, key=len, default="")
    if not margin or any(not other.startswith(margin) for other in margins):
        return list(lines)
    return [line.removeprefix(margin) if line.startswith(margin) else line.lstrip() for line in lines]


def straightened(lines: list[str], notes: list[Note]) -> list[str]:
    """The lines as a program, if taking off magics, margins or mixed tabs makes them one."""
    if fault(lines) is None:
        return lines
    said: list[Note] = []
    for way in (
        lambda lines: unmagic(lines, said),
        dedented,
        lambda lines: [line.expandtabs(4) for line in lines],
        lambda lines: [line.expandtabs(8) for line in dedented(lines)],
    ):
        changed = way(lines)
        error = fault(changed)
        if way is dedented or error is None or (said and not notes):
            lines = changed
        if said:
            notes[:] = dict.fromkeys([*notes, *said])
            said.clear()
        if error is None:
            return changed
    return lines


def without_output(lines: list[str], posted: list[Posted]) -> list[str]:
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
        return echoed(lines)
    count = longest_program(lines[:marked] if marked is not None else lines)
    if count == 0:
        return None
    rest = [line for line in lines[count:marked] if line.strip()]
    if any(meant_as_code(line) for line in rest) or not any(lines[:count]):
        return None
    if marked is None and not all(map(shown_as_output, rest)):
        return None
    return back_to_blank(lines, count)


def meant_as_code(line: str) -> bool:
    """`loss = 0.5` may have been printed; `loss = (x.sum()` may not."""
    return like_code(line) and (WORKED_OUT.search(line) is not None or not PRINTED.match(shown(line)))


def shown_as_output(line: str) -> bool:
    seen = shown(line)
    return any(pattern.match(seen) for pattern in (PRINTED, LABEL, ERROR))


def back_to_blank(lines: Sequence[str], count: int) -> int:
    """Output that happens to be Python, between the last empty line and `count`, belongs to the output."""
    at = count
    while at > 0 and lines[at - 1].strip():
        at -= 1
    block = lines[at:count]
    if at > 0 and block and all(PRINTED.match(shown(line)) and not like_code(line) for line in block):
        return at
    return count


def has_echo(lines: Sequence[str]) -> bool:
    return any(line.startswith(("tensor(", "(tensor", "[tensor")) for line in lines)


def echoed(lines: Sequence[str]) -> int | None:
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
