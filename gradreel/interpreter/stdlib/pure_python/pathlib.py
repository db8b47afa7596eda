"""pathlib, in Python: paths, and the program's own files under them."""

import os
from fnmatch import fnmatch
from glob import glob as _glob


class PurePath:
    def __init__(self, *args):
        made = os.path.join("", *args) if args else "."
        self._path = made if made == "/" else os.path.normpath(made) if ".." not in made else made.rstrip("/")

    def __fspath__(self):
        return self._path

    def __str__(self):
        return self._path

    def __repr__(self):
        return f"PosixPath({self._path!r})"

    def __eq__(self, other):
        return isinstance(other, PurePath) and self._path == other._path

    def __hash__(self):
        return hash(self._path)

    def __lt__(self, other):
        return self._path < other._path

    def __truediv__(self, key):
        return type(self)(self, key)

    def __rtruediv__(self, key):
        return type(self)(key, self)

    def joinpath(self, *other):
        return type(self)(self, *other)

    def as_posix(self):
        return self._path

    def is_absolute(self):
        return self._path.startswith("/")

    def relative_to(self, other):
        return type(self)(os.path.relpath(self, other))

    def match(self, pattern):
        return fnmatch(self.name, pattern)

    @property
    def parts(self):
        found = [part for part in self._path.split("/") if part not in ("", ".")]
        return ("/", *found) if self.is_absolute() else tuple(found)

    @property
    def name(self):
        return os.path.basename(self._path).removeprefix("." if self._path == "." else "")

    @property
    def suffix(self):
        return os.path.splitext(self._path)[1]

    @property
    def suffixes(self):
        return ["." + part for part in self.name.lstrip(".").split(".")[1:]]

    @property
    def stem(self):
        return os.path.splitext(self.name)[0]

    @property
    def parent(self):
        return type(self)(os.path.dirname(self._path) or ".")

    @property
    def parents(self):
        found, at = [], self
        while at.parent != at:
            at = at.parent
            found.append(at)
        return found

    def with_name(self, name):
        return self.parent / name

    def with_suffix(self, suffix):
        return self.parent / (self.stem + suffix)

    def with_stem(self, stem):
        return self.parent / (stem + self.suffix)


class Path(PurePath):
    @classmethod
    def cwd(cls):
        return cls("/")

    home = cwd

    def exists(self):
        return os.path.exists(self)

    def is_file(self):
        return os.path.isfile(self)

    def is_dir(self):
        return os.path.isdir(self)

    def mkdir(self, mode=0o777, parents=False, exist_ok=False):
        if exist_ok and self.is_dir():
            return
        (os.makedirs if parents else os.mkdir)(self)

    def open(self, mode="r", *args, **kwargs):
        return open(self, mode, *args, **kwargs)

    def read_text(self, encoding=None, errors=None):
        with open(self) as file:
            return file.read()

    def write_text(self, data, encoding=None, errors=None, newline=None):
        with open(self, "w") as file:
            return file.write(data)

    def iterdir(self):
        return (self / name for name in os.listdir(self))

    def glob(self, pattern):
        return (type(self)(found) for found in _glob(os.path.join(self, pattern), recursive=True))

    def rglob(self, pattern):
        for top, _, files in os.walk(self):
            yield from (type(self)(top, name) for name in files if fnmatch(name, pattern))

    def touch(self, mode=0o666, exist_ok=True):
        open(self, "a").close()

    def unlink(self, missing_ok=False):
        if self.exists() or not missing_ok:
            os.remove(self)

    def rename(self, target):
        os.rename(self, target)
        return type(self)(target)

    def rmdir(self):
        os.rmdir(self)

    def resolve(self, strict=False):
        return type(self)(os.path.abspath(self))

    absolute = resolve

    def expanduser(self):
        return type(self)(os.path.expanduser(self))


PosixPath, PurePosixPath = Path, PurePath
