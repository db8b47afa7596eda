"""What a host may set, all of it, read from the environment: each setting as GRADREEL_ and its name in capitals.

The defaults are safe in public. deploy/README.md has the same table, and a test compares the two.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from .places import PLACES, Place, here, place_named, read_limits, settle

YES, NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@dataclass(frozen=True)
class Settings:
    """The settings by name; deploy/README.md says what each is for."""

    address: str = "127.0.0.1"
    port: int = 8501
    processes: int = 0
    waiting: int = 32
    waiting_seconds: float = 5.0
    cache_bytes: int = 64_000_000
    sessions: int = 500
    idle_seconds: float = 3600.0
    dask: str = ""
    place: str = ""
    limits: str = ""
    fork: bool = True
    rlimits: bool = True
    seccomp: bool = True
    policy: bool = True
    embedders: str = "'self'"
    contact: str = ""


BOUNDS: Mapping[str, tuple[float, float]] = {
    "port": (1, 65_535),
    "processes": (0, 1024),
    "sessions": (1, 100_000),
    "idle_seconds": (10, 1e6),
}
"""What a number may be at least and at most, where that is not 0 and MOST."""
MOST = 1e12


class Unreadable(ValueError):
    """A setting in the environment that is none; the text says which, and what it may be."""


def read(environment: Mapping[str, str]) -> Settings:
    """The settings in `environment`; what is not there, or empty, has its default.

    Raises:
        Unreadable: a value is not of its kind.
    """
    given: dict[str, str] = {field.name: environment.get(variable(field.name), "") for field in fields(Settings)}
    usual = Settings()
    return replace(usual, **{name: parse(name, text, getattr(usual, name)) for name, text in given.items() if text})


def variable(name: str) -> str:
    return f"GRADREEL_{name.upper()}"


def parse(name: str, text: str, usual: Any) -> Any:
    """The value that `text` stands for, of the kind that the default has."""
    if isinstance(usual, bool):
        if text.lower() not in YES + NO:
            raise Unreadable(f"{variable(name)} is {text!r}; it may be 1 or 0.")
        return text.lower() in YES
    if name == "place" and text not in PLACES:
        raise Unreadable(f"{variable(name)} is {text!r}; it may be {' or '.join(PLACES)}.")
    if name == "limits":
        try:
            read_limits(text)
        except ValueError as error:
            raise Unreadable(f"{variable(name)}: {error}.") from None
    if isinstance(usual, str):
        if any(letter in text for letter in "\r\n;,"):
            raise Unreadable(f"{variable(name)} may not have a line end, a comma or a semicolon in it.")
        return text
    try:
        value = type(usual)(text)
    except ValueError:
        kind = "a whole number" if isinstance(usual, int) else "a number"
        raise Unreadable(f"{variable(name)} is {text[:40]!r}; it has to be {kind}.") from None
    least, most = BOUNDS.get(name, (0, MOST))
    if not least <= value <= most:  # nor is what is no number
        raise Unreadable(f"{variable(name)} is {text!r}; it has to be from {least:,g} to {most:,.0f}.")
    return value


LOOPBACK = ("127.0.0.1", "::1", "localhost")


def place_for(settings: Settings, usual: str | None = None) -> Place:
    """Where programs run as the settings say; where they say nothing, at the `usual` place, or that of this process."""
    if not (settings.place or settings.limits or usual):
        return here()
    return place_named(settings.place or usual or here().name, read_limits(settings.limits))


def settle_here(settings: Settings, usual: str) -> None:
    """Settle where this process is; see `place_for`."""
    settle(place_for(settings, usual))


def place_of_server(settings: Settings) -> str:
    """The usual place of a server: who listens for this machine alone serves its owner."""
    return "own" if settings.address in LOOPBACK else "public"


@cache
def settings() -> Settings:
    """The settings of this process."""
    return read(os.environ)
