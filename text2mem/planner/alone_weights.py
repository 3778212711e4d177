"""When a request stands without its turns: by ``training/alone.py``, and no hand."""

from __future__ import annotations

UNDOES = (0.0, 1.0, 1.0)
"""A constant, and what the log-odds of an undo count with the turns before and without."""
IDLE = 0.5
"""From which likelihood on an utterance asks for nothing, read without the turns before it."""
