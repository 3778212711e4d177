"""The words by which a language says what is to change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EditWords:
    """Patterns of edits.

    ``pairs`` hold the groups ``old`` and ``new``, ``says`` and ``news`` the group ``new``: the
    whole of what a memory is to say, and what is to stand in it. ``fields`` lead, by the name of a
    field, to its new ``value``; what stands in the group ``of`` between the two is no part of it.
    ``dated`` asks for another date whose words stand elsewhere. ``cancelled`` takes away what its
    group names.
    """

    pairs: tuple[re.Pattern[str], ...]
    says: tuple[re.Pattern[str], ...]
    news: tuple[re.Pattern[str], ...]
    fields: Mapping[str, tuple[re.Pattern[str], ...]]
    dated: re.Pattern[str]
    cancelled: re.Pattern[str]
