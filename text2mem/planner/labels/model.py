"""The words by which a language tells what is given from what is meant."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LabelWords:
    """Patterns of what stands around the names of tags and facets.

    ``gives``, ``means`` and ``likely`` end what stands before a name, ``given`` and ``meant`` start
    what follows; ``facet_given`` and ``facet_meant`` are of what leads to a facet and of the facet.
    ``joint`` is all that stands between two names of a list. ``unquoted`` holds the groups ``name``
    and ``other``. ``status`` says that a status is given, ``has`` that memories are to have tags.
    """

    gives: re.Pattern[str]
    given: re.Pattern[str]
    means: re.Pattern[str]
    meant: re.Pattern[str]
    likely: re.Pattern[str]
    facet_given: re.Pattern[str]
    facet_meant: re.Pattern[str]
    joint: re.Pattern[str]
    removes: re.Pattern[str]
    replaces: re.Pattern[str]
    unquoted: re.Pattern[str]
    status: re.Pattern[str]
    has: re.Pattern[str]
