"""Lesson: higher derivatives."""

from gradreel.host import pages, run_program
from gradreel.player import mount

mount.lesson(pages.lesson("higher_derivatives", run_program))
