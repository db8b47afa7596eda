"""The fingerprint of everything that a run shows: `python -m tests.fingerprint [--write] [--fixes] [--only WORD]`.

Every stored program is run, and its trace, its scene and what is explained of it are hashed. Beside them stand the
operators in the order of the table with their nodes and what these save, and the names of torch that the engine and the
interpreter offer. It is compared with what `--write` stored, a line a program: what differs is printed, and the exit
status is 1.

There are three files in tests/data: `fingerprint.json` has operators, names, traces and scenes, the latter without
words; `fingerprint_explain.json` all words (the sentences of the steps, the formulas, the diagnoses); `--fixes` asks
for those in `fingerprint_fixes.json` instead, which take minutes, as every proposed edit is run.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
PROCESSES = 2
WARM = "import torch\ntorch.ones(1, requires_grad=True).sum().backward()\n"
IMPORTS = "import torch\nfrom torch import nn, optim\nimport torch.nn.functional as F\nimport math, copy\n"

STORES = {
    "runs": ("source", ""),
    "posts": ("source", ""),
    "posted": ("source", ""),
    "corpus": ("source", ""),
    "questions": ("source", ""),
    "statements": ("source", ""),
    "fuzzed": ("source", ""),
    "layers": ("source", ""),
    "usage": ("code", IMPORTS),
    "nn": ("code", IMPORTS),
    "optim": ("code", IMPORTS),
    "functional": ("code", IMPORTS),
}
"""Files of programs: the field that has the program, and what is put before it."""

Program = tuple[str, str]
"""A name and a source."""
Lines = dict[str, str]


def programs() -> Iterator[Program]:
    """Every stored program under a name of its own."""
    for store, (field, head) in STORES.items():
        for at, record in enumerate(json.loads(gzip.decompress((DATA / f"{store}.json.gz").read_bytes()))):
            title = record.get("name") or record.get("file") or ""
            yield f"{store}/{at} {title}".rstrip(), head + record[field]
    for path in sorted((DATA / "golden").glob("*.py")):
        yield f"golden/{path.stem}", path.read_text(encoding="utf-8")
    yield from cases()
    yield from material()


def cases() -> Iterator[Program]:
    """The programs of the tests' own tables."""
    from tests.explain import causes
    from tests.interpreter import python

    for file, sources in python.cases().items():
        yield from ((f"cases/{file} {at}", source) for at, source in enumerate(sources))
    for case in causes.cases((*causes.FILES, "causes_messages.txt")):
        yield f"causes/{case.name}", case.source


def material() -> Iterator[Program]:
    """The programs of the pages."""
    from gradreel.material.comparisons import comparisons
    from gradreel.material.gallery import exhibits
    from gradreel.material.lessons import lessons
    from gradreel.material.operators import miniatures

    yield from ((f"lesson/{lesson.slug}", lesson.source) for lesson in lessons())
    yield from ((f"gallery/{exhibit.slug}", exhibit.source) for exhibit in exhibits())
    yield from ((f"miniature/{name}", source) for name, source in miniatures().items())
    for comparison in comparisons():
        yield f"comparison/{comparison.slug} left", comparison.left.source
        yield f"comparison/{comparison.slug} right", comparison.right.source


# ---- what is hashed of a program


def digest(*texts: str) -> str:
    found = hashlib.sha256()
    for text in texts:
        found.update(text.encode("utf-8", "backslashreplace"))
        found.update(b"\0")
    return found.hexdigest()[:16]


def as_text(thing: object) -> str:
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":"))


def shown(name: str, source: str) -> tuple[str, str]:
    """The line of a program in `fingerprint.json`, and that in `fingerprint_explain.json`."""
    from gradreel.scene import build, encode

    trace = traced(name, source)
    outcome = trace.outcome.kind
    scene = json.loads(gzip.decompress(encode(build(trace))))
    words = [scene.pop("diagnoses")]
    for table, column in (("steps", "sentence"), ("boxes", "formula")):
        rows = scene[table]["rows"] if isinstance(scene[table], dict) else {}
        words.append(rows.pop(column, None))
    line = f"{outcome} {len(trace.events)} trace {digest(trace.to_json())} scene {digest(as_text(scene))}"
    kinds = ",".join(diagnosis["kind"] for diagnosis in words[0])
    return line, f"{digest(*map(as_text, words[1:]))} diagnoses {digest(as_text(words[0]))} {kinds}".rstrip()


def fixed(name: str, source: str) -> str:
    """The line of a program in `fingerprint_fixes.json`: what is offered to mend it."""
    from gradreel.explain.fixes import find_fixes

    found = [
        (asdict(diagnosis), list(map(asdict, mends))) for diagnosis, mends in find_fixes(traced(name, source), run)
    ]
    return f"{digest(as_text(found))} {sum(len(mends) for _, mends in found)}" if found else ""


def traced(name: str, source: str) -> Any:
    return run(source, "transcript" if name.startswith("posted/") else None)


def run(source: str, mode: str | None = None) -> Any:
    """A run that no clock and no memory of this process ends."""
    from gradreel.interpreter import Limits
    from gradreel.interpreter import run as run_program

    return run_program(source, mode=mode, limits=Limits(seconds=3600.0, memory=1 << 50))


def each(work: Callable[[str, str], Any], chosen: list[Program]) -> dict[str, Any]:
    """What `work` gives of each program, in a process of its own: some orders depend on what ran before."""
    work("", WARM)  # what is forked has imported all that is needed
    with get_context("fork").Pool(PROCESSES, maxtasksperchild=1) as pool:
        found = pool.starmap(work, chosen, chunksize=1)
    return {name: line for (name, _), line in zip(chosen, found, strict=True)}


# ---- operators and names


def operators() -> Lines:
    """The table in its order: the node of each operator and what it saves."""
    from autograd_core.dispatch.registry import TABLE

    lines = {}
    for at, (name, op) in enumerate(TABLE.items()):
        node = op.node_class
        saved = "" if node is None else f"{node.__name__}: {' '.join(op.kept())}".rstrip(": ")
        lines[f"operator {name}"] = f"{at} {saved}"
    return lines


def names() -> Lines:
    """Module by module the names of torch that the engine has, and those that programs can say."""
    from gradreel.interpreter.runtime.attribute_tables import TABLES
    from gradreel.interpreter.torch_module.namespace import NAMES, SPACES, SURFACE, find_in_engine

    lines = {}
    for path in sorted(NAMES.keys() | SURFACE.keys()):
        owner = find_in_engine(path)
        known = sorted({*NAMES.get(path, ()), *SURFACE.get(path, ())})
        lines[f"engine {path}"] = " ".join(name for name in known if owner is not None and hasattr(owner, name))
    for path, space in sorted(SPACES.items()):
        lines[f"interpreter {path}"] = " ".join(sorted(space.table))
    attributes: dict[str, set[str]] = {}
    for kind, table in TABLES.items():
        attributes.setdefault(f"{kind.__module__.partition('.')[0]} {kind.__qualname__}", set()).update(table)
    for kind_name, found in sorted(attributes.items()):
        lines[f"attributes {kind_name}"] = " ".join(sorted(found))
    return lines


# ---- stored and compared


def stored(file: Path) -> Lines:
    found: Lines = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found


def write(file: Path, lines: Lines) -> None:
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(line)}" for name, line in lines.items())
    file.write_text("{\n" + rows + "\n}\n", encoding="utf-8")


def differences(before: Lines, now: Lines) -> list[str]:
    """What differs, a line each: - as it was stored, + as it is."""
    found = []
    for name in dict.fromkeys((*before, *now)):
        if before.get(name) != now.get(name):
            found += [f"{sign} {name}: {lines[name]}" for sign, lines in (("-", before), ("+", now)) if name in lines]
    return found


def main() -> int:
    options = argparse.ArgumentParser(
        prog="python -m tests.fingerprint", description=(__doc__ or "").partition("\n")[0]
    )
    options.add_argument("--write", action="store_true", help="store it")
    options.add_argument("--fixes", action="store_true", help="the offered edits, which takes minutes")
    options.add_argument("--only", default="", metavar="WORD", help="compare the lines whose names have this word")
    given = options.parse_args()
    if given.write and given.only:
        options.error("what is stored is whole: --write takes no --only")
    chosen = [(name, source) for name, source in programs() if given.only in name]
    if given.fixes:
        fixes = {name: line for name, line in each(fixed, chosen).items() if line}
        files = {DATA / "fingerprint_fixes.json": fixes}
    else:
        lines = each(shown, chosen)
        seen = {name: line for name, (line, _) in lines.items()}
        told = {name: line for name, (_, line) in lines.items()}
        files = {DATA / "fingerprint.json": operators() | names() | seen, DATA / "fingerprint_explain.json": told}
    status = 0
    for file, now in files.items():
        if given.write:
            write(file, now)
            continue
        found = differences(*({k: v for k, v in some.items() if given.only in k} for some in (stored(file), now)))
        print("\n".join([f"{file.name}: {'as stored' if not found else f'{len(found)} lines differ'}", *found]))
        status = 1 if found else status
    return status


if __name__ == "__main__":
    sys.exit(main())
