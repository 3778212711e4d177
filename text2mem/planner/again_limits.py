"""When further readings are trusted: ``training/again.py`` makes them, no hand.

At 1 a reading is not asked for: the shipped reader has not learnt it.
"""

EDITED_WELL = 1.0
"""The least certainty of an edit that counts."""
CHOSEN = 1.0
"""The least certainty of an edit that tells which of several memories is meant."""
MEANT = 1.0
"""From which likelihood on a memory is taken for meant."""
