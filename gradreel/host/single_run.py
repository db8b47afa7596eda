"""For platforms that cannot fork: a process for one run, started before it is needed.

It reads a request from descriptor 0, locks itself down as far as the platform can, writes the reply to descriptor 1 and
ends. Whoever started it kills it if it does not.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading

from .frames import Gone, read_frame, write_frame
from .jail import lock_down
from .places import here
from .watchdog import Place
from .work import reply_to_halted
from .zygote import LARGEST_REQUEST, layers_of_process, locking, perform, warm_up


def main() -> None:
    """Serve one request."""
    ways = locking(json.loads(sys.argv[1]))
    warm_up()
    write_frame(1, b"ready")
    try:
        request = read_frame(0, most=LARGEST_REQUEST)
    except Gone:
        return
    place = [0]
    if not hasattr(signal, "setitimer"):
        threading.Timer(here().last_seconds, give_up, [request, place]).start()
    parent = os.getppid()
    layers = layers_of_process(lock_down(**ways), parent)
    try:
        answer = perform(request, layers, place, lambda answer: None)
    except MemoryError:
        answer = reply_to_halted(request, "memory", place[0], layers)
    write_frame(1, answer)
    os._exit(0)


def give_up(request: bytes, place: Place) -> None:
    """Answer for a run that goes on and on."""
    write_frame(1, reply_to_halted(request, "seconds", place[0]))
    os._exit(0)


if __name__ == "__main__":
    main()
