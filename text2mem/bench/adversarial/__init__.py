"""Negative and adversarial cases: what must be refused, asked back, limited, or do no harm."""

from text2mem.bench.adversarial.cases import KINDS, AdversarialCase, read_cases
from text2mem.bench.adversarial.scoring import Judged, judge_programs, judge_utterances, summarise

__all__ = [
    "KINDS", "AdversarialCase", "Judged", "judge_programs", "judge_utterances", "read_cases",
    "summarise",
]  # fmt: skip
