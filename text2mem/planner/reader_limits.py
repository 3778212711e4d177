"""When the tuned reader is trusted. Made by ``training/trusting.py``; do not edit."""

from __future__ import annotations

Weights = tuple[float, float, float, float]

READ_WELL = 0.4
"""The least probability, by both readings, of an op that destroys or hides without a question."""
HIDES: Weights = (-1.185, 0.179, 0.274, 0.524)
"""Weights for the memories of a step that destroys or hides: a constant, and those of the log-odds
of how certain the reader is of them, of how well the request's own words fit them, and of how much
better than any other memory."""
SAFE = 0.8
"""The least probability of such memories without a question."""
JOINS = 0.25
"""The same for memories that are merged, in any store: a merge keeps their content."""
HIDES_BLIND: Weights = (0.272, 0.539, 0.759, 0.0)
SAFE_BLIND = 0.75
"""``HIDES`` and ``SAFE`` for a store without vectors."""
CHANGES: Weights = (-0.542, 0.618, 0.0, 0.476)
"""Weights for any other step that writes."""
LIKELY = 0.5
"""The least probability of the memories of such a step without a question."""
TWINS = 0.05
"""If another memory holds as many words of the request as the picked one, how much nearer the
picked one must be (by cosine), so that no question is asked."""
ASKED = 0.95
"""The least probability of a step if the reader asked back."""
