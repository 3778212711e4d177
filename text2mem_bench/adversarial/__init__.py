"""Negative and adversarial cases: what must be refused, asked back, limited, or do no harm."""

from text2mem_bench.adversarial.cases import KINDS, SETS, AdversarialCase, read_cases
from text2mem_bench.adversarial.figures import OUTCOMES, summarise
from text2mem_bench.adversarial.scoring import Judged, judge_programs, judge_utterances

__all__ = [
    "KINDS", "OUTCOMES", "SETS", "AdversarialCase", "Judged", "judge_programs", "judge_utterances",
    "read_cases", "summarise",
]  # fmt: skip
