"""`python -m autograd_core.native.build`: make the native path, if there is a C compiler.

Without one all runs in Python alone, with the same results.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np

from .loading import CACHE, HERE, SOURCES, SUFFIX, file

FLAGS = "-O2 -fPIC -shared -std=c11 -ffp-contract=off -fno-strict-aliasing -fvisibility=hidden -Wall -Wextra"


def command(compiler: str, target: Path) -> list[str]:
    includes = [f"-I{folder}" for folder in (sysconfig.get_paths()["include"], np.get_include(), HERE)]
    sources = [str(source) for source in SOURCES if source.suffix == ".c"]
    return [*shlex.split(compiler), *FLAGS.split(), *includes, *sources, "-o", str(target)]


def build() -> None:
    """Make the extension, unless it is there; those that this Python had before go."""
    target = file()
    if target.exists():
        return
    compiler = next((c for c in (sysconfig.get_config_var("CC"), "cc") if c and shutil.which(shlex.split(c)[0])), None)
    if compiler is None:
        print("no C compiler was found: the engine runs in Python alone", file=sys.stderr)
        return
    CACHE.mkdir(exist_ok=True)
    made = target.with_name(f"{target.name}.{os.getpid()}")  # others may be making the same
    done = subprocess.run(command(compiler, made), capture_output=True, text=True)
    if done.returncode:
        print(f"{done.stderr}\nthe native path was not made: the engine runs in Python alone", file=sys.stderr)
        return
    made.replace(target)
    for old in CACHE.glob(f"native-*{SUFFIX}"):
        if old != target:
            old.unlink()


if __name__ == "__main__":
    build()
