"""Edits proposed by cause."""
