"""os.path, in Python: paths as texts, and which of the program's own files there are."""

from io import _is_file, _is_folder, _missing

from _disk import key, texts

sep, pardir, curdir = "/", "..", "."


def fspath(path):
    if isinstance(path, str):
        return path
    if hasattr(path, "__fspath__"):
        return path.__fspath__()
    raise TypeError(f"expected str, bytes or os.PathLike object, not {type(path).__name__}")


def join(a, *p):
    made = fspath(a)
    for part in map(fspath, p):
        if part.startswith("/"):
            made = part
        else:
            made += part if not made or made.endswith("/") else "/" + part
    return made


def split(p):
    head, slash, tail = fspath(p).rpartition("/")
    head += slash
    return head.rstrip("/") or head, tail


def basename(p):
    return split(p)[1]


def dirname(p):
    return split(p)[0]


def splitext(p):
    p = fspath(p)
    name = basename(p)
    at = name.rfind(".")
    if at <= 0 or not name[:at].strip("."):
        return p, ""
    cut = len(p) - len(name) + at
    return p[:cut], p[cut:]


def isabs(s):
    return fspath(s).startswith("/")


def normpath(path):
    path = fspath(path)
    made = []
    for part in path.split("/"):
        if part == ".." and made and made[-1] != "..":
            made.pop()
        elif part not in ("", ".") and not (part == ".." and path.startswith("/")):
            made.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(made) or "."


def abspath(path):
    return normpath(join("/", path))


realpath = abspath


def expanduser(path):
    path = fspath(path)
    return "/" + path[2:] if path == "~" or path.startswith("~/") else path


def expandvars(path):
    return fspath(path)


def relpath(path, start="."):
    here, there = ([part for part in abspath(p).split("/") if part] for p in (start, path))
    same = 0
    while same < min(len(here), len(there)) and here[same] == there[same]:
        same += 1
    return "/".join([".."] * (len(here) - same) + there[same:]) or "."


def isfile(path):
    return _is_file(key(path))


def isdir(s):
    return _is_folder(key(s))


def exists(path):
    return isfile(path) or isdir(path)


lexists = exists


def islink(path):
    return False


def getsize(filename):
    if not exists(filename):
        raise _missing(filename)
    return len(texts().get(key(filename), ""))


def commonprefix(m):
    first, last = (min(m), max(m)) if m else ("", "")
    same = 0
    while same < len(first) and first[same] == last[same]:
        same += 1
    return first[:same]
