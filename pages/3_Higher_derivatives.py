"""Lesson: higher derivatives."""

from gradreel.host import pages
from gradreel.host.patience import patient
from gradreel.player import mount

mount.lesson(pages.lesson("higher_derivatives", patient(mount.pulse)))
