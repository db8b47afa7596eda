"""Lesson: why the second backward fails."""

from gradreel.host import pages, run_program
from gradreel.player import mount

mount.lesson(pages.lesson("why_the_second_backward_fails", run_program))
