"""What an utterance about stored memories says that code can read exactly, in English and Chinese.

Pure functions of the text, an aware ``now`` and the zone of naive times; no store, no model, and
work that is linear in the length of the text.
"""

from __future__ import annotations

from text2mem.planner.evidence.model import Clause, Evidence, Kind, Mention
from text2mem.planner.evidence.reading import read_evidence

__all__ = ["Clause", "Evidence", "Kind", "Mention", "read_evidence"]
