"""Embedders: texts as vectors, found by name like providers; the profiles hold thresholds."""
