"""The planner stage, repair included."""

from text2mem.planner.ask import Ask
from text2mem.planner.planner import Planner
from text2mem.planner.repair import Attempt, Budget, Trace, plan
from text2mem.planner.steps import adrive, drive

__all__ = ["Ask", "Attempt", "Budget", "Planner", "Trace", "adrive", "drive", "plan"]
