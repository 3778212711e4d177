"""Weights and thresholds of the linker: ``training/linking.py`` makes them, no hand."""

from __future__ import annotations

WEIGHTS: tuple[float, ...] = (
    -3.3166,
    2.1092,
    0.1995,
    0.4383,
    4.3864,
    6.7941,
    0.2031,
    0.8227,
    1.4253,
)
"""One for each feature of ``rank.NAMES``."""
FOUND = 0.1
"""The least probability of a memory that is meant alone."""
MANY = 0.1
"""The least probability of one of several."""
SHARE = 0.45
"""Of several, the least share of the best one's probability."""
READ = 0.35
"""Of what a question is answered from, the least share of the best one's probability."""
RIVAL = 0.65
"""From which share of the best one's probability another memory is as likely."""
SURE = 0.47
"""From which probability on the memory that is found is the right one in 9 of 10 requests."""
