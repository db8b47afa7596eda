"""Lesson: a graph cannot be refilled."""

from gradreel.host import pages, run_program
from gradreel.player import mount

mount.lesson(pages.lesson("a_graph_cannot_be_refilled", run_program))
