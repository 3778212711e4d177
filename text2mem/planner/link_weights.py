"""Weights and thresholds of the linker, made by ``training/linking.py``; not edited by hand."""

from __future__ import annotations

WEIGHTS: tuple[float, ...] = (-5.0, 2.0, 1.5, 1.5, 2.0, 4.0, 2.0, 1.0, 2.0)
"""One for each feature of ``rank.NAMES``."""
FOUND = 0.3
"""The least probability of a memory that is meant alone."""
MANY = 0.3
"""The least probability of one of several."""
SHARE = 0.35
"""Of several, the least share of the best one's probability."""
RIVAL = 0.85
"""From which share of the best one's probability another memory is as likely."""
