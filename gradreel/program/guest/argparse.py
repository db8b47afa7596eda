"""argparse, in Python: a program has no command line here, so every argument has its default."""


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


class _Missing:
    pass


class ArgumentParser:
    def __init__(self, prog=None, usage=None, description=None, epilog=None, **kwargs):
        self._arguments = []

    def add_argument(self, *names, action="store", default=_Missing, type=None, dest=None, **kwargs):
        longest = [name for name in names if name.startswith("--")] or list(names)
        if dest is None:
            dest = longest[0].lstrip("-").replace("-", "_")
        if default is _Missing:
            default = {"store_true": False, "store_false": True}.get(action)
        elif isinstance(default, str) and type is not None:
            default = type(default)
        self._arguments.append((dest, default, list(names), action, type))

    def add_argument_group(self, *args, **kwargs):
        return self

    def add_mutually_exclusive_group(self, **kwargs):
        return self

    def set_defaults(self, **kwargs):
        for name, value in kwargs.items():
            self._arguments.append((name, value, [], "store", None))

    def parse_args(self, args=None, namespace=None):
        found = Namespace() if namespace is None else namespace
        for dest, default, _, _, _ in self._arguments:
            setattr(found, dest, default)
        waiting = list(args or [])
        while waiting:
            word, equals, value = waiting.pop(0).partition("=")
            for dest, _, names, action, kind in self._arguments:
                if word in names:
                    if action in ("store_true", "store_false"):
                        setattr(found, dest, action == "store_true")
                    else:
                        text = value if equals else waiting.pop(0)
                        setattr(found, dest, text if kind is None else kind(text))
                    break
            else:
                raise SystemExit(2)
        return found

    def parse_known_args(self, args=None, namespace=None):
        return self.parse_args(args, namespace), []

    def print_help(self, file=None):
        return None
