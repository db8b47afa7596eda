"""The command line: `python -m gradreel run PROGRAM.py`, `explain PROGRAM.py`, `export PROGRAM.py -o OUT.html`, and
`serve`.

Programs run as on the page: in a process of their own, locked down and limited.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import io
import json
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from .explain import Diagnosis, diagnose
from .explaining import explain
from .host import run_program, split_reply
from .host.settings import Unreadable, settings, settle_here
from .host.truncation import left_out
from .interpreter import compare, paste, point_at_error
from .player.export import export_html
from .trace import Trace
from .trace import events as e

FINISHED, RAISED, UNUSABLE, STOPPED = 0, 1, 2, 3
SYNTAX = ("SyntaxError", "IndentationError", "TabError")
UNNAMED = ("Unsupported", "NoProgram", "ErrorMessage")
"""What the sentence says well enough without its name."""
EXITS = """\
exit status: 0 the program finished, 1 it raised an exception that nothing caught (a transcript: at least one),
2 it cannot be used or was refused, 3 a budget or the time limit stopped it"""

SETTINGS = "Settings come from the environment (GRADREEL_ADDRESS, GRADREEL_PORT, ...); deploy/README.md has them all."


def parser() -> argparse.ArgumentParser:
    main = argparse.ArgumentParser("gradreel", description="Watch autograd, frame by frame.", epilog=EXITS)
    commands = main.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run a program and print what it prints", epilog=EXITS)
    export = commands.add_parser("export", help="write one offline HTML file with the player", epilog=EXITS)
    why = commands.add_parser("explain", help="say what goes wrong in a program, and which edits mend it", epilog=EXITS)
    for command in (run, export, why):
        command.add_argument("program", help="a file with a PyTorch program, or - for standard input")
        kind = command.add_mutually_exclusive_group()
        kind.add_argument("--transcript", action="store_true", help="go on after an error, as at a >>> prompt")
        kind.add_argument("--script", action="store_true", help="stop at the first error")
    run.add_argument("--json", metavar="TRACE.json", help="write the trace to this file")
    why.add_argument("--json", action="store_true", help="print the diagnoses as JSON, with the edited programs whole")
    export.add_argument("--step", type=int, metavar="N", help="the step at which the page opens; else its last")
    commands.add_parser("serve", help="serve the page, with a content security policy and /health", epilog=SETTINGS)
    export.add_argument("-o", "--output", required=True, metavar="OUT.html", help="the file to write")
    return main


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status."""
    gc.freeze()  # modules stay to the end, and need not be looked through then
    given = parser().parse_args(arguments)
    try:
        settings()
    except Unreadable as error:
        return complain(str(error))
    if given.command == "serve":
        return served()
    settle_here(settings(), "own")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what a program prints may be no text that the terminal can show
            stream.reconfigure(errors="backslashreplace")
    try:
        source = read(given.program)
    except (OSError, UnicodeDecodeError) as error:
        return complain(f"{given.program} cannot be read: {error}")
    mode = "transcript" if given.transcript else "script" if given.script else None
    want = "both" if given.command == "export" else "trace"
    head, scene, record = ask(source, mode, want)
    if not head["ok"]:
        say(f"gradreel: {head['message']}", sys.stderr)
        return STOPPED
    trace = Trace.from_json(gzip.decompress(record).decode())
    if given.command == "explain":
        return explained(trace, given.program, given.json, source)
    try:
        if given.command == "export":
            Path(given.output).write_text(export_html(scene, given.step), encoding="utf-8")
        elif given.json:
            Path(given.json).write_text(trace.to_json(), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        return complain(f"the file cannot be written: {error}")
    return report(trace, given.program, given.command == "export", source)


def served() -> int:
    """Serve the page; its settings come from the environment."""
    try:
        from .host.serve import serve
    except ModuleNotFoundError as error:
        return complain(f"to serve the page, {error.name} has to be installed: pip install -r requirements.txt")
    try:
        serve(settings())
    except Unreadable as error:
        return complain(str(error))
    return FINISHED


def explained(trace: Trace, path: str, as_json: bool, source: str) -> int:
    """Print what is wrong and what mends it; the exit status is that of the run."""
    cut_short = trace.outcome.kind in ("refused", "stopped")
    status = report(trace, path, True, source) if cut_short else RAISED if any(uncaught(trace)) else FINISHED
    if trace.outcome.kind == "refused" and not as_json:
        return status
    found = explain(trace, isolated=True)
    if as_json:
        say(json.dumps(found, ensure_ascii=False, indent=1))
    elif not found:
        say(unexplained(trace))
    for entry in [] if as_json else found:
        say("\n".join([entry["title"], f"  {entry['story']}"]))
        for mend in entry["mends"]:
            lost = "" if mend["fixes"] else f"Only ends the error, and {mend['lost']}: "
            say(f"\n  Mend: {lost}{mend['title']} ({mend['cost']})")
            say("\n".join(f"    {line}" for line in mend["diff"].splitlines()))
    return status


def unexplained(trace: Trace) -> str:
    """What is said of a run of which nothing is told."""
    last = next(reversed(list(uncaught(trace))), None)
    if last is None:
        return "Nothing is wrong with this program."
    error = f"{last.type}: {last.message}" if last.message else last.type
    return f"Line {last.line} raises `{error}`. What led to it is not known here."


def read(path: str) -> str:
    return sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")


def complain(text: str) -> int:
    say(f"gradreel: {text}", sys.stderr)
    return UNUSABLE


def ask(source: str, mode: str | None, want: str) -> tuple[dict[str, Any], bytes, bytes]:
    request = {"source": source, "mode": mode, "want": want, "expression": False}
    terminal = sys.stderr.isatty()
    answer = run_program(json.dumps(request).encode(), show_progress if terminal else None)
    if terminal:
        sys.stderr.write(CLEAR)
    return split_reply(answer)


CLEAR = "\r\x1b[K"
"""Empties the line of a terminal."""


def show_progress(progress: dict[str, Any]) -> None:
    """Write how far a run has come over what was written of it before."""
    of = f" of {progress['total']:,}" if progress["total"] else ""
    turn = f"turn {progress['turn']:,}{of} of the loop on line" if progress["turn"] else "line"
    said = f": {progress['printed']}" if progress["printed"] else ""
    text = visible(f"{turn} {progress['line']}, {progress['seconds']:.0f} s{said}".replace("\n", " "))
    sys.stderr.write(CLEAR + text[: shutil.get_terminal_size().columns - 1])
    sys.stderr.flush()


# ---- telling


ACTING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal acts on instead of showing it, line ends and tabs aside, and what turns the order of letters."""


def visible(text: str) -> str:
    """`text` with what a terminal would act on as escapes: it came from a program, or from a file of any name."""
    return ACTING.sub(lambda found: f"\\x{ord(found[0]):02x}" if found[0] < " " else f"\\u{ord(found[0]):04x}", text)


def say(text: str, stream: TextIO | None = None) -> None:
    """Print `text` as it may stand on a terminal, and in JSON."""
    print(visible(text), file=stream or sys.stdout)


def report(trace: Trace, path: str, quiet: bool, source: str) -> int:
    """Print what the program printed, then on standard error what went wrong and why; the exit status."""
    if not quiet:
        printed = "".join(event.text for event in trace.events if isinstance(event, e.Printed))
        sys.stdout.write(visible(printed) if sys.stdout.isatty() else printed)
        sys.stdout.flush()
    for line in complaints(trace, path, source):
        say(line, sys.stderr)
    kind = trace.outcome.kind
    if kind in ("refused", "stopped"):
        return UNUSABLE if kind == "refused" else STOPPED
    return RAISED if any(uncaught(trace)) else FINISHED


def uncaught(trace: Trace) -> Iterable[e.Raised]:
    return (event for event in trace.events if isinstance(event, e.Raised) and not event.caught)


def complaints(trace: Trace, path: str, source: str) -> Iterable[str]:
    """What was left out of the `source` as it was given, warnings, errors and their explanations, line by line."""
    lines, pasted = trace.source.splitlines(), paste(source)
    for note in pasted.notes:
        yield f"{path}:{note.line}: {note.text}"
    yield from (f"{path}: {sentence}" for sentence in left_out(trace))
    for event in trace.events:
        if isinstance(event, e.Warned):
            yield f"{path}:{event.line}: {event.category}: {event.message}"
        elif isinstance(event, e.Raised) and not event.caught:
            if trace.outcome.kind == "raised" and trace.outcome.message:  # what was raised last: with a suggestion
                event = replace(event, message=trace.outcome.message)
            yield from traceback(event, path, lines)
    outcome = trace.outcome
    if outcome.kind in ("refused", "stopped"):
        at = f"{path}, line {outcome.line}: " if outcome.line is not None else f"{path}: "
        name = f"{outcome.type}: " if outcome.kind == "refused" and outcome.type not in UNNAMED else ""
        yield at + name + str(outcome.message)
        if outcome.type in SYNTAX:
            yield from point_at_error(trace.source)
    for found in diagnose(trace):
        yield from explanation(found)
    compared = compare(pasted, trace)
    if compared is not None:
        yield from ("", *compared.sentences)


def traceback(raised: e.Raised, path: str, lines: Sequence[str]) -> Iterable[str]:
    """The error as Python shows it, with the program's own lines only."""
    places = [*(line for _, line in raised.frames), raised.line]
    names = ["<module>", *(name for name, _ in raised.frames)]
    yield "Traceback (most recent call last):"
    for name, line in zip(names, places, strict=True):
        yield f'  File "{path}", line {line}, in {name}'
        if 0 < line <= len(lines):
            yield f"    {lines[line - 1].strip()}"
    yield f"{raised.type}: {raised.message}" if raised.message else raised.type


def explanation(found: Diagnosis) -> Iterable[str]:
    yield ""
    yield plain(found.title)
    yield from (f"  {plain(sentence)}" for sentence in found.story)


def plain(text: str) -> str:
    """Without the marks for bold; backticks stay, they read well."""
    return re.sub(r"\*\*([^`*]+)\*\*", r"\1", text)


if __name__ == "__main__":
    sys.exit(main())
