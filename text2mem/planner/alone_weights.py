"""When a request stands without its turns: by ``training/alone.py``, and no hand."""

from __future__ import annotations

UNDOES = (1.636, 0.109, 0.401)
"""A constant, and what the log-odds of an undo count with the turns before and without."""
IDLE = 0.3
"""From which likelihood on an utterance asks for nothing, read without the turns before it."""
