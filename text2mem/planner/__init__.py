"""The planner: a model reads a request; code links, computes and judges."""

from text2mem.planner.ask import Ask, Example, Language
from text2mem.planner.planner import NEAREST_TOKENS, Planned, plan
from text2mem.planner.steps import adrive, drive
from text2mem.planner.trace import Attempt, Budget, Trace

__all__ = [
    "NEAREST_TOKENS", "Ask", "Attempt", "Budget", "Example", "Language", "Planned", "Trace",
    "adrive", "drive", "plan",
]  # fmt: skip
