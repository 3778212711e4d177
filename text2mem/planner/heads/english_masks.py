"""What English clauses name but do not ask for: topics ("about …") and the names of tags."""

from __future__ import annotations

import re

from text2mem.planner.evidence.text import HIDDEN
from text2mem.planner.heads.model import QUOTED

_WITH_TAGS = re.compile(
    r"\b(?:(?:with|without|having|carrying|bearing|under) (?:the |an? |any )?(?:tags?|labels?|"
    r"status|state)|(?<!be )(?<!is )(?<!are )(?<!get )(?<!been )(?<!to )(?:tagged|labell?ed|"
    r"filed|marked|listed)(?: as| "
    rf"under| with| in)?)(?: {QUOTED}(?:(?:,| and| or|, and|, or) {QUOTED})*)"
)
_NO_TOPIC = (
    r"(?!(?:should|must|may|might|can|could|will|would|is|are|was|were|has|have|had|\w{2,6}n't|"
    r"can't|needs?|ought|to be|that|which|who|from|with|without|tagged|labell?ed|filed|until|"
    r"till|any ?more|again|belongs?|matters?|deserves?|too|in|for|back|than|boils?|comes?|"
    r"amounts?|reads?|every|each|now|either|all|as|and|before|after|only|by|on|at|into|not|gets?|"
    r"counts?|of|says?|goes|go|gone|archived|deleted|locked|be|no|never|lacks?|got|takes?|wants?|"
    r"runs?|stays?|appears?|ranks?|carry|carries|makes?|lapses?|expires?|disappears?|becomes?|"
    r"there|but|if|so|until|off|up|down|out|under)\b)"
)
_TOPIC = re.compile(
    r"\b(?:about|regarding|concerning) "
    rf"(?P<topic>{_NO_TOPIC}[\w'-]+(?: {_NO_TOPIC}[\w'-]+){{0,7}})"
)


def plain(said: str) -> str:
    """Without the names of tags and topics, which ask for nothing."""
    return _TOPIC.sub(_hidden, without_names(said))


def _masked(found: re.Match[str]) -> str:
    return HIDDEN * len(found.group())


def _hidden(found: re.Match[str]) -> str:
    return found.group().replace(found["topic"], HIDDEN * len(found["topic"]))


def without_names(said: str) -> str:
    """Without the names of tags."""
    return _WITH_TAGS.sub(_masked, said)
