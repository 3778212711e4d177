"""Whether an edit is made as worded. Made by ``training/wording.py``; do not edit."""

from __future__ import annotations

WORDS: tuple[float, ...] = (-1.121, 0.295, 0.847)
"""A constant, and the weights of the log-odds of how certain the reader is of the old words, and of
the new ones."""
WORDED = 0.25
"""Below this probability, the old words stay and what was said is added beside them."""
