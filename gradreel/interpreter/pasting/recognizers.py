"""What a text is that is no program as it stands: a table of recognisers, each with a sentence and what to do.

A recogniser either cleans the text, and the program in it is run, or answers in one sentence: what the text is, and
what to paste instead. They look at the first lines of a text and the beginning of each, so that all are fast.
"""

from __future__ import annotations

import ast
import builtins
import json
import keyword
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from ..runtime.errors import nearest
from . import cleaners, languages
from .cleaners import Cleaner
from .parsing import fault, like_code, regex, shorten, tree_or_fault, where_cut
from .pasted_text import Answer
from .scripts import is_prose
from .transcripts import without_program

LINES = 300
"""Lines with something on them that are looked at."""

Found = dict[str, str | int]
"""What a sentence tells of the text, and the `line` that it speaks of, if it does of one."""


class Look:
    """A text as recognisers see it."""

    wrapped = False
    """Whether the code in it is marked by prompts or fences, but is none."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.all = lines
        self.lines = [shorten(line) for line in islice((line for line in lines if line.strip()), LINES)]

    @cached_property
    def text(self) -> str:
        return "\n".join(self.lines)

    @cached_property
    def tree_or_error(self) -> ast.Module | SyntaxError:
        return tree_or_fault(self.all)

    @property
    def fault(self) -> SyntaxError | None:
        return self.tree_or_error if isinstance(self.tree_or_error, SyntaxError) else None

    @cached_property
    def faulty(self) -> tuple[int, str]:
        """The number and the text of the line that is no Python."""
        line = min(max((self.fault and self.fault.lineno) or 1, 1), len(self.all))
        return line, shorten(self.all[line - 1])

    @property
    def tree(self) -> ast.Module:
        return self.tree_or_error if isinstance(self.tree_or_error, ast.Module) else ast.Module([], [])

    @cached_property
    def unbound(self) -> list[str]:
        return unbound(self.tree)


@dataclass(frozen=True)
class Kind:
    """A kind of text. `what` and `instead` are filled with what was found; `clean` gives the program in it, of which
    `cleaned` tells. `firm`: where the program in it does not parse, `instead` is said; else the text is taken as
    cleaned, and Python says what is wrong. `parses`: such a text may be Python by its looks.
    """

    name: str
    finds: Callable[[Look], Found | None]
    what: str
    instead: str
    clean: Cleaner | None = None
    cleaned: str = ""
    firm: bool = True
    keeps: bool = False
    parses: bool = False

    def answer(self, found: Found) -> Answer:
        values = {key: str(value).replace("`", "'") if key == "found" else value for key, value in found.items()}
        sentence = f"{self.what}: {self.instead}.".format(**values)
        line = found.get("line")
        return Answer(self.name, sentence[0].upper() + sentence[1:], line if isinstance(line, int) else None)


def when(holds: Callable[[Sequence[str]], object]) -> Callable[[Look], Found | None]:
    """Found where `holds` gives anything for the lines."""
    return lambda look: {} if holds(look.lines) else None


def cleans(clean: Cleaner) -> Callable[[Look], Found | None]:
    """Found where cleaning finds something to do."""
    return lambda look: None if clean(look.all) is None else {}


# ---- single recognisers

NAMED_VALUE = regex(r"\s*(?:import|from|print|[A-Za-z_]\w*\s*=)(?!\w)")
PRINTED = regex(
    r"\s*(?:tensor\(|Variable containing|Parameter containing|torch\.Size\(|<\w+ object at 0x|\w*(?:Dict|dict)\(\[\("
    r"|\{'\w+': tensor\(|[A-Z]\w*\((?:in_features=|\d+, \d+, kernel_size|$)|-?\d+\.\d+\s*$)"
)
"""What the first line of an output is."""
MODULE = regex(r"\s*\(\w+\): [A-Z]\w*\(|\s*\)|[A-Z]\w*\($")
SUMMARY = regex(r"\s*Layer \(type|\s*\| Name\s+\| Type")


def is_printed(lines: Sequence[str]) -> bool:
    if any(map(SUMMARY.match, lines[:3])) or languages.most(lines, MODULE, 1.0):
        return True
    return bool(lines) and PRINTED.match(lines[0]) is not None and not any(map(NAMED_VALUE.match, lines))


URL = regex(
    r"\s*(?:[-*]\s+|<|\[[^\]]{0,100}\]\()?(?:https?://|www\.|ftp://|(?:github|pytorch|stackoverflow"
    r"|colab\.research\.google|huggingface|arxiv|gist\.github|discuss\.pytorch)\.(?:com|org|co)\b)\S*\s*$"
)
PATH = regex(
    r"\s*[\"'`]?(?:file:///?|[A-Za-z]:[\\/]|~?/|\.{1,2}[\\/]|\\\\)?(?:[\w .@+~()-]{1,100}[\\/]){0,30}"
    r"[\w .@+-]{1,100}\.(?:py|pyc|ipynb|txt|pth?|csv|json|md|cpp|cu|h|ya?ml|log|zip|pkl|toml|sh|npz?"
    r"|rst|png|jpe?g|gif|svg|pdf)[\"'`]?(?::\d+){0,2}\s*$"
)
FOLDER = regex(
    r"\s*(?:~|\.{1,2})?[/\\][\w.@+~/\\-]{1,300}+\s*+$"
    r"|\s*[A-Za-z]:\\[\w .@+~()\\-]{0,300}$"
)
CONFLICT = regex(r"(?:<{7}|>{7}|\|{7}|={7})(?:\s|$)")
SPEAKER = regex(
    r"\s*[*_#>]{0,3}\s?(?:User|Assistant|Human|AI|System|Bot|You|Me|Student|Teacher|TA|Prof|Q|A|Question|Answer"
    r"|Customer|Support|\w{1,20} said)\s?[*_]{0,2}\s?\d{0,2}\s?:"
)
STAMPED = regex(
    r"\s*\[?(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4},?\s+)?\d{1,2}:\d\d(?::\d\d)?"
    r"\s?(?:[AaPp]\.?[Mm]\.?)?\]?,?\s?[-–]?\s?<?@?[\w .]{1,30}>?\s?:"
    r"|\s*[\w][\w .]{0,30}\s+(?:[—–-]\s)?(?:\[?(?:Today"
    r"|Yesterday)?(?:\s?at)?\s?\d{1,2}:\d\d\s?(?:[AaPp][Mm])?\]?)\s*$|\s*<@?[\w.]{2,30}>\s"
)
NAMED = regex(r"\s*@?[A-Z][a-z]{1,20}\s?:\s+\S")


def find_conflict(look: Look) -> Found | None:
    at = [nr for nr, line in enumerate(look.all, 1) if CONFLICT.match(line)]
    return {"first": at[0], "last": at[-1], "line": at[0]} if len(at) > 1 and at[0] != at[-1] else None


def traceback(look: Look) -> Found | None:
    return {} if without_program(look.lines) == "traceback" else None


def error(look: Look) -> Found | None:
    return {} if without_program(look.lines) == "error" else None


def path(look: Look) -> Found | None:
    few = len(look.lines) <= 3 and all(PATH.match(line) or FOLDER.match(line) for line in look.lines)
    return {"found": look.lines[0].strip()[:80]} if few and look.lines else None


def tool(look: Look) -> Found | None:
    if look.text.lstrip()[:1] in ("{", "["):
        try:
            json.loads("\n".join(look.all))
            return {"found": "JSON"}
        except (ValueError, RecursionError):
            pass
    found = languages.format_of(look.lines)
    return None if found is None else {"found": found}


def language(look: Look) -> Found | None:
    found = languages.language_of(look.lines, 0.5)
    if found is None:
        return None
    return {
        "found": found,
        "instead": "paste the Python code that goes with it" if found in languages.DATA else PYTHON_ONLY,
    }


def framework(look: Look) -> Found | None:
    """By the modules that a program imports and uses; where it does not parse, by the names that occur."""
    if look.fault is not None:
        found = languages.framework_in(look.text)
    else:
        imported = dict(imports(look.tree))
        used = {node.id for node in ast.walk(look.tree) if isinstance(node, ast.Name)}
        if "torch" in imported.values():
            return None
        found = languages.framework_of(module for name, module in imported.items() if name in used or name == "*")
        found = found or languages.framework_of(look.unbound[:1])
    return None if found is None else {"found": found, "instead": languages.counterpart("\n".join(look.all))}


def imports(tree: ast.Module) -> list[tuple[str, str]]:
    """The names that imports of a program bind, outside `try`, each with the first part of its module."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            found += [
                ((each.asname or each.name).partition(".")[0], each.name.partition(".")[0]) for each in node.names
            ]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(each.asname or each.name, node.module.partition(".")[0]) for each in node.names]
    return found


def chat(look: Look) -> Found | None:
    said = sum(SPEAKER.match(line) is not None for line in look.lines)
    stamped = sum(STAMPED.match(line) is not None for line in look.lines)
    named = [match[0].strip() for line in look.lines if (match := NAMED.match(line))]
    return {} if said >= 1 or stamped >= 2 or (len(named) >= 2 and 2 * len(named) >= len(look.lines)) else None


def chat_alone(look: Look) -> Found | None:
    return None if any(map(like_code, look.lines)) else chat(look)


OLD = (
    (regex(r"\s*print\s+(?![=(])(?:>>\s*\S+,\s*)?(?P<b>[^#]+?)\s*(?:#|$)"), r"`print(\g<b>)`"),
    (regex(r"\s*except\s+(?P<a>[\w.]+|\([\w., ]+\))\s*,\s*(?P<b>[a-z_]\w*)\s*:"), r"`except \g<a> as \g<b>:`"),
    (regex(r"\s*raise\s+(?P<a>[\w.]+)\s*,\s*(?P<b>.+?)\s*$"), r"`raise \g<a>(\g<b>)`"),
    (regex(r"\s*exec\s+['\"\w].*?\s*$"), "the statements themselves"),
    (regex(r".*?(?<![\w.\])])(?P<a>[\w.\])]++)\s*<>\s*(?P<b>[\w.\"']+)"), r"`\g<a> != \g<b>`"),
    (regex(r".*?(?<![\w.])(?P<b>\d+)[lL]\b"), r"`\g<b>`"),
    (regex(r".*?\bur(?P<b>['\"][^'\"]*['\"])"), r"`r\g<b>`"),
    (regex(r".*?(?<![\w.-])0(?P<b>[0-7]+)\b(?![.\w])"), r"`0o\g<b>`"),
    (regex(r".*?`(?P<b>[\w.]+)`"), r"`repr(\g<b>)`"),
    (regex(r"\s*def\s+\w+\(.*\(\w+,\s*\w+\).*\)\s*:"), "one name there, and take it apart in the body"),
)
"""What Python 2 knew, and what is written for it now."""


def old_python(look: Look) -> Found | None:
    line, text = look.faulty
    if fault([text.strip()]) is None:
        return None
    for pattern, now in OLD:
        match = pattern.match(text)
        if match and not (pattern is OLD[0][0] and is_prose(text)):
            return {"line": line, "found": match[0].strip(), "write": match.expand(now)}
    return None


NEW = (
    (regex(r"\s*type\s+\w+(?:\[[^\]]*\])?\s*="), "3.12", "leave `type` out"),
    (regex(r"\s*(?:async\s+)?(?:def|class)\s+\w+\s*\["), "3.12", "leave the brackets behind the name out"),
    (regex(r".*?\b[tT][rR]?[\"']"), "3.14", "write an f-string"),
    (regex(r"\s*except\*?\s+[\w.]+(?:\s*,\s*[\w.]+)+\s*:"), "3.14", "put the types in brackets"),
    (regex(r"\s*lazy\s+(?:import|from)\b"), "3.15", "leave `lazy` out"),
    (
        regex(r".*?\b[rR]?[fF][rR]?([\"']).*\{.*\1.*\}.*\1"),
        "3.12",
        "use other quotes inside the braces than around the string",
    ),
    (regex(r".*?\b[rR]?[fF][rR]?[\"'].*\{[^}]*\\"), "3.12", "take the backslash out of the braces"),
)
"""What later versions of Python know, and what does the same."""


def new_python(look: Look) -> Found | None:
    line, text = look.faulty
    if fault([text.strip()]) is None or fault([f"{text.strip()} pass"]) is None:
        return None
    for pattern, version, instead in NEW:
        if pattern.match(text):
            here = f"{sys.version_info.major}.{sys.version_info.minor}"
            return {"line": line, "found": text.strip()[:60], "version": version, "here": here, "instead": instead}
    return None


OCR = regex(
    r".*?\b(?P<a>[il1]rnport|[l1|]mport|irn[po]{2}rt|impor[fl]|prl?[1l]nt|prin[fl]\(|retum|retu[mn]n|torcb"
    r"|toreh|tarch|c[1i]ass|se[1i]f\.|de[fl]_|frorn|fr0m|wh[1l]{2}e|wi[1l]h|tens[0o]n?r?\(\(|requlres"
    r"|backwar[cl]|[0-9][lO][.,\d]|\bl\.\s?[\d,\])]|\.0[a-z]{2})"
)
SPACED = regex(r".*\w \. \w.*\(|.*\w \( .*\)")


def read_off(look: Look) -> Found | None:
    """Letters taken for others, or blanks around every sign."""
    for nr, line in enumerate(look.all[:LINES], 1):
        match = OCR.match(shorten(line))
        if match and fault([line.strip()]) is not None:
            return {"line": nr, "found": match["a"].strip()}
    spaced = sum(SPACED.match(line) is not None for line in look.lines)
    return {"line": look.faulty[0], "found": look.faulty[1].strip()[:60]} if 2 * spaced > len(look.lines) else None


WORDS = (
    *("import", "from", "def", "class", "return", "for", "while", "if", "elif", "else", "try", "except"),
    *("finally", "with", "print", "assert", "lambda", "raise", "yield"),
)
OTHERWISE = {
    "elseif": "elif",
    "elsif": "elif",
    "function": "def",
    "func": "def",
    "include": "import",
    "catch": "except",
    "foreach": "for",
}
"""What other languages say for it."""
BEFORE = {"elif": "if x: pass\n", "else": "if x: pass\n", "except": "try: pass\n", "finally": "try: pass\n"}
FIRST = regex(r"\s*([A-Za-z]{2,12})\b")


def misspelt(look: Look) -> Found | None:
    line, text = look.faulty
    found = guess_word(text)
    return {"line": line, "found": found[0], "write": found[1]} if found is not None else None


def guess_word(text: str) -> tuple[str, str] | None:
    """The first word of a line and the one that was meant, if the line is Python with that."""
    match = FIRST.match(text)
    if match is None or keyword.iskeyword(match[1].lower()) or match[1] in WORDS:
        return None
    moved = next((word for word in WORDS if sorted(word) == sorted(match[1])), None)
    meant = OTHERWISE.get(match[1]) or moved or nearest(match[1], WORDS)
    if meant is None:
        return None
    form = BEFORE.get(meant, "") + meant + text[match.end() :]
    return (match[1], meant) if fault([form]) is None or fault([form + " pass"]) is None else None


def is_damaged(line: str) -> bool:
    """Whether a line is code but for letters that were misspelt or misread."""
    return guess_word(shorten(line)) is not None or OCR.match(shorten(line)) is not None


PLACEHOLDER = regex(
    r".*?(?P<a><{1,2}\s?[A-Za-z][\w .,'/-]{0,60}>{1,2}|\{\{[^{}]{1,60}\}\}|\[\s?(?:your|insert|put|add|some"
    r"|the|path|my)\b[^\[\]]{0,60}\]"
    r"|\(\s?(?:your|insert|put|add)\s[^()]{0,60}\)|(?<!\w)_{3,}(?!\w)|(?<!\w)\?{2,}"
    r"|(?<![\w.])\.\.\.\s?\w[\w ]{2,60}|«[^»]{1,60}»"
    r"|\b(?:your|insert|some)\s\w+(?:\s\w+)?\shere\b|\$\{[^{}]{1,60}\}|(?<!\w)%\w{2,30}%)",
    re.I,
)


def placeholder(look: Look) -> Found | None:
    if look.fault is None:  # `{{name}}` is a set of a set to Python, of which there is none
        nested = (
            node for node in ast.walk(look.tree) if isinstance(node, ast.Set) and isinstance(node.elts[0], ast.Set)
        )
        found = next(nested, None)
        if found is None:
            return None
        text = ast.get_source_segment("\n".join(look.all), found) or ""
        return {"line": found.lineno, "found": shorten(" ".join(text.split()))}
    line, text = look.faulty
    match = PLACEHOLDER.match(text)
    if match and "Backward" in match["a"]:
        return None
    return {"line": line, "found": match["a"]} if match and not is_prose(text.replace(match["a"], "0")) else None


def find_flattened(look: Look) -> Found | None:
    """Blocks without any indentation."""
    said = look.fault.msg if look.fault is not None else ""
    if not (said or "").startswith("expected an indented block") or any(line[:1].isspace() for line in look.lines):
        return None
    line, text = look.faulty
    before = next((each for each in reversed(look.all[: line - 1]) if each.strip()), "")
    return {"line": line} if text.strip() and before.rstrip().endswith(":") else None


def cut(look: Look) -> Found | None:
    found = where_cut(look.all)
    return None if found is None else {"line": found[0], "place": found[1]}


def headless(look: Look) -> Found | None:
    """A program whose first line begins in the middle."""
    first = next((nr for nr, line in enumerate(look.all) if line.strip()), 0)
    line = look.all[first]
    rest = list(look.all[first + 1 :])
    if not any(map(like_code, rest)) or fault(rest) is not None or fault([line]) is None:
        return None
    closes = sum(line.count(sign) for sign in ")]}") > sum(line.count(sign) for sign in "([{")
    return (
        {"line": first + 1, "found": line.strip()[:60]}
        if closes or line[:1].islower() and not like_code(line)
        else None
    )


FOREIGN = regex(r"[^\W\d_a-zA-Z]{2}")
WORD = regex(r"[^\W\d_]{2,}")
CODED = regex(r"[=(\[{]")


def prose(look: Look) -> Found | None:
    """Sentences, of any language, rather than statements."""
    wordy = [
        line for line in look.lines if is_prose(line) or (FOREIGN.search(line) and fault([line.strip()]) is not None)
    ]
    code = [line for line in look.lines if like_code(line) and line not in set(wordy)]
    return {} if wordy and len(wordy) > 2 * len(code) else None


def nothing(look: Look) -> Found | None:
    if not WORD.search(look.text) or any(like_code(line) or CODED.search(line) for line in look.lines):
        return None
    return {}


# ---- names that nothing gives a value

GIVEN = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "exit", "quit", "display", "get_ipython"}


def unbound(tree: ast.Module) -> list[str]:
    """The names that the first statements need, before any import, and that nothing gives a value."""
    bound = is_bound_anywhere(tree)
    for node in tree.body[:FIRST_FEW]:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return []
        if missing := [name for name in is_needed_at_once(node) if name not in bound]:
            return missing
    return []


def is_bound_anywhere(tree: ast.Module) -> set[str]:
    """The names that anything in a program gives a value, at whatever depth."""
    bound = set(GIVEN)
    for node in ast.walk(tree):
        if not isinstance(node, BINDS):
            continue
        match node:
            case ast.Name(ctx=ast.Store()):
                bound.add(node.id)
            case ast.alias():
                bound.add((node.asname or node.name).partition(".")[0])
            case ast.arg():
                bound.add(node.arg)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                bound.add(node.name)
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
                bound.add(node.name or "")
            case ast.MatchMapping():
                bound.add(node.rest or "")
    return bound


BINDS = (
    *(ast.Name, ast.alias, ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping),
)


def is_needed_at_once(statement: ast.stmt) -> list[str]:
    """The names that a statement cannot do without; those in blocks, functions and comprehensions may go unasked."""
    found: list[str] = []
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Name(ctx=ast.Load()):
                found.append(node.id)
            case ast.BoolOp():
                waiting.append(node.values[0])
            case ast.IfExp():
                waiting.append(node.test)
            case _ if not isinstance(node, LATER_OR_NEVER):
                waiting += reversed(list(ast.iter_child_nodes(node)))
    return found


LATER_OR_NEVER = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Try, ast.TryStar, ast.Match),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.If, ast.While, ast.For, ast.AsyncFor),
    *(ast.With, ast.AsyncWith),
)
FIRST_FEW = 3


FORMULA = regex(r"\s*(?:[A-Za-z]\w{0,3}\([A-Za-z](?:,\s?[A-Za-z]){0,3}\)|[A-Za-z])\s*=\s*[\w\s^+*/().²³√π·-]{1,120}$")
UNLIKE_PYTHON = regex(r".*(?:\d[A-Za-z(]|[²³√π·^]|\)\s*=)")


def formula(look: Look) -> Found | None:
    few = 0 < len(look.lines) <= 2 and all(FORMULA.match(line) for line in look.lines)
    return {"found": look.lines[0].strip()[:60]} if few and UNLIKE_PYTHON.match(look.text) else None


def idle(tree: ast.Module) -> bool:
    """Whether every statement is a mere annotation or value, or all is a string, or data with a program in it."""
    first = tree.body[0] if tree.body else None
    if isinstance(first, ast.Expr) and len(tree.body) == 1:
        value = first.value.elts[0] if isinstance(first.value, ast.List) and first.value.elts else first.value
        texts = [
            part.value for part in ast.walk(value) if isinstance(part, ast.Constant) and isinstance(part.value, str)
        ]
        return (isinstance(value, ast.Dict) and any("\n" in text for text in texts)) or (
            isinstance(value, ast.Constant) and texts != []
        )
    return bool(tree.body) and all(
        (isinstance(node, ast.AnnAssign) and node.value is None)
        or (
            isinstance(node, ast.Expr)
            and isinstance(node.value, (ast.Tuple, ast.Constant))
            and not does_something(node.value)
        )
        for node in tree.body
    )


def does_something(node: ast.AST) -> bool:
    return any(isinstance(part, (ast.Call, ast.NamedExpr, ast.Await)) for part in ast.walk(node))


def uses_other_framework(tree: ast.Module) -> bool:
    """Whether a program imports another framework than PyTorch, which is not here."""
    modules = {module for _, module in imports(tree)}
    return "torch" not in modules and languages.framework_of(modules) is not None


ENTITIES = {"lt", "gt", "amp", "quot", "nbsp"}


def escaped_names(look: Look) -> Found | None:
    """HTML's entities; where the text happens to be Python, `gt` of `x &gt; 2` is a name that nothing gives a value."""
    if look.fault is None and not ENTITIES & set(find_unbound(look.tree)):
        return None
    return cleans(cleaners.unescape_entities)(look)


def find_unbound(tree: ast.Module) -> set[str]:
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Load)} - is_bound_anywhere(tree)


# ---- the table

LOOK_UP = "paste the program that raises it, or look in the gallery for what the error means"
PYTHON_ONLY = "write it in Python with PyTorch, for only such programs run here"

KINDS: tuple[Kind, ...] = (
    Kind(
        "URL",
        when(lambda lines: lines and all(URL.match(line) for line in lines)),
        "This is an address on the web, and nothing is fetched from there",
        "open it and paste the code that it shows",
        parses=True,
    ),
    Kind(
        "file path",
        path,
        "This is the name of a file, `{found}`, and no file is read here",
        "open it and paste what is in it",
        parses=True,
    ),
    Kind(
        "wide characters",
        cleans(cleaners.drop_null_bytes),
        "This text has two bytes for each character",
        "save the file as UTF-8, and paste it anew",
        cleaners.drop_null_bytes,
        "the text had two bytes for each character, and the empty ones were taken off",
    ),
    Kind(
        "colours",
        cleans(cleaners.strip_colours),
        "These are lines of a terminal, with its colours",
        "paste the program alone",
        cleaners.strip_colours,
        "the colours of the terminal were taken off",
    ),
    Kind(
        "notebook strings",
        cleans(cleaners.from_strings),
        "These are lines of a notebook's file",
        "open the notebook and paste its cells",
        cleaners.from_strings,
        "these were the strings of a notebook's file, and were made lines of code",
    ),
    Kind(
        "one string",
        cleans(cleaners.read_literal),
        r"This is a program written as one string, with `\n` for its line ends",
        "paste what it prints",
        cleaners.read_literal,
        r"`\n` was made the end of a line",
        parses=True,
        firm=False,
    ),
    Kind(
        "HTML",
        escaped_names,
        "This is HTML",
        "paste the code as the page shows it",
        cleaners.unescape_entities,
        "HTML's signs, such as `&gt;` for `>`, were made plain characters",
        firm=False,
        parses=True,
    ),
    Kind(
        "merge conflict",
        find_conflict,
        "Lines {first} to {last} hold two versions of a program, from a merge with a conflict",
        "keep one of them, and delete the lines of `<<<<<<<`, `=======` and `>>>>>>>`",
    ),
    Kind(
        "grep",
        lambda look: {} if cleaners.is_grep_output(look.all) else None,
        "These are lines that grep picked out of files",
        "paste the file itself",
        cleaners.strip_grep,
        "file names and line numbers before the code were taken off",
    ),
    Kind(
        "installer", when(languages.is_installer), "This is what pip or conda printed", "paste the Python program alone"
    ),
    Kind("output", when(is_printed), "This is what a program printed", "paste the program itself", parses=True),
    Kind("traceback", traceback, "This is a traceback without its program", LOOK_UP, parses=True),
    Kind("error", error, "This is an error message without its program", LOOK_UP, parses=True),
    Kind("other diff", when(cleaners.other_diff), "This is a diff", "paste the whole file as it is after the change"),
    Kind(
        "diff",
        cleans(cleaners.new_side),
        "This is a diff",
        "paste the whole file as it is after the change",
        cleaners.new_side,
        "this is a diff: the new side is run, and what it removes stands as a comment",
    ),
    Kind(
        "line numbers",
        cleans(cleaners.strip_numbers),
        "These lines have numbers",
        "paste them without",
        cleaners.strip_numbers,
        "the line numbers were taken off",
        keeps=True,
    ),
    Kind(
        "numbered cells",
        cleans(cleaners.from_numbered_cells),
        "These are cells of a notebook with their numbers",
        "paste the code without",
        cleaners.from_numbered_cells,
        "the numbers of cells were taken off",
        keeps=True,
    ),
    Kind(
        "quoted",
        cleans(cleaners.strip_quotes),
        "This is quoted mail",
        "paste the program alone",
        cleaners.strip_quotes,
        "the marks of quoted mail were taken off",
        keeps=True,
    ),
    Kind(
        "quoted words",
        cleans(cleaners.strip_quoted_words),
        "This is quoted mail",
        "paste the program alone",
        cleaners.strip_quoted_words,
        "the marks of quoted mail were taken off",
    ),
    Kind(
        "continuation dots",
        cleans(cleaners.strip_dots),
        "These are lines from a Python prompt",
        "paste them without the dots",
        cleaners.strip_dots,
        "the dots of the prompt were taken off",
        keeps=True,
    ),
    Kind(
        "emphasis",
        cleans(cleaners.strip_emphasis),
        "These lines have the signs of Markdown around them",
        "paste the code without",
        cleaners.strip_emphasis,
        "Markdown's signs around every line were taken off",
    ),
    Kind(
        "forum",
        cleans(cleaners.strip_furniture),
        "This is a page of a forum",
        "paste the program from it alone",
        cleaners.strip_furniture,
        "votes, names and buttons of a page stand as comments",
        keeps=True,
    ),
    Kind(
        "emoji",
        cleans(cleaners.strip_shortcodes),
        "There are emoji between the code",
        "paste the program alone",
        cleaners.strip_shortcodes,
        "emoji that were written as words were taken out",
        keeps=True,
    ),
    Kind(
        "list",
        cleans(cleaners.strip_bullets),
        "This is a list",
        "paste the program without the marks of a list",
        cleaners.strip_bullets,
        "the marks of a list were taken off",
        parses=True,
    ),
    Kind(
        "bars",
        cleans(cleaners.strip_bars),
        "These lines have bars around them, as from a table or a picture",
        "paste the code as text",
        cleaners.strip_bars,
        "the bars around the lines were taken off",
    ),
    Kind("conversation", chat_alone, "This is a conversation", "paste the program from it, if there is one"),
    Kind(
        "JSON",
        cleans(cleaners.from_json),
        "This is JSON with a program in it",
        "paste the program alone",
        cleaners.from_json,
        "the program was taken out of JSON",
        parses=True,
    ),
    Kind("settings", tool, "This is {found}, and no program", "paste the Python code that goes with it", parses=True),
    Kind(
        "formula",
        formula,
        "This is a formula, `{found}`",
        "write `*` between factors and `**` for powers, as in `3*x**2`",
        parses=True,
    ),
    Kind("language", language, "This is {found}, and no Python", "{instead}", parses=True),
    Kind(
        "framework",
        framework,
        "This is {found}, and only PyTorch runs here",
        "write it in PyTorch, where {instead}",
        parses=True,
    ),
    Kind(
        "shell",
        when(languages.is_shell),
        "These are commands for a shell, and nothing is installed or started here",
        "paste the Python program alone",
        parses=True,
    ),
)
"""Of these the likeness is so great that no program is looked for in the text before. The first to find
something counts."""

LATER: tuple[Kind, ...] = (
    Kind(
        "backslashes",
        cleans(cleaners.strip_backslashes),
        "There are backslashes before signs, as Markdown has them",
        "paste the code without",
        cleaners.strip_backslashes,
        "backslashes before signs, as Markdown has them, were taken off",
    ),
    Kind("conversation", chat, "This is a conversation", "paste the program from it alone"),
    Kind(
        "flattened",
        find_flattened,
        "Line {line} should stand further in, and so may others, for the indentation of this text was lost",
        "copy it anew from where it has it",
    ),
    Kind(
        "picture",
        read_off,
        "Line {line} looks as if it had been read off a picture, with `{found}` in it",
        "paste the code as text",
    ),
    Kind("misspelt", misspelt, "Line {line} begins with `{found}`, which is no word of Python", "write `{write}`"),
    Kind(
        "placeholder",
        placeholder,
        "In line {line}, `{found}` stands for something that is still to be filled in",
        "write your own code in its place",
        parses=True,
    ),
    Kind("Python 2", old_python, "Line {line} is Python 2, `{found}`, and Python 3 runs here", "write {write}"),
    Kind(
        "newer Python",
        new_python,
        "Line {line} is syntax of Python {version}, `{found}`, and here Python {here} runs",
        "{instead}",
    ),
    Kind("cut", cut, "The program is cut off in line {line}, {place}", "paste it to its end"),
    Kind(
        "one line",
        cleans(cleaners.split_up),
        "These are several statements on one line",
        "put each on a line of its own",
        cleaners.split_up,
        "statements that stood on one line were put on lines of their own",
    ),
    Kind("headless", headless, "The program begins in the middle of a line, `{found}`", "paste it from its beginning"),
    Kind("prose", prose, "This is text in words, and no program", "paste the Python code that it is about"),
    Kind("nothing", nothing, "There is no Python in this text", "paste a program"),
)
"""These are asked where no program was found in the text."""
