"""Measurements: ``text2mem bench …``."""
