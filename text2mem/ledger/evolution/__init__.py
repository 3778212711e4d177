"""Schema evolution: renames, splits, merges and changes of type, as migrations of the facts."""

from text2mem.ledger.evolution.document import Evolution, read_evolution
from text2mem.ledger.evolution.names import read_names, write_name
from text2mem.ledger.evolution.run import Evolved, Replacement, evolve
from text2mem.ledger.evolution.version import Misfit

__all__ = [
    "Evolution", "Evolved", "Misfit", "Replacement", "evolve",
    "read_evolution", "read_names", "write_name",
]  # fmt: skip
