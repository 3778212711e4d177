"""The planner stage: a model reads, code links, computes and judges."""

from text2mem.planner.ask import Ask
from text2mem.planner.planner import Attempt, Budget, Planned, Trace, plan
from text2mem.planner.steps import adrive, drive

__all__ = ["Ask", "Attempt", "Budget", "Planned", "Trace", "adrive", "drive", "plan"]
