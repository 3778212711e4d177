"""From when on the tuned reader is trusted: ``training/trusting.py`` makes them.

``READ_WELL`` was raised by hand from .69, and the last three are set by hand (docs/bench/runs.md).
"""

READ_WELL = 0.945
"""The least likelihood of both readings of an op that destroys or hides without a question."""
PICKED = 0.56
"""The least likelihood of the memories that a step picks, before something is destroyed on it."""
BORNE_OUT = 0.4
"""The least likelihood, by the request's own words, of what is picked to go or be hidden."""
UNLIKELY = 0.05
"""Below which likelihood, by the request's own words, nothing that is picked is changed unasked."""
WORDED = 0.45
"""Below which likelihood the words that an Update has go stay, and what is said stands beside."""
