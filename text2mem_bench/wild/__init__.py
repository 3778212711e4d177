"""Requests as people make them, on stores as people keep them, judged by what they do."""

from __future__ import annotations

from text2mem_bench.wild.cases import Case, Store, read_cases, read_drafts, read_stores
from text2mem_bench.wild.figures import summarise
from text2mem_bench.wild.judging import Happened, Verdict, judge
from text2mem_bench.wild.learning import ByLearning
from text2mem_bench.wild.scoring import (
    EMPTY,
    Answerer,
    ByDrafts,
    ByModel,
    Scored,
    Scripted,
    Settled,
    score,
)
from text2mem_bench.wild.world import Worlds, worlds

__all__ = [
    "EMPTY",
    "Answerer",
    "ByDrafts",
    "ByLearning",
    "ByModel",
    "Case",
    "Happened",
    "Scored",
    "Scripted",
    "Settled",
    "Store",
    "Verdict",
    "Worlds",
    "judge",
    "read_cases",
    "read_drafts",
    "read_stores",
    "score",
    "summarise",
    "worlds",
]
