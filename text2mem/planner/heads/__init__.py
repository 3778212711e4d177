"""Heads: the word of a clause that asks for something, and the ops that it can ask for.

In "please mark the urgent report as done" the head is "mark"; "urgent" and "report" are not. A head
that can only mean one op decides it; where it can mean several, the model chooses among those.
"""

from __future__ import annotations

import re

from text2mem.ir.segment import HAN
from text2mem.planner.evidence.quotes import quotations, quoted
from text2mem.planner.evidence.text import fold
from text2mem.planner.heads.model import NONE, Head

__all__ = ["Head", "head"]

_LETTER = re.compile(r"[^\W\d_]")
_MOST = 1000
"""How much of a clause is read; who asks for something has said it by then."""


def head(clause: str) -> Head:
    """The head of one clause, in English or Chinese; what is quoted in it asks for nothing."""
    # Imported here: the tables of a language take some hundredths of a second to compile.
    said = clause[:_MOST]
    text = quoted(fold(said), quotations(said))
    if not _LETTER.search(text):
        return NONE
    if _is_chinese(text):
        from text2mem.planner.heads.chinese import find
    else:
        from text2mem.planner.heads.english import find
    return find(text)


def _is_chinese(text: str) -> bool:
    """Whether it is Chinese that asks: it says the first word, or a third of all letters."""
    letters = _LETTER.findall(text)
    return bool(HAN.match(letters[0])) or 3 * len(HAN.findall(text)) > len(letters)
