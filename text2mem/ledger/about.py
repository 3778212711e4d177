"""The facet of an episode that lists its subjects.

A fact names the episodes that state it. An episode that only ended, denied or confirmed something
is the source of no fact. Forgetting a subject finds it by this facet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from text2mem.ir.journal import ABOUT, WITHHELD
from text2mem.ir.words.naming import name_key
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.episode import Episode

_NAME = 60
"""The most characters of a value that may be a name. A value with digits is not taken for one."""


def labelling(
    episode: Episode, judged: Sequence[tuple[Candidate, bool]]
) -> Mapping[str, Any] | None:
    """The Label step that adds its subjects to an episode; None if it has none.

    ``judged`` are its candidates, each with whether the policy denies it. The value of a denied one
    is left out, and the episode is marked as withheld.
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
