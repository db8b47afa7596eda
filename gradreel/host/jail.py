"""Locking a process down before a stranger's program runs in it: limits of the kernel, and a filter on its calls.

Each is used where the platform has it; `lock_down` says which are on.
"""

from __future__ import annotations

import ctypes
import math
import os
import platform
import signal
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from .places import here

AT_LEAST_FREE = 256_000_000
"""Bytes that it may map anew, wherever Python and numpy alone take more than elsewhere."""
STACK = 96 << 20
"""Bytes of its stack: more than it takes to go as deep as Python's limit lets calls go, in Python and in C."""

Calls = Mapping[str, int]
"""System calls and their numbers."""

ALLOWED: dict[str, Calls] = {
    "x86_64": {
        "read": 0, "write": 1, "close": 3, "fstat": 5, "poll": 7, "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11,
        "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "select": 23, "sched_yield": 24,
        "mremap": 25, "madvise": 28, "setitimer": 38, "getpid": 39, "exit": 60, "getrusage": 98, "sigaltstack": 131,
        "gettid": 186, "futex": 202, "sched_getaffinity": 204, "restart_syscall": 219, "clock_gettime": 228,
        "clock_nanosleep": 230, "exit_group": 231, "pselect6": 270, "ppoll": 271, "getrandom": 318,
    },
    "aarch64": {
        "close": 57, "lseek": 62, "read": 63, "write": 64, "pselect6": 72, "ppoll": 73, "fstat": 80, "exit": 93,
        "exit_group": 94, "futex": 98, "setitimer": 103, "clock_gettime": 113, "clock_nanosleep": 115,
        "sched_getaffinity": 123, "sched_yield": 124, "restart_syscall": 128, "sigaltstack": 132,
        "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139, "getrusage": 165, "getpid": 172,
        "gettid": 178, "brk": 214, "munmap": 215, "mremap": 216, "mmap": 222, "mprotect": 226, "madvise": 233,
        "getrandom": 278,
    },
}  # fmt: skip
"""What it takes to compute and to answer, by machine. All but these and REFUSED ends the process."""

REFUSED: dict[str, Calls] = {
    "x86_64": {
        "open": 2, "stat": 4, "lstat": 6, "ioctl": 16, "access": 21, "getcwd": 79, "readlink": 89, "openat": 257,
        "newfstatat": 262, "readlinkat": 267, "faccessat": 269, "statx": 332, "faccessat2": 439,
    },
    "aarch64": {
        "getcwd": 17, "ioctl": 29, "faccessat": 48, "openat": 56, "readlinkat": 78, "newfstatat": 79, "statx": 291,
        "faccessat2": 439,
    },
}  # fmt: skip
"""The interpreter itself tries these on its error paths, so they are answered EACCES."""

RLIMITS, SECCOMP = "limits of the kernel", "filter on system calls"

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
    """Rlimits: time and memory as the place has them, no files written, no core, few descriptors. False where there are
    none."""
    try:
        import resource
    except ImportError:
        return False
    seconds = math.ceil(here().hard_seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))  # SIGXCPU first, then SIGKILL
    limits = {
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 16,
    }
    if sys.platform == "linux":
        limits |= {resource.RLIMIT_AS: address_space(), resource.RLIMIT_STACK: STACK, resource.RLIMIT_NPROC: 0}
    for which, most in limits.items():
        _, hard = resource.getrlimit(which)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (most, most))
    return True


def address_space() -> int:
    """Bytes that this process may have mapped."""
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return max(here().memory, mapped + AT_LEAST_FREE)


def instructions(machine: str) -> Iterable[tuple[int, int, int, int]]:
    """The filter: another architecture dies; what is allowed passes; what is refused gets EACCES; all else dies."""
    yield LOAD, 0, 0, 4
    yield EQUAL, 1, 0, AUDIT_ARCH[machine]
    yield RETURN, 0, 0, KILL
    yield LOAD, 0, 0, 0
    if machine == "x86_64":  # the x32 calls have a bit of their own
        yield AT_LEAST, 0, 1, 0x40000000
        yield RETURN, 0, 0, KILL
    for calls, verdict in ((ALLOWED[machine], ALLOW), (REFUSED[machine], REFUSE)):
        for number in calls.values():
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


def lock_down(*, rlimits: bool = True, seccomp: bool = True) -> list[str]:
    """Limits and filter, if wanted and where there are any; the names of those that were found to hold."""
    os.environ.clear()
    limited = rlimits and limit_resources() and is_limited()
    filtered = seccomp and filter_calls() and is_filtered()
    return [name for name, holds in ((RLIMITS, limited), (SECCOMP, filtered)) if holds]


def is_limited() -> bool:
    """Whether this process has less time and memory than the machine could give, and can write no file."""
    import resource

    wanted = [resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, *([resource.RLIMIT_AS] if sys.platform == "linux" else [])]
    return all(resource.getrlimit(which)[0] != resource.RLIM_INFINITY for which in wanted)


def is_filtered() -> bool:
    """Whether the kernel refuses what anybody may do: to open the file that leads nowhere."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except PermissionError:
        return True
    return False


def is_alone(parent: int) -> bool:
    """Whether this process is another than `parent`, and has nothing of its environment."""
    return os.getpid() != parent and not os.environ
