"""Whether a request stands by itself. Made by ``training/alone.py``; do not edit."""

from __future__ import annotations

UNDOES = (1.636, 0.109, 0.401)
"""A constant, and the weights of the log-odds of an undo with the earlier turns and without."""
IDLE = 0.3
"""From this probability on, an utterance read without its turns asks for nothing."""
