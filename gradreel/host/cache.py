"""Replies that were given before: a run depends on nothing but its request, so the same request has the same reply."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict

from .work import split_reply

TIMED = ("seconds", "memory", "crash")
"""Budgets whose stops depend on the machine and the moment, not on the program alone."""


class Cache:
    """The replies used last, as many as fit in so many bytes."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held: OrderedDict[bytes, bytes] = OrderedDict()
        self.size = 0
        self.lock = threading.Lock()

    def get(self, request: bytes) -> bytes | None:
        key = name_of(request)
        with self.lock:
            if key not in self.held:
                return None
            self.held.move_to_end(key)
            return self.held[key]

    def put(self, request: bytes, answer: bytes) -> None:
        """Keep `answer`, if it would be the same the next time."""
        if len(answer) > self.most // 4 or not repeatable(answer):
            return
        key = name_of(request)
        with self.lock:
            if key in self.held:
                return
            self.held[key] = answer
            self.size += len(answer)
            while self.size > self.most:
                self.size -= len(self.held.popitem(last=False)[1])


def name_of(request: bytes) -> bytes:
    return hashlib.sha256(request).digest()


def repeatable(answer: bytes) -> bool:
    """Whether the same request gets this answer again: not for a sentence, nor for what a clock cut short."""
    head = split_reply(answer)[0]
    outcome = head["outcome"]
    cut = (
        bool(outcome)
        and outcome["kind"] == "stopped"
        and (outcome["type"] in TIMED or "made ready" in outcome["message"])
    )
    return bool(head["ok"]) and not cut
