"""When an edit is made as it is worded: ``training/wording.py`` makes them, no hand."""

from __future__ import annotations

WORDS: tuple[float, ...] = (-1.121, 0.295, 0.847)
"""A constant, and of the log-odds of how certain the reader is of the words that go, and of those
that come."""
WORDED = 0.25
"""Below which likelihood the words that would go stay, and what is said stands beside."""
