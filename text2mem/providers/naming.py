"""Names of models: what to do about one that a server does not have."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

_NAMED = 10
"""How many models a hint names."""
_LONGEST = 80
LOOK = 5.0
"""For how many seconds a server is asked what it has, after it has refused."""


def instead(model: str, held: Sequence[str]) -> str:
    """Which models there are, those first whose names are alike; empty where none is known."""
    held = [name[:_LONGEST] for name in held if name.isprintable()]
    alike = get_close_matches(model, held, n=_NAMED, cutoff=0.5)
    named = list(dict.fromkeys((*alike, *sorted(held))))
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f"it has {', '.join(named[:_NAMED])}{more}" if named else ""
