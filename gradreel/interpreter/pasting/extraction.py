"""`paste`: which of the ways to post code a text follows, and the program in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from . import cleaners, notebook, scripts, transcripts
from .cleaners import strip_numbers
from .parsing import TooMuch, compiles, fault, like_code, limit_parsing, open_at_end
from .pasted_text import Answer, Note, Pasted, Posted, Skipped
from .recognizers import KINDS, LATER, Kind, Look, idle, is_damaged, uses_other_framework
from .scripts import strip_prose

LONGEST = 80_000
"""Characters that are looked at; a longer text is taken as it is, and refused as too long."""
HEAD = 8_000
"""So many of a longer one tell what it is."""
LARGEST_NOTEBOOK = 8_000_000
"""Characters of a notebook's JSON, pictures included."""
DEEPEST = 4
"""So many ways of wrapping, one in another, are taken off."""

ENDLESS = Answer("endless", "This text is too long to look for a program in it: paste the program alone.")


def paste(text: str) -> Pasted:
    """The program in `text`, with what stood around it. Pure; never raises, and takes time in proportion to `text`."""
    notes: list[Note] = []
    if len(text) <= LARGEST_NOTEBOOK and notebook.is_notebook(text):
        text = notebook.as_text(text.removeprefix("\ufeff"), notes) or text
    if len(text) > LONGEST:
        return Pasted(text, text, answer=of_head(text[:HEAD]))
    with limit_parsing():
        try:
            made = read_text(text, notes)
        except TooMuch:
            seen = cleaners.even(text)
            return Pasted(seen, seen, answer=ENDLESS)
    broken = next((note.text for note in notes if note.text.startswith(notebook.BROKEN)), None)
    if broken is None or any(line.strip() and not line.startswith("#") for line in made.program.split("\n")):
        return made
    sentence = f"{broken[0].upper()}{broken[1:]}, and no cell before has code: paste the notebook to its end."
    return replace(made, answer=Answer("notebook", sentence))


def of_head(text: str) -> Answer | None:
    """What a text is whose beginning tells it; None where that may be a program."""
    with limit_parsing():
        look = Look(cleaners.even(text).split("\n")[:-1] or [text])
        try:
            found = ((kind, kind.finds(look)) for kind in (*KINDS, LATER[-2]) if kind.clean is None and look.fault)
            return next((kind.answer(each) for kind, each in found if each is not None), None)
        except TooMuch:
            return None


def read_text(text: str, notes: list[Note], depth: int = 0) -> Pasted:
    seen = cleaners.plain_ends(text)
    lines = seen.split("\n")
    look = Look(lines)
    if look.fault is not None:  # what runs keeps every letter of its strings
        seen = cleaners.even(seen)
        evened = cleaners.plain(seen).split("\n")
        look = look if evened == lines else Look(evened)
        lines = evened
    if look.fault is None and not looks_typed(look):
        made = as_it_is(seen, lines, notes)
        return try_kinds((*KINDS, *LATER), look, made, depth) or made if doubtful(look) else made
    given = list(notes)
    inner = scripts.take_fenced(lines, notes)
    wrapped = inner is not None or transcripts.has_python(lines) or transcripts.has_cells(lines)
    unrun = Pasted(seen, "\n".join(lines), notes=tuple(given))
    if not wrapped and (found := try_kinds(KINDS, look, unrun, depth)):
        return found
    made = unwrap(seen, lines if inner is None else inner, notes)
    whole = made.program.strip() != "" and fault(made.program.split("\n")) is None
    if whole and not cut_off(lines, made) and not loses_code(lines, made):
        return made
    look.wrapped = wrapped
    if wrapped and not whole and (found := try_kinds(KINDS, look, unrun, depth)):
        return found
    rest = made.program.split("\n")
    loses = loses_code(lines, made)
    code = not whole and any(map(like_code, rest)) and not loses
    return try_kinds(LATER, Look(rest) if code else look, unrun, depth) or (unrun if loses else made)


def as_it_is(seen: str, lines: list[str], notes: list[Note]) -> Pasted:
    posted: list[Posted] = []
    made = scripts.strip_output(lines, posted) if scripts.has_echo(lines) else lines
    return finish(seen, lines, made, False, posted, [], notes)


def doubtful(look: Look) -> bool:
    """Whether a text that is Python by its looks does nothing, or fails at its first statement for want of a name."""
    tree = look.tree
    return idle(tree) or bool(look.unbound) or uses_other_framework(tree) or not compiles(look.all)


def looks_typed(look: Look) -> bool:
    """`In[3]: x = 1` is Python, too: an annotation; and so are prompts between the quotes of a string that is all."""
    if transcripts.has_python(look.all) and idle(look.tree):
        return True
    return transcripts.has_cells(look.all) and "In" in look.unbound


def cut_off(lines: Sequence[str], made: Pasted) -> bool:
    """Whether the last line looks like code that breaks off, and was taken for something else."""
    last = max((nr for nr, line in enumerate(lines) if line.strip()), default=0)
    if made.transcript or made.program.split("\n")[last].strip() or not like_code(lines[last]):
        return False
    return open_at_end(lines[last]) is not None and not any(map(scripts.is_shown_output, lines[last - 1 : last]))


BEGINNINGS = ("for ", "while ", "if ", "with ", "class ", "def ", "from ", "import ", "return ", "assert ")


def loses_code(lines: Sequence[str], made: Pasted) -> bool:
    """Whether a line was taken for words that is code but for a slip."""
    left_out = [nr for each in made.skipped if each.reason == WORDS for nr in range(each.first - 1, each.last)]
    last = max((nr for nr, line in enumerate(lines) if line.strip()), default=0)
    breaks_off = last in left_out and lines[last].startswith(BEGINNINGS) and lines[last - 1].strip() != ""
    return breaks_off or any(is_damaged(lines[nr]) for nr in left_out)


def try_kinds(kinds: Sequence[Kind], look: Look, made: Pasted, depth: int) -> Pasted | None:
    """What the first of `kinds` makes of a text: the program in it, or an answer; None where it is of none."""
    for kind in kinds:
        if look.fault is None and not kind.parses and not look.wrapped:
            continue
        found = kind.finds(look)
        if found is None:
            continue
        lines = kind.clean(look.all) if kind.clean is not None and depth < DEEPEST else None
        if lines is not None:
            first = next((nr for nr, (a, b) in enumerate(zip(look.all, lines, strict=False), 1) if a != b), 1)
            inner = read_text("\n".join(lines), [*made.notes, Note(first, kind.cleaned)], depth + 1)
            if runs(inner) or inner.answer is not None or (kind.keeps and inner.program.strip()):
                return inner
        if kind.firm:
            return replace(made, answer=kind.answer(found))
    return None


def runs(made: Pasted) -> bool:
    return made.answer is None and made.program.strip() != "" and compiles(made.program.split("\n"))


def unwrap(seen: str, lines: list[str], notes: list[Note]) -> Pasted:
    """The program between prompts, in cells, or among words and outputs."""
    if transcripts.has_python(lines):
        made, found, cells = transcripts.python(lines)
        return finish(seen, lines, scripts.strip_magics(made, notes), True, found, cells, notes)
    if transcripts.has_cells(lines):
        made, found, cells = transcripts.cells([*scripts.strip_magics(lines, notes)])
        return finish(seen, lines, made, True, found, cells, notes)
    return script(seen, lines, notes)


def script(seen: str, lines: list[str], notes: list[Note]) -> Pasted:
    posted: list[Posted] = []
    made = strip_numbers(lines) or lines
    made = scripts.straighten(made, notes)
    if fault(made) is not None:
        made = strip_prose(made, notes)
        made = scripts.straighten(strip_numbers(made) or made, notes)
    made = scripts.strip_output(made, posted)
    return finish(seen, lines, scripts.straighten(made, notes), False, posted, [], notes)


def finish(
    seen: str,
    lines: Sequence[str],
    program: list[str],
    transcript: bool,
    posted: list[Posted],
    cells: list[tuple[int, int]],
    notes: list[Note],
) -> Pasted:
    unique = tuple(sorted(dict.fromkeys(notes), key=lambda note: note.line))
    skipped = tuple(list_skipped(seen.split("\n"), program, posted, unique))
    return Pasted(seen, "\n".join(program), transcript, tuple(cells), tuple(posted), unique, skipped)


def list_skipped(
    seen: Sequence[str], program: Sequence[str], posted: Sequence[Posted], notes: Sequence[Note]
) -> list[Skipped]:
    """The stretches of lines with something on them of which nothing is run, each with the reason."""
    said = {note.line: note.text for note in notes}
    ends = {each.last for each in posted if each.text}
    found: list[Skipped] = []
    known = ""
    for nr, (line, code) in enumerate(zip(seen, program, strict=True), 1):
        if code.strip():
            known = OUTPUT if nr in ends else ""
        elif not line.strip():
            known = known if known == OUTPUT else ""
        else:
            known = said.get(nr, known)
            reason = known or (MARK if scripts.FENCE.match(line) or transcripts.IN.match(line) else WORDS)
            if found and found[-1].last == nr - 1 and found[-1].reason == reason:
                found[-1] = replace(found[-1], last=nr)
            else:
                found.append(Skipped(nr, nr, reason))
    return found


OUTPUT = "output that was posted: it is compared with what is printed now"
MARK = "a mark around code, not code itself"
WORDS = "words around the code were left out"
