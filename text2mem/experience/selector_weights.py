"""Weights of the choice of an episode: ``training/selecting.py`` makes them, no hand."""

from __future__ import annotations

WEIGHTS: tuple[float, ...] = (-5.7534, 7.1038, 4.5064, 0.8357, 1.5559, 0.4534, 1.7549, 5.4592)
"""One for each feature of ``selecting.NAMES``."""
SHOWN = 0.25
"""The least probability of an episode that is shown."""
