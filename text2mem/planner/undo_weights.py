"""When an undo is meant: ``training/undoing.py`` makes them, no hand."""

from __future__ import annotations

UNDOES = (0.0, 1.0, 1.0)
"""A constant, and what the log-odds of an undo count with the turns before and without."""
