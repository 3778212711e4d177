"""When further readings are trusted: ``training/again.py`` makes them, but for the last one."""

EDITED_WELL = 1.0
"""The least certainty of an edit that counts: from it on 75 of 100
were right to the letter. At 1 none does, and none is asked for."""
CHOSEN = 1.0
"""The least certainty of an edit that tells which of several memories is meant: from it on
95 of 100 were."""
MEANT = 0.5
"""From which likelihood on a memory is taken for meant: even odds, not fitted yet."""
