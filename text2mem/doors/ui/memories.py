"""The pages of memories: the list with its search, and one memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from text2mem.doors.ui import layout
from text2mem.doors.ui.effects import one
from text2mem.doors.ui.visit import NotFound, Page, Visit
from text2mem.executor.lineage import Lineage
from text2mem.ir.journal import Entry
from text2mem.ir.ops import ByFilter
from text2mem.ir.ports import Hidden
from text2mem.ir.record import Record, as_tags
from text2mem.ledger.episode import EPISODE
from text2mem.ledger.holdings import sources, state_of
from text2mem.markup import Markup, join, tag

A_PAGE, _FURTHEST = 25, 400
"""The most memories on a page, and the number of the last page."""
_FOUND, _SIEVED = 500, 10_000
"""The most hits of a search, and of one whose hits are looked through for a tag."""
_TAGS = 200
"""The most tags that the search form suggests."""
_ENTRIES = 200
"""The most changes of a memory that are shown: the last ones."""


# --- the list ------------------------------------------------------------------------------


def listing(visit: Visit) -> Page:
    """The page of the memories, the newest first, or of those that words or a tag find."""
    words, tag_ = visit.query.get("words", "").strip(), visit.query.get("tag", "").strip()
    wanted = {name: visit.query.get(name) == "yes" for name in ("archived", "deleted")}
    include: Hidden = [name for name in ("archived", "deleted") if wanted[name]]
    number, has = visit.page(_FURTHEST), as_tags([tag_] if tag_ else ())
    rows: Sequence[Record]
    if words:
        limit = _SIEVED if tag_ else _FOUND
        hits = visit.memory.view().search(words, limit=limit, include=include)
        rows = [row for row in hits if {*has} <= {*row.tags}]
        total = len(rows)
        at_least = "at least " if len(hits) == limit else ""
        said = f"{at_least}{total} found, the nearest first"
    else:
        target = ByFilter(has_tags=has, include=tuple(include), limit=number * A_PAGE)
        rows, total = visit.select(target)
        said = layout.counted(total, "memory", "memories")
    here = rows[(number - 1) * A_PAGE : number * A_PAGE]
    kept = {name: "yes" for name in wanted if wanted[name]}
    query = {"words": words, "tag": tag_, **kept}
    empty: str = "Nothing is found: try other words, or show what is hidden too."
    if not any(query.values()):
        empty = join("Nothing is kept yet. ", tag("a", "Say what to remember", href="/"), ".")
    return Page("Memories", "/memories", join(
        _search(visit, words, tag_, wanted),
        tag("p", said, class_="soft", role="status"),
        layout.listed((card(visit, each) for each in here), page=number, empty=empty),
        layout.pages("/memories", number, more=total > number * A_PAGE, most=_FURTHEST, **query),
        layout.soft("Facts that are over or wait stand under ", tag("a", "Facts", href="/facts"),
                    " and ", tag("a", "Pending", href="/pending"), "."),
    ))  # fmt: skip


def _search(visit: Visit, words: str, tag_: str, wanted: dict[str, bool]) -> Markup:
    """The form of a search. ``wanted`` says which hidden memories are included."""
    boxes = [
        tag("label", tag("input", type="checkbox", name_=name, value="yes", checked=on),
            f" {name}", class_="box")
        for name, on in wanted.items()
    ]  # fmt: skip
    known = (tag("option", value=each) for each in visit.memory.view().tags(_TAGS))
    return layout.searching(
        "/memories", "Search",
        layout.field("Words", "words", words, maxlength=500),
        layout.field("Tag", "tag", tag_, tag("datalist", *known, id="tags"), type=None,
                     list="tags", maxlength=200, autocomplete="off"),
        tag("fieldset", tag("legend", "Show too"), *boxes),
    )  # fmt: skip


def card(visit: Visit, record: Record) -> Markup:
    """Return a memory as an entry of a list: its text and its details."""
    what = layout.short(record.title, 400) or "(no text)"
    fact = None
    if record.is_fact and record.subject is not None:
        fact = join("fact of ", layout.subject_link(record.subject))
    kind = record.type if record.type and not record.is_fact else None
    meta = layout.meta(
        layout.memory_link(record.id), layout.moment(record.when, visit.tz), kind, fact,
        layout.mark(layout.state(record, visit.now)), layout.tags_of(record),
    )  # fmt: skip
    return join(tag("p", tag("a", what, href=f"/memories/{record.id}"), class_="text"), meta)


# --- one memory ----------------------------------------------------------------------------


def single(visit: Visit) -> Page:
    """The page of one memory: its fields, its history and its lineage. Raises NotFound."""
    id_ = visit.path["id"].removeprefix("m").removeprefix("e")
    record, entries = visit.memory.show(id_), visit.memory.history(id_)
    if record is None and not entries:
        raise NotFound("such memory")
    if record is None:
        gone = tag("p", "This memory is gone; its journal is left.", class_="notice")
        return Page(f"Memory {id_}", "/memories", join(gone, _history(visit, entries)))
    image = record.as_dict()
    names = [each.name for each in fields(Record) if each.name != "id"]
    held = [name for name in names if image[name] not in (None, "", [], {}, False)]
    rest = [name for name in names if name not in held]
    rows = [(name, _linked(visit, name, image[name])) for name in held]
    return Page(f"Memory {id_}", "/memories", join(
        tag("p", record.text or "(no text)", class_="text whole"),
        tag("p", layout.mark(layout.state(record, visit.now)), " ", layout.tags_of(record),
            class_="meta"),
        _came_of_it(visit, record) if record.type == EPISODE else _heard_in(record),
        layout.section(
            "Fields", layout.table("What it holds", ("Field", "Value"), rows, class_="diff"),
            tag("details", tag("summary", f"{len(rest)} fields are empty"),
                layout.soft(", ".join(rest))),
        ),
        _history(visit, entries),
        _family(visit.memory.lineage(id_)),
    ))  # fmt: skip


_IDS = ("lineage_parents", "lineage_children", "supersedes", "source_episode_id")
"""The fields that hold ids of memories."""


def _linked(visit: Visit, name: str, value: Any) -> Markup:
    if name in _IDS:
        return layout.memory_links(value if isinstance(value, list) else [value])
    if name == "subject":
        return layout.subject_link(str(value))
    return layout.folded(name, value, visit.tz)


def _heard_in(record: Record) -> Markup | None:
    ids = sources(record) if record.is_fact else ()
    return tag("p", "Heard in ", layout.memory_links(ids, "e")) if ids else None


def _came_of_it(visit: Visit, record: Record) -> Markup:
    facts = visit.memory.ledger.heard_in([record.id])[record.id]
    lines = (fact_line(visit, each) for each in facts)
    listed = layout.listed(lines, empty="No fact rests on it.", class_="plain")
    return layout.section("What came of it", listed)


def fact_line(visit: Visit, fact: Record) -> Markup:
    """Return a fact on a line: its subject, attribute, value and state."""
    name = f"{layout.short(fact.subject, 40)}.{layout.short(fact.attribute, 40)}"
    value = layout.short(fact.value, 80)
    holds = layout.mark(state_of(fact, visit.now))
    return join(tag("span", f"{name} = ", class_="soft"), tag("strong", value), " ",
                layout.memory_link(fact.id), " ", holds)  # fmt: skip


def _history(visit: Visit, entries: Sequence[Entry]) -> Markup:
    items = [tag("li", change(visit, entry)) for entry in reversed(entries[-_ENTRIES:])]
    left = len(entries) - len(items)
    earlier = layout.soft(f"{left} earlier changes are left out") if left > 0 else None
    return layout.section("History", tag("ol", *items, class_="steps"), earlier)


def change(visit: Visit, entry: Entry, *, linked: bool = True) -> Markup:
    """Return a journal entry: its op, actor and time, perhaps a link to its program, and the fields
    before and after."""
    trace = entry.trail.trace_id
    link = (" ", layout.trace_link(trace)) if linked and trace else ()
    by = f" by {entry.actor}" if entry.actor else ""
    when = layout.moment(entry.at, visit.tz)
    head = tag("p", tag("strong", entry.trail.op), by, " ", when, *link)
    if entry.forgotten:
        return join(head, layout.soft("What changed has been erased."))
    return join(head, one(entry.id, entry.changes, visit.tz) if entry.changes else None)


def _family(family: Lineage | None) -> Markup | None:
    """The lineage of a memory; None if it has no parents and no children."""
    if family is None or not (family.parents or family.children):
        return None
    up = _branches(family.parents, lambda each: each.parents)
    down = _branches(family.children, lambda each: each.children)
    return layout.section(
        "Lineage",
        tag("h3", "Made from") if up else None, up,
        tag("h3", "Made into") if down else None, down,
    )  # fmt: skip


def _branches(
    branches: Sequence[Lineage], further: Callable[[Lineage], Sequence[Lineage]]
) -> Markup | None:
    """The branches of a lineage as a tree; ``further`` returns those of the next level."""
    items = []
    for each in branches:
        row = each.record
        words = [layout.memory_link(row.id), " ", layout.short(row.title, 120), " ",
                 layout.mark("deleted" if row.deleted else "active")]  # fmt: skip
        more = tag("span", " and more", class_="soft") if each.more else None
        items.append(join(*words, more, _branches(further(each), further)))
    return layout.bullets(items, "tree")
