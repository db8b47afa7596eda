"""Operators: what the engine knows of each, from its table."""

from gradreel.host import pages
from gradreel.host.wait import patient
from gradreel.player import mount

mount.show(pages.operators_page(patient(mount.pulse)))
