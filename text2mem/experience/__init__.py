"""Experience: what a person's requests turned out to mean, for later requests like them."""

from text2mem.experience.bank import Bank, bank_of
from text2mem.experience.episode import Episode

__all__ = ["Bank", "Episode", "bank_of"]
