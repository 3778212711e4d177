"""Schema evolution: renames, splits, merges and changes of type, as migrations of the facts."""

from text2mem.ledger.evolution.document import Evolution, read_evolution
from text2mem.ledger.evolution.names import read_names, write_name
from text2mem.ledger.evolution.run import Change, Evolved, evolve
from text2mem.ledger.evolution.version import Misfit

__all__ = [
    "Change", "Evolution", "Evolved", "Misfit", "evolve",
    "read_evolution", "read_names", "write_name",
]  # fmt: skip
