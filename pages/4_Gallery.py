"""Gallery: errors and silent trouble, found by what PyTorch says."""

from gradreel.host import pages
from gradreel.host.patience import patient
from gradreel.player import mount

mount.show(pages.museum(patient(mount.pulse)))
