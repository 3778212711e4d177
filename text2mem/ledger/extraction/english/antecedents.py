"""Whom "who" and "her" mean, and clauses that go on with the subject before them."""

from __future__ import annotations

import re

from text2mem.ir.naming import fold
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.people import NAME, RELATED, is_name
from text2mem.ledger.extraction.english.scene import Scene

_I = re.IGNORECASE


def last_named(scene: Scene, end: int) -> str:
    """Whom "who" is: the name or the relative right before it, "Ann, who is nine"."""
    before = scene.text[:end].rstrip(" ,")
    if related := re.search(rf"(?:[Mm]y|[Oo]ur) {RELATED.pattern}$", before):
        return scene.people.relative(scene.speaker, related["word"], related["name"])
    name = re.search(rf"{NAME}$", before)
    return fold(name[0]) if name and is_name(name[0]) else ""


def antecedent(scene: Scene, pronoun: str, end: int) -> str:
    """Whose "her husband" is: of the name before it in the same text, else last said."""
    names = [n[0] for n in re.finditer(NAME, scene.text[:end]) if is_name(n[0])]
    names = [name.removesuffix("'s") for name in names]
    return fold(names[-1]) if names else scene.people.last(pronoun) or ""


def headless(clause: Clause) -> bool:
    """Whether a clause begins with its predicate: "… and work at the harbour office"."""
    return bool(
        re.match(
            r"\s*(?:lives?|works?|speaks?|owns?|likes?|loves?|hates?|prefers?|uses?|takes?|plays?|"
            r"moved|joined|started|am|is|are|has|have|"
            r"keeps?|eats?|drinks?|drives?|can't|don't|doesn't|stud(?:y|ies)|edits?|leads?|enjoys?|"
            r"'m|'s|'re|got|gets?|come|comes|fly|flies|"
            r"leave|leaves|return|returns|arrives?|format|lint|build|joins|left|quit|bought|"
            r"adopted|maintains?|was|were)\b",
            clause.light, _I,
        )
    )  # fmt: skip
