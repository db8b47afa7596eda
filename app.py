"""The Lab: type a program, run it, watch its backward pass."""

from functools import partial

from gradreel.host import pages
from gradreel.host.desk import answer
from gradreel.host.patience import patient
from gradreel.player import mount

mount.lab(pages.FIRST, partial(answer, head=pages.lab(), run=patient(mount.pulse)))
