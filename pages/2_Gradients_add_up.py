"""Lesson: gradients add up."""

from gradreel.host import pages
from gradreel.host.patience import patient
from gradreel.player import mount

mount.lesson(pages.lesson("gradients_add_up", patient(mount.pulse)))
