"""traceback, in Python: the last line; the page shows the rest."""

import sys as _sys


def format_exception_only(exc, value=None):
    error = exc if value is None else value
    kind, text = type(error), str(error)
    name = kind.__name__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__name__}"
    return [f"{name}: {text}\n" if text else f"{name}\n"]


def format_exception(exc, value=None, tb=None, **rest):
    return ["Traceback (most recent call last):\n", *format_exception_only(exc, value)]


def print_exc(limit=None, file=None, chain=True):
    return None


def print_exception(exc, value=None, tb=None, **rest):
    return None


def format_exc(limit=None, chain=True):
    error = _sys.exc_info()[1]
    return "NoneType: None\n" if error is None else "".join(format_exception(error))
