"""A graph cannot be refilled: the address that this story had before it became a part of the course."""

from gradreel.host import pages
from gradreel.host.patience import patient
from gradreel.player import mount

mount.show(pages.course(patient(mount.pulse), "no_refilling"))
