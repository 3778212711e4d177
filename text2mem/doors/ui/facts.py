"""The pages of facts: the known subjects, and the time line of one subject."""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.doors.ui import layout
from text2mem.doors.ui.memories import card, fact_line
from text2mem.doors.ui.timeline import DRAWN, Scale, axis, drawn
from text2mem.doors.ui.visit import NotFound, Page, Visit
from text2mem.ir.record import Record
from text2mem.ledger.holdings import by_attribute, held_on, sources, state_of
from text2mem.markup import Markup, join, tag

_SUBJECTS, _OTHERS = 256, 50
"""The most subjects that are listed, and the most items of each list below a time line."""
_NOTHING = "Nothing is known of anybody yet: text2mem observe reads facts out of what is said."


def facts(visit: Visit) -> Page:
    """The page of all subjects, or of the subject that the query names."""
    subject = visit.query.get("subject", "").strip()
    return _of(visit, subject) if subject else _subjects(visit)


def _subjects(visit: Visit) -> Page:
    known = visit.memory.view().vocabulary(_SUBJECTS, include=("archived",)).subjects
    items = (layout.subject_link(each) for each in known)
    chosen = layout.field("Subject", "subject", "", required=True, maxlength=200)
    return Page("Facts", "/facts", join(
        layout.searching("/facts", "Show", chosen),
        layout.listed(items, empty=_NOTHING, class_="names"),
        layout.soft(f"The {_SUBJECTS} most frequent ones are listed.")
        if len(known) >= _SUBJECTS else None,
    ))  # fmt: skip


def _of(visit: Visit, subject: str) -> Page:
    """The page of one subject: its time line, and what else refers to it. Raises NotFound."""
    held = held_on(visit.memory.ledger.still(), subject)
    if not (held.facts or held.pointing or held.others or held.episodes):
        raise NotFound("such subject")
    lines = [each for each in held.facts if state_of(each, visit.now) in DRAWN]
    scale = Scale.of(lines, visit.now, visit.tz)
    versions = sorted(by_attribute(held.facts).items())
    attributes = [_attribute(visit, name, each, scale) for name, each in versions]
    key = tag("ul", *(tag("li", layout.mark(each)) for each in DRAWN), class_="key",
              aria_label="What the colours mean")  # fmt: skip
    line = tag("div", key, axis(scale), *attributes, class_="timeline") if attributes else None
    return Page(f"Facts of {layout.short(subject, 60)}", "/facts", join(
        line or layout.nothing("No fact is held."),
        _also("Named as a value", [fact_line(visit, each) for each in held.pointing]),
        _also("Said about it", [card(visit, each) for each in held.episodes]),
        _also("Other memories", [card(visit, each) for each in held.others]),
        tag("p", tag("a", "All subjects", href="/facts")),
    ))  # fmt: skip


def _also(title: str, items: Sequence[Markup]) -> Markup | None:
    """A section with the first items of a list; None if it is empty."""
    listed = layout.bullets(items[:_OTHERS], "cards")
    return listed and layout.section(title, listed, layout.more(len(items) - _OTHERS))


def _attribute(visit: Visit, name: str, versions: list[Record], scale: Scale) -> Markup:
    """The versions of an attribute, on the time line and as a table."""
    ordered = sorted(versions, key=lambda each: each.begins, reverse=True)
    rows = [
        (
            join(layout.shown(each.value), " ", layout.memory_link(each.id)),
            layout.day(each.begins, visit.tz), layout.day(each.valid_to, visit.tz),
            layout.mark(state_of(each, visit.now)),
            layout.memory_links(sources(each), "e"),
        )
        for each in ordered
    ]  # fmt: skip
    count = layout.counted(len(rows), "version", "versions")
    listed = layout.table(
        f"Versions of {name}", ("Value", "From", "Until", "State", "Heard in"), rows
    )
    return tag("section", tag("h2", name), drawn(name, versions, scale),
               tag("details", tag("summary", count), listed), class_="attribute")  # fmt: skip
