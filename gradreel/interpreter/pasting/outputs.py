"""Posted outputs beside those of today: which are the same, and why others are not."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gradreel.trace import Trace
from gradreel.trace.events import LineReached, Printed, Raised

from .parsing import regex
from .pasted_text import Pasted, Posted

LONGEST = 120


@dataclass(frozen=True)
class Compared:
    """One posted output: what was posted and what is printed now; `reason` says why they differ, "" if they do not."""

    line: int
    posted: str
    printed: str
    same: bool
    reason: str = ""


@dataclass(frozen=True)
class Comparison:
    """All posted outputs of a program."""

    outputs: tuple[Compared, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """`7 of 9 outputs are what was posted.`, then one sentence for each that is not."""
        same = sum(one.same for one in self.outputs)
        what = "output is" if len(self.outputs) == 1 else "outputs are"
        return (
            f"{same} of {len(self.outputs)} {what} what was posted.",
            *(sentence(one) for one in self.outputs if not one.same),
        )


def sentence(one: Compared) -> str:
    then = f"printed `{short(one.posted)}` then" if one.posted else "printed nothing then"
    now = f"prints `{short(one.printed)}`" if one.printed else "prints nothing"
    return f"Line {one.line} {then} and {now} in PyTorch 2.13, because {one.reason}."


def short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."


def compare(pasted: Pasted, trace: Trace) -> Comparison | None:
    """The posted outputs beside what the program printed in this run; None where none were posted."""
    outputs = [one for one in pasted.posted if one.text.strip()]
    if not outputs:
        return None
    now = output_by_line(trace)
    if not pasted.transcript and len(outputs) == 1 and not same(clean(outputs[0].text), whole(outputs[0], now)):
        lines = line_by_line(pasted, outputs[0], trace)
        if lines is not None:
            return Comparison(tuple(lines))
    return Comparison(tuple(judge(pasted, one, whole(one, now)) for one in outputs))


ByLine = Mapping[int, Sequence[tuple[int, str]]]
"""What was printed, by line, each with its place among all."""


def output_by_line(trace: Trace) -> ByLine:
    """What each statement of the program itself printed or raised, by its line."""
    found: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    line = 0
    for place, event in enumerate(trace.events):
        if isinstance(event, LineReached) and not event.frames and not event.loops:
            line = event.line
        elif isinstance(event, Printed):
            found[line].append((place, event.text))
        elif isinstance(event, Raised) and not event.caught:
            text = f"{event.type}: {event.message}\n" if event.message else f"{event.type}\n"
            found[line].append((place, text))
    return found


def whole(posted: Posted, now: ByLine) -> str:
    texts = (each for line in range(posted.first, posted.last + 1) for each in now.get(line, ()))
    return clean("".join(text for _, text in sorted(texts)))


def line_by_line(pasted: Pasted, posted: Posted, trace: Trace) -> list[Compared] | None:
    """The output of a script, one Compared for each line, where there are as many lines now as then."""
    now: list[tuple[int, str]] = []
    line = 0
    for event in trace.events:
        if isinstance(event, LineReached):
            line = event.line
        elif isinstance(event, Printed):
            now += [(line, text) for text in clean(event.text).split("\n") if text.strip()]
        elif isinstance(event, Raised) and not event.caught:
            now.append((event.line, clean(f"{event.type}: {event.message}")))
    then = [text for text in clean(posted.text).split("\n") if text.strip()]
    if len(then) != len(now):
        return None
    return [judge(pasted, Posted(line, line, text), here) for text, (line, here) in zip(then, now, strict=True)]


# ---- what is compared

TRACE = regex(r"Traceback \(most recent call last\):?$")
RULED = regex(r"-{10,}$")
HEADED = regex(r"\w+(?:Error|Exception)\s+Traceback")
SAID = regex(r"\w*(?:Error|Exception):")
WARNED = regex(r"^\S*:\d+: \w*Warning: .*\n(?:  .*\n)?", re.M)
ADDRESS = regex(r"\b0x[0-9a-fA-F.]+")
NUMBER = regex(r"(?<![\w.])[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?!\w)|\bnan\b|\binf\b")


def clean(text: str) -> str:
    """Without blanks at ends, the frames of tracebacks and warnings."""
    text = WARNED.sub("", without_frames(text) + "\n")
    text = "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
    return re.sub(r"^(?:builtins|__main__|torch[\w.]*)\.(\w+(?:Error|Exception))", r"\1", text, flags=re.M)


def without_frames(text: str) -> str:
    """Without what stands between the head of a traceback and what it says, Python's and a notebook's."""
    if "Traceback" not in text:
        return text
    lines = text.split("\n")
    ends = find_ahead(lines, lambda line: not line[:1].isspace() and line != "")
    says = find_ahead(lines, lambda line: SAID.match(line) is not None)
    kept: list[str] = []
    at = 0
    while at < len(lines):
        if TRACE.match(lines[at].lstrip()) and ends[at + 1] < len(lines):
            at = ends[at + 1]
        elif RULED.match(lines[at]) and HEADED.match("".join(lines[at + 1 : at + 2])) and says[at + 1] < len(lines):
            at = says[at + 1]
        else:
            kept.append(lines[at])
            at += 1
    return "\n".join(kept)


def find_ahead(lines: Sequence[str], wanted: Callable[[str], bool]) -> list[int]:
    """For each line the next one that is `wanted`, itself or behind it; their number where there is none."""
    found = [len(lines)] * (len(lines) + 1)
    for nr in range(len(lines) - 1, -1, -1):
        found[nr] = nr if wanted(lines[nr]) else found[nr + 1]
    return found


def same(then: str, now: str) -> bool:
    """The same but for blanks and addresses in memory."""
    return ADDRESS.sub("0x", then).split() == ADDRESS.sub("0x", now).split()


def begins(then: str, now: str) -> bool:
    """Whether of the same error only the beginning was posted, as people do with long ones."""
    if not RAISES.match(then) or len(then.split()) < 5:
        return False
    return " ".join(now.split()).startswith(" ".join(then.split()).rstrip(".… "))


def judge(pasted: Pasted, posted: Posted, now: str) -> Compared:
    then = clean(posted.text)
    alike = same(then, now) or begins(then, now)
    return Compared(posted.last, then, now, alike, "" if alike else reason(pasted.program, then, now))


# ---- reasons, the first that holds

Reason = Callable[[str, str, str], str | None]

UNNUMBERED = regex(r"<(\w+Backward)(?: object at 0x\w+)?>")
OLD_SHAPE = regex(r"\[torch\.\w*Tensor of size [\dx, ()]+\]")
SEEDED = regex(r"manual_seed\s*\(|random\.seed\s*\(|\bseed\s*\(")
RANDOM = regex(
    r"\b(randn|rand|randint|randperm|normal_?|uniform_?|bernoulli|dropout|Dropout|Linear|Conv\w+|LSTM\w*"
    r"|GRU\w*|RNN\w*|Embedding|Transformer\w*|kaiming_\w+|xavier_\w+|shuffle|choice|random)\b"
)
RAISES = regex(r"^(\w*(?:Error|Exception)): (.*)", re.M | re.S)


def words_of(text: str) -> list[str]:
    return NUMBER.sub("#", ADDRESS.sub("0x", text)).split()


def old_variables(program: str, then: str, now: str) -> str | None:
    if "Variable containing" in then or OLD_SHAPE.search(then):
        return "before PyTorch 0.4 a tensor was written with its type below it, and one with a gradient as a Variable"
    return None


def old_names(program: str, then: str, now: str) -> str | None:
    match = UNNUMBERED.search(then)
    if match and not match[1][-1].isdigit() and re.search(re.escape(match[1]) + r"\d", now):
        if same(UNNUMBERED.sub("<>", then), re.sub(r"<\w+Backward\d+>", "<>", now)):
            return "nodes carry the number of their overload now, such as the 0 of MulBackward0"
        return "nodes carry the number of their overload now, and " + (
            numbers(program, then, now) or "other things changed"
        )
    return None


def removed_fields(program: str, then: str, now: str) -> str | None:
    if "device=" in then and "device=" not in now:
        return "it ran on a GPU, whose name tensors tell, and here everything runs on the CPU"
    if "grad_fn" in now and "grad_fn" not in then or "requires_grad=True" in now and "requires_grad=True" not in then:
        return "tensors tell their grad_fn or requires_grad now when they are written"
    return None


def numbers(program: str, then: str, now: str) -> str | None:
    """The words are the same; the numbers are not."""
    if words_of(then) != words_of(now) and len(NUMBER.findall(then)) != len(NUMBER.findall(now)):
        return None
    pairs = list(zip(NUMBER.findall(then), NUMBER.findall(now), strict=False))
    if pairs and all(near(a, b) for a, b in pairs):
        if any(len(a) != len(b) for a, b in pairs):
            return "numbers are written with other digits now"
        return "the last digits depend on the machine that added them up"
    if words_of(then) != words_of(now):
        return None
    if RANDOM.search(program):
        if not SEEDED.search(program):
            return "the program draws random numbers without a seed, so each run has its own"
        if "cuda" in program:
            return "random numbers on a GPU are others than on the CPU"
        return "random numbers are involved, and the same seed gave others in that version or order of draws"
    return None


def near(one: str, other: str) -> bool:
    a, b = float(one), float(other)
    return a == b or math.isclose(a, b, rel_tol=2e-3, abs_tol=2e-4) or (math.isnan(a) and math.isnan(b))


def errors(program: str, then: str, now: str) -> str | None:
    before, after = RAISES.search(then), RAISES.search(now)
    if before and after:
        if before[1] != after[1]:
            return f"what was a {before[1]} is a {after[1]} now"
        return "the words of this error have changed since"
    if before:
        return f"PyTorch raised a {before[1]} there then, and no longer does"
    if after:
        return f"PyTorch raises a {after[1]} there now"
    return None


def zero_dimensions(program: str, then: str, now: str) -> str | None:
    if now.startswith("tensor(") and re.fullmatch(r"\[?\s*[-\d.e+]+\s*\]?", then):
        return "a sum or an element is a tensor without dimensions since PyTorch 0.4, and was a plain number before"
    if then.startswith("tensor(") or now.startswith("tensor("):
        if "".join(then.split()) == "".join(now.split()):
            return "the columns are set in other places now"
        if re.sub(r"\.(?=[,\]\s)])", "", then).split() == re.sub(r"\.(?=[,\]\s)])", "", now).split():
            return "a point behind a number tells floating point now"
    return None


def nothing(program: str, then: str, now: str) -> str | None:
    if not now:
        return "an earlier statement ended differently, so this one printed nothing"
    return None


REASONS: tuple[Reason, ...] = (
    old_variables,
    errors,
    old_names,
    removed_fields,
    zero_dimensions,
    numbers,
    nothing,
)


def reason(program: str, then: str, now: str) -> str:
    for way in REASONS:
        found = way(program, then, now)
        if found is not None:
            return found
    return "this version of PyTorch, or the program that was run for the post, differs in it"
