"""Locking a process down before a stranger's program runs in it: limits of the kernel, and a filter on its calls.

Each layer is used where the platform has it; `lock_down` says which are on.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
from collections.abc import Iterable

CPU_SECONDS = 8
ADDRESS_SPACE = 2 << 30

ALLOWED: dict[str, tuple[int, ...]] = {
    "x86_64": (0, 1, 3, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 23, 24, 25, 28, 39, 60, 98, 131, 186, 202, 204, 219, 228,
               230, 231, 318),
    "aarch64": (57, 62, 63, 64, 72, 73, 80, 93, 94, 98, 113, 115, 123, 124, 128, 132, 134, 135, 139, 165, 172, 178, 214,
                215, 216, 222, 226, 233, 278),
}  # fmt: skip
"""By number: read write close fstat lseek, memory, signals, poll select, sched_yield, getpid, exit, futex, clocks,
getrandom, getrusage."""

REFUSED: dict[str, tuple[int, ...]] = {
    "x86_64": (2, 4, 6, 16, 21, 79, 89, 257, 262, 267, 269, 332, 439),
    "aarch64": (29, 48, 56, 78, 79, 291, 439),
}
"""open stat access readlink ioctl: the interpreter itself tries these on its error paths, so they are answered EACCES.
All other calls end the process."""

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
KILL, REFUSE, ALLOW = 0x80000000, 0x0005000D, 0x7FFF0000
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NO_NEW_PRIVS, SET_SECCOMP, SET_DUMPABLE, SET_DEATH_SIGNAL, FILTER = 38, 22, 4, 1, 2


class Instruction(ctypes.Structure):
    """One instruction of the filter (struct sock_filter)."""

    _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint)]


class FilterProgram(ctypes.Structure):
    """The filter as the kernel takes it (struct sock_fprog)."""

    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.POINTER(Instruction))]


def limit_resources() -> bool:
    """Rlimits: time, memory, no files written, no core, few descriptors. False where there are none."""
    try:
        import resource
    except ImportError:
        return False
    limits = {
        resource.RLIMIT_CPU: CPU_SECONDS,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 16,
    }
    if sys.platform == "linux":
        limits |= {resource.RLIMIT_AS: ADDRESS_SPACE, resource.RLIMIT_NPROC: 0}
    for which, most in limits.items():
        resource.setrlimit(which, (most, most))
    return True


def instructions(machine: str) -> Iterable[tuple[int, int, int, int]]:
    """The filter: another architecture dies; what is allowed passes; what is refused gets EACCES; all else dies."""
    yield LOAD, 0, 0, 4
    yield EQUAL, 1, 0, AUDIT_ARCH[machine]
    yield RETURN, 0, 0, KILL
    yield LOAD, 0, 0, 0
    if machine == "x86_64":  # the x32 calls have a bit of their own
        yield AT_LEAST, 0, 1, 0x40000000
        yield RETURN, 0, 0, KILL
    for numbers, verdict in ((ALLOWED[machine], ALLOW), (REFUSED[machine], REFUSE)):
        for number in numbers:
            yield EQUAL, 0, 1, number
            yield RETURN, 0, 0, verdict
    yield RETURN, 0, 0, KILL


def filter_calls() -> bool:
    """Put the filter on this process, for good. False where the platform has none."""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in ALLOWED:
        return False
    listing = [Instruction(*parts) for parts in instructions(machine)]
    array = (Instruction * len(listing))(*listing)
    program = FilterProgram(len(listing), array)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0):
        return False
    libc.prctl(SET_DUMPABLE, 0, 0, 0, 0)
    return bool(libc.prctl(SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0) == 0)


def end_with(parent: int) -> None:
    """Let the kernel end this process when `parent`, which forked it, ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)


def lock_down() -> list[str]:
    """Limits and filter; the names of the layers that are on."""
    layers = {"limits of the kernel": limit_resources(), "filter on system calls": filter_calls()}
    return ["checked language", "own process", *(name for name, on in layers.items() if on)]
