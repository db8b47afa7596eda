"""glob, in Python: which of the program's own files have such names."""

import os
from fnmatch import fnmatch


def glob(pathname, *, root_dir=None, recursive=False, **rest):
    return list(iglob(pathname, recursive=recursive))


def iglob(pathname, *, recursive=False, **rest):
    folder, name = os.path.split(pathname)
    if recursive and name == "**":
        for top, folders, files in os.walk(folder or "."):
            yield from (os.path.normpath(os.path.join(top, found)) for found in [*folders, *files])
        return
    if not _is_pattern(pathname):
        yield from [pathname] if os.path.exists(pathname) else []
        return
    places = iglob(folder, recursive=recursive) if _is_pattern(folder) else [folder]
    for place in places:
        for found in os.listdir(place or ".") if os.path.isdir(place or ".") else []:
            if fnmatch(found, name) and (name.startswith(".") or not found.startswith(".")):
                yield os.path.join(place, found)


def _is_pattern(path):
    return any(sign in path for sign in "*?[")
