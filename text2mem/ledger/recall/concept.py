"""One meaning that attributes have: what they are called, and which words ask for them."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Concept:
    """One meaning. ``relation``: its values are persons (or what else has facts of its own)."""

    names: tuple[str, ...]
    cues: re.Pattern[str] | None
    hints: re.Pattern[str] | None = None
    relation: bool = False


def _pattern(english: str, chinese: str) -> re.Pattern[str] | None:
    parts = [rf"(?<![a-z0-9])(?:{english})(?![a-z0-9])"] if english else []
    parts += [f"(?:{chinese})"] if chinese else []
    return re.compile("|".join(parts)) if parts else None


def concept(names: str, cues: tuple[str, str], hints: tuple[str, str] = ("", "")) -> Concept:
    """A concept by its names, and its cues and hints in English and Chinese."""
    return Concept(tuple(names.split()), _pattern(*cues), _pattern(*hints))


def relation(names: str, english: str, chinese: str) -> Concept:
    """A concept whose values are persons, by its names and its cues."""
    return Concept(tuple(names.split()), _pattern(english, chinese), None, relation=True)
