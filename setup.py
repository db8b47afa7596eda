"""What pyproject.toml cannot say: a wheel carries the app that `gradreel serve` serves, with its pages and settings."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
SITE = ("app.py", "pages", ".streamlit")


class BuildWithSite(build_py):
    """Copies the site beside the package; an editable installation serves the checkout itself."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for name in SITE:
                self.copy_into(Path(self.build_lib, "gradreel", "site"), name)

    def copy_into(self, folder: Path, name: str) -> None:
        source, target = ROOT / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


setup(cmdclass={"build_py": BuildWithSite})
