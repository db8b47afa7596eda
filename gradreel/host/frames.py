"""Bytes between processes: four bytes of length, then so many bytes."""

from __future__ import annotations

import os
import select
import struct
import sys
import time

LENGTH = struct.Struct(">I")
LARGEST = 64_000_000
CAN_WAIT = sys.platform != "win32"
"""Whether a pipe can be waited for with a limit; where not, whoever reads has to end the other side in time."""


class Gone(Exception):
    """The other side has ended, or sent what is no frame."""


class Late(Exception):
    """Nothing whole came in time."""


def write_frame(fd: int, data: bytes) -> None:
    """Send `data` whole.

    Raises:
        Gone: nobody reads any more.
    """
    rest = memoryview(LENGTH.pack(len(data)) + data)
    try:
        while rest:
            rest = rest[os.write(fd, rest) :]
    except OSError:
        raise Gone from None


def read_frame(fd: int, seconds: float | None = None, most: int = LARGEST) -> bytes:
    """The next frame.

    Raises:
        Gone: the other side ended before it was whole, or it has more than `most` bytes.
        Late: `seconds` went by.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    (size,) = LENGTH.unpack(read_exactly(fd, LENGTH.size, deadline))
    if size > most:
        raise Gone
    return read_exactly(fd, size, deadline)


def read_exactly(fd: int, size: int, deadline: float | None) -> bytes:
    parts: list[bytes] = []
    while size:
        if deadline is not None and CAN_WAIT and not is_ready(fd, deadline - time.monotonic()):
            raise Late
        try:
            part = os.read(fd, min(size, 1 << 20))
        except OSError:
            raise Gone from None
        if not part:
            raise Gone
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def is_ready(fd: int, seconds: float) -> bool:
    """Whether there is something to read within `seconds`; unlike select, for descriptors of any number."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return seconds > 0 and bool(poll.poll(seconds * 1000))
