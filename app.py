"""The Lab: type a program, run it, watch its backward pass."""

from gradreel.host import pages
from gradreel.host.patience import patient
from gradreel.player import mount

mount.show(pages.lab(patient(mount.pulse)))
