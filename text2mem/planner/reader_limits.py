"""When the tuned reader is trusted. Made by ``training/trusting.py``; do not edit."""

from __future__ import annotations

Weights = tuple[float, float, float, float]

READ_WELL = 0.4
"""The least probability, by both readings, of an op that destroys or hides without a question."""
HIDES: Weights = (-1.374, 0.404, 0.498, 0.086)
"""Weights for the memories of a step that destroys or hides: a constant, and those of the log-odds
of how certain the reader is of them, of how well the request's own words fit them, and of how much
better than any other memory."""
SAFE = 0.8
"""The least probability of such memories without a question."""
JOINS = 0.15
"""The same for memories that are merged, in any store: a merge keeps their content."""
HIDES_BLIND: Weights = (-0.637, 0.468, 0.528, 0.0)
SAFE_BLIND = 0.8
"""``HIDES`` and ``SAFE`` for a store without vectors."""
CHANGES: Weights = (-0.694, 0.341, 0.109, 0.312)
"""Weights for any other step that writes."""
LIKELY = 0.5
"""The least probability of the memories of such a step without a question."""
TWINS = 0.05
"""If another memory holds as many words of the request as the picked one, how much nearer the
picked one must be (by cosine), so that no question is asked."""
ASKED = 0.95
"""The least probability of a step if the reader asked back."""
