"""What server and warm process say to each other: orders with the descriptor of a run, and how the run ended.

A message is a few numbers and words of ours. What a program says never comes this way: its request and its reply go
through the descriptor, which the warm process only hands on.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .frames import Gone, Late

LONGEST = 4096
READY: dict[str, Any] = {"ready": True}


@dataclass(frozen=True)
class Order:
    """What to do: "run" the request that comes through the descriptor, tell that a run had to be ended ("halt": by
    `cause`, at `line`), or "cancel" the run that is on."""

    task: str
    cause: str = ""
    line: int = 0


@dataclass(frozen=True)
class Ending:
    """How the process of a run ended: `how` is "exit", "signal", "memory" (it had not enough), "late", "cancelled", or
    "none" if there was no process; `signal` which one, `line` the line it had reached, `peak` the most bytes of memory
    that it had at one time."""

    how: str = "none"
    signal: int = 0
    line: int = 0
    peak: int = 0


def pair() -> tuple[socket.socket, socket.socket]:
    """Two ends for messages."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def send(channel: socket.socket, message: Order | Ending | dict[str, Any], descriptors: Sequence[int] = ()) -> None:
    """Send `message`, and with it `descriptors`.

    Raises:
        Gone: nobody is there any more.
    """
    said = message if isinstance(message, dict) else asdict(message)
    try:
        socket.send_fds(channel, [json.dumps(said).encode()], descriptors)
    except OSError:
        raise Gone from None


def receive(channel: socket.socket, seconds: float | None = None) -> tuple[dict[str, Any], list[int]]:
    """The next message, and the descriptors that came with it.

    Raises:
        Gone: nobody is there any more, or what came is no message.
        Late: `seconds` went by.
    """
    channel.settimeout(seconds)
    try:
        data, descriptors, _, _ = socket.recv_fds(channel, LONGEST, 1)
    except TimeoutError:
        raise Late from None
    except OSError:
        raise Gone from None
    try:
        message = json.loads(data)
    except ValueError:
        message = None
    if not isinstance(message, dict):
        for descriptor in descriptors:
            os.close(descriptor)
        raise Gone
    return message, descriptors
