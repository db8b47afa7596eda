"""The jail alone: what the host itself could do in a run's process, were there no checked language around it.

A payload is Python of the host's own, put where the program would be run, in a child of a real warden.
"""

from __future__ import annotations

import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from textwrap import indent

import pytest

from gradreel.host.jail import ALLOWED, AUDIT_ARCH, KILL, REFUSED, Calls, instructions
from gradreel.host.processes import ROOT

jailed = pytest.mark.skipif(sys.platform != "linux" or platform.machine() not in ALLOWED, reason="no filter known here")

SERVE = """\
import os, sys
sys.path.insert(0, {root!r})
from gradreel.host import control, zygote
from gradreel.host.frames import write_frame
import _socket, ctypes, mmap, resource, signal, socket, subprocess, threading, time
secret = os.open({secret!r}, os.O_RDWR)
channels = control.pair()
def read(descriptor, seconds):
    try:
        answers.append(zygote.read_reply(descriptor, time.monotonic() + seconds + 5, 16_100_000))
    except zygote.Late:
        answers.append(None)
for source, ways, seconds in {payloads!r}:
    exec("def payload(request, layers, place, early, hear):\\n" + source)
    ours, theirs = socket.socketpair()
    write_frame(ours.fileno(), b"a request")
    answers = []
    reader = threading.Thread(target=read, args=(ours.fileno(), seconds))
    reader.start()
    ending = zygote.Warden(channels[0], **ways).run(payload, theirs.detach(), seconds)
    reader.join()
    print((answers[0], int(signal.SIGALRM if ending.how == "late" else ending.signal)))
"""
"""A warden, with a file open that is nobody's business."""

Ending = tuple[bytes | None, int]
"""What a payload brought out, and the signal that ended it."""


def all_inside(payloads: Sequence[str], rlimits: bool = True, seccomp: bool = True, seconds: float = 8) -> list[Ending]:
    """How each of `payloads` ends in a jail of its own."""
    ways = {"rlimits": rlimits, "seccomp": seccomp}
    indented = [(indent(payload, "    "), ways, seconds) for payload in payloads]
    with tempfile.NamedTemporaryFile("w+") as secret:
        text = SERVE.format(root=ROOT, secret=secret.name, payloads=indented)
        environment = {**os.environ, "GRADREEL_TEST_SECRET": "of the host"}
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, timeout=90, env=environment)
        assert done.returncode == 0, done.stderr.decode()
        assert not secret.read()
    endings = [eval(line) for line in done.stdout.splitlines()]  # our own repr
    return [(answer, 0 if answer is not None else status) for answer, status in endings]


def inside(payload: str, rlimits: bool = True, seccomp: bool = True, seconds: float = 8) -> Ending:
    return all_inside([payload], rlimits, seccomp, seconds)[0]


TRY = """\
try:
    {action}
except BaseException as error:
    return type(error).__name__.encode()
return b"done"
"""

ANSWERED = [
    ("opens a file to read", "open('/etc/passwd')", b"PermissionError"),
    ("opens a file to write", "open('/dev/shm/x', 'w')", b"PermissionError"),
    ("opens a file at a low level", "os.open('/proc/self/environ', os.O_RDONLY)", b"PermissionError"),
    ("asks for a file", "os.stat('/etc/passwd')", b"PermissionError"),
    ("asks where it is", "os.getcwd()", b"PermissionError"),
    ("lists what is open", "open('/proc/self/maps').read()", b"PermissionError"),
    ("lets C open a file", "int(ctypes.CDLL(None).open(b'/etc/passwd', 0)) >= 0 or open('x')", b"PermissionError"),
    ("reads what the host has open", "os.read(3, 100)", b"OSError"),
    ("reads the other pipes", "[os.read(fd, 1) for fd in range(4, 12)]", b"OSError"),
    ("takes too much memory", "bytearray(2 << 30)", b"MemoryError"),
    ("maps too much memory", "mmap.mmap(-1, 2 << 30)", b"OSError"),
    ("reads its environment", "os.environ['GRADREEL_TEST_SECRET']", b"KeyError"),
    ("takes memory within the limit", "bytearray(200_000_000)", b"done"),
    ("computes", "sum(range(1000))", b"done"),
]
KILLED = [
    ("opens a socket", "_socket.socket()"),
    ("opens a pair of sockets", "_socket.socketpair()"),
    ("forks", "os.fork()"),
    ("starts a thread", "threading.Thread(target=print).start()"),
    ("starts a program", "os.execv('/bin/true', ['true'])"),
    ("starts a program by spawning", "os.posix_spawn('/bin/true', ['true'], {})"),
    ("starts a program by vfork", "subprocess.run(['/bin/true'])"),
    ("sends a signal to its parent", "os.kill(os.getppid(), signal.SIGTERM)"),
    ("sends a signal to all", "os.kill(-1, signal.SIGTERM)"),
    ("sends a signal to itself", "os.kill(os.getpid(), signal.SIGTERM)"),
    ("removes a file", "os.unlink('/nowhere')"),
    ("makes a folder", "os.mkdir('/dev/shm/x')"),
    ("makes a link", "os.symlink('a', '/dev/shm/x')"),
    ("renames", "os.rename('/a', '/b')"),
    ("lists a folder that it has open", "os.listdir(0)"),
    ("changes its user", "os.setuid(0)"),
    ("raises its limits", "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))"),
    ("becomes a debugger", "ctypes.CDLL(None).ptrace(0, 0, 0, 0)"),
    ("reads another's memory", "ctypes.CDLL(None).syscall(310, os.getppid(), 0, 0, 0, 0, 0)"),
    ("loads a module into the kernel", "ctypes.CDLL(None).syscall(313, 0, 0, 0)"),
    ("asks for a filter of its own", "ctypes.CDLL(None).prctl(22, 0, 0, 0, 0)"),
    ("makes a file in memory", "os.memfd_create('x')"),
    ("makes a pipe", "os.pipe()"),
    ("makes a descriptor of a descriptor", "os.dup(0)"),
    ("mounts", "ctypes.CDLL(None).mount(b'', b'/mnt', b'tmpfs', 0, 0)"),
    ("uses io_uring", "ctypes.CDLL(None).syscall(425, 1, 0)"),
]


@pytest.fixture(scope="module")
def endings() -> dict[str, Ending]:
    """How every action ends."""
    actions = [case[1] for case in (*ANSWERED, *KILLED)]
    return dict(zip(actions, all_inside([TRY.format(action=action) for action in actions]), strict=True))


@jailed
@pytest.mark.parametrize(("action", "answer"), [case[1:] for case in ANSWERED], ids=[case[0] for case in ANSWERED])
def test_what_is_answered(action: str, answer: bytes, endings: dict[str, Ending]) -> None:
    assert endings[action] == (answer, 0)


@jailed
@pytest.mark.skipif(platform.machine() != "x86_64", reason="some are called by their numbers there")
@pytest.mark.parametrize("action", [case[1] for case in KILLED], ids=[case[0] for case in KILLED])
def test_what_ends_the_process(action: str, endings: dict[str, Ending]) -> None:
    assert endings[action] == (None, signal.SIGSYS)


@jailed
def test_the_x32_calls_are_no_way_around() -> None:
    assert inside("ctypes.CDLL(None).syscall(0x40000000 + 39)\nreturn b'done'") == (None, signal.SIGSYS)


ENDLESS = "while True: pass"


def test_time_is_over_for_what_never_ends() -> None:
    deaf = "for number in (1, 2, 14, 15): signal.signal(number, signal.SIG_IGN)\n" + ENDLESS
    assert all_inside([ENDLESS, deaf, "time.sleep(60)"], seconds=0.3) == [(None, signal.SIGALRM)] * 3


FLOODS = [
    ("more than a reply may have", "early(b'x' * 17_000_000)\nreturn b'done'"),
    ("many replies", "while True: early(b'x' * 10_000)"),
    ("nothing of what it announced", "os.write(early.args[0], b'\\0\\0\\0\\x20abc')\ntime.sleep(60)"),
    ("a length of nothing", "os.write(early.args[0], b'\\0\\0\\0\\0')\ntime.sleep(60)"),
]


def test_a_child_that_talks_nonsense_is_heard_no_longer_than_others() -> None:
    for (what, _), (answer, _) in zip(FLOODS, all_inside([case[1] for case in FLOODS], seconds=0.5), strict=True):
        assert answer is None or answer == b"x" * 10_000, what


LIMITED = [
    (
        "writes to a file that is open",
        "os.write(os.open('/dev/shm/gradreel-test', os.O_WRONLY | os.O_CREAT), b'x')",
        b"OSError",
    ),
    ("takes too much memory", "bytearray(2 << 30)", b"MemoryError"),
    ("opens many files", "[os.dup(0) for _ in range(100)]", b"OSError"),
    ("forks, unless it is root's", "os.fork() if os.getuid() else os.dup(99)", b"OSError"),
]


@pytest.mark.skipif(sys.platform != "linux", reason="limits differ")
def test_the_limits_hold_without_the_filter() -> None:
    found = all_inside([TRY.format(action=action) for _, action, _ in LIMITED], seccomp=False)
    Path("/dev/shm/gradreel-test").unlink(missing_ok=True)
    assert found == [(answer, 0) for _, _, answer in LIMITED]


@jailed
def test_the_filter_holds_without_the_limits() -> None:
    payloads = [TRY.format(action=action) for action in ("os.fork()", "open('/etc/passwd')")]
    assert all_inside(payloads, rlimits=False) == [(None, signal.SIGSYS), (b"PermissionError", 0)]


def test_every_run_has_its_own_environment_and_no_descriptors() -> None:
    payload = "return repr((dict(os.environ), sorted({*os.listdir('/proc/self/fd')}))).encode()"
    answer, _ = inside(payload, seccomp=False)
    # Three that lead nowhere, its connection, what tells of its end, and the one that lists.
    assert answer is not None and len(eval(answer)[1]) == 6 and eval(answer)[0] == {}


# ---- the numbers of the calls

HEADERS = {
    "x86_64": [Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm/unistd_64.h")],
    "aarch64": [Path("/usr/include/asm-generic/unistd.h")],
}
OTHER_NAMES = {"fstatat": "newfstatat"}
NEVER = """
socket connect bind listen accept sendto recvfrom sendmsg recvmsg clone clone3 fork vfork execve execveat kill
tkill tgkill ptrace process_vm_readv process_vm_writev unlinkat mkdirat linkat symlinkat renameat renameat2
mount umount2 setuid setgid setrlimit prlimit64 prctl seccomp bpf init_module finit_module kexec_load
io_uring_setup io_uring_enter memfd_create pipe2 dup dup3 fcntl getdents64 chdir fchdir chroot pivot_root
unshare setns keyctl add_key userfaultfd perf_event_open openat2 open_by_handle_at name_to_handle_at sendfile
splice copy_file_range truncate ftruncate fchmod fchown pidfd_open pidfd_getfd pidfd_send_signal
""".split()


def numbers(machine: str) -> Calls:
    """The numbers of all calls as the kernel's own headers have them."""
    header = next((path for path in HEADERS[machine] if path.exists()), None)
    if header is None:
        pytest.skip(f"the headers of the kernel for {machine} are not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())
    return {OTHER_NAMES.get(name, name): int(number) for name, number in found}


@pytest.mark.parametrize("machine", ALLOWED)
def test_the_numbers_are_the_kernel_s(machine: str) -> None:
    known = numbers(machine)
    for table in (ALLOWED[machine], REFUSED[machine]):
        assert {name: known[name] for name in table} == dict(table)


@pytest.mark.parametrize("machine", ALLOWED)
def test_no_dangerous_call_passes(machine: str) -> None:
    known = numbers(machine)
    for name in NEVER:
        if name in known:
            assert verdict(machine, known[name]) == KILL, name


def test_both_machines_have_the_same_calls() -> None:
    assert set(ALLOWED["aarch64"]) == set(ALLOWED["x86_64"]) - {"poll", "select"}
    assert set(REFUSED["aarch64"]) == set(REFUSED["x86_64"]) - {"open", "stat", "lstat", "access", "readlink"}


@pytest.mark.parametrize("machine", ALLOWED)
def test_another_architecture_is_ended(machine: str) -> None:
    other = next(arch for name, arch in AUDIT_ARCH.items() if name != machine)
    assert verdict(machine, 1, other) == KILL
    assert all(verdict(machine, number) != KILL for number in ALLOWED[machine].values())


def verdict(machine: str, number: int, arch: int | None = None) -> int:
    """What the filter says to a call: the instructions as the kernel follows them."""
    program = list(instructions(machine))
    data = {0: number, 4: AUDIT_ARCH[machine] if arch is None else arch}
    at = held = 0
    while True:
        code, yes, no, k = program[at]
        at += 1
        if code == 0x20:
            held = data[k]
        elif code == 0x15:
            at += yes if held == k else no
        elif code == 0x35:
            at += yes if held >= k else no
        else:
            return k
