"""The linker's weights and limits. Made by ``training/linking.py``; do not edit."""

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
"""A weight for each feature of ``rank.NAMES``."""
FOUND = 0.1
"""The least probability of a memory, if one is meant."""
MANY = 0.1
"""The least probability of a memory, if several are meant."""
SHARE = 0.45
"""If several are meant, the least share of the best one's probability."""
READ = 0.35
"""If a question is answered, the least share of the best one's probability."""
RIVAL = 0.65
"""From this share of the best one's probability on, another memory counts as equally likely."""
SURE = 0.47
"""From this probability on, the memory that is found is the right one in 9 of 10 requests."""
