"""The executor stage."""

from text2mem.executor.basis import Basis
from text2mem.executor.batch import encode_many, execute_many
from text2mem.executor.executor import execute, refused
from text2mem.executor.prepared import Prepared
from text2mem.executor.tick import TickResult, tick
from text2mem.executor.undo import undo

__all__ = [
    "Basis", "Prepared", "TickResult", "encode_many", "execute", "execute_many", "refused", "tick",
    "undo",
]  # fmt: skip
