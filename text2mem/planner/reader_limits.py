"""When the tuned reader is trusted: ``training/trusting.py`` makes them, no hand."""

from __future__ import annotations

Weights = tuple[float, float, float, float]

READ_WELL = 0.4
"""The least likelihood of an op that destroys or hides, by both readings, without a question."""
HIDES: Weights = (-1.185, 0.179, 0.274, 0.524)
"""Of the memories of a step that destroys or hides: a constant, and of the log-odds of how certain
the reader is of them, of how well the request's own words fit them, and of how much better than
any other."""
SAFE = 0.8
"""The least likelihood of such memories without a question."""
JOINS = 0.25
"""The same of those that are merged, in any store: what they say is all there still."""
HIDES_BLIND: Weights = (0.272, 0.539, 0.759, 0.0)
SAFE_BLIND = 0.75
"""The same in a store without vectors."""
CHANGES: Weights = (-0.542, 0.618, 0.0, 0.476)
"""The same of any other step that writes."""
LIKELY = 0.5
"""The least likelihood of the memories of any other step that writes."""
TWINS = 0.05
"""By how much a memory that was picked has to be nearer than one that holds as many of the words of
a request, lest it is asked which of them is meant."""
ASKED = 0.95
"""The least likelihood of a step that a reader would rather have asked about."""
