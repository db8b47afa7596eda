"""About: what this is, what it is not, and how it is checked."""

from gradreel.host import pages
from gradreel.host.wait import patient
from gradreel.player import mount

mount.show(pages.about_page(patient(mount.pulse)))
