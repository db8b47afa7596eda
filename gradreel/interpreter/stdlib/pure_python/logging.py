"""logging, in Python: what loggers say goes to their handlers; what these write to standard error is not shown."""

import sys as _sys
import time as _time

CRITICAL = FATAL = 50
ERROR, WARNING, INFO, DEBUG, NOTSET = 40, 30, 20, 10, 0
WARN = WARNING
_NAMES = {50: "CRITICAL", 40: "ERROR", 30: "WARNING", 20: "INFO", 10: "DEBUG", 0: "NOTSET"}
BASIC_FORMAT = "%(levelname)s:%(name)s:%(message)s"
raiseExceptions = True


def getLevelName(level):
    found = {name: number for number, name in _NAMES.items()}
    return _NAMES[level] if level in _NAMES else found.get(level, f"Level {level}")


def addLevelName(level, name):
    _NAMES[level] = name


def _level(given):
    if isinstance(given, int):
        return given
    if not isinstance(given, str):
        raise TypeError(f"Level not an integer or a valid string: {given!r}")
    if given not in _NAMES.values():
        raise ValueError(f"Unknown level: {given!r}")
    return getLevelName(given)


class LogRecord:
    def __init__(self, name, level, msg, args, error):
        self.name, self.levelno, self.levelname, self.msg, self.args = name, level, getLevelName(level), msg, args
        if len(args) == 1 and isinstance(args[0], dict) and args[0]:
            self.args = args[0]
        self.exc_info, self.created, self.process, self.threadName = error, _time.time(), 1, "MainThread"
        self.filename, self.pathname, self.module, self.lineno, self.funcName = (
            "program.py",
            "program.py",
            "program",
            0,
            "",
        )

    def getMessage(self):
        return str(self.msg) % self.args if self.args else str(self.msg)


class Formatter:
    def __init__(self, fmt=None, datefmt=None, style="%", **rest):
        self._fmt, self.datefmt, self._style = fmt or {"%": "%(message)s", "{": "{message}"}[style], datefmt, style

    def formatTime(self, record, datefmt=None):
        return _time.strftime(datefmt) if datefmt else _time.strftime("%Y-%m-%d %H:%M:%S") + ",000"

    def format(self, record):
        record.message, record.asctime = record.getMessage(), self.formatTime(record, self.datefmt)
        known = record.__dict__
        text = self._fmt % known if self._style == "%" else self._fmt.format(**known)
        if record.exc_info is not None:
            kind = type(record.exc_info).__name__
            text += f"\nTraceback (most recent call last):\n{kind}: {record.exc_info}"
        return text


class Filter:
    def __init__(self, name=""):
        self.name = name

    def filter(self, record):
        return not self.name or (record.name + ".").startswith(self.name + ".")


class _Filterer:
    def addFilter(self, filter):
        self.filters.append(filter)

    def removeFilter(self, filter):
        self.filters.remove(filter)

    def _passes(self, record):
        return all([one.filter(record) if hasattr(one, "filter") else one(record) for one in self.filters])


class Handler(_Filterer):
    def __init__(self, level=NOTSET):
        self.level, self.formatter, self.filters = _level(level), None, []

    def setLevel(self, level):
        self.level = _level(level)

    def setFormatter(self, fmt):
        self.formatter = fmt

    def format(self, record):
        return (self.formatter or _PLAIN).format(record)

    def handle(self, record):
        if record.levelno >= self.level and self._passes(record):
            self.emit(record)

    def emit(self, record):
        raise NotImplementedError("emit must be implemented by Handler subclasses")

    def flush(self):
        return None

    def close(self):
        return None


class StreamHandler(Handler):
    terminator = "\n"

    def __init__(self, stream=None):
        super().__init__()
        self.stream = _sys.stderr if stream is None else stream

    def emit(self, record):
        self.stream.write(self.format(record) + self.terminator)


class FileHandler(StreamHandler):
    def __init__(self, filename, mode="a", encoding=None, delay=False, errors=None):
        super().__init__(open(filename, mode))  # noqa: SIM115 - it is written to until the program ends


class NullHandler(Handler):
    def handle(self, record):
        return None


class Logger(_Filterer):
    def __init__(self, name, level=NOTSET):
        self.name, self.level, self.parent, self.propagate = name, _level(level), None, True
        self.handlers, self.filters, self.disabled = [], [], False

    def __repr__(self):
        return f"<{type(self).__name__} {self.name} ({getLevelName(self.getEffectiveLevel())})>"

    def setLevel(self, level):
        self.level = _level(level)

    def getEffectiveLevel(self):
        return self.level or (self.parent.getEffectiveLevel() if self.parent is not None else NOTSET)

    def isEnabledFor(self, level):
        return not self.disabled and level > _off[0] and level >= self.getEffectiveLevel()

    def addHandler(self, hdlr):
        if hdlr not in self.handlers:
            self.handlers.append(hdlr)

    def removeHandler(self, hdlr):
        if hdlr in self.handlers:
            self.handlers.remove(hdlr)

    def hasHandlers(self):
        return bool(self.handlers) or (self.propagate and self.parent is not None and self.parent.hasHandlers())

    def getChild(self, suffix):
        return getLogger(suffix if self is root else f"{self.name}.{suffix}")

    def log(self, level, msg, *args, exc_info=None, **rest):
        if not self.isEnabledFor(level):
            return
        error = _sys.exc_info()[1] if exc_info is True else exc_info or None
        record, at = LogRecord(self.name, level, msg, args, error), self
        if not self._passes(record):
            return
        while at is not None:
            for handler in at.handlers:
                handler.handle(record)
            at = at.parent if at.propagate else None

    def debug(self, msg, *args, **rest):
        self.log(DEBUG, msg, *args, **rest)

    def info(self, msg, *args, **rest):
        self.log(INFO, msg, *args, **rest)

    def warning(self, msg, *args, **rest):
        self.log(WARNING, msg, *args, **rest)

    warn = warning

    def error(self, msg, *args, **rest):
        self.log(ERROR, msg, *args, **rest)

    def exception(self, msg, *args, exc_info=True, **rest):
        self.log(ERROR, msg, *args, exc_info=exc_info, **rest)

    def critical(self, msg, *args, **rest):
        self.log(CRITICAL, msg, *args, **rest)

    fatal = critical


class RootLogger(Logger):
    pass


_PLAIN = Formatter()
_off = [NOTSET]
root = RootLogger("root", WARNING)
_loggers = {}


def getLogger(name=None):
    if not name or name == "root":
        return root
    if name not in _loggers:
        made = _loggers[name] = Logger(name)
        above = name.rpartition(".")[0]
        while above and above not in _loggers:
            above = above.rpartition(".")[0]
        made.parent = _loggers.get(above, root)
        for other, known in _loggers.items():
            if other.startswith(name + ".") and len(known.parent.name) < len(name) + 1:
                known.parent = made
    return _loggers[name]


def basicConfig(
    *,
    force=False,
    level=None,
    format=BASIC_FORMAT,
    datefmt=None,
    style="%",
    stream=None,
    filename=None,
    filemode="a",
    handlers=None,
    **rest,
):
    if force:
        root.handlers.clear()
    if root.handlers:
        return
    made = (
        handlers if handlers is not None else [FileHandler(filename, filemode) if filename else StreamHandler(stream)]
    )
    for handler in made:
        if handler.formatter is None:
            handler.setFormatter(Formatter(format, datefmt, style))
        root.addHandler(handler)
    if level is not None:
        root.setLevel(level)


def disable(level=CRITICAL):
    _off[0] = _level(level)


def shutdown():
    return None


def captureWarnings(capture):
    return None


def log(level, msg, *args, **rest):
    if not root.handlers:
        basicConfig()
    root.log(level, msg, *args, **rest)


def debug(msg, *args, **rest):
    log(DEBUG, msg, *args, **rest)


def info(msg, *args, **rest):
    log(INFO, msg, *args, **rest)


def warning(msg, *args, **rest):
    log(WARNING, msg, *args, **rest)


warn = warning


def error(msg, *args, **rest):
    log(ERROR, msg, *args, **rest)


def exception(msg, *args, exc_info=True, **rest):
    log(ERROR, msg, *args, exc_info=exc_info, **rest)


def critical(msg, *args, **rest):
    log(CRITICAL, msg, *args, **rest)


fatal = critical
