"""The subjects of an episode, kept as a facet of it.

A fact names the episodes that it was heard in. An episode that ended, denied or confirmed something
is named by no fact, and forgetting a subject has to find it as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from text2mem.ir.words.naming import name_key
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.episode import Episode

WITHHELD = "withheld"
"""The facet of an episode that says what the policy denies: recall finds and shows none of it."""
ABOUT = "about"
"""The facet: folded subjects, and folded values that may be names of subjects."""
_NAME = 60
"""What is longer is no name, in characters; neither is what has digits, such as a number."""


def labelling(
    episode: Episode, judged: Sequence[tuple[Candidate, bool]]
) -> Mapping[str, Any] | None:
    """The step that labels an episode with its subjects; None where it has none.

    ``judged`` are its candidates, each with whether the policy denies it: then its value, which may
    be a subject's name, is left out.
    """
    subjects = {name_key(candidate.subject) for candidate, _ in judged}
    values = {name_key(c.value) for c, denied in judged if not denied and isinstance(c.value, str)}
    names = subjects | {v for v in values if len(v) <= _NAME and not any(map(str.isdigit, v))}
    if not names - {""}:
        return None
    facets: dict[str, Any] = {ABOUT: sorted(names - {""})}
    if any(denied for _, denied in judged):
        facets[WITHHELD] = True
    args = {"facets": facets, "mode": "add"}
    return {"stage": "STO", "op": "Label", "target": {"ids": [episode.id]}, "args": args}
