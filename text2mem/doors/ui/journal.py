"""The pages of the journal: the programs that changed something, one of them, and its undo."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from text2mem.doors.ui import layout
from text2mem.doors.ui.effects import effect
from text2mem.doors.ui.memories import change
from text2mem.doors.ui.visit import Elsewhere, NotFound, Page, Visit
from text2mem.executor.history import Logged, logged, of_programs
from text2mem.ir.effects import changes
from text2mem.ir.journal import Entry
from text2mem.ir.result import Change, ProgramResult
from text2mem.markup import Child, Markup, join, tag

A_PAGE, _FURTHEST = 25, 40
"""The most programs on a page, and the number of the last page."""
_MEMORIES = 40
"""The most memories that are shown on the page of one program."""
_NAMED, _LINES = 4, 4
"""The most memories, and the most lines, that the list shows of one program."""


def journal(visit: Visit) -> Page:
    """The page of the last programs, or of the program whose trace the query has."""
    trace = visit.query.get("trace", "")
    return _program(visit, trace) if trace else _programs(visit)


def _programs(visit: Visit) -> Page:
    number = visit.page(_FURTHEST)
    found = visit.memory.log(limit=number * A_PAGE + 1)
    here = found[(number - 1) * A_PAGE : number * A_PAGE]
    ids = [id_ for each in here for id_ in each.ids[:_NAMED]]
    traces = [each.trace_id for each in here if each.trace_id]  # a tick has none
    entries = of_programs(visit.memory.adapter, visit.memory.context, traces, ids)
    items = (_logged(visit, each, entries.get(each.trace_id, [])) for each in here)
    more = len(found) > number * A_PAGE
    return Page("Journal", "/journal", join(
        layout.listed(
            items, empty="No program has changed anything yet.", class_="cards journal", page=number
        ),
        layout.pages("/journal", number, more=more, most=_FURTHEST),
    ))  # fmt: skip


def _logged(visit: Visit, program: Logged, entries: Sequence[Entry]) -> Markup:
    """A program in the list: its request, its ops, its first changes, and a button to undo it."""
    ops = ", ".join(f"{op} ({len(ids)})" for op, ids in program.ops)
    trace = layout.trace_link(program.trace_id) if program.trace_id else "a tick"
    summary = tag(
        "div",
        _said(program, "text"),
        tag("p", tag("strong", ops)),
        _brief(visit, program, _first(entries, _NAMED)),
        layout.meta(*_who(visit, program), trace),
    )
    return join(summary, _undoing(visit, program.trace_id) if program.trace_id else None)


def _brief(visit: Visit, program: Logged, entries: Sequence[Entry]) -> Markup:
    """The first changes of a program, before and after, a line each, and how much is left out."""
    lines = [(entry, each) for entry in entries for each in _listed_changes(entry)]
    here = lines[:_LINES]
    memories = len(program.ids) - len({entry.id for entry, _ in here}) if here else 0
    left = layout.counted(memories, "memory", "memories") if memories else len(lines) - len(here)
    more = tag("li", f"and {left} more", class_="soft") if left else None
    shown = (tag("li", _line(visit, *each)) for each in here)
    return tag("ul", *shown, more, class_="plain brief")


def _listed_changes(entry: Entry) -> list[Change]:
    """The changes that get a line. A new or deleted memory gets one, for its text or value."""
    shown = [each for each in entry.changes if each.field != "payload"]
    if entry.kind == "changed":
        return shown
    return [each for each in shown if each.field in ("text", "value")][:1]


def _line(visit: Visit, entry: Entry, change: Change) -> Markup:
    name = tag("span", f" {change.field}: ", class_="soft")
    value = partial(layout.held, change.field, tz=visit.tz, limit=layout.SHORT)
    if entry.kind == "created":
        return join(layout.memory_link(entry.id), name, value(change.after))
    after = value(change.after) if entry.kind == "changed" else "gone"
    before = tag("span", value(change.before), class_="soft")
    return join(layout.memory_link(entry.id), name, before, " → ", after)


def _said(program: Logged, class_: str) -> Markup | None:
    return tag("p", f"“{layout.short(program.said, 400)}”", class_=class_) if program.said else None


def _who(visit: Visit, program: Logged) -> list[Child]:
    """When a program ran, its actor, and what it took back."""
    back = join("takes back ", layout.trace_link(program.undoes)) if program.undoes else None
    return [layout.moment(program.at, visit.tz), program.actor or "the local user", back]


def _undoing(visit: Visit, trace: str, *how: str) -> Markup:
    """A button that undoes a program. ``how``: "force" undoes only what has not changed since;
    "shown" is a button below the effect."""
    sends = {"trace": trace, **dict.fromkeys(how, "yes")}
    label = "Undo what has not changed since" if "force" in how else "Undo"
    button = layout.button(label, about=f"program {trace}")
    return layout.form(visit, "/journal/undo", sends, button)


# --- one program ---------------------------------------------------------------------------


def _program(visit: Visit, trace: str) -> Page:
    """The page of one program: its changes, and the effect of an undo. Raises NotFound."""
    every = of_programs(visit.memory.adapter, visit.memory.context, [trace])[trace]
    if not every:
        raise NotFound("such program")
    entries = _first(every, _MEMORIES)
    items = (change(visit, each, linked=False) for each in entries)
    return Page("Program", "/journal", join(
        _head(visit, trace, entries),
        layout.section(
            "What it changed",
            layout.bullets(items, "steps", "ol"),
            layout.soft(f"The first {_MEMORIES} memories are shown.")
            if len(entries) < len(every) else None,
        ),
        _back(visit, trace),
        tag("p", tag("a", "The whole journal", href="/journal")),
    ))  # fmt: skip


def _first(entries: Sequence[Entry], most: int) -> list[Entry]:
    """The entries of the first ``most`` memories that a program touched."""
    ids = set(list(dict.fromkeys(entry.id for entry in entries))[:most])
    return [entry for entry in entries if entry.id in ids]


def _head(visit: Visit, trace: str, entries: Sequence[Entry]) -> Markup:
    program = logged(trace, entries[::-1], visit.memory.context)
    who = [tag("span", part) for part in _who(visit, program) if part]
    return join(
        _said(program, "text whole"), tag("p", *who, tag("span", trace, class_="id"), class_="meta")
    )


def _back(visit: Visit, trace: str) -> Markup:
    """The effect that an undo would have, with its button, or the reason why it is refused. Of one
    in conflict, the effect is what it would do to the rest."""
    would, why, how = visit.memory.undo(trace, dry_run=True), None, ["shown"]
    if would.error is not None and would.error.code == "undo-conflict":
        why, how = layout.failure(would.error), ["force", "shown"]
        would = visit.memory.undo(trace, force=True, dry_run=True)
    if would.error is not None:
        return layout.section("Taking it back", layout.failure(would.error))
    does = effect(would, visit.tz)
    return layout.section("Taking it back", why, does, _undoing(visit, trace, *how))


def undo(visit: Visit) -> Elsewhere:
    """Undo a program. If the store refuses, the next page says why."""
    trace = visit.form.get("trace", "")
    force, shown = (visit.form.get(each) == "yes" for each in ("force", "shown"))
    result = visit.memory.undo(trace, force=force, confirmed=shown)
    return taken_back(visit, trace, result)


def taken_back(visit: Visit, trace: str, result: ProgramResult) -> Elsewhere:
    """Add a notice on the outcome of an undo, and return the page to go to."""
    if result.error is not None:
        visit.say(layout.why(result.error), failed=True)
        return Elsewhere(layout.address("/journal", trace=trace))
    visit.session.talk.took_back(trace)
    if changes(result):
        trace = result.trace_id
        visit.say("Taken back.")
    else:
        visit.say("There was nothing left to take back.")
    return Elsewhere(layout.address("/journal", trace=trace))
