"""Lesson: gradients add up."""

from gradreel.host import pages, run_program
from gradreel.player import mount

mount.lesson(pages.lesson("gradients_add_up", run_program))
