"""Parting: a clause that asks for two things, where only its heads tell so.

"Set it to "done". It can go to the archive after that": no word joins these, but each asks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from text2mem.planner.evidence import Clause
from text2mem.planner.heads import Head, head
from text2mem.planner.heads.model import NONE

_QUOTED = re.compile(
    r"“[^”]*”|\"[^\"]*\"|「[^」]*」|『[^』]*』|‘[^’]*’|(?<!\w)'[^']*'(?!\w)|《[^》]*》"
)
_JOINT = re.compile(
    r"(?:[.;!]\s+|,?\s+(?:and\s+)?(?:then|after that|afterwards|finally|lastly|next|"
    r"also)[,:]?\s+|,\s+and\s+(?:also\s+)?)|[，,；;。]\s?(?:然后|接着|再|最后|之后|随后|并且?|"
    r"同时|另外|接下来|请|就|还要)+[，,：:]?|[，,；;。](?=[把将])",
    re.IGNORECASE,
)
_IN_TURN = re.compile(r"\w|[.;。；]")
"""What of a joint says more than a comma."""
_GOES_ON = re.compile(
    r"(?:it|they|these|those|this|that|(?:any|all|each|the ones)(?: of them)? (?:that|which|with|"
    r"tagged|from))\b|它们?|这些|那些",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\b(?:the )?(?:originals?|others?|rest|source)\b|原[文来件本]|其[他它余]|剩下", re.IGNORECASE
)
_MOST = 5
"""How many joints of a clause are looked at."""
_ENDS = (("Delete",), ("Demote",))
"""What may be said of how an expiry ends: "keep it until May, then delete it"."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A clause and its head."""

    clause: Clause
    head: Head


def pieces(clause: Clause) -> list[Piece]:
    """A clause in the pieces that ask for different things; itself where it asks for one."""
    found = head(clause.words)
    whole = [Piece(clause, found)]
    if len(found.ops) != 1 or found.ops == ("Encode",):
        return whole
    shown = _QUOTED.sub(lambda quote: "\ue001" * len(quote.group()), clause.words)
    for joint in islice(_JOINT.finditer(shown), _MOST):
        left, right = clause.words[: joint.start()], clause.words[joint.end() :]
        first = head(left)
        if first.ops != found.ops or first.start != found.start:
            continue
        second = _asking(right)
        adds = _adds(first, second, in_turn=bool(_IN_TURN.search(joint.group())))
        if second.ops and second.ops != first.ops and not adds:
            place = clause.start
            rest = Clause(place + joint.end(), clause.end, right)
            return [Piece(Clause(place, place + joint.start(), left), first), *pieces(rest)]
    return whole


def _asking(words: str) -> Head:
    """The head of what may be a request of its own; none for what only adds to the one before."""
    found = head(words)
    alone = len(found.ops) == 1 and (found.first or bool(_GOES_ON.match(words)))
    return found if alone and not _ASIDE.search(words) else NONE


def _adds(first: Head, second: Head, *, in_turn: bool) -> bool:
    """Whether the second only says how the first ends, or in what it consists."""
    if first.ops == ("Expire",):
        return second.ops in _ENDS
    return first.ops == ("Update",) and second.ops == ("Label",) and not in_turn
