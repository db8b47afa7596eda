"""Gradients add up: the address that this story had before it became a part of the course."""

from gradreel.host import pages
from gradreel.host.wait import patient
from gradreel.player import mount

mount.show(pages.landing("Gradients_add_up", patient(mount.pulse)))
