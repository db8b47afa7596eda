"""Writes in place: into what was saved, into leaves and views, and results that nobody takes."""
