"""Orders and tickets that a clause names, and their status."""

from __future__ import annotations

import re

_I = re.IGNORECASE
_ORDER = re.compile(
    r"\s*(?:the |my |our |your )?(?P<what>order|ticket|parcel|package|invoice|shipment|case|issue|"
    r"booking|task|pull request|pr)\s+"
    r"(?:number |no\.? ?|#)?(?P<id>[A-Z]{0,4}-?#?\d[\w-]*)\s+(?:has|have|is|was|'s|got)\s+(?:been |"
    r"now |just |already )?(?P<v>arrived|shipped|"
    r"delivered|closed|open|reopened|resolved|fixed|paid|cancelled|canceled|refunded|returned|"
    r"merged|on hold|overdue|pending|done|"
    r"completed?|dispatched|lost|confirmed|blocked|in progress)(?![\w-])",
    _I,
)


_STATUS = re.compile(
    r"\s*(?:the |our |my )?(?:(?:incident|ticket|issue|case|order|job|change|bug|story|request|"
    r"claim|"
    r"problem) )?(?P<id>(?-i:[A-Z]{2,8})-?#?\d[\w-]*)\s+(?:has been|have been|is|was|'s|got|went|"
    r"goes|"
    r"moved to|moves to|has|now)\s+(?:now |just |already |marked |set to |back |as "
    r")*(?P<v>mitigated|"
    r"escalated|resolved|open|closed|reopened|blocked|unblocked|in review|in progress|in testing|"
    r"approved|rejected|merged|done|on hold|paused|triaged|fixed|assigned|confirmed|contained|"
    r"investigating|under investigation|monitoring|deployed|released|shipped|delivered|waiting|"
    r"waiting for \w+|ready for \w+|cancelled|canceled|stalled|pending|settled|paid|"
    r"denied)(?![\w-])",
    _I,
)


def order_status(text: str, begin: int) -> tuple[str, str] | None:
    """The ticket that a clause names by its identifier alone, and its status."""
    found = _STATUS.match(text, begin)
    return (found["id"], found["v"]) if found else None


def order(text: str, begin: int) -> tuple[str, str] | None:
    """The order or ticket that a clause names, and its status."""
    found = _ORDER.match(text, begin)
    if found is None:
        return None
    number_ = found["id"].lstrip("#")
    named = f"{found['what']} {number_}" if number_.isdigit() else number_
    return named, found["v"]
