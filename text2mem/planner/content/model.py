"""The words by which a language tells what goes with a memory that is to be stored."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ContentWords:
    """Patterns of a request to store something.

    ``leading`` and ``trailing`` are asking words at the ends of what is stored. ``type`` and
    ``location`` hold a group ``value``. ``titled`` starts what is
    stored and holds ``kind`` or ``place``. ``facts`` hold ``subject``, ``attribute`` and ``value``;
    ``nobody`` is no subject. ``reply`` is an answer that is a place, ``keeps`` what
    asks to keep what was said before.
    """

    leading: re.Pattern[str]
    trailing: re.Pattern[str]
    titled: re.Pattern[str]
    type: re.Pattern[str]
    location: re.Pattern[str]
    facts: tuple[re.Pattern[str], ...]
    nobody: re.Pattern[str]
    reply: re.Pattern[str]
    keeps: re.Pattern[str]
    stop: str
