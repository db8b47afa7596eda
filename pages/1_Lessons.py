"""Lessons: one course, step by step; `?step=` opens one of them."""

from gradreel.host import pages
from gradreel.host.wait import patient
from gradreel.player import mount

mount.show(pages.lessons_page(patient(mount.pulse), mount.query_parameter("step")))
