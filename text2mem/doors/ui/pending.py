"""The page of the facts that wait for approval, and the two answers to each."""

from __future__ import annotations

from text2mem.doors.ui import layout
from text2mem.doors.ui.visit import Elsewhere, Page, Visit
from text2mem.ir.record import Record
from text2mem.ir.result import ProgramResult
from text2mem.ledger.pending import pending_row
from text2mem.markup import Markup, join, tag


def pending(visit: Visit) -> Page:
    """The page of the facts that wait, the latest first."""
    waiting = visit.memory.pending()
    items = (_waiting(visit, each) for each in waiting)
    return Page("Pending", "/pending", join(
        layout.soft("These facts do not count until somebody says so, or they are heard again."),
        layout.listed(items, empty="Nothing waits."),
        layout.capped(len(waiting)),
    ))  # fmt: skip


def _waiting(visit: Visit, fact: Record) -> Markup:
    """A fact that waits, why it does, and the two buttons."""
    row = pending_row(fact)
    heard, sure = row["source_episode_id"], row["confidence"]
    meta = layout.meta(
        layout.memory_link(fact.id), layout.moment(fact.created_at, visit.tz),
        join("heard in ", layout.memory_link(str(heard), "e")) if heard else None,
        f"{sure:.0%} sure" if isinstance(sure, int | float) else None,
    )  # fmt: skip
    about = f"fact {fact.id}"
    approves = layout.button("Approve", about=about, class_="first")
    rejects = layout.button("Reject", about=about)
    return join(
        tag("p", layout.subject_link(str(fact.subject)), f" · {fact.attribute} = ",
            tag("strong", layout.shown(fact.value)), class_="text"),
        tag("p", layout.short(row["waits"] or "it is too unsure", 300)),
        meta,
        tag("div", layout.form(visit, "/pending/approve", {"id": fact.id}, approves),
            layout.form(visit, "/pending/reject", {"id": fact.id}, rejects), class_="answers"),
    )  # fmt: skip


def approve(visit: Visit) -> Elsewhere:
    """Approve a fact that waits. Raises NothingWaits."""
    return _answered(visit, visit.memory.approve(visit.form.get("id", "")), "Approved")


def reject(visit: Visit) -> Elsewhere:
    """Reject a fact that waits, which deletes it. Raises NothingWaits."""
    return _answered(visit, visit.memory.reject(visit.form.get("id", "")), "Rejected")


def _answered(visit: Visit, result: ProgramResult, word: str) -> Elsewhere:
    """Add a notice on the outcome of an answer, and return the page to go to."""
    if result.error is not None:
        visit.say(layout.why(result.error), failed=True)
    else:
        visit.session.talk.changed(result.trace_id)
        link = layout.address("/journal", trace=result.trace_id)
        visit.say(f"{word}: ", tag("a", "the journal takes it back", href=link), ".")
    return Elsewhere("/pending")
