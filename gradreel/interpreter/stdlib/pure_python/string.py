"""string: its constants, templates and capwords, in Python."""

import re as _re

whitespace = " \t\n\r\v\f"
ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = digits + "abcdef" + "ABCDEF"
octdigits = "01234567"
punctuation = r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""
printable = digits + ascii_letters + punctuation + whitespace


def capwords(s, sep=None):
    return (sep or " ").join([word.capitalize() for word in s.split(sep)])


class Template:
    delimiter = "$"
    _PARTS = _re.compile(
        r"\$(?:(?P<escaped>\$)|(?P<named>[A-Za-z_][A-Za-z0-9_]*)|\{(?P<braced>[A-Za-z_][A-Za-z0-9_]*)\}|(?P<invalid>))"
    )

    def __init__(self, template):
        self.template = template

    def substitute(self, mapping=(), /, **kws):
        values = {**dict(mapping), **kws}

        def put(found):
            name = found.group("named") or found.group("braced")
            if name is not None:
                return str(values[name])
            if found.group("escaped") is not None:
                return "$"
            before = self.template[: found.start("invalid")].splitlines(True)
            line, column = (len(before), found.start("invalid") - sum(map(len, before[:-1]))) if before else (1, 1)
            raise ValueError(f"Invalid placeholder in string: line {line}, col {column}")

        return self._PARTS.sub(put, self.template)

    def safe_substitute(self, mapping=(), /, **kws):
        values = {**dict(mapping), **kws}

        def put(found):
            name = found.group("named") or found.group("braced")
            if name is None:
                return "$" if found.group("escaped") is not None else found.group()
            return str(values[name]) if name in values else found.group()

        return self._PARTS.sub(put, self.template)

    def get_identifiers(self):
        names = [found.group("named") or found.group("braced") for found in self._PARTS.finditer(self.template)]
        return list(dict.fromkeys(name for name in names if name is not None))

    def is_valid(self):
        return all(found.group("invalid") is None for found in self._PARTS.finditer(self.template))
