"""Linking an utterance to the store, as text-to-SQL links a question to its schema.

``ground`` makes the picture that a planner is shown; ``mean`` says which memories a phrase means,
and that there are none. Both read through a StoreView, so only what the actor may read.
"""

from text2mem.ir.ports import Vocabulary
from text2mem.planner.grounding.links import Link, link
from text2mem.planner.grounding.meaning import NOTHING, Alternative, Reading, mean
from text2mem.planner.grounding.picture import Candidate, Picture, ground

__all__ = [
    "NOTHING",
    "Alternative",
    "Candidate",
    "Link",
    "Picture",
    "Reading",
    "Vocabulary",
    "ground",
    "link",
    "mean",
]
