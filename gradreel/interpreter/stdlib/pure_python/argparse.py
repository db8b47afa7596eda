"""argparse, in Python: a program has no command line here, so every argument has its default, but in lists it parses.

Where Python's own says on standard error what is wrong, the program just ends.
"""

SUPPRESS, OPTIONAL, ZERO_OR_MORE, ONE_OR_MORE, REMAINDER = "==SUPPRESS==", "?", "*", "+", "..."


class Namespace:
    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)

    def __repr__(self):
        return "Namespace(" + ", ".join([f"{k}={v!r}" for k, v in self.__dict__.items()]) + ")"

    def __contains__(self, key):
        return key in self.__dict__

    def __eq__(self, other):
        return isinstance(other, Namespace) and self.__dict__ == other.__dict__

    __hash__ = None


class ArgumentTypeError(Exception):
    pass


class HelpFormatter:
    pass


class ArgumentDefaultsHelpFormatter(HelpFormatter):
    pass


class RawDescriptionHelpFormatter(HelpFormatter):
    pass


class RawTextHelpFormatter(RawDescriptionHelpFormatter):
    pass


class BooleanOptionalAction:
    pass


_FLAGS = {"store_true": True, "store_false": False}


class _Argument:
    def __init__(self, names, dest, action, nargs, const, default, kind, choices, required):
        self.names, self.dest, self.action, self.nargs = names, dest, action, nargs
        self.const = _FLAGS.get(action, const)
        self.default = not self.const if default is None and action in _FLAGS else default
        self.kind, self.choices, self.required = kind, choices, required

    def takes(self):
        """The least and the most words behind it; None for no end."""
        if self.action in ("store", "append", "extend"):
            return {None: (1, 1), "?": (0, 1), "*": (0, None), "+": (1, None), "...": (0, None)}.get(
                self.nargs, (self.nargs, self.nargs)
            )
        return 0, 0

    def converted(self, text):
        try:
            value = text if self.kind is None else self.kind(text)
        except (TypeError, ValueError, ArgumentTypeError):
            raise SystemExit(2) from None
        if self.choices is not None and value not in self.choices:
            raise SystemExit(2)
        return value

    def put(self, found, words, name=""):
        values = [self.converted(word) for word in words]
        if self.action == "count":
            value = (getattr(found, self.dest) or 0) + 1
        elif self.action is BooleanOptionalAction:
            value = not name.startswith("--no-")
        elif self.action not in ("store", "append", "extend"):
            value = self.const
        elif self.nargs is None:
            value = values[0]
        elif self.nargs == "?":
            value = values[0] if values else self.const if name else self.default
        else:
            value = values
        if self.action in ("append", "append_const"):
            value = [*(getattr(found, self.dest) or []), value]
        elif self.action == "extend":
            value = [*(getattr(found, self.dest) or []), *value]
        setattr(found, self.dest, value)


class ArgumentParser:
    def __init__(self, prog=None, usage=None, description=None, epilog=None, **kwargs):
        self._arguments = []

    def add_argument(
        self,
        *names,
        action="store",
        nargs=None,
        const=None,
        default=None,
        type=None,
        choices=None,
        required=False,
        dest=None,
        **kwargs,
    ):
        if dest is None:
            dest = next((name for name in names if name.startswith("--")), names[0]).lstrip("-").replace("-", "_")
        if isinstance(default, str) and type is not None:
            default = type(default)
        names = list(names)
        if action is BooleanOptionalAction:
            names += ["--no-" + name[2:] for name in names if name.startswith("--")]
        made = _Argument(names, dest, action, nargs, const, default, type, choices, required)
        self._arguments.append(made)
        return made

    def add_argument_group(self, *args, **kwargs):
        return self

    def add_mutually_exclusive_group(self, **kwargs):
        return self

    def set_defaults(self, **kwargs):
        for name, value in kwargs.items():
            known = [one for one in self._arguments if one.dest == name]
            for one in known or [self.add_argument("--" + name, dest=name)]:
                one.default = value

    def get_default(self, dest):
        return next((one.default for one in self._arguments if one.dest == dest), None)

    def error(self, message):
        raise SystemExit(2)

    def exit(self, status=0, message=None):
        raise SystemExit(status)

    def parse_args(self, args=None, namespace=None):
        found, rest = self.parse_known_args(args, namespace)
        if rest:
            raise SystemExit(2)
        return found

    def parse_known_args(self, args=None, namespace=None):
        found = Namespace() if namespace is None else namespace
        for one in self._arguments:
            if one.default is not SUPPRESS and one.dest not in found.__dict__:
                setattr(found, one.dest, one.default)
        seen, plain, rest = [], [], []
        words = list(args or [])
        while words:
            word = words.pop(0)
            if word == "--":
                plain, words = plain + words, []
            elif not self._is_option(word):
                plain.append(word)
            else:
                self._option(found, word, words, seen, rest)
        rest = self._positional(found, plain, seen) + rest
        if args is not None and any(one not in seen for one in self._arguments if self._needed(one)):
            raise SystemExit(2)
        return found, rest

    def _is_option(self, word):
        return word.startswith("-") and len(word) > 1 and not word[1].isdigit() and not word.startswith("-.")

    def _needed(self, one):
        return one.required if one.names[0].startswith("-") else one.takes()[0] > 0

    def _option(self, found, word, words, seen, rest):
        name, equals, value = word.partition("=")
        if name in ("-h", "--help"):
            raise SystemExit(0)
        fits = [one for one in self._arguments if name in one.names]
        if not fits and name.startswith("--"):
            fits = [one for one in self._arguments if any(known.startswith(name) for known in one.names)]
        elif not fits:  # `-e5`
            fits = [one for one in self._arguments if name[:2] in one.names and one.takes()[1] != 0]
            name, equals, value = name[:2], "=", word[2:]
        if len(fits) > 1:
            raise SystemExit(2)
        if not fits:
            rest.append(word)
            return
        one, given = fits[0], [value] if equals else []
        least, most = one.takes()
        while not equals and words and (most is None or len(given) < most) and not self._is_option(words[0]):
            given.append(words.pop(0))
        if len(given) < least or (equals and most == 0):
            raise SystemExit(2)
        seen.append(one)
        one.put(found, given, name)

    def _positional(self, found, plain, seen):
        """Hands the words to the arguments that have no name of their own; what is left over."""
        waiting = [one for one in self._arguments if not one.names[0].startswith("-")]
        for at, one in enumerate(waiting):
            least, most = one.takes()
            free = len(plain) - sum([other.takes()[0] for other in waiting[at + 1 :]])
            count = free if most is None else min(free, most)
            if count < least:
                return plain
            if count or least:
                one.put(found, plain[:count])
            elif one.nargs == "*" and one.default is None:
                setattr(found, one.dest, [])
            plain = plain[count:]
            seen.append(one)
        return plain

    def print_help(self, file=None):
        return None

    def print_usage(self, file=None):
        return None
