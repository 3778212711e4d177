"""The journal: the programs that changed something, what each changed, and taking one back."""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.doors.ui import layout
from text2mem.doors.ui.effects import effect
from text2mem.doors.ui.memories import change
from text2mem.doors.ui.visit import Elsewhere, NotFound, Page, Visit
from text2mem.executor.history import Logged, logged, of_programs
from text2mem.ir.effects import changes
from text2mem.ir.journal import Entry
from text2mem.ir.result import Change, ProgramResult
from text2mem.markup import Markup, join, tag

A_PAGE = 25
_MOST = 1000
_MEMORIES = 40
"""How many memories of one program are shown."""
_NAMED, _LINES = 4, 4
"""Of how many memories, and in how many lines, a program is told of in the list."""
_CONFLICT = "undo-conflict"


def journal(visit: Visit) -> Page:
    """The last programs, or one of them."""
    trace = visit.query.get("trace", "")
    return _program(visit, trace) if trace else _programs(visit)


def _programs(visit: Visit) -> Page:
    number = visit.number("page", most=_MOST // A_PAGE)
    found = visit.memory.log(limit=number * A_PAGE + 1)
    here = found[(number - 1) * A_PAGE : number * A_PAGE]
    did = _entries(visit, *(each.trace_id for each in here))
    items = (_logged(visit, each, did.get(each.trace_id, [])) for each in here)
    more = len(found) > number * A_PAGE and number * A_PAGE < _MOST
    return Page("Journal", "/journal", join(
        layout.listed(
            items, empty="No program has changed anything yet.", class_="cards journal"
        ),
        layout.pages("/journal", number, more=more),
    ))  # fmt: skip


def _logged(visit: Visit, program: Logged, did: Sequence[Entry]) -> Markup:
    ops = ", ".join(f"{op} ({count})" for op, count in program.ops)
    told = tag(
        "div",
        tag("p", _said(program), class_="text") if program.said else None,
        tag("p", tag("strong", ops)),
        _brief(_first(did, _NAMED)),
        layout.meta(*_who(visit, program)),
    )
    return join(told, _undoing(visit, program.trace_id) if program.trace_id else None)


def _brief(entries: Sequence[Entry]) -> Markup:
    """The first changes of a program in a line each: before, and after."""
    lines = [_line(entry, each) for entry in entries for each in _told(entry)]
    more = layout.more(len(lines) - _LINES, "li")
    return tag("ul", *(tag("li", each) for each in lines[:_LINES]), more, class_="plain brief")


def _told(entry: Entry) -> list[Change]:
    """The changes that get a line: of a new or deleted memory, its text or value alone."""
    shown = [each for each in entry.changes if each.field != "payload"]
    if entry.kind == "changed":
        return shown
    return [each for each in shown if each.field in ("text", "value")][:1]


def _line(entry: Entry, each: Change) -> Markup:
    name = tag("span", f" {each.field}: ", class_="soft")
    if entry.kind == "created":
        return join(layout.memory_link(entry.id), name, layout.short(each.after))
    after = layout.short(each.after) if entry.kind == "changed" else "gone"
    before = tag("span", layout.short(each.before), class_="soft")
    return join(layout.memory_link(entry.id), name, before, " → ", after)


def _said(program: Logged) -> str:
    return f"“{layout.short(program.said, 400)}”"


def _who(visit: Visit, program: Logged) -> list[Markup | str]:
    trace = layout.trace_link(program.trace_id) if program.trace_id else "a tick"
    return [layout.moment(program.at, visit.tz), program.actor or "the local user", trace]


def _undoing(visit: Visit, trace: str, *, force: bool = False) -> Markup:
    values = {"trace": trace, **({"force": "yes"} if force else {})}
    label = "Undo what has not changed since" if force else "Undo"
    return layout.form(visit, "/journal/undo", layout.hidden(**values),
                       layout.button(label, about=f"program {trace}"))  # fmt: skip


# --- one -----------------------------------------------------------------------------------


def _program(visit: Visit, trace: str) -> Page:
    """What one program changed, before and after, and what taking it back would do."""
    every = _entries(visit, trace)[trace]
    if not every:
        raise NotFound("such program")
    entries = _first(every, _MEMORIES)
    items = [tag("li", change(visit, each, linked=False)) for each in entries]
    return Page("Program", "/journal", join(
        _head(visit, trace, entries),
        layout.section(
            "What it changed",
            tag("ol", *items, class_="steps"),
            tag("p", f"The first {_MEMORIES} memories are shown.", class_="soft")
            if len(entries) < len(every) else None,
        ),
        _back(visit, trace),
        tag("p", tag("a", "The whole journal", href="/journal")),
    ))  # fmt: skip


def _entries(visit: Visit, *traces: str) -> dict[str, list[Entry]]:
    """What programs did, by trace, as far as the caller may see; a tick has no trace."""
    return of_programs(visit.memory.adapter, visit.store.context, filter(None, traces))


def _first(entries: Sequence[Entry], most: int) -> list[Entry]:
    """The entries of the first ``most`` memories that a program touched."""
    ids = set(list(dict.fromkeys(entry.id for entry in entries))[:most])
    return [entry for entry in entries if entry.id in ids]


def _head(visit: Visit, trace: str, entries: Sequence[Entry]) -> Markup:
    program = logged(trace, entries[::-1], visit.store.context)
    who = [tag("span", part) for part in _who(visit, program)[:-1]]
    return join(
        tag("p", _said(program), class_="text whole") if program.said else None,
        tag("p", *who, tag("span", trace, class_="id"), class_="meta"),
    )


def _back(visit: Visit, trace: str) -> Markup:
    would = visit.memory.agreed().undo(trace, dry_run=True)
    error = would.error
    if error is None:
        return layout.section("Taking it back", effect(would), _undoing(visit, trace))
    forced = _undoing(visit, trace, force=True) if error.code == _CONFLICT else None
    return layout.section("Taking it back", layout.failure(error), forced)


def undo(visit: Visit) -> Elsewhere:
    """Take back a program; what stands in the way is said."""
    trace = visit.form.get("trace", "")
    result = visit.memory.agreed().undo(trace, force=visit.form.get("force") == "yes")
    return taken_back(visit, trace, result)


def taken_back(visit: Visit, trace: str, result: ProgramResult) -> Elsewhere:
    """Where to go after an undo, and what to say there."""
    if result.error is not None:
        visit.say(layout.failure(result.error), failed=True)
        return Elsewhere(layout.address("/journal", trace=trace))
    visit.house.talk.took_back(trace)
    if not changes(result):
        visit.say("There was nothing left to take back.")
        return Elsewhere(layout.address("/journal", trace=trace))
    visit.say("Taken back.")
    return Elsewhere(layout.address("/journal", trace=result.trace_id))
