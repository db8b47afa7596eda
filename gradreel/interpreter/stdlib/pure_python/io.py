"""io, in Python: texts in memory, and files that last until the program ends."""

from _disk import forget, key, link, refuse, remark, saved, texts

SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2
_KEPT = "Nothing is written to disk here: the files of a program last until it ends."
_NONE = (
    "There are no files here but those that the program writes itself. Put a few rows of {name} into the program, as a "
    "tensor or as a text in `io.StringIO`."
)
_BYTES = "Bytes are not supported here: a file can be opened as text, and `torch.save` takes its name."


class UnsupportedOperation(OSError):
    pass


class StringIO:
    __module__ = "_io"

    def __init__(self, initial_value="", newline="\n"):
        self._text = initial_value or ""
        self._at = 0
        self.closed = False

    def _open(self):
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def read(self, size=-1):
        self._open()
        start = self._at
        self._at = len(self._text) if size is None or size < 0 else min(start + size, len(self._text))
        return self._text[start : self._at]

    def readline(self, size=-1):
        self._open()
        end = self._text.find("\n", self._at) + 1
        return self.read((end or len(self._text)) - self._at)

    def readlines(self, hint=-1):
        return list(self)

    def write(self, s):
        self._open()
        if not isinstance(s, str):
            raise TypeError(f"string argument expected, got '{type(s).__name__}'")
        self._text = self._text[: self._at].ljust(self._at, "\0") + s + self._text[self._at + len(s) :]
        self._at += len(s)
        return len(s)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def getvalue(self):
        self._open()
        return self._text

    def seek(self, cookie, whence=0):
        self._open()
        self._at = cookie + (0, self._at, len(self._text))[whence]
        return self._at

    def tell(self):
        self._open()
        return self._at

    def truncate(self, size=None):
        self._text = self._text[: self._at if size is None else size]
        return len(self._text)

    def flush(self):
        self._open()

    def close(self):
        self.closed = True

    def readable(self):
        return True

    def writable(self):
        return True

    def seekable(self):
        return True

    def isatty(self):
        return False

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __enter__(self):
        self._open()
        return self

    def __exit__(self, *error):
        self.close()


class TextIOWrapper(StringIO):
    def __init__(self, name, mode, text):
        super().__init__(text)
        self.name, self.mode, self.encoding = name, mode, "UTF-8"
        self._at = len(text) if "a" in mode else 0

    def read(self, size=-1):
        if not self.readable():
            raise UnsupportedOperation("not readable")
        return super().read(size)

    def write(self, s):
        if not self.writable():
            raise UnsupportedOperation("not writable")
        if not isinstance(s, str):
            raise TypeError(f"write() argument must be str, not {type(s).__name__}")
        count = super().write(s)
        self.flush()  # a program need not close what it writes: Python does, once nothing holds it
        return count

    def readable(self):
        return "r" in self.mode or "+" in self.mode

    def writable(self):
        return self.mode.strip("rt") != ""

    def flush(self):
        if self.writable():
            texts()[key(self.name)] = self._text

    def close(self):
        if not self.closed:
            self.flush()
        self.closed = True


_numbers = iter(range(1, 1 << 40))


class _Bytes:
    """What `torch.save` put into a buffer, to be kept and put into another: it cannot be looked at."""

    def __init__(self, name):
        self._name = f"<saved {next(_numbers)}>"
        link(name, self._name)

    def __len__(self):
        refuse(_BYTES)

    __iter__ = __getitem__ = __len__


class BytesIO:
    """A place for what `torch.save` keeps. Its bytes cannot be looked at."""

    def __init__(self, initial_bytes=None, name=None):
        self.name = f"<buffer {next(_numbers)}>" if name is None else name
        self.closed = False
        if isinstance(initial_bytes, _Bytes):
            link(initial_bytes._name, self.name)
        elif initial_bytes is not None:
            refuse(_BYTES)

    def __fspath__(self):
        return self.name

    def getvalue(self):
        if key(self.name) not in saved():
            refuse(_BYTES)
        return _Bytes(key(self.name))

    getbuffer = getvalue

    def read(self, *size):
        return self.getvalue() if not size or size[0] in (-1, None) else refuse(_BYTES)

    def write(self, text):
        if not isinstance(text, _Bytes):
            refuse(_BYTES)
        link(text._name, key(self.name))

    def readline(self, *size):
        refuse(_BYTES)

    readlines = __iter__ = readline

    def seek(self, offset, whence=0):
        return offset

    def tell(self):
        return 0

    def truncate(self, size=None):
        return 0

    def flush(self):
        return None

    def close(self):
        self.closed = True

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def _is_file(name):
    return name in texts() or name in saved()


def _is_folder(name):
    inside = "" if name in ("", ".") else name + "/"
    return not inside or any(other.startswith(inside) for other in [*texts(), *saved()])


def _missing(path):
    remark(_NONE.format(name=f"`{path}`"))
    return FileNotFoundError(2, "No such file or directory", str(path))


def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    name = key(file)
    if mode.strip("rwaxbt+"):
        raise ValueError(f"invalid mode: '{mode}'")
    if sum(letter in mode for letter in "rwax") != 1:
        raise ValueError("must have exactly one of create/read/write/append mode")
    writing = "r" not in mode
    if _is_folder(name):
        raise IsADirectoryError(21, "Is a directory", str(file))
    if "x" in mode and _is_file(name):
        raise FileExistsError(17, "File exists", str(file))
    if not (_is_folder(name.rpartition("/")[0]) if writing else _is_file(name)):
        raise _missing(file)
    if writing:
        remark(_KEPT)
    if "b" in mode:
        return BytesIO(name=str(file))
    if name in saved() and not writing:
        refuse(f"`{file}` holds what `torch.save` kept: `torch.load` reads it.")
    forget(name)
    text = "" if "w" in mode else texts().get(name, "")
    made = TextIOWrapper(str(file), mode, text.replace("\r\n", "\n") if newline is None else text)
    if writing:
        made.flush()
    return made
