"""Compare: two programs or two settings side by side, on one clock."""

from gradreel.host import pages
from gradreel.host.patience import patient
from gradreel.player import mount

mount.show(pages.comparison(patient(mount.pulse)))
