"""fnmatch, in Python."""


def fnmatchcase(name, pat):
    """Where the pattern can stand after each letter, all at once: no pattern takes long."""
    parts = _parts(pat)
    after = _skipping({0}, parts)
    for letter in name:
        after = _skipping({at if parts[at] == "*" else at + 1 for at in after if _fits(parts, at, letter)}, parts)
    return len(parts) in after


fnmatch = fnmatchcase


def filter(names, pat):
    return [name for name in names if fnmatchcase(name, pat)]


def _parts(pat):
    parts, at = [], 0
    while at < len(pat):
        end = pat.find("]", at + 2) if pat[at] == "[" else -1
        parts.append(pat[at : end + 1] if end > 0 else pat[at])
        at = end + 1 if end > 0 else at + 1
    return parts


def _skipping(places, parts):
    found = set(places)
    for at in sorted(places):
        while at < len(parts) and parts[at] == "*":
            at += 1
            found.add(at)
    return found


def _fits(parts, at, letter):
    if at == len(parts):
        return False
    part = parts[at]
    if len(part) == 1:
        return part in ("*", "?", letter)
    inner, no = part[1:-1], part[1] == "!"
    inner = inner[1:] if no else inner
    found = False
    while inner:
        if len(inner) > 2 and inner[1] == "-":
            found, inner = found or inner[0] <= letter <= inner[2], inner[3:]
        else:
            found, inner = found or inner[0] == letter, inner[1:]
    return found is not no
