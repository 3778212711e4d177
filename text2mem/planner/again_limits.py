"""When further readings are trusted: ``training/again.py`` makes them, no hand."""

EDITED_WELL = 0.01
"""The least certainty of an edit that counts: from it on 75 of 100
were right to the letter."""
CHOSEN = 0.5
"""The least certainty of an edit that tells which of several memories is meant: from it on
95 of 100 were."""
MEANT = 0.5
"""From which likelihood on a memory is taken for meant: the bound that told the most rightly."""
