"""Weights of the choice of an episode. Made by ``training/selecting.py``; do not edit."""

from __future__ import annotations

WEIGHTS: tuple[float, ...] = (-5.7534, 7.1038, 4.5064, 0.8357, 1.5559, 0.4534, 1.7549, 5.4592)
"""A weight for each feature of ``selecting.NAMES``."""
SHOWN = 0.25
"""The least probability of an episode that is shown."""
