"""Runs programs safely for many people."""
