"""Lesson: why the second backward fails."""

from gradreel.host import pages
from gradreel.host.patience import patient
from gradreel.player import mount

mount.lesson(pages.lesson("why_the_second_backward_fails", patient(mount.pulse)))
