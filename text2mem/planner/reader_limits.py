"""When the tuned reader is trusted: ``training/trusting.py`` makes them, no hand."""

from __future__ import annotations

Weights = tuple[float, float, float, float, float]

HIDES: Weights = (-0.608, 0.0, 0.162, 0.239, 0.553)
"""Of a step that destroys or hides: a constant, and of the log-odds of the op, of the second
reading, of the memories that are picked, and of these by the request's own words."""
SAFE = 0.85
"""The least likelihood of a step that destroys or hides without a question."""
CHANGES: Weights = (-0.133, 0.22, 0.0, 0.196, 0.167)
"""The same of any other step that writes."""
LIKELY = 0.5
"""The least likelihood of any other step that writes without a question."""
WORDED = 0.4
"""Below which likelihood the words that an Update has go stay, and what is said stands beside."""
