"""Weights and thresholds of the linker, made by ``training/linking.py``; not edited by hand."""

from __future__ import annotations

WEIGHTS: tuple[float, ...] = (
    -3.2981,
    2.0804,
    0.1063,
    0.4939,
    4.4326,
    6.856,
    0.2064,
    0.8196,
    1.4482,
)
"""One for each feature of ``rank.NAMES``."""
FOUND = 0.15
"""The least probability of a memory that is meant alone."""
MANY = 0.1
"""The least probability of one of several."""
SHARE = 0.2
"""Of several, the least share of the best one's probability."""
RIVAL = 0.85
"""From which share of the best one's probability another memory is as likely."""
