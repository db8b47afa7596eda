"""What hosting needs: the image, the proxy's configuration, and the table of settings agree with the code."""

import ast
import json
import re
import shlex
from dataclasses import fields, replace
from fnmatch import fnmatch
from pathlib import Path

import pytest

from gradreel.__main__ import UNUSABLE, main
from gradreel.host.policy import headers, inline
from gradreel.host.settings import Settings, Unreadable, place_for, place_of_server, read, settings, variable

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
DOCKERFILE = DEPLOY / "Dockerfile"


def instructions(name: str) -> list[str]:
    """What follows `name` in the Dockerfile, continued lines joined."""
    lines = DOCKERFILE.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    return [line.partition(" ")[2] for line in lines if line.startswith(f"{name} ")]


def copied() -> list[str]:
    """What comes from the repository."""
    return [source for line in instructions("COPY") for source in shlex.split(line)[:-1]]


@pytest.mark.parametrize("source", copied())
def test_what_is_copied_is_there_and_sent_to_the_builder(source: str) -> None:
    assert (ROOT / source).exists()
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert not any(fnmatch(source, pattern.strip("/")) for pattern in ignored)


def test_the_image_holds_what_the_app_imports() -> None:
    needed = {"app.py", "pages"}
    for path in [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "gradreel").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            needed |= {name.partition(".")[0] for name in names if (ROOT / name.partition(".")[0]).is_dir() and name}
    assert needed <= set(copied())


def test_it_serves_the_app_as_nobody_and_installs_its_requirements() -> None:
    (command,) = instructions("CMD")
    assert json.loads(command) == ["python", "-m", "gradreel", "serve"]
    assert any("-r requirements.txt -c constraints.txt" in line for line in instructions("RUN"))
    assert {"requirements.txt", "deploy/constraints.txt"} <= set(copied())
    assert instructions("USER")[-1] not in ("root", "0")
    assert "/health" in instructions("HEALTHCHECK")[0]
    (base,) = instructions("FROM")
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", base)


def test_every_requirement_is_pinned() -> None:
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)$", (DEPLOY / "constraints.txt").read_text(), re.MULTILINE))
    for name in re.findall(r"^[\w-]+", (ROOT / "requirements.txt").read_text(), re.MULTILINE):
        assert name in pinned


# ---- settings


def test_the_table_of_settings_is_that_of_the_code() -> None:
    table = re.findall(r"^\| `(GRADREEL_\w+)` \| (.+?) \| (.+) \|$", (DEPLOY / "README.md").read_text(), re.MULTILINE)
    assert [(name, default) for name, default, _ in table] == [
        (variable(field.name), told(getattr(Settings(), field.name))) for field in fields(Settings)
    ]
    assert all(len(meaning) > 5 for _, _, meaning in table)


def told(value: object) -> str:
    return f"`{int(value) if isinstance(value, bool) else value}`" if value != "" else "empty"


def test_the_defaults_are_safe_in_public() -> None:
    usual = read({})
    assert usual == Settings()
    assert usual.address == "127.0.0.1" and usual.fork and usual.rlimits and usual.seccomp and usual.policy


GIVEN = [
    ("GRADREEL_PORT", "9000", "port", 9000),
    ("GRADREEL_WAITING_SECONDS", "2.5", "waiting_seconds", 2.5),
    ("GRADREEL_SECCOMP", "off", "seccomp", False),
    ("GRADREEL_SECCOMP", "", "seccomp", True),
    ("GRADREEL_DASK", "tcp://host:8786", "dask", "tcp://host:8786"),
    ("GRADREEL_PLACE", "public", "place", "public"),
    ("GRADREEL_LIMITS", "seconds=2.5 memory=1e9", "limits", "seconds=2.5 memory=1e9"),
]


@pytest.mark.parametrize(("name", "text", "field", "value"), GIVEN)
def test_a_setting_is_read(name: str, text: str, field: str, value: object) -> None:
    assert getattr(read({name: text}), field) == value


WRONG = [
    ("GRADREEL_PORT", "many"),
    ("GRADREEL_PORT", "-1"),
    ("GRADREEL_PORT", "8501.5"),
    ("GRADREEL_PORT", "99999"),
    ("GRADREEL_PORT", "0"),
    ("GRADREEL_PORT", "9" * 5000),
    ("GRADREEL_PORT", "\ud800"),
    ("GRADREEL_SESSIONS", "0"),
    ("GRADREEL_PROCESSES", "100000"),
    ("GRADREEL_WAITING", "-5"),
    ("GRADREEL_CACHE_BYTES", "1e9"),
    ("GRADREEL_IDLE_SECONDS", "0"),
    ("GRADREEL_WAITING_SECONDS", "nan"),
    ("GRADREEL_WAITING_SECONDS", "inf"),
    ("GRADREEL_FORK", "maybe"),
    ("GRADREEL_PLACE", "home"),
    ("GRADREEL_LIMITS", "second=2"),
    ("GRADREEL_LIMITS", "seconds=-2"),
    ("GRADREEL_LIMITS", "seconds"),
    ("GRADREEL_LIMITS", "free=1"),
    ("GRADREEL_EMBEDDERS", "*; script-src *"),
    ("GRADREEL_EMBEDDERS", "*\r\nset-cookie: x"),
]


@pytest.mark.parametrize(("name", "text"), WRONG)
def test_a_setting_that_is_none_is_named(name: str, text: str) -> None:
    with pytest.raises(Unreadable, match=name):
        read({name: text})


PLACES = [
    ({}, "own", 120.0),
    ({"address": "::1"}, "own", 120.0),
    ({"address": "0.0.0.0"}, "public", 5.0),
    ({"address": "192.168.0.2"}, "public", 5.0),
    ({"place": "public"}, "public", 5.0),
    ({"address": "0.0.0.0", "place": "own", "limits": "seconds=30"}, "own", 30.0),
]


@pytest.mark.parametrize(("given", "place", "seconds"), PLACES)
def test_a_server_has_the_budgets_of_its_place(given: dict[str, str], place: str, seconds: float) -> None:
    settings = replace(Settings(), **given)
    found = place_for(settings, place_of_server(settings))
    assert (found.name, found.limits.seconds) == (place, seconds)
    assert found.limits.seconds < found.alarm_seconds < found.ready_seconds < found.last_seconds < found.hard_seconds
    assert place_for(Settings()).name == "public"  # whatever else has processes


@pytest.mark.parametrize("arguments", [["serve"], ["run", "-"]])
@pytest.mark.parametrize(("name", "text"), [("GRADREEL_PORT", "99999"), ("GRADREEL_DASK", "a,b")])
def test_a_wrong_setting_is_a_sentence_and_status_2(
    arguments: list[str], name: str, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, text)
    settings.cache_clear()
    try:
        assert main(arguments) == UNUSABLE == 2
    finally:
        settings.cache_clear()
    out, err = capsys.readouterr()
    assert out == "" and re.fullmatch(rf"gradreel: {name} .*\.\n", err), err


# ---- headers


def test_the_proxy_says_what_the_server_says() -> None:
    said = re.findall(r'add_header (\S+) "(.*)" always;', (DEPLOY / "nginx.conf").read_text())
    assert {name.lower(): value for name, value in said} == headers(Settings().embedders)
    hidden = re.findall(r"proxy_hide_header (\S+);", (DEPLOY / "nginx.conf").read_text())
    assert {name.lower() for name in hidden} == set(headers(Settings().embedders))


def test_the_policy_lets_nothing_in_from_elsewhere() -> None:
    policy = headers("'self'")["content-security-policy"]
    parts = {part.split()[0]: part.split()[1:] for part in policy.split("; ")}
    assert parts["default-src"] == parts["object-src"] == parts["base-uri"] == ["'none'"]
    assert "'unsafe-inline'" not in parts["script-src"] and "'unsafe-eval'" not in parts["script-src"]
    assert all(not source.startswith(("http", "*")) for sources in parts.values() for source in sources)


def test_the_scripts_of_a_page_are_named_by_their_content() -> None:
    page = "<script>x = 1</script><script src='a.js'></script><script>\ny\n</script>"
    assert inline(page) == [
        "'sha256-j/Q23vFFEoVZmhsa1wgASTuNyv3ikS4aODRWMwVOTCY='",
        "'sha256-ZxjiFobyaSpgtK7nMuivqbr7wqXwP5iWuzSfEByqGFE='",
    ]
