"""Operators: what the engine knows of each, from its table."""

from gradreel.host import pages
from gradreel.host.patience import patient
from gradreel.player import mount

mount.show(pages.catalogue(patient(mount.pulse)))
