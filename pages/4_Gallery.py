"""Gallery: errors and silent trouble, found by what PyTorch says."""

from gradreel.host import pages
from gradreel.host.wait import patient
from gradreel.player import mount

mount.show(pages.gallery_page(patient(mount.pulse)))
