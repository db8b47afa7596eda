"""platform, in Python: what machine this is, which is the same for everybody."""


def system():
    return "Linux"


def machine():
    return "x86_64"


def python_version():
    return "3.11.7"


def python_implementation():
    return "CPython"


def platform(aliased=False, terse=False):
    return "Linux-x86_64"


def release():
    return ""


def node():
    return ""


processor = release
