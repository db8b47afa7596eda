"""A graph cannot be refilled: the address that this story had before it became a part of the course."""

from gradreel.host import pages
from gradreel.host.wait import patient
from gradreel.player import mount

mount.show(pages.landing("A_graph_cannot_be_refilled", patient(mount.pulse)))
