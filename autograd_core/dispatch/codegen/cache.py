"""What is made of the table of operators at import, kept as Python keeps the code of modules: until they change.

Reading the table and compiling its operators takes seconds, so it is done once for every state of the engine's sources
and every Python. The file is marked with a checksum of both and of itself; another one is not looked at, but made anew.
Where none can be written, or Python was told to write none, each import makes everything itself.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from hashlib import blake2b
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any
from zlib import crc32

ENGINE = Path(__file__).resolve().parents[2]
SIZE, HEAD = 32, 36
"""Bytes of a mark, and of it with the sum that tells whether the contents behind them are whole."""


class Kept:
    """The contents of `file`, if they have the same `mark`; what is missing is made, and `close` keeps it."""

    def __init__(self, file: Path, mark: bytes) -> None:
        self.file, self.mark = file, mark
        self.parts: dict[tuple[str, str], Any] = self.read()
        self.open, self.news = True, False

    def get(self, kind: str, name: str, make: Callable[[], Any]) -> Any:
        """The part of this kind and name, else what `make` gives: anything that marshal knows."""
        if not self.open:
            return make()
        part = self.parts.get((kind, name))
        if part is None:
            part = self.parts[kind, name] = make()
            self.news = True
        return part

    def read(self) -> dict[tuple[str, str], Any]:
        try:
            found = self.file.read_bytes()
        except OSError:
            return {}
        mark, check, contents = found[:SIZE], found[SIZE:HEAD], memoryview(found)[HEAD:]
        if mark != self.mark or check != damage_check(contents):
            return {}
        parts: dict[tuple[str, str], Any] = marshal.loads(contents)
        return parts

    def close(self) -> None:
        """The table is read to its end: keep what was made, and forget it here."""
        if self.open and self.news and not sys.dont_write_bytecode:
            contents = marshal.dumps(self.parts)
            with contextlib.suppress(OSError):
                write(self.file, self.mark + damage_check(contents) + contents)
        self.open, self.parts = False, {}


def write(file: Path, contents: bytes) -> None:
    """All of it at once, for others may be reading or writing the same file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    try:
        with os.fdopen(number, "wb") as opened:
            opened.write(contents)
        os.chmod(name, 0o644)
        os.replace(name, file)
    except OSError:
        os.unlink(name)
        raise


def damage_check(contents: bytes | memoryview) -> bytes:
    return crc32(contents).to_bytes(HEAD - SIZE, "little")


def checksum(*contents: bytes) -> bytes:
    sum_ = blake2b(digest_size=SIZE)
    for part in contents:
        sum_.update(len(part).to_bytes(8, "little") + part)
    return sum_.digest()


def mark_of(engine: Path) -> bytes:
    """A checksum of the sizes and times of all sources below `engine`, as Python knows those of a module, and of the
    Python that runs."""
    sources = [f"{path} {size} {time}".encode() for path, size, time in sorted(sources_in(str(engine)))]
    return checksum(sys.version.encode(), bytes([sys.flags.optimize]), *sources)


def sources_in(folder: str) -> Iterator[tuple[str, int, int]]:
    """Each source in `folder` and below with its size and the time of its last change."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from sources_in(entry.path)
            elif entry.name.endswith(".py"):
                found = entry.stat()
                yield entry.path, found.st_size, found.st_mtime_ns


kept = Kept(Path(cache_from_source(str(ENGINE / "operators.py"))).with_suffix(".bin"), mark_of(ENGINE))
