"""Compare: two programs or two settings side by side, on one clock."""

from gradreel.host import pages
from gradreel.host.wait import patient
from gradreel.player import mount

mount.show(pages.compare_page(patient(mount.pulse)))
