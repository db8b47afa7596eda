"""os, in Python: the program's own files and folders. There is nothing else of a machine here."""

import os.path
from io import _KEPT, _is_folder, _missing
from os.path import dirname, exists, fspath, isdir, isfile, join

from _disk import forget, key, remark, saved, texts

environ = {}
curdir, pardir, linesep, devnull, extsep = ".", "..", "\n", "/dev/null", "."


class PathLike:
    pass


def getenv(key, default=None):
    return os.environ.get(key, default)


def getcwd():
    return "/"


def mkdir(path, mode=0o777):
    if exists(path):
        raise FileExistsError(17, "File exists", fspath(path))
    if not _is_folder(key(dirname(fspath(path).rstrip("/")))):
        raise _missing(path)
    remark(_KEPT)
    texts()[key(path) + "/"] = ""


def makedirs(name, mode=0o777, exist_ok=False):
    if exists(name) and not (exist_ok and isdir(name)):
        raise FileExistsError(17, "File exists", fspath(name))
    remark(_KEPT)
    texts()[key(name) + "/"] = ""


def listdir(path="."):
    if not isdir(path):
        raise _missing(path)
    folder = key(path)
    inside = "" if folder == "." or not folder else folder + "/"
    found = [other[len(inside) :].partition("/")[0] for other in [*texts(), *saved()] if other.startswith(inside)]
    return sorted({name for name in found if name and not name.startswith("<")})


def walk(top):
    names = listdir(top) if isdir(top) else []
    folders = [name for name in names if isdir(join(top, name))]
    yield top, folders, [name for name in names if name not in folders]
    for name in folders:
        yield from walk(join(top, name))


def remove(path):
    if isdir(path):
        raise IsADirectoryError(21, "Is a directory", fspath(path))
    if not isfile(path):
        raise _missing(path)
    forget(key(path))
    texts().pop(key(path), None)


unlink = remove


def rmdir(path):
    if not isdir(path):
        raise _missing(path)
    if listdir(path):
        raise OSError(39, "Directory not empty", fspath(path))
    del texts()[key(path) + "/"]


def rename(src, dst):
    if key(src) not in texts():
        raise _missing(src)
    texts()[key(dst)] = texts().pop(key(src))


replace = rename
