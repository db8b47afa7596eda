"""Lesson: a graph cannot be refilled."""

from gradreel.host import pages
from gradreel.host.patience import patient
from gradreel.player import mount

mount.lesson(pages.lesson("a_graph_cannot_be_refilled", patient(mount.pulse)))
