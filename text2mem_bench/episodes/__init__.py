"""Dialogues replayed turn by turn: what is read out of them, kept, found again and forgotten.

``cases`` reads them, ``system`` plays a turn, ``play`` a whole dialogue, whose figures ``tally``
adds up. How a score compares is written in ``comparing`` (docs/bench/episodes.md).
"""
