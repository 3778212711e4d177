"""The execution layer: what programs do to a store, held against what they should do to it."""

from text2mem_bench.execution.cases import ExecutionCase, read_cases
from text2mem_bench.execution.scoring import Scored, measure
from text2mem_bench.execution.summary import summarise

__all__ = ["ExecutionCase", "Scored", "measure", "read_cases", "summarise"]
