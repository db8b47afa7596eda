"""What Python itself does with the small programs in `cases`: recorded once by CPython 3.11, stored in tests/data.

python -m tests.interpreter.python        records them anew

The cases of a library (`LIBRARIES`) stay as they are stored where it is not installed, for no test needs it.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import sys
import tempfile
import traceback
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from tests.printing import ADDRESS

CASES = Path(__file__).with_name("cases")
STORE = Path(__file__).parents[1] / "data" / "python.json.gz"
LIBRARIES = {"sklearn": "scikit-learn==1.9.1"}
"""By the name of its file, the library that was asked, as pip takes it."""
Raised = tuple[str, str, int | None]


def cases() -> dict[str, list[str]]:
    """The programs by file, as they stand there with ##### between."""
    return {
        file.stem: file.read_text(encoding="utf-8").rstrip("\n").split("\n#####\n")
        for file in sorted(CASES.glob("*.txt"))
    }


def in_python(source: str) -> tuple[str, Raised | None]:
    """What the program prints, and what it raises, in the Python that runs this."""
    out, raised = io.StringIO(), None
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
        np.printoptions(),
    ):
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, "<case>", "exec", dont_inherit=True), {"__name__": "__main__"})
        except Exception as error:
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<case>"]
            raised = (type(error).__name__, str(error), lines[-1])
    return ADDRESS.sub("0x...", out.getvalue()), raised


def stored() -> list[tuple[str, str, str, list[object] | None]]:
    """(file, source, what it prints, what it raises) of each program."""
    return [tuple(row) for row in json.loads(gzip.decompress(STORE.read_bytes()))]


def installed(library: str) -> bool:
    """Whether there is `library`, in this version."""
    name, _, wanted = library.partition("==")
    try:
        return version(name) == wanted
    except PackageNotFoundError:
        return False


def main() -> None:
    if sys.version_info[:2] != (3, 11):
        sys.exit("The programs are recorded by CPython 3.11.")
    rows: list[tuple[object, ...]] = []
    for file, sources in cases().items():
        if file in LIBRARIES and not installed(LIBRARIES[file]):
            rows += [row for row in stored() if row[0] == file]
        else:
            rows += [(file, source, *in_python(source)) for source in sources]
    text = json.dumps(rows, ensure_ascii=False, indent=0)
    STORE.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(len(rows), "programs recorded")


if __name__ == "__main__":
    main()
